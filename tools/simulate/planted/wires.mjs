/** What is signed, sent and waited for. */
export const wires = [
  {
    name: 'signs the body before the time',
    edits: [
      [
        'http/sign',
        ".update(`${timestamp}.`, 'latin1').update(body)",
        ".update(body).update(`.${timestamp}`, 'latin1')",
      ],
    ],
    test: 'http/signature',
    words: 'is the one that docs/integrators.md gives to compare with',
  },
  {
    name: 'believes any certificate',
    edits: [['http/route', 'rejectUnauthorized: true', 'rejectUnauthorized: false']],
    test: 'http/tls',
    words: 'is refused before anything is sent, and not tried again',
  },
  {
    name: 'lets others send while the service asks to wait',
    edits: [
      [
        'http/pace',
        'this.#heldUntil = Math.max(this.#heldUntil, this.#host.monotonic() + ms)',
        'this.#heldUntil = Math.max(this.#heldUntil, ms)',
      ],
    ],
    test: 'http/pace',
    words: 'everybody waits for a Retry-After, and nothing grows meanwhile',
  },
  {
    name: 'records that a request was signed 5 minutes before it was',
    edits: [
      [
        'bulk/record/landing',
        'return { lasts, ends: [{ on, up: up + lasts }] }',
        'return { lasts, ends: [{ on, up: up + lasts - 300_000 }] }',
      ],
    ],
    test: 'bulk/outcomes',
    words: 'how long a lost attempt can land, in minutes of uptime',
  },
  {
    name: 'writes down a length as durable that is not',
    edits: [
      [
        'bulk/record/journal',
        'encodeEvent({ ...event, d: this.#durable })',
        'encodeEvent({ ...event, d: this.#length })',
      ],
    ],
    test: 'bulk/journal',
    words: 'the length that the last finished sync found when it began',
  },
  {
    name: 'follows an empty cursor',
    edits: [['api/paginate', "if (cursor === '')", "if (cursor === ' ')"]],
    test: 'api/paginate',
    words: 'an empty cursor',
  },
  {
    name: 'sends a change on a connection that has just been used',
    edits: [
      ['http/client', 'repeatable: 20,\n  convergent: 20,', 'repeatable: 0,\n  convergent: 0,'],
    ],
    steps: 'contacts.delete,lists.add-contacts,tickets.assign,weather',
  },
  {
    name: 'holds what another machine sent to have landed',
    edits: [
      [
        'bulk/record/landing',
        'return end === undefined ? landing.lasts : Math.max(0, end.up - moment.up)',
        'return end === undefined ? 0 : Math.max(0, end.up - moment.up)',
      ],
      [
        'bulk/record/landing',
        'const end = { on: moment.on, up: moment.up + landing.lasts }',
        'const end = { on: moment.on, up: moment.up }',
      ],
    ],
    steps: 'contacts.merge,tickets.assign,undo,retry,weather',
  },
  {
    name: 'counts the time for an answer anew once it is connected',
    edits: [
      [
        'http/transport',
        'Math.min(deadline - untilOpen, longestTimer)',
        'Math.min(deadline, longestTimer)',
      ],
    ],
    test: 'http/transport',
    words: 'the time that connecting took counts',
  },
]
