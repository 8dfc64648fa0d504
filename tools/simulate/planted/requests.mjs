/** What is sent, when, and how often. */
export const requests = [
  {
    name: 'sends an accepted batch again',
    edits: [
      [
        'bulk/operations/operations',
        "return isLookedInto && outcomesOf(batch, state).outcomes.includes(isolates.outcome) ? 'isolate' : 'finished'",
        "return 'send'",
      ],
    ],
  },
  {
    name: 'sends a merge again after a lost answer',
    edits: [['http/retry', "if (retryClass === 'once') return false", '']],
  },
  {
    name: 'sends an unknown merge again when the run is resumed',
    edits: [['bulk/operations/merge', "? 'list-only' : 'finished'", "? 'send' : 'finished'"]],
  },
  {
    name: 'assigns again without reading',
    edits: [
      [
        'bulk/operations/assign',
        "if (reading === undefined) return isSettled ? 'finished' : 'read'",
        "if (reading === undefined) return isSettled || state.ambiguousAttempts > 1 ? 'finished' : 'send'",
      ],
    ],
    steps: 'tickets.assign,weather,rival',
  },
  {
    name: 'assigns again and again what nobody may read or change',
    edits: [
      [
        'bulk/operations/assign',
        'isBeginning(state) && isUntried(state) && before',
        'isBeginning(state) && before',
      ],
    ],
    test: 'bulk/outcomes',
    words: 'taken-over denied 401 denied',
  },
  {
    name: 'overwrites what somebody else assigned',
    edits: [
      [
        'bulk/operations/assign',
        'before !== undefined && isSameId(reading.id, before.id) && state.hasMoved !== true',
        'before !== undefined',
      ],
    ],
    steps: 'tickets.assign,rival,weather',
  },
  {
    name: 'undoes an assign that only a reading showed',
    edits: [
      [
        'bulk/sessions/undo',
        'state.of(batch).answer !== undefined ? pairBack(receipt) : undefined',
        'pairBack(receipt)',
      ],
    ],
    steps: 'tickets.assign,undo,weather,rival',
  },
  {
    name: 'undoes an assign while a lost attempt can still take effect',
    edits: [['bulk/sessions/undo', 'else if (time > 0) {', 'else if (time < 0) {']],
    steps: 'tickets.assign,undo,weather',
  },
  {
    name: 'gives back what another undo gave back',
    edits: [
      [
        'bulk/sessions/undo',
        'if (!(await free).has(id.toLowerCase())) return run',
        'if (!(await free).has(id.toLowerCase()) && id.length === 0) return run',
      ],
    ],
    steps: 'tickets.assign,undo,weather,rival',
  },
  {
    name: 'gives back what another person was given',
    edits: [
      [
        'bulk/sessions/undo',
        'return { id, other: before, expected: after, line: line ?? 0 }',
        'return { id, other: before, line: line ?? 0 }',
      ],
    ],
    steps: 'tickets.assign,undo,weather,rival',
  },
  {
    name: 'takes one pass over a changing list for the whole of it',
    edits: [
      [
        'api/passes',
        'return !this.#hasMoved && this.rows === this.total && !canHide',
        'return this.rows <= this.total || !this.#hasMoved',
      ],
    ],
    steps: 'members,weather',
  },
  {
    name: 'tells the 11 minutes by the clock of its own machine',
    edits: [
      ['bulk/record/landing', 'up: Math.floor(host.monotonic())', 'up: Math.floor(host.now())'],
    ],
    test: 'bulk/undo',
    words: 'the 11 minutes are uptime of one boot; on another they begin with the first look',
  },
  {
    name: 'merges a contact before what comes into it',
    edits: [
      [
        'bulk/outcomes/state',
        'return this.#parts.chain?.after(batch) ?? []',
        'return batch < 0 ? [batch] : []',
      ],
    ],
  },
  {
    name: 'merges a contact while what comes into it can still land',
    edits: [
      [
        'bulk/outcomes/state',
        'if (wait === 0) return undefined',
        'if (wait >= 0) return undefined',
      ],
    ],
    steps: 'contacts.merge,weather,resume,retry',
  },
  {
    name: 'sends before its attempt is on record',
    edits: [
      [
        'bulk/record/journal',
        '    commit.attempts.push(event)\n    await commit.done',
        '    commit.attempts.push(event)\n    commit.done.catch(() => undefined)',
      ],
    ],
    steps: 'contacts.delete,contacts.merge,repeat,resume',
  },
  {
    name: 'sends after the run has stopped',
    edits: [
      [
        'bulk/sending/send',
        '      waiting()\n      await begin(attempt)',
        '      await begin(attempt)',
      ],
    ],
    test: 'bulk/first-byte',
    words: 'sends nothing more',
  },
]
