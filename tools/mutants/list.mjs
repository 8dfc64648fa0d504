/**
 * Programs that are wrong on purpose, each by the text that makes it so and the tests that must notice it. `from` stands in
 * its file exactly once. `chaos`: words that have it try what matters here more often than one time in a thousand.
 */
const claims = 'src/bulk/claims.ts'
const states = 'src/bulk/batch-state.ts'
const attempts = 'src/http/attempt.ts'
const retries = 'src/http/retry.ts'
const all = ['model', 'kill', 'chaos']

export const mutants = [
  {
    name: 'never says deleted',
    edits: [
      { file: claims, from: "      return 'deleted'\n", to: "      return 'gone'\n" },
      { file: claims, from: "return all(batch, 'deleted')", to: "return all(batch, 'gone')" },
    ],
    noticedBy: ['kill', 'chaos'],
  },
  {
    name: 'never says gone',
    edits: [{ file: claims, from: "state.everAmbiguous ? 'gone' : 'not-found'", to: "'not-found'" }],
    noticedBy: all,
  },
  {
    name: 'says gone of everything that is not there',
    edits: [{ file: claims, from: "state.everAmbiguous ? 'gone' : 'not-found'", to: "'gone'" }],
    noticedBy: ['kill', 'chaos'],
  },
  {
    name: 'believes a delete that does not add up',
    edits: [
      {
        file: claims,
        from: 'notFoundIds.length + blockedIds.length\n  if (sum !== ids.length)',
        to: 'notFoundIds.length + blockedIds.length\n  if (sum < 0)',
      },
    ],
    chaos: ['--kinds', 'delete', '--fault', 'wrong-sums'],
    noticedBy: all,
  },
  {
    name: 'believes an add that does not add up',
    edits: [
      {
        file: claims,
        from: 'added + skipped + failed\n  if (sum !== ids.length)',
        to: 'added + skipped + failed\n  if (sum < 0)',
      },
    ],
    chaos: ['--kinds', 'add', '--fault', 'wrong-sums'],
    noticedBy: all,
  },
  {
    name: 'believes ids that were not sent',
    edits: [{ file: claims, from: 'if (!sent.has(key(id)))', to: 'if (sent.size === 0)' }],
    chaos: ['--kinds', 'delete', '--fault', 'foreign-ids'],
    noticedBy: all,
  },
  {
    name: 'believes an id that is both not found and blocked',
    edits: [{ file: claims, from: 'if (notFound.has(id)) return', to: 'if (notFound.size < 0) return' }],
    noticedBy: ['model'],
  },
  {
    name: 'compares ids with their letter case',
    edits: [{ file: claims, from: '(id: string): string => id.toLowerCase()', to: '(id: string): string => id' }],
    chaos: ['--kinds', 'delete', '--fault', 'upper-case'],
    noticedBy: all,
  },
  {
    name: 'remembers only the last attempt',
    edits: [
      {
        file: states,
        from: '      return { ...closeOpen(state), attempts: event.a,',
        to: '      return { ...closeOpen(state), everAmbiguous: false, attempts: event.a,',
      },
    ],
    noticedBy: all,
  },
  {
    name: 'takes an attempt that a crash cut off for one that was never made',
    edits: [
      {
        file: states,
        from: 'return state.open ? { ...loseAnswer(state, state.triedAt ?? 0, false), open: false } : state',
        to: 'return { ...state, open: false }',
      },
    ],
    noticedBy: ['model', 'kill'],
  },
  {
    name: 'counts what was skipped after a lost answer as skipped',
    edits: [
      {
        file: claims,
        from: '{ added, skipped: 0, addedOrSkipped: skipped, failed }',
        to: '{ added, skipped, addedOrSkipped: 0, failed }',
      },
    ],
    noticedBy: all,
  },
  {
    name: 'sends a merge again after a lost answer',
    edits: [{ file: retries, from: "if (retryClass === 'once') return false", to: '' }],
    noticedBy: ['kill', 'chaos'],
  },
  {
    name: 'sends an unknown merge again when the run is resumed',
    edits: [{ file: claims, from: "? 'list-only' : 'finished'", to: "? 'send' : 'finished'" }],
    noticedBy: ['model', 'kill'],
  },
  {
    name: 'overwrites what somebody else assigned',
    edits: [
      {
        file: claims,
        from: 'before !== undefined && isSameId(reading.id, before.id) && state.hasMoved !== true',
        to: 'before !== undefined',
      },
    ],
    noticedBy: ['model', 'kill'],
  },
  {
    name: 'forgets who had a ticket in between',
    edits: [{ file: claims, from: ' && state.hasMoved !== true', to: '' }],
    noticedBy: ['model'],
  },
  {
    name: 'assigns again without reading',
    edits: [
      {
        file: claims,
        from: "return !isBeginning(state) || isUntried(state) ? 'read' : 'finished'",
        to: "return !isBeginning(state) || isUntried(state) ? 'send' : 'finished'",
      },
    ],
    noticedBy: all,
  },
  {
    name: 'undoes an assign that only a reading showed',
    edits: [
      {
        file: states,
        from: 'state.answer === undefined ? undefined : (canLandUntil(state) ?? 0)',
        to: 'canLandUntil(state) ?? 0',
      },
    ],
    noticedBy: ['model', 'undo'],
  },
  {
    name: 'undoes an assign while a lost attempt can still take effect',
    edits: [{ file: states, from: 'undefined : (canLandUntil(state) ?? 0)', to: 'undefined : 0' }],
    noticedBy: ['model', 'undo'],
  },
  {
    name: 'takes a 503 for a refusal',
    edits: [
      {
        file: attempts,
        from: 'status < 500 && status !== 408',
        to: '(status < 500 || status === 503) && status !== 408',
      },
    ],
    chaos: ['--fault', '503(retry-after=0, apply)'],
    noticedBy: ['kill', 'chaos'],
  },
  {
    name: 'takes a 408 for a refusal',
    edits: [{ file: attempts, from: ' && status !== 408', to: '' }],
    chaos: ['--fault', '408(apply)'],
    noticedBy: ['kill', 'chaos'],
  },
  {
    name: 'sends an accepted batch again',
    edits: [
      {
        file: claims,
        from: "return batch.isolate === true && needsIsolating(outcomesOf(batch, state)) ? 'isolate' : 'finished'",
        to: "return 'send'",
      },
    ],
    noticedBy: ['kill'],
  },
  {
    name: 'answers for a name from its record while its run is there',
    edits: [
      {
        file: 'src/bulk/names.ts',
        from: 'pruned === undefined || isRecorded(stateDir, record.run) ? record',
        to: 'pruned === undefined ? record',
      },
      {
        file: 'src/bulk/session.ts',
        from: '!isRecorded(stateDir, record.run)',
        to: 'record.pruned !== undefined || !isRecorded(stateDir, record.run)',
      },
    ],
    noticedBy: ['prune'],
  },
  {
    name: 'never syncs the journal',
    edits: [{ file: 'src/bulk/journal.ts', from: 'await this.#file.datasync()', to: 'await Promise.resolve()' }],
    noticedBy: ['power'],
  },
  {
    name: 'never syncs a folder',
    edits: [{ file: 'src/folder.ts', from: 'await folder.sync()', to: 'await Promise.resolve()' }],
    noticedBy: ['power'],
  },
  {
    name: 'never syncs receipts',
    edits: [{ file: 'src/bulk/output-file.ts', from: 'await this.#file.sync()', to: 'await Promise.resolve()' }],
    noticedBy: ['power'],
  },
]
