/** Mistakes about the meaning of an answer or of its loss. */
export const claims = [
  {
    name: 'never says gone',
    edits: [
      ['runs/operations/delete', "wasAmbiguous(state) ? 'gone' : 'not-found'", "'not-found'"],
    ],
    test: 'runs/fold',
    words: 'try; lost; try; half',
  },
  {
    name: 'says gone of everything that is not there',
    edits: [['runs/operations/delete', "wasAmbiguous(state) ? 'gone' : 'not-found'", "'gone'"]],
    test: 'runs/fold',
    words: 'try; half; take-over',
  },
  {
    name: 'never says deleted',
    edits: [
      ['runs/operations/delete', "batch.ids.map(() => 'deleted')", "batch.ids.map(() => 'gone')"],
      ['runs/operations/delete', "?? 'deleted'", "?? 'gone'"],
    ],
  },
  {
    name: 'remembers only the last attempt',
    edits: [
      [
        'runs/batch',
        'open: { attempt: a, part: p },',
        'open: { attempt: a, part: p }, doubts: new Set(),',
      ],
    ],
    test: 'runs/fold',
    words: 'try; lost; try; half',
  },
  {
    name: 'counts what was skipped after a lost answer as skipped',
    edits: [
      [
        'runs/operations/add',
        '? { added, skipped: 0, addedOrSkipped: skipped }',
        '? { added, skipped, addedOrSkipped: 0 }',
      ],
    ],
    test: 'runs/fold',
    words: 'try; lost; try; added',
  },
  {
    name: 'believes an add that does not add up',
    edits: [
      [
        'runs/operations/add',
        'return sumProblem({ added, skipped, failed }, ids)',
        'return added + skipped + failed > ids.length * 2 ? otherShape : undefined',
      ],
    ],
    test: 'runs/fold',
    words: 'try; long',
  },
  {
    name: 'believes a delete that does not add up',
    edits: [
      [
        'runs/operations/delete',
        'if (problem !== undefined || named.length === 0) return problem',
        'if (problem !== undefined) return undefined',
      ],
    ],
    test: 'runs/fold',
    words: 'try; short',
  },
  {
    name: 'believes ids that were not sent',
    edits: [
      [
        'runs/operations/delete',
        '.some((id) => !sent.has(id))',
        ".some((id) => id === '' && !sent.has(id))",
      ],
    ],
    test: 'runs/fold',
    words: 'try; foreign',
  },
  {
    name: 'compares ids with their letter case',
    edits: [
      ['runs/operations/batches', 'new Set(ids.map((id) => id.toLowerCase()))', 'new Set(ids)'],
    ],
    test: 'runs/fold',
    words: 'try; half; half',
  },
  {
    name: 'believes an id that is both not found and blocked',
    edits: [['runs/operations/delete', 'idSet(named).size < named.length', 'named.length < 0']],
    test: 'runs/fold',
    words: 'try; overlap',
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
        'runs/batch',
        "return { ...loseAnswer(closed, 'silence'), last: undefined }",
        'return { ...closed, last: undefined }',
      ],
    ],
    test: 'runs/fold',
    words: 'try; session; try; half',
  },
  {
    name: 'a refusal after a lost answer is an error',
    edits: [
      [
        'runs/operations/operation',
        '  if (isAmbiguous(state)) {\n    const isNonsense',
        "  if (isAmbiguous(state) && last?.k !== 'refused') {\n    const isNonsense",
      ],
    ],
    test: 'runs/fold',
    words: 'try; lost; try; 422',
  },
  {
    name: 'some of an add failed, and all are ok',
    edits: [
      ['runs/operations/add', "outcome: 'undetermined', isToSend:", "outcome: 'ok', isToSend:"],
    ],
    test: 'runs/fold',
    words: 'try; one; try 1-2; part none',
  },
  {
    name: 'calls a part missing of which some are',
    edits: [
      [
        'runs/operations/add',
        'const isAll = failed === last - first + 1',
        'const isAll = failed * 2 >= last - first + 1',
      ],
    ],
    test: 'runs/fold',
    words: 'part ok; try 3-4; part one',
  },
  {
    name: 'believes another contact in the answer to a merge',
    edits: [['runs/operations/merge', 'return isOfPair ?', 'return isOfPair || !isOfPair ?']],
    test: 'runs/fold',
    words: 'try; other',
  },
  {
    name: 'believes an answer about another record',
    edits: [
      [
        'api/call',
        'if (echo === undefined || ids.includes(echo(data).toLowerCase()))',
        'if (echo === undefined || echo(data) !== "")',
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
        'runs/state',
        'if (unsure === true) this.#change(',
        'if (unsure === true && outcomes.length < 0) this.#change(',
      ],
    ],
    test: 'runs/fold',
    words: 'take-over; try; half',
  },
  {
    name: 'a batch that is opened again forgets what was tried',
    edits: [
      [
        'runs/state',
        'opened.includes(outcome)) ? reopen(begun) : begun',
        'opened.includes(outcome)) ? { ...untouched, attempts: begun.attempts, attemptsBefore: begun.attempts } : begun',
      ],
    ],
    test: 'runs/fold',
    words: 'reopen blocked; try; half',
  },
  {
    name: 'counts a later answer in place of the accepted one',
    edits: [
      [
        'runs/batch',
        'if (part === undefined && before.answer !== undefined) return before',
        'if (part !== undefined && before.answer !== undefined) return before',
      ],
    ],
    test: 'runs/fold',
    words: 'try; half; deleted',
  },
  {
    name: 'keeps the answer of a batch that was sent again behind it',
    edits: [['runs/batch', 'closeOpen(openAgain(before, p))', 'closeOpen(before)']],
    test: 'runs/fold',
    words: 'try; half; try; half',
  },
  {
    name: 'takes a gap in the attempts for none',
    edits: [
      [
        'runs/batch',
        'const known = a > closed.attempts + 1 ?',
        'const known = a < closed.attempts ?',
      ],
    ],
    test: 'runs/fold',
    words: 'a gap in the attempts is an attempt whose answer was lost',
  },
  {
    name: 'accepts a 403 as an answer',
    edits: [['runs/batch', 'st !== 401 && st !== 403 && st !== 429', 'st !== 401 && st !== 429']],
    test: 'runs/fold',
    words: 'try; 403',
  },
  {
    name: 'accepts the refusal of a part',
    edits: [
      [
        'runs/batch',
        "!isGood && (res.k === 'answered' || isRedirect(res))",
        "!isGood && (res.k === 'answered' || isRedirect(res) || isFinalRefusal(res))",
      ],
    ],
    test: 'runs/fold',
    words: 'part ok; try 3-4; 422',
  },
  {
    name: 'accepts a 404 to the first batch',
    edits: [['runs/state', '(st === 400 || st === 404)', 'st === 400']],
    test: 'runs/fold',
    words: 'of the first batch may be about the list',
  },
  {
    name: 'takes a 404 behind an answer for one about the list',
    edits: [['runs/state', '!this.isProven && (st', '(st']],
    test: 'runs/fold',
    words: 'behind an answer is about its ids',
  },
  {
    name: 'opens an answered batch again, and holds its answer for certain',
    edits: [
      [
        'runs/batch',
        "isAnswered ? withDoubt(closed, 'sent-again') : closed.doubts",
        'closed.doubts',
      ],
    ],
    test: 'runs/fold',
    words: 'reopen blocked; try; half',
  },
  {
    name: 'doubts what was answered before another session began',
    edits: [
      [
        'runs/batch',
        "if (state.answer?.k === 'answered') return state\n  return { ...state, answer: undefined, doubts",
        'return { ...state, answer: undefined, doubts',
      ],
    ],
    test: 'runs/fold',
    words: 'try; half; take-over',
  },
]
