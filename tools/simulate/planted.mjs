/**
 * Mistakes to plant in the program, each by texts that stand in their files exactly once, and what takes their places. The simulator must find each.
 * Not here, since what commands say is not false with them or worlds that show it are rare: a draft that is moved without a last look at
 * the lock (test/bulk/output-file.test.ts), an assign that forgets who had the ticket in between (test/bulk/outcomes.test.ts), and a run
 * that is pruned before its name knows the summary (test/bulk/once.test.ts).
 */
const inFile = (file) => (from, to) => [{ file: `src/${file}.ts`, from, to }]
const [add, assign, deletes, merge, operation, operations] = [
  ...['add', 'assign', 'delete', 'merge', 'operation', 'operations'],
].map((name) => inFile(`bulk/operations/${name}`))
const [batch, journal, landing, names] = [
  'record/batch-state',
  'record/journal',
  'record/landing',
  'runs/names',
].map((name) => inFile(`bulk/${name}`))
const [fromJob, fromRecord, prune, undo] = ['from-job', 'from-record', 'prune', 'undo'].map(
  (name) => inFile(`bulk/sessions/${name}`),
)
const [totals, state] = ['totals', 'state'].map((name) => inFile(`bulk/outcomes/${name}`))
const attempt = inFile('http/attempt')
const retry = inFile('http/retry')
const wholeFile = inFile('disk/whole-file')
const scheduler = inFile('bulk/sending/scheduler')

/** What an answer, or the loss of one, means. */
const claims = {
  'never says gone': deletes("state.everAmbiguous ? 'gone' : 'not-found'", "'not-found'"),
  'says gone of everything that is not there': deletes(
    "state.everAmbiguous ? 'gone' : 'not-found'",
    "'gone'",
  ),
  'never says deleted': [
    ...deletes("        return 'deleted'\n", "        return 'gone'\n"),
    ...deletes("return all(batch, 'deleted')", "return all(batch, 'gone')"),
  ],
  'remembers only the last attempt': batch(
    '        ...closeOpen(state),\n        attempts: event.a,',
    '        ...closeOpen(state),\n        everAmbiguous: false,\n        attempts: event.a,',
  ),
  'counts what was skipped after a lost answer as skipped': add(
    '{ added, skipped: 0, addedOrSkipped: skipped, failed }',
    '{ added, skipped, addedOrSkipped: 0, failed }',
  ),
  'believes an add that does not add up': add(
    'if (problem !== undefined) return disbelieve(batch, problem)\n',
    '',
  ),
  'believes a delete that does not add up': deletes(
    'if (problem !== undefined) return disbelieve(batch, problem)\n',
    '',
  ),
  'believes ids that were not sent': operation('if (!sent.has(id))', 'if (sent.size === 0)'),
  'compares ids with their letter case': operation(
    'Array.from(batch.ids, (id) => id.toLowerCase())',
    'Array.from(batch.ids)',
  ),
  'believes an id that is both not found and blocked': deletes(
    'if (notFound.ids.has(id)) return',
    'if (notFound.ids.size < 0) return',
  ),
  'takes a 408 for a refusal': attempt(' && status !== 408', ''),
  'takes a 503 for a refusal': attempt(
    'status < 500 && status !== 408',
    '(status < 500 || status === 503) && status !== 408',
  ),
  'takes every 5xx for a refusal': attempt('status < 500 && status !== 408', 'status !== 408'),
  'takes a redirect for a refusal': attempt(
    "return { kind: 'ambiguous', status, message, headers, html }",
    "return { kind: 'refused', status, message, headers, html }",
  ),
  'takes what was sent for never sent': attempt(
    "? { kind: 'ambiguous', message }",
    "? { kind: 'never-sent', message, systemCode: 'ECONNREFUSED' }",
  ),
  'takes an attempt that a crash cut off for one that was never made': batch(
    'return state.open ? { ...loseAnswer(state, false), open: false } : state',
    'return { ...state, open: false }',
  ),
  'a refusal after a lost answer is an error': operation(
    "if (isAmbiguous(state)) return all(batch, 'unknown')",
    "if (isAmbiguous(state) && state.last?.kind !== 'refused') return all(batch, 'unknown')",
  ),
  'some of an add failed, and all are ok': add(
    "...all(batch, 'undetermined'), counts",
    "...all(batch, 'ok'), counts",
  ),
  'isolates, and what is not proven is ok': add("isolation.proven ? 'ok' : 'undetermined'", "'ok'"),
  'believes another contact in the answer to a merge': [
    ...merge('return isOfPair ?', 'return isOfPair || !isOfPair ?'),
    ...inFile('api/call')(
      "same(data.mergedContactId, path['sourceContactId']) || same(",
      "data.mergedContactId !== '' || same(",
    ),
  ],
  'believes an answer about another record': inFile('api/call')(
    'return echo === undefined || echo(data, sent.path ?? {}, sent.body)',
    'return echo === undefined || typeof echo === typeof sent.path || data !== undefined',
  ),
  'believes a page that is no answer of the service': inFile('api/call')(
    'return { ok: false, problem: \'the answer has no "data"\' }',
    'return { ok: true, data: document }',
  ),
  'a take-over is forgotten': state(
    'if (event.takeOver === true) {',
    'if (event.takeOver === undefined && event.takeOver !== undefined) {',
  ),
  'retry forgets what was tried': state(
    'this.#batches[batch] = { state: reopen(this.of(batch)) }',
    'this.#batches[batch] = { state: { ...unsent, attempts: this.of(batch).attempts } }',
  ),
}

/** What is sent, when, and how often. */
const requests = {
  'sends an accepted batch again': operations(
    "return isLookedInto && outcomesOf(batch, state).outcomes.includes(isolates.outcome) ? 'isolate' : 'finished'",
    "return 'send'",
  ),
  'sends a merge again after a lost answer': retry("if (retryClass === 'once') return false", ''),
  'sends an unknown merge again when the run is resumed': merge(
    "? 'list-only' : 'finished'",
    "? 'send' : 'finished'",
  ),
  'assigns again without reading': assign(
    "if (reading === undefined) return isSettled ? 'finished' : 'read'",
    "if (reading === undefined) return isSettled ? 'finished' : 'send'",
  ),
  'overwrites what somebody else assigned': assign(
    'before !== undefined && isSameId(reading.id, before.id) && state.hasMoved !== true',
    'before !== undefined',
  ),
  'undoes an assign that only a reading showed': undo(
    'state.of(batch).answer !== undefined ? pairBack(receipt) : undefined',
    'pairBack(receipt)',
  ),
  'undoes an assign while a lost attempt can still take effect': undo(
    'else if (time > 0) {',
    'else if (time < 0) {',
  ),
  'gives back what another undo gave back': undo(
    'if (!(await free).has(id.toLowerCase())) return run',
    'if (!(await free).has(id.toLowerCase()) && id.length === 0) return run',
  ),
  'gives back what another person was given': undo(
    'return { id, other: before, expected: after, line: line ?? 0 }',
    'return { id, other: before, line: line ?? 0 }',
  ),
  'takes one pass over a changing list for the whole of it': inFile('api/passes')(
    'return !this.#hasMoved && this.rows === this.total',
    'return this.rows <= this.total || !this.#hasMoved',
  ),
  // The changelog's: with a clock 10 minutes ahead a ticket was given back, and the lost assign landed later.
  'tells the 11 minutes by the clock of its own machine': landing(
    'up: Math.floor(host.monotonic())',
    'up: Math.floor(host.now())',
  ),
  'merges a contact before what comes into it': state(
    'return this.#parts.chain?.after(batch) ?? []',
    'return batch < 0 ? [batch] : []',
  ),
  'merges a contact while what comes into it can still land': state(
    'if (wait === 0) return undefined',
    'if (wait >= 0) return undefined',
  ),
  'sends before its attempt is on record': journal(
    '    commit.tries.push(event)\n    await commit.done',
    '    commit.tries.push(event)\n    commit.done.catch(() => undefined)',
  ),
}

/** Locks, names, files and what is on disk. */
const records = {
  'never syncs the journal': journal('await this.#file.datasync()', 'await Promise.resolve()'),
  'never syncs a folder': inFile('disk/folder')('await folder.sync()', 'await Promise.resolve()'),
  'never syncs receipts': wholeFile('await this.#file.sync()', 'await Promise.resolve()'),
  'shows what became of a merge before it is on disk': scheduler(
    'if (tells && this.#isSingle) await journal.sync()',
    '',
  ),
  // The changelog's: a killed prune left a record that spoke for a run which was there, and was resumed.
  'answers for a name from its record while its run is there': [
    ...names(
      'if (pruned === undefined || isRecorded(this.#host, this.#stateDir, record.run)) return record',
      'if (pruned === undefined) return record',
    ),
    ...fromJob(
      '!store.isRecorded(name.run)',
      'name.pruned !== undefined || !store.isRecorded(name.run)',
    ),
  ],
  'frees the name of every run that is pruned': prune(
    'const isFreed = names === true &&',
    'const isFreed = names !== false &&',
  ),
  // The changelog's: who had lost the lock, or never had it, took away what its holder was writing.
  'removes the drafts of a run before it has the lock': fromRecord(
    '  await locks.takeRun(store, id)\n  const recorded',
    `  for (const draft of (await store.read(id)).drafts)
    await tools.host.disk.promises.rm(draft, { force: true })
  await locks.takeRun(store, id)
  const recorded`,
  ),
  'holds a process of another machine to be gone': inFile('disk/lock-file')(
    'if (!isSamePlace(mark.identity, here.identity)) return false',
    '',
  ),
  'takes a lock over without a look': inFile('disk/take')('const looks = 30', 'const looks = 0'),
  'begins a run without the lock of its name': fromJob(
    '  await locks.takeName(store, once)\n  const name',
    '  const name',
  ),
  'removes the folder of a run that has begun': fromJob('    isBegun = true\n', ''),
  'takes a damaged journal for a whole one': inFile('bulk/record/replay')(
    "if (line.toString('latin1', cut) !== ",
    "if (line.length === 0 && line.toString('latin1', cut) !== ",
  ),
}

/** As a fifth operation once was wrong where operations are told apart, and what is said at the end. */
const endings = {
  // The changelog's: nothing was left, and the process died before it could write so.
  'calls a run that has ended interrupted': inFile('bulk/runs/recorded')(
    'if (!isLeft) return { stop: null }\n',
    '',
  ),
  'says 0 of what is not done': totals('return isAccepted(totals, ending) ? 0 : 3', 'return 0'),
  'leaves a figure out of the summary': inFile('bulk/operations/delete')(
    "figure: 'blocked',\n",
    '',
  ),
  'leaves an array of ids out of the summary': inFile('bulk/operations/delete')(
    "idArray: 'notFoundIds',\n",
    '',
  ),
  'counts what is missing as done': add(
    '  missing: {\n    ...answeredOtherwise,',
    '  missing: {\n    ...asAsked,',
  ),
  'says that nothing is left of what was not sent': operation(
    "if (sendAfter !== undefined || last === undefined || last.kind === 'never-sent') return true",
    "if (sendAfter !== undefined || last?.kind === 'never-sent') return true",
  ),
  'gives a batch the ids of another': scheduler(
    'json: () => state.items.json(from, to)',
    'json: () => state.items.json(0, to - from)',
  ),
}

/** What is read, handed on and read again. */
const reads = {
  'writes no mark at the end of an incomplete output': inFile('output/incomplete')(
    "return format === 'ndjson' ? `${json}\\n` : `${incompleteMark} ${words}\\n`",
    "return format === 'ndjson' ? `${json}\\n` : ''",
  ),
  'writes no error at the end of incomplete lines of JSON': inFile('output/incomplete')(
    "return format === 'ndjson' ? `${json}\\n` : `${incompleteMark} ${words}\\n`",
    "return format === 'ndjson' ? '' : `${incompleteMark} ${words}\\n`",
  ),
  'closes a document that is incomplete': inFile('output/incomplete')(
    "if (format === 'json') return isBegun ? '' : `${bracket}\\n`",
    "if (format === 'json') return isBegun ? ']' : '[]'",
  ),
  'takes what is incomplete for whole': inFile('output/incomplete')(
    'return markAtStart.test(line) || errorAtStart.test(line)',
    'return line.length < 0 && markAtStart.test(line) && errorAtStart.test(line)',
  ),
  'knows the mark in small letters alone': inFile('output/incomplete')(
    'const markAtStart = /^[\\s"]*#\\s*incomplete\\s*:/i',
    'const markAtStart = /^[\\s"]*#\\s*incomplete\\s*:/',
  ),
  'looks again for whom a person has refused': inFile('directory/people-table')(
    "if (isSame(match, 'no')) return { kind: 'no', line, name, by }",
    "if (isSame(match, 'none!')) return { kind: 'no', line, name, by }",
  ),
  'looks again for whom a person has chosen': inFile('directory/people-table')(
    "if (isAgain || !isSame(match, 'one') || !isId(contactId)) return undefined",
    "if (!isAgain || !isSame(match, 'one') || !isId(contactId)) return undefined",
  ),
  'counts what is not one as done': inFile('directory/matching')(
    "isComplete: countOf('kept') + countOf('one') === total",
    "isComplete: countOf('kept') + countOf('one') <= total",
  ),
  'names no command that goes on': inFile('bulk/outcomes/summary')(
    'if (left > 0) return continuing`runs resume ${run}`',
    'if (left > 1) return continuing`runs resume ${run}`',
  ),
  'says that no repetition ends better': inFile('bulk/outcomes/summary')(
    'retry: mayRetry(exitCode, name !== null)',
    'retry: mayRetry(exitCode, name === null)',
  ),
  'writes evidence without looking whether the run is there': inFile('plans/evidence')(
    '    store.readHeader(id)\n',
    '',
  ),
  'adds to another list than the one that was typed': add(
    "path: { listId: assertDefined(partyIn(parameters, 'list')).id },",
    "path: { listId: assertDefined(partyIn(parameters, 'list')).id.replace(/.$/, '0') },",
  ),
  'assigns whatever the condition says': assign(
    'await requests.read({ id, declined: isOther && isBeginning(requests.state()) })',
    'await requests.read({ id, declined: isOther && !isBeginning(requests.state()) })',
  ),
}

export const planted = new Map(
  Object.entries({ ...claims, ...requests, ...records, ...endings, ...reads }),
)

/** Steps among which a mistake shows soon; all for those that are not here. */
export const sought = new Map(
  Object.entries({
    'writes no mark at the end of an incomplete output': 'members,combine,weather',
    'writes no error at the end of incomplete lines of JSON': 'members,combine,weather',
    'closes a document that is incomplete': 'members,combine,weather',
    'takes what is incomplete for whole': 'combine,pipe,weather',
    'knows the mark in small letters alone': 'combine,pipe,weather',
    'looks again for whom a person has refused': 'people',
    'looks again for whom a person has chosen': 'people',
    'counts what is not one as done': 'people',
    'names no command that goes on': 'contacts.delete,weather',
    'says that no repetition ends better': 'contacts.delete,weather,repeat',
    'writes evidence without looking whether the run is there': 'contacts.delete,show,prune',
    'adds to another list than the one that was typed': 'lists.add-contacts',
    'assigns whatever the condition says': 'tickets.assign,rival',
    'believes an answer about another record': 'tickets.assign,members,weather,rival',
    'believes an add that does not add up': 'lists.add-contacts,weather',
    'believes a delete that does not add up': 'contacts.delete,weather',
    'believes ids that were not sent': 'contacts.delete,weather',
    'believes an id that is both not found and blocked': 'contacts.delete,weather',
    'isolates, and what is not proven is ok': 'lists.add-contacts,contacts.delete,weather,retry',
    'believes another contact in the answer to a merge': 'contacts.merge,weather',
    'undoes an assign that only a reading showed': 'tickets.assign,undo,weather,rival',
    'gives back what another undo gave back': 'tickets.assign,undo,weather,rival',
    'gives back what another person was given': 'tickets.assign,undo,weather,rival',
    'takes one pass over a changing list for the whole of it': 'members,weather',
    'undoes an assign while a lost attempt can still take effect': 'tickets.assign,undo,weather',
    'tells the 11 minutes by the clock of its own machine':
      'tickets.assign,contacts.merge,undo,weather,clock,retry',
    'overwrites what somebody else assigned': 'tickets.assign,rival,weather',
    'merges a contact while what comes into it can still land':
      'contacts.merge,weather,resume,retry',
    'sends before its attempt is on record': 'contacts.delete,contacts.merge,repeat,resume',
    'never syncs the journal': 'contacts.delete,contacts.merge,power,resume,repeat,weather',
    'never syncs a folder': 'contacts.delete,contacts.merge,power,resume,repeat',
    'never syncs receipts': 'contacts.delete,lists.add-contacts,power,resume,repeat',
    'shows what became of a merge before it is on disk': 'contacts.merge,power,resume,weather',
    'answers for a name from its record while its run is there': 'halfPrune',
    'frees the name of every run that is pruned': 'contacts.delete,lists.add-contacts,prune,repeat',
    'removes the drafts of a run before it has the lock': 'crowd,weather',
    'holds a process of another machine to be gone':
      'contacts.delete,lists.add-contacts,together,resume,weather',
    'takes a lock over without a look': 'crowd,weather',
    'begins a run without the lock of its name':
      'contacts.delete,lists.add-contacts,repeat,together',
    'takes a damaged journal for a whole one':
      'contacts.delete,lists.add-contacts,rot,resume,repeat,weather',
    'calls a run that has ended interrupted': 'contacts.delete,contacts.merge,show,weather',
  }),
)
