/** Mistakes about requests: which are sent, when, and how often. */
export const requests = [
  {
    name: 'sends a merge again after a lost answer',
    edits: [['http/retry', "if (retryClass === 'once') return false", '']],
  },
  {
    name: 'sends an unknown merge again when the run is resumed',
    edits: [
      [
        'runs/operations/merge',
        'return !isAmbiguous(state) || isUnsent',
        'return !isAmbiguous(state) || isUnsent || state.attempts > 0',
      ],
    ],
    test: 'runs/fold',
    words: 'try; unsent; take-over',
  },
  {
    name: 'assigns again without reading',
    edits: [
      [
        'runs/operations/assign',
        "return isWaiting || isAmbiguous(state) ? { kind: 'read' } : undefined",
        "if (state.lostAnswers > 0 && state.lostAnswers < mostLost) return { kind: 'send' }\n    return isWaiting || isAmbiguous(state) ? { kind: 'read' } : undefined",
      ],
    ],
    steps: 'tickets.assign,weather,rival',
  },
  {
    name: 'overwrites what somebody else assigned',
    edits: [
      [
        'runs/operations/assign',
        'if (state.before === undefined || !isSameId(reading.id, state.before.id)) return false',
        'if (state.before === undefined) return false',
      ],
      [
        'runs/operations/assign',
        'isDeclined(batch, state) || state.hasMoved) return false',
        'isDeclined(batch, state)) return false',
      ],
    ],
    test: 'runs/fold',
    words: 'try; lost; reads somebody',
  },
  {
    name: 'undoes an assign of which an answer was lost',
    edits: [
      [
        'runs/jobs/undo',
        'if (hasLostAnswer(batchState) || open !== undefined) leftOut.push(id)',
        'if (hasLostAnswer(batchState) && open !== undefined) leftOut.push(id)',
      ],
    ],
    test: 'runs/undo',
    words: 'although a later answer said done',
  },
  {
    name: 'gives back what another person was given',
    edits: [
      [
        'runs/operations/assign',
        '? { id, other, from } : undefined',
        '? { id, other } : undefined',
      ],
    ],
    test: 'runs/undo',
    words: 'a ticket that someone else took meanwhile is left to them',
  },
  {
    name: 'takes one pass over a changing list for the whole of it',
    edits: [
      [
        'api/paginate',
        'return !this.#hasMoved && this.#keys.size === this.#total && !canHide',
        'return this.#keys.size <= this.#total || !this.#hasMoved',
      ],
    ],
    steps: 'members,weather',
  },
  {
    name: 'sends before its attempt is on record',
    edits: [['runs/send', 'await file.appendSynced(line)', 'file.append(line)']],
    test: 'runs/crash',
    words: 'when its `try` is synced sends nothing',
  },
  {
    name: 'never sends a merge of which another process may have made no attempt',
    edits: [
      [
        'runs/operations/merge',
        "const isUnsent = state.attempts === 0 && !state.doubts.has('lost-lines')",
        "const isUnsent = state.attempts < 0 && !state.doubts.has('lost-lines')",
      ],
    ],
    test: 'runs/fold',
    words: 'take-over',
  },
  {
    name: 'sends a merge of which the attempt may be among lost lines',
    edits: [
      [
        'runs/operations/merge',
        "state.attempts === 0 && !state.doubts.has('lost-lines')",
        'state.attempts === 0',
      ],
    ],
    test: 'runs/fold',
    words: 'damage; session',
  },
  {
    name: 'never sends an assign of which another process may have made no attempt',
    edits: [
      [
        'runs/operations/assign',
        'const isToSend = isUntried(state) &&',
        'const isToSend = isUntried(state) && !isAmbiguous(state) &&',
      ],
    ],
    test: 'runs/fold',
    words: 'take-over; reads former',
  },
  {
    name: 'opens an unknown merge again',
    edits: [
      [
        'runs/jobs/same',
        "!(isUnrepeatable && outcome === 'unknown')",
        "!(isUnrepeatable && outcome === '')",
      ],
    ],
    test: 'runs/reopen',
    words: 'an unknown merge is never opened again',
  },
]
