/** What an answer, or the loss of one, means. */
export const claims = [
  {
    name: 'isolates on without a look at its lock',
    edits: [
      ['bulk/sending/send', 'inTurn(log, () => log.checkLock?.())', 'inTurn(log, () => undefined)'],
    ],
    test: 'bulk/isolate-command',
    words:
      'a process that stood still meanwhile reads its lock before it asks on: another one may have the run',
  },
  {
    name: 'never says gone',
    edits: [
      ['bulk/operations/delete', "state.everAmbiguous ? 'gone' : 'not-found'", "'not-found'"],
    ],
  },
  {
    name: 'says gone of everything that is not there',
    edits: [['bulk/operations/delete', "state.everAmbiguous ? 'gone' : 'not-found'", "'gone'"]],
  },
  {
    name: 'never says deleted',
    edits: [
      ['bulk/operations/delete', "        return 'deleted'\n", "        return 'gone'\n"],
      ['bulk/operations/delete', "return all(batch, 'deleted')", "return all(batch, 'gone')"],
    ],
  },
  {
    name: 'remembers only the last attempt',
    edits: [
      [
        'bulk/record/batch-state',
        '        ...closeOpen(state),\n        attempts: event.a,',
        '        ...closeOpen(state),\n        everAmbiguous: false,\n        attempts: event.a,',
      ],
    ],
  },
  {
    name: 'counts what was skipped after a lost answer as skipped',
    edits: [
      [
        'bulk/operations/add',
        '{ added, skipped: 0, addedOrSkipped: skipped, failed }',
        '{ added, skipped, addedOrSkipped: 0, failed }',
      ],
    ],
  },
  {
    name: 'believes an add that does not add up',
    edits: [
      ['bulk/operations/add', 'if (problem !== undefined) return disbelieve(batch, problem)\n', ''],
    ],
    steps: 'lists.add-contacts,weather',
  },
  {
    name: 'believes a delete that does not add up',
    edits: [
      [
        'bulk/operations/delete',
        'if (problem !== undefined) return disbelieve(batch, problem)\n',
        '',
      ],
    ],
    steps: 'contacts.delete,weather',
  },
  {
    name: 'believes ids that were not sent',
    edits: [['bulk/operations/operation', 'if (!sent.has(id))', 'if (sent.size === 0)']],
    steps: 'contacts.delete,weather',
  },
  {
    name: 'compares ids with their letter case',
    edits: [
      [
        'bulk/operations/operation',
        'Array.from(batch.ids, (id) => id.toLowerCase())',
        'Array.from(batch.ids)',
      ],
    ],
  },
  {
    name: 'believes an id that is both not found and blocked',
    edits: [
      [
        'bulk/operations/delete',
        'if (notFound.ids.has(id)) return',
        'if (notFound.ids.size < 0) return',
      ],
    ],
    steps: 'contacts.delete,weather',
  },
  { name: 'takes a 408 for a refusal', edits: [['http/attempt', ' && status !== 408', '']] },
  {
    name: 'takes a 503 for a refusal',
    edits: [
      [
        'http/attempt',
        'status < 500 && status !== 408',
        '(status < 500 || status === 503) && status !== 408',
      ],
    ],
  },
  {
    name: 'takes every 5xx for a refusal',
    edits: [['http/attempt', 'status < 500 && status !== 408', 'status !== 408']],
  },
  {
    name: 'takes a redirect for a refusal',
    edits: [
      [
        'http/attempt',
        "return { kind: 'ambiguous', ...facts, message }",
        "return { kind: 'refused', ...facts, message }",
      ],
    ],
  },
  {
    name: 'takes what was sent for never sent',
    edits: [
      [
        'http/attempt',
        "? { kind: 'ambiguous', message }",
        "? { kind: 'never-sent', message, systemCode: 'ECONNREFUSED' }",
      ],
    ],
  },
  {
    name: 'takes an attempt that a crash cut off for one that was never made',
    edits: [
      [
        'bulk/record/batch-state',
        'return state.open ? { ...loseAnswer(state, false), open: false } : state',
        'return { ...state, open: false }',
      ],
    ],
  },
  {
    name: 'a refusal after a lost answer is an error',
    edits: [
      [
        'bulk/operations/operation',
        "if (isAmbiguous(state)) return all(batch, 'unknown')",
        "if (isAmbiguous(state) && state.last?.kind !== 'refused') return all(batch, 'unknown')",
      ],
    ],
  },
  {
    name: 'some of an add failed, and all are ok',
    edits: [
      [
        'bulk/operations/add',
        "...all(batch, 'undetermined'), counts",
        "...all(batch, 'ok'), counts",
      ],
    ],
  },
  {
    name: 'isolates, and what is not proven is ok',
    edits: [['bulk/operations/add', "isolation.proven ? 'ok' : 'undetermined'", "'ok'"]],
    steps: 'lists.add-contacts,contacts.delete,weather,retry',
  },
  {
    name: 'believes another contact in the answer to a merge',
    edits: [
      ['bulk/operations/merge', 'return isOfPair ?', 'return isOfPair || !isOfPair ?'],
      [
        'api/call',
        "same(mergedContactId, path['sourceContactId']) || same(",
        "mergedContactId !== '' || same(",
      ],
    ],
    steps: 'contacts.merge,weather',
  },
  {
    name: 'believes an answer about another record',
    edits: [
      [
        'api/call',
        'echo !== undefined && !echo(data, sent.path ?? {}, sent.body)',
        'echo !== undefined && typeof echo === typeof sent.path && data === undefined',
      ],
    ],
    steps: 'tickets.assign,members,weather,rival',
  },
  {
    name: 'believes a page that is no answer of the service',
    edits: [
      [
        'api/call',
        'return { ok: false, problem: \'the answer has no "data"\' }',
        'return { ok: true, data: document }',
      ],
    ],
  },
  {
    name: 'a take-over is forgotten',
    edits: [
      [
        'bulk/outcomes/state',
        'if (event.takeOver === true) {',
        'if (event.takeOver === undefined && event.takeOver !== undefined) {',
      ],
    ],
    test: 'bulk/outcomes',
    words: 'knows of attempts that nobody recorded',
  },
  {
    name: 'retry forgets what was tried',
    edits: [
      [
        'bulk/outcomes/state',
        'this.#batches[batch] = { state: reopen(this.of(batch)) }',
        'this.#batches[batch] = { state: { ...unsent, attempts: this.of(batch).attempts } }',
      ],
    ],
  },
]
