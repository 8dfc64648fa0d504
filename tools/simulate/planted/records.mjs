/** The lines of a run file: which of them count, and what is known where some were lost. */
export const records = [
  {
    name: 'takes a damaged line for a whole one',
    edits: [
      [
        'runs/lines',
        "if (bytes.toString('latin1', cut) !== ",
        "if (bytes.length === 0 && bytes.toString('latin1', cut) !== ",
      ],
    ],
    test: 'runs/lines',
    words: 'another checksum',
  },
  {
    name: 'lets a torn line swallow the next one',
    edits: [['runs/file', '`\\n${stamped.map(encodeLine)', '`${stamped.map(encodeLine)']],
    test: 'runs/lines',
    words: 'are lines that a reader of this page takes',
  },
  {
    name: 'takes the second of two sessions over one for valid too',
    edits: [
      [
        'runs/sessions',
        'if (this.isFollowed(over)) return ignored',
        'if (over === null && this.isFollowed(over)) return ignored',
      ],
    ],
    test: 'runs/sessions',
    words: 'of two sessions over one the first is valid',
  },
  {
    name: 'counts lines of a session that was followed',
    edits: [
      ['runs/sessions', 'if (this.isFollowed(s)) return ignored', ''],
      [
        'runs/sessions',
        'if (!isLast && !hasLostBeginning) return ignored',
        'if (!isLast && !hasLostBeginning && !this.isFollowed(s)) return ignored',
      ],
    ],
    test: 'runs/sessions',
    words: 'what comes late from the one before does not count',
  },
  {
    name: 'counts late lines of a session that lost all others',
    edits: [['runs/sessions', 'if (this.isFollowed(s)) return ignored', '']],
    test: 'runs/sessions',
    words: 'late lines of a session of which there was none do not count',
  },
  {
    name: 'counts lines of a session that is not valid',
    edits: [
      [
        'runs/sessions',
        'if (!isLast && !hasLostBeginning) return ignored',
        "if (!isLast && !hasLostBeginning && t !== 'free') return ignored",
      ],
    ],
    test: 'runs/sessions',
    words: 'a claim that was too slow does not end the session that was faster',
  },
  {
    name: 'passes over a gap in the lines of a session',
    edits: [['runs/sessions', 'const isGap = i !== this.#next', 'const isGap = i < this.#next']],
    test: 'runs/sessions',
    words: 'a line that is missing within a session is damage',
  },
  {
    name: 'passes over fewer lines than the next session has counted',
    edits: [['runs/sessions', '(seen < after || seen === 0)', 'seen === 0']],
    test: 'runs/sessions',
    words: 'fewer lines than the next session has counted are damage',
  },
  {
    name: 'passes over a session of which there is no line',
    edits: [['runs/sessions', '(seen < after || seen === 0)', 'seen > 0 && seen < after']],
    test: 'runs/sessions',
    words: 'a session over one of which there is no line is damage',
  },
  {
    name: 'counts no line of a session that lost its first',
    edits: [
      [
        'runs/sessions',
        'const hasLostBeginning = !isLast && !this.known.has(s)',
        "const hasLostBeginning = !isLast && !this.known.has(s) && t === 'run'",
      ],
    ],
    test: 'runs/sessions',
    words: 'lines of a session without its first line count, and are damage',
  },
  {
    name: 'takes what lost lines were about for never sent',
    edits: [['runs/fold', 'if (finding?.isDamaged === true) this.#loseLines()', '']],
    test: 'runs/fold',
    words: 'damage; try; half',
  },
  {
    name: 'lets a refusal stand before lines that were lost',
    edits: [
      [
        'runs/batch',
        "if (state.answer?.k === 'answered') return state\n  return { ...state, answer: undefined, doubts",
        'if (state.answer !== undefined) return state\n  return { ...state, answer: undefined, doubts',
      ],
    ],
    test: 'runs/fold',
    words: 'try; 422; damage; session',
  },
  {
    name: 'takes a head that a kill cut off for a run',
    edits: [
      [
        'runs/fold',
        'if (open?.builder.sizes.length !== open?.head.batches) return',
        'if (open?.builder.sizes.length === 0) return',
      ],
      ['runs/fold', 'if (built?.items.size === input.unique)', 'if (built !== undefined)'],
    ],
    test: 'runs/sessions',
    words: 'that a kill cut off has not',
  },
  {
    name: 'takes a damaged head for one that never began',
    edits: [['runs/fold', 'if (isToldOf || !beforeHead.includes(t))', 'if (isToldOf)']],
    test: 'runs/sessions',
    words: 'with an attempt behind it, is damaged',
  },
  {
    name: 'takes a head for one that never began, of which a session has seen more',
    edits: [
      ['runs/fold', 'if (isToldOf || !beforeHead.includes(t))', 'if (!beforeHead.includes(t))'],
    ],
    test: 'runs/sessions',
    words: 'of which the next session counted more lines is damaged',
  },
  {
    name: 'keeps the damage before a head that begins anew',
    edits: [
      [
        'runs/fold',
        'this.recorded = undefined\n    this.#isHeadLost = false',
        'this.recorded = undefined',
      ],
    ],
    test: 'runs/sessions',
    words: 'that begins anew behind damage, and that a kill cut off, has not',
  },
  {
    name: 'sends for a run with a damaged head',
    edits: [['runs/take', 'if (!log.isHeadDamaged) return', "if (log.run !== '') return"]],
    test: 'runs/take',
    words: 'with a damaged head is exit 2, but to be removed',
  },
]
