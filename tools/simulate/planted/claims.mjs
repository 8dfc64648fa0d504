/** Mistakes about the meaning of an answer or of its loss. */
export const claims = [
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
      ['bulk/operations/delete', "() => 'deleted' as const", "() => 'gone' as const"],
      ['bulk/operations/delete', "?? 'deleted'", "?? 'gone'"],
    ],
  },
  {
    name: 'remembers only the last attempt',
    edits: [
      [
        'bulk/record/batch',
        '    open: { attempt: a, part: p },\n',
        '    open: { attempt: a, part: p },\n    everAmbiguous: false,\n',
      ],
    ],
  },
  {
    name: 'counts what was skipped after a lost answer as skipped',
    edits: [
      [
        'bulk/operations/add',
        '? { added, skipped: 0, addedOrSkipped: skipped }',
        '? { added, skipped, addedOrSkipped: 0 }',
      ],
    ],
  },
  {
    name: 'believes an add that does not add up',
    edits: [
      [
        'bulk/operations/add',
        'sumProblem(parsed.output, ids) : otherShape',
        'undefined : otherShape',
      ],
    ],
    steps: 'lists.add-contacts,weather',
  },
  {
    name: 'believes a delete that does not add up',
    edits: [
      [
        'bulk/operations/operation',
        'if (problem !== undefined || named.length === 0) return problem',
        'if (problem !== undefined) return undefined',
      ],
    ],
    steps: 'contacts.delete,weather',
  },
  {
    name: 'believes ids that were not sent',
    edits: [
      [
        'bulk/operations/operation',
        '.some((id) => !sent.has(id))',
        ".some((id) => id === '' && !sent.has(id))",
      ],
    ],
    steps: 'contacts.delete,weather',
  },
  {
    name: 'compares ids with their letter case',
    edits: [
      ['bulk/operations/operation', 'new Set(ids.map((id) => id.toLowerCase()))', 'new Set(ids)'],
    ],
    steps: 'contacts.delete,weather',
  },
  {
    name: 'believes an id that is both not found and blocked',
    edits: [['bulk/operations/operation', 'idSet(named).size < named.length', 'named.length < 0']],
    steps: 'contacts.delete,weather',
  },
  {
    name: 'takes a 408 for a refusal',
    edits: [['http/attempt', ' && status !== 408', '']],
  },
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
        'bulk/record/batch',
        '? { ...loseAnswer(closed, false), last: undefined }\n',
        '? { ...closed, last: undefined }\n',
      ],
    ],
  },
  {
    name: 'a refusal after a lost answer is an error',
    edits: [
      [
        'bulk/operations/operation',
        '  if (isAmbiguous(state)) {\n    const isNonsense',
        "  if (isAmbiguous(state) && last?.k !== 'refused') {\n    const isNonsense",
      ],
    ],
  },
  {
    name: 'some of an add failed, and all are ok',
    edits: [['bulk/operations/add', ".fill(outcome ?? 'undetermined')", ".fill(outcome ?? 'ok')"]],
  },
  {
    name: 'calls a part missing of which some are',
    edits: [
      [
        'bulk/operations/add',
        "if (failed === last - first + 1) return [{ part, outcome: 'missing' }]",
        "if (failed > 1 || failed === last - first + 1) return [{ part, outcome: 'missing' }]",
      ],
    ],
    steps: 'lists.add-contacts,contacts.delete,weather',
  },
  {
    name: 'believes another contact in the answer to a merge',
    edits: [['bulk/operations/merge', 'return isOfPair ?', 'return isOfPair || !isOfPair ?']],
    steps: 'contacts.merge,weather',
  },
  {
    name: 'believes an answer about another record',
    edits: [
      [
        'api/call',
        'echo !== undefined && !echo(data, path)',
        'echo !== undefined && typeof echo === typeof path',
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
        'bulk/record/state',
        'if (takeOver === true) this.#change(',
        'if (takeOver === true && outcomes.length < 0) this.#change(',
      ],
    ],
    test: 'bulk/fold',
    words: 'of one whose first line was lost count as those of a take-over',
  },
  {
    name: 'a batch that is opened again forgets what was tried',
    edits: [
      [
        'bulk/record/state',
        'return isWanted ? reopen(state) : state',
        'return isWanted ? { ...untouched, attempts: state.attempts, attemptsBefore: state.attempts } : state',
      ],
    ],
  },
]
