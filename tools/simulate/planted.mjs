/** Mistakes about runs, each as the file, the text that it replaces, and the text of the mistake. */
export const planted = [
  [
    'no check between an attempt and its request',
    'file',
    ['await this.sync()\n    await this.check()', 'await this.sync()'],
  ],
  [
    'an attempt is not synced',
    'file',
    ['await this.append(...lines)\n    await this.sync()', 'await this.append(...lines)'],
  ],
  [
    'a late claim takes over',
    'log',
    [
      'if (takesOver && n < this.next) return',
      'if (takesOver && n < this.next) return void (this.holder = s)',
    ],
  ],
  [
    'a gap is nothing',
    'log',
    ['if (!mayWrite || n !== this.next || this.#isMisplaced(line)) this.#markDamaged()', ''],
  ],
  [
    'a head that stands there twice is nothing',
    'log',
    [
      'if (!mayWrite || n !== this.next || this.#isMisplaced(line)) this.#markDamaged()',
      'if (n > this.next) this.#markDamaged()',
    ],
  ],
  [
    'a damaged run goes on',
    'checks',
    ['if (log.isDamaged)\n', 'if (log.isDamaged && run === "")\n'],
    'queue',
    ['if (this.#isDamaged || request.answer', 'if (request.answer'],
  ],
  [
    'only the last attempt counts',
    'queue',
    ['request.attempts = a\n', 'request.isDoubtful = false\n  request.attempts = a\n'],
  ],
  [
    'an attempt without a result is nothing',
    'queue',
    [
      'if (request.isInFlight || a > request.attempts + 1) request.isDoubtful = true',
      'request.isDoubtful ||= false',
    ],
  ],
  [
    'a refusal settles a doubt',
    'queue',
    [
      "if (isInDoubt(request) || request.isHalf) return 'unknown'",
      "if (request.isHalf) return 'unknown'",
    ],
  ],
  [
    'halves without an answer were never sent',
    'queue',
    [
      "if (isInDoubt(request) || request.isHalf) return 'unknown'",
      "if (isInDoubt(request)) return 'unknown'",
    ],
  ],
  ['a 429 is final', 'queue', ['![401, 403, 429]', '![401, 403]']],
  [
    'what is absent after a doubt was never there',
    'operations/delete',
    ["request.isDoubtful ? 'gone' : 'not-found'", "'not-found'"],
  ],
  [
    'ids are compared with their letter case',
    'operations/delete',
    ['notDeleted.set(lower(id), absent)', 'notDeleted.set(id, absent)'],
  ],
  [
    'a merge is sent again',
    'operations/merge',
    ['isDueUnanswered: (request) => !isInDoubt(request)', 'isDueUnanswered: () => true'],
  ],
  [
    'a merge in doubt is no matter to another job',
    'checks',
    [
      "if (job.operation !== 'contacts.merge') return",
      "if (job.operation === 'contacts.merge') return",
    ],
  ],
  [
    'an assign is sent over somebody else',
    'operations/assign',
    ['return !isInDoubt(request) && required === undefined', 'return true'],
    'operations/assign',
    ['return isUnchanged(request)', 'return true'],
  ],
  [
    'a ticket of somebody else counts as assigned',
    'operations/assign',
    ["isReadingRefused(request) ? 'error' : 'kept'", "'done'"],
  ],
  [
    'the added of halves is forgotten',
    'queue',
    ['this.added += counts.added', 'this.added = counts.added'],
  ],
  ['an undo does not close its run', 'file', ["{ t: 'end', ...closing, stop, exit }", '']],
  [
    'a file is ours, whoever wrote to it first',
    'list',
    ['if (file === undefined || file.log.next === 0) return file', 'if (run !== "") return file'],
    'run',
    ['const head = isNew ?', 'const head = isNew && file?.log.queue === undefined ?'],
  ],
  ['results are printed without a check', 'run', ['if (!isOnlyUnwritten) await file.check()', '']],
].map(([name, ...edits]) => ({
  name,
  edits: edits.flatMap((file, at) => {
    const [from, to] = edits[at + 1] ?? []
    return at % 2 === 0 ? [{ file: `src/runs/${file}.ts`, from, to }] : []
  }),
}))
