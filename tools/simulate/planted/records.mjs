/** Sessions, names, files and what is on disk. */
export const records = [
  {
    name: 'never syncs the journal',
    edits: [['bulk/record/journal', 'await this.#file.datasync()', 'await Promise.resolve()']],
    steps: 'contacts.delete,contacts.merge,power,resume,repeat,weather',
  },
  {
    name: 'never syncs a folder',
    edits: [['disk/whole', 'await folder.sync()', 'await Promise.resolve()']],
    steps: 'contacts.delete,contacts.merge,power,resume,repeat',
  },
  {
    name: 'never syncs receipts',
    edits: [['disk/whole', 'await this.#file.sync()', 'await Promise.resolve()']],
    steps: 'contacts.delete,lists.add-contacts,power,resume,repeat',
  },
  {
    name: 'ends before its end is on disk',
    edits: [
      ['bulk/conclude', 'await attempt(() => journal.appendSynced(line))', 'journal.append(line)'],
    ],
    steps: 'contacts.merge,contacts.delete,power,show',
  },
  {
    name: 'frees the name of every run that is pruned',
    edits: [['bulk/prune', 'if (isRunId(run)) {', "if (run !== '') {"]],
    steps: 'contacts.delete,lists.add-contacts,prune,repeat',
  },
  {
    name: 'holds a process of another machine to be gone',
    edits: [['disk/claim', "if (where === 'same') {", "if (where !== 'other boot') {"]],
    steps: 'contacts.delete,lists.add-contacts,together,resume,weather',
  },
  {
    name: 'takes a run over without a look',
    edits: [['disk/claim', 'const watchFor = 60_000', 'const watchFor = 0']],
    steps: 'crowd,weather',
  },
  {
    name: 'never looks at its own session',
    edits: [
      [
        'disk/claim',
        'if (readSession(this.#host, this.#path)?.text === this.#text) return',
        "if (this.#path !== '') return",
      ],
    ],
    test: 'disk/claim',
    words: 'a holder whose file changed or is gone is one for good',
  },
  {
    name: 'takes a damaged journal for a whole one',
    edits: [
      [
        'bulk/record/journal',
        "if (bytes.toString('latin1', cut) !== ",
        "if (bytes.length === 0 && bytes.toString('latin1', cut) !== ",
      ],
    ],
    test: 'bulk/damage',
    words: 'with a flipped bit is noticed',
  },
  {
    name: 'takes what damaged lines were about for never sent',
    edits: [
      [
        'bulk/record/state',
        'if (state.attempts > 0 || isNext) this.#states[i] = taint(state, true)',
        'if (state.attempts < 0 || (isNext && next < 0)) this.#states[i] = taint(state, true)',
      ],
    ],
    test: 'bulk/resume',
    words: 'the next batches count as sent',
  },
  {
    name: 'places the header of a new run before its items',
    edits: [
      [
        'bulk/record/write-run',
        'for (const move of moves) await move()',
        'for (const move of moves.toReversed()) await move()',
      ],
    ],
    test: 'bulk/crash',
    words: 'after each of its writes, with a name',
  },
  {
    name: 'looks for the next session alone',
    edits: [
      [
        'disk/claim',
        'if (Math.max(...numbers) > number) return',
        'if (numbers.includes(number + 1)) return',
      ],
    ],
    test: 'disk/claim',
    words: 'finds any higher session, not the next alone',
  },
  {
    name: 'leaves earlier sessions valid',
    edits: [['disk/claim', 'if (earlier >= number) continue', 'if (earlier > 0) continue']],
    test: 'disk/claim',
    words: 'and the last session stays',
  },
  {
    name: 'forgets a take-over of which nobody wrote a line',
    edits: [['disk/claim', "state.kind === 'free' && state.takeOver }", "state.kind === 'none' }"]],
    test: 'disk/claim',
    words: 'a take-over is inherited from a session that did not end',
  },
]
