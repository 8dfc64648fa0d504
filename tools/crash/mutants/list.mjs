/**
 * Programs that are wrong on purpose, each by the text that makes it so and the tests that must notice it. `from` stands in
 * its file exactly once. `chaos`: words that have it try what matters here more often than one time in a thousand.
 */
const operation = (name) => `src/bulk/operations/${name}.ts`
const [deletes, adds, merges, assigns] = ['delete', 'add', 'merge', 'assign'].map(operation)
const states = 'src/bulk/record/batch-state.ts'
const attempts = 'src/http/attempt.ts'
const retries = 'src/http/retry.ts'
const edit = (file, from, to) => ({ file, from, to })
const all = ['model', 'kill', 'chaos']

export const mutants = [
  {
    name: 'moves a draft without looking at the lock',
    edits: [edit('src/bulk/files/output-file.ts', '      await this.guard?.recheck()\n      if (own', '      if (own')],
    noticedBy: ['superseded'],
  },
  {
    name: 'never says deleted',
    edits: [
      edit(deletes, "      return 'deleted'\n", "      return 'gone'\n"),
      edit(deletes, "return all(batch, 'deleted')", "return all(batch, 'gone')"),
    ],
    noticedBy: ['kill', 'chaos'],
  },
  {
    name: 'never says gone',
    edits: [edit(deletes, "state.everAmbiguous ? 'gone' : 'not-found'", "'not-found'")],
    noticedBy: all,
  },
  {
    name: 'says gone of everything that is not there',
    edits: [edit(deletes, "state.everAmbiguous ? 'gone' : 'not-found'", "'gone'")],
    noticedBy: ['kill', 'chaos'],
  },
  {
    name: 'believes a delete that does not add up',
    edits: [edit(deletes, 'if (problem !== undefined) return disbelieve(batch, problem)\n', '')],
    chaos: ['--kinds', 'delete', '--fault', 'wrong-sums'],
    noticedBy: all,
  },
  {
    name: 'believes an add that does not add up',
    edits: [edit(adds, 'if (problem !== undefined) return disbelieve(batch, problem)\n', '')],
    chaos: ['--kinds', 'add', '--fault', 'wrong-sums'],
    noticedBy: all,
  },
  {
    name: 'believes ids that were not sent',
    edits: [edit(deletes, 'if (!sent.has(key(id)))', 'if (sent.size === 0)')],
    chaos: ['--kinds', 'delete', '--fault', 'foreign-ids'],
    noticedBy: all,
  },
  {
    name: 'believes an id that is both not found and blocked',
    edits: [edit(deletes, 'if (notFound.has(id)) return', 'if (notFound.size < 0) return')],
    noticedBy: ['model'],
  },
  {
    name: 'compares ids with their letter case',
    edits: [edit(deletes, '(id: string): string => id.toLowerCase()', '(id: string): string => id')],
    chaos: ['--kinds', 'delete', '--fault', 'upper-case'],
    noticedBy: all,
  },
  {
    name: 'remembers only the last attempt',
    edits: [
      edit(
        states,
        '      return { ...closeOpen(state), attempts: event.a,',
        '      return { ...closeOpen(state), everAmbiguous: false, attempts: event.a,',
      ),
    ],
    noticedBy: all,
  },
  {
    name: 'takes an attempt that a crash cut off for one that was never made',
    edits: [
      edit(
        states,
        'return state.open ? { ...loseAnswer(state, state.triedAt ?? 0, false), open: false } : state',
        'return { ...state, open: false }',
      ),
    ],
    noticedBy: ['model', 'kill'],
  },
  {
    name: 'counts what was skipped after a lost answer as skipped',
    edits: [
      edit(
        adds,
        '{ added, skipped: 0, addedOrSkipped: skipped, failed }',
        '{ added, skipped, addedOrSkipped: 0, failed }',
      ),
    ],
    noticedBy: all,
  },
  {
    name: 'sends a merge again after a lost answer',
    edits: [edit(retries, "if (retryClass === 'once') return false", '')],
    noticedBy: ['kill', 'chaos'],
  },
  {
    name: 'sends an unknown merge again when the run is resumed',
    edits: [edit(merges, "? 'list-only' : 'finished'", "? 'send' : 'finished'")],
    noticedBy: ['model', 'kill'],
  },
  {
    name: 'overwrites what somebody else assigned',
    edits: [
      edit(
        assigns,
        'before !== undefined && isSameId(reading.id, before.id) && state.hasMoved !== true',
        'before !== undefined',
      ),
    ],
    noticedBy: ['model', 'kill'],
  },
  {
    name: 'forgets who had a ticket in between',
    edits: [edit(assigns, ' && state.hasMoved !== true', '')],
    noticedBy: ['model'],
  },
  {
    name: 'assigns again without reading',
    edits: [
      edit(
        assigns,
        "return !isBeginning(state) || isUntried(state) ? 'read' : 'finished'",
        "return !isBeginning(state) || isUntried(state) ? 'send' : 'finished'",
      ),
    ],
    noticedBy: all,
  },
  {
    name: 'undoes an assign that only a reading showed',
    edits: [
      edit(states, 'state.answer === undefined ? undefined : (canLandUntil(state) ?? 0)', 'canLandUntil(state) ?? 0'),
    ],
    noticedBy: ['model', 'undo'],
  },
  {
    name: 'undoes an assign while a lost attempt can still take effect',
    edits: [edit(states, 'undefined : (canLandUntil(state) ?? 0)', 'undefined : 0')],
    noticedBy: ['model', 'undo'],
  },
  {
    name: 'takes a 503 for a refusal',
    edits: [edit(attempts, 'status < 500 && status !== 408', '(status < 500 || status === 503) && status !== 408')],
    chaos: ['--fault', '503(retry-after=0, apply)'],
    noticedBy: ['kill', 'chaos'],
  },
  {
    name: 'takes a 408 for a refusal',
    edits: [edit(attempts, ' && status !== 408', '')],
    chaos: ['--fault', '408(apply)'],
    noticedBy: ['kill', 'chaos'],
  },
  {
    name: 'sends an accepted batch again',
    edits: [
      edit(
        operation('operations'),
        "return batch.isolate === true && needsIsolating(outcomesOf(batch, state)) ? 'isolate' : 'finished'",
        "return 'send'",
      ),
    ],
    noticedBy: ['kill'],
  },
  {
    name: 'answers for a name from its record while its run is there',
    edits: [
      edit(
        'src/bulk/runs/names.ts',
        'pruned === undefined || isRecorded(stateDir, record.run) ? record',
        'pruned === undefined ? record',
      ),
      edit(
        'src/bulk/sessions/session.ts',
        '!isRecorded(stateDir, record.run)',
        'record.pruned !== undefined || !isRecorded(stateDir, record.run)',
      ),
    ],
    noticedBy: ['prune'],
  },
  {
    name: 'never syncs the journal',
    edits: [edit('src/bulk/record/journal.ts', 'await this.#file.datasync()', 'await Promise.resolve()')],
    noticedBy: ['power'],
  },
  {
    name: 'never syncs a folder',
    edits: [edit('src/folder.ts', 'await folder.sync()', 'await Promise.resolve()')],
    noticedBy: ['power'],
  },
  {
    name: 'never syncs receipts',
    edits: [edit('src/bulk/files/output-file.ts', 'await this.#file.sync()', 'await Promise.resolve()')],
    noticedBy: ['power'],
  },
]
