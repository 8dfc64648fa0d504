/** Programs that are wrong on purpose, each by the text that makes it so, which stands in its file exactly once, and who must notice. */
const inFile = (file) => (from, to) => [{ file, from, to }]
const operation = (name) => inFile(`src/bulk/operations/${name}.ts`)
const [deletes, adds, merges, assigns] = ['delete', 'add', 'merge', 'assign'].map(operation)
const operations = operation('operations')
const states = inFile('src/bulk/record/batch-state.ts')
const attempts = inFile('src/http/attempt.ts')
const retries = inFile('src/http/retry.ts')
const outputFile = inFile('src/bulk/files/output-file.ts')
const wholeFile = inFile('src/output/whole-file.ts')

/** Words that have chaos try what matters here more often than one time in a thousand. */
const sought = {
  'believes an add that does not add up': ['--kinds', 'add', '--fault', 'wrong-sums'],
  'believes ids that were not sent': ['--kinds', 'delete', '--fault', 'foreign-ids'],
  'compares ids with their letter case': ['--kinds', 'delete', '--fault', 'upper-case'],
  'believes a delete that does not add up': ['--kinds', 'delete', '--fault', 'wrong-sums'],
  'takes a 408 for a refusal': ['--fault', '408(apply)'],
  'takes a 503 for a refusal': ['--fault', '503(retry-after=0, apply)'],
}

const noticed = (noticedBy, mutants) =>
  Object.entries(mutants).map(([name, edits]) => ({ name, edits, noticedBy, chaos: sought[name] }))

export const mutants = [
  ...noticed(['model', 'kill', 'chaos'], {
    'never says gone': deletes("state.everAmbiguous ? 'gone' : 'not-found'", "'not-found'"),
    'remembers only the last attempt': states(
      '        ...closeOpen(state),\n        attempts: event.a,',
      '        ...closeOpen(state),\n        everAmbiguous: false,\n        attempts: event.a,',
    ),
    'counts what was skipped after a lost answer as skipped': adds(
      '{ added, skipped: 0, addedOrSkipped: skipped, failed }',
      '{ added, skipped, addedOrSkipped: 0, failed }',
    ),
    'assigns again without reading': assigns(
      "return !isBeginning(state) || isUntried(state) ? 'read' : 'finished'",
      "return !isBeginning(state) || isUntried(state) ? 'send' : 'finished'",
    ),
    'believes an add that does not add up': adds('if (problem !== undefined) return disbelieve(batch, problem)\n', ''),
    'believes ids that were not sent': operation('operation')('if (!sent.has(id))', 'if (sent.size === 0)'),
    'compares ids with their letter case': operation('operation')(
      'Array.from(batch.ids, (id) => id.toLowerCase())',
      'Array.from(batch.ids)',
    ),
    'believes a delete that does not add up': deletes(
      'if (problem !== undefined) return disbelieve(batch, problem)\n',
      '',
    ),
  }),
  ...noticed(['kill', 'chaos'], {
    'never says deleted': [
      ...deletes("      return 'deleted'\n", "      return 'gone'\n"),
      ...deletes("return all(batch, 'deleted')", "return all(batch, 'gone')"),
    ],
    'says gone of everything that is not there': deletes("state.everAmbiguous ? 'gone' : 'not-found'", "'gone'"),
    'sends a merge again after a lost answer': retries("if (retryClass === 'once') return false", ''),
    'takes a 408 for a refusal': attempts(' && status !== 408', ''),
    'takes a 503 for a refusal': attempts(
      'status < 500 && status !== 408',
      '(status < 500 || status === 503) && status !== 408',
    ),
  }),
  ...noticed(['kill'], {
    'sends an accepted batch again': operations(
      "return isLookedInto && outcomesOf(batch, state).outcomes.includes(isolates) ? 'isolate' : 'finished'",
      "return 'send'",
    ),
  }),
  ...noticed(['model', 'kill'], {
    'takes an attempt that a crash cut off for one that was never made': states(
      'return state.open ? { ...loseAnswer(state, state.triedAt ?? 0, false), open: false } : state',
      'return { ...state, open: false }',
    ),
    'sends an unknown merge again when the run is resumed': merges(
      "? 'list-only' : 'finished'",
      "? 'send' : 'finished'",
    ),
    'overwrites what somebody else assigned': assigns(
      'before !== undefined && isSameId(reading.id, before.id) && state.hasMoved !== true',
      'before !== undefined',
    ),
  }),
  ...noticed(['model', 'undo'], {
    'undoes an assign that only a reading showed': states(
      'state.answer === undefined ? undefined : (canLandUntil(state) ?? 0)',
      'canLandUntil(state) ?? 0',
    ),
    'undoes an assign while a lost attempt can still take effect': states(
      'undefined : (canLandUntil(state) ?? 0)',
      'undefined : 0',
    ),
  }),
  ...noticed(['model'], {
    'believes an id that is both not found and blocked': deletes(
      'if (notFound.ids.has(id)) return',
      'if (notFound.ids.size < 0) return',
    ),
    'forgets who had a ticket in between': assigns(' && state.hasMoved !== true', ''),
  }),
  ...noticed(['power'], {
    'never syncs the journal': inFile('src/bulk/record/journal.ts')(
      'await this.#file.datasync()',
      'await Promise.resolve()',
    ),
    'never syncs a folder': inFile('src/folder.ts')('await folder.sync()', 'await Promise.resolve()'),
    'never syncs receipts': wholeFile('await this.#file.sync()', 'await Promise.resolve()'),
  }),
  ...noticed(['prune'], {
    'answers for a name from its record while its run is there': [
      ...inFile('src/bulk/runs/names.ts')(
        'pruned === undefined || isRecorded(host, stateDir, record.run) ? record',
        'pruned === undefined ? record',
      ),
      ...inFile('src/bulk/sessions/from-job.ts')(
        '!isRecorded(tools.host, stateDir, name.run)',
        'name.pruned !== undefined || !isRecorded(tools.host, stateDir, name.run)',
      ),
    ],
  }),
  ...noticed(['superseded'], {
    'moves a draft without looking at the lock': outputFile(
      '      await this.guard?.recheck()\n      await this.#draft.move',
      '      await this.#draft.move',
    ),
  }),
]
