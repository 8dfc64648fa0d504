/** Mistakes in outputs that are read, handed on and read again. */
export const reads = [
  {
    name: 'writes no mark at the end of an incomplete output',
    edits: [
      [
        'output/incomplete',
        "return format === 'ndjson' ? `${json}\\n` : `${incompleteMark} ${words}\\n`",
        "return format === 'ndjson' ? `${json}\\n` : ''",
      ],
    ],
    steps: 'members,subtract,weather',
  },
  {
    name: 'writes no error at the end of incomplete lines of JSON',
    edits: [
      [
        'output/incomplete',
        "return format === 'ndjson' ? `${json}\\n` : `${incompleteMark} ${words}\\n`",
        "return format === 'ndjson' ? '' : `${incompleteMark} ${words}\\n`",
      ],
    ],
    steps: 'members,subtract,weather',
  },
  {
    name: 'closes a document that is incomplete',
    edits: [
      [
        'output/incomplete',
        "if (format === 'json') return isBegun ? '' : `${bracket}\\n`",
        "if (format === 'json') return isBegun ? ']' : '[]'",
      ],
    ],
    steps: 'members,subtract,weather',
  },
  {
    name: 'takes what is incomplete for whole',
    edits: [
      [
        'output/incomplete',
        'return wordAtStart.test(line) || errorAtStart.test(line)',
        'return line.length < 0 && wordAtStart.test(line) && errorAtStart.test(line)',
      ],
    ],
    steps: 'subtract,pipe,weather',
  },
  {
    name: 'knows the mark in small letters alone',
    edits: [['output/incomplete', '#]*incomplete/i', '#]*incomplete/']],
    steps: 'subtract,pipe,weather',
  },
  {
    name: 'looks again for whom a person has refused',
    edits: [
      ['directory/people-table', "if (match === 'no') return {", "if (match === 'none!') return {"],
    ],
    steps: 'people',
  },
  {
    name: 'looks again for whom a person has chosen',
    edits: [
      [
        'directory/people-table',
        "if (isAgain || match !== 'one' || !isId(contactId)) return undefined",
        "if (!isAgain || match !== 'one' || !isId(contactId)) return undefined",
      ],
    ],
    steps: 'people',
  },
  {
    name: 'counts what is not one as done',
    edits: [
      [
        'directory/matching',
        "verdict === 'one' || verdict === 'no')",
        "verdict.startsWith('no') || verdict === 'one')",
      ],
    ],
    steps: 'people',
  },
  {
    name: 'forgets all contacts of a value but the last',
    edits: [['directory/value-index', 'map.get(key) ?? value', 'value']],
    test: 'directory/matching',
    words: 'random rows',
  },
  {
    name: 'names no command that goes on',
    edits: [
      [
        'bulk/outcomes/summary',
        'if (left > 0) return continuing`runs resume ${run}`',
        'if (left > 1) return continuing`runs resume ${run}`',
      ],
    ],
    steps: 'contacts.delete,weather',
  },
  {
    name: 'says that no repetition ends better',
    edits: [
      [
        'bulk/outcomes/summary',
        'retry: mayRetry(exitCode, name !== null)',
        'retry: mayRetry(exitCode, name === null)',
      ],
    ],
    steps: 'contacts.delete,weather,repeat',
  },
  {
    name: 'adds to another list than the one that was typed',
    edits: [
      [
        'bulk/operations/add',
        "path: { listId: requiredParty(parameters, 'list').id },",
        "path: { listId: requiredParty(parameters, 'list').id.replace(/.$/, '0') },",
      ],
    ],
    steps: 'lists.add-contacts',
  },
  {
    name: 'assigns whatever the condition says',
    edits: [
      [
        'bulk/operations/assign',
        'return !isSameId(reading.id, condition) && !isSameId(reading.id, batch.other)',
        "return condition === '' && !isSameId(reading.id, batch.other)",
      ],
    ],
    steps: 'tickets.assign,rival',
  },
  {
    name: 'takes a further pass for whole although one joined and another left',
    edits: [
      [
        'api/paginate',
        'return !this.#hasMoved && this.#keys.size === this.#total && !canHide',
        'return !this.#hasMoved && this.#keys.size === this.#total',
      ],
    ],
    test: 'api/paginate',
    words: 'one left and another joined',
  },
  {
    name: 'shows a group of duplicates fewer than --limit',
    edits: [['directory/duplicates', 'if (groups <= limit) yield*', 'if (groups < limit) yield*']],
    test: 'directory/matching',
    words: 'are shown, and all are counted',
  },
]
