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
        'bulk/operations/merge',
        'return !isAmbiguous(state) || isUnsent',
        'return !isAmbiguous(state) || isUnsent || state.attempts > 0',
      ],
    ],
  },
  {
    name: 'assigns again without reading',
    edits: [
      [
        'bulk/operations/assign',
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
        'bulk/operations/assign',
        'if (state.before === undefined || !isSameId(reading.id, state.before.id)) return false',
        'if (state.before === undefined) return false',
      ],
      [
        'bulk/operations/assign',
        'isDeclined(batch, state) || state.hasMoved) return false',
        'isDeclined(batch, state)) return false',
      ],
    ],
    steps: 'tickets.assign,rival,weather',
  },
  {
    name: 'undoes an assign of which an answer was lost',
    edits: [
      [
        'bulk/undo',
        'const isLost = everAmbiguous || open !== undefined',
        'const isLost = open !== undefined && !everAmbiguous',
      ],
    ],
    steps: 'tickets.assign,undo,weather',
  },
  {
    name: 'gives back what another person was given',
    edits: [
      [
        'bulk/operations/assign',
        '? { id, other, from } : undefined',
        '? { id, other } : undefined',
      ],
    ],
    steps: 'tickets.assign,undo,weather,rival',
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
    edits: [
      [
        'bulk/send',
        "if (line.t === 'try') await journal.appendSynced(line)",
        "if (line.t === 'try') journal.append(line)",
      ],
    ],
    steps: 'contacts.delete,contacts.merge,power,repeat,resume,weather',
  },
]
