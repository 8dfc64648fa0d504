/** Mistakes in signing, sending and waiting. */
export const wires = [
  {
    name: 'signs the body before the time',
    edits: [
      [
        'http/sign',
        ".update(`${timestamp}.`, 'latin1')\n    .update(body)",
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
