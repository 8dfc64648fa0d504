/** Mistakes in outputs that are read, handed on and read again. */
export const reads = [
  {
    name: 'prints ids and csv before all rows are there',
    edits: [
      [
        'output/formats/printers',
        '=== true ? pieces : whenWhole(pieces)',
        '=== true ? pieces : pieces',
      ],
    ],
    steps: 'members,subtract,weather',
  },
  {
    name: 'writes no error at the end of lines of JSON',
    edits: [['program/run', 'if (isBegun) return errorLine', "if (isBegun) return ''"]],
    steps: 'members,subtract,weather',
  },
  {
    name: 'closes the document of a read that failed',
    edits: [
      [
        'program/run',
        "return schema?.type === 'array' ? '[\\n' : '{\\n'",
        "return schema?.type === 'array' ? '[]\\n' : '{}\\n'",
      ],
    ],
    steps: 'members,subtract,weather',
  },
  {
    name: 'skips the error with which lines of JSON end',
    edits: [
      [
        'input/json',
        'if (items.some(isErrorDocument)) throw incomplete(input)',
        'if (items.every(isErrorDocument) && items.length > 1) throw incomplete(input)',
      ],
    ],
    test: 'input/reader',
    words: 'ndjson of a command that failed',
  },
  {
    name: 'takes an empty input for whole',
    edits: [
      [
        'input/search',
        'if (!filled.has(table) && !isWhole) checkEmpty(table, allowEmpty)',
        'if (!filled.has(table) && !isWhole && skipInvalid) checkEmpty(table, allowEmpty)',
      ],
    ],
    steps: 'subtract,pipe,weather',
  },
  {
    name: 'looks again for whom a person has refused',
    edits: [
      [
        'features/people/people-table',
        "if (match === 'no') return {",
        "if (match === 'none!') return {",
      ],
    ],
    steps: 'people',
  },
  {
    name: 'looks again for whom a person has chosen',
    edits: [
      [
        'features/people/people-table',
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
        'features/people/matching',
        "verdict === 'one' || verdict === 'no',",
        "verdict.startsWith('no') || verdict === 'one',",
      ],
    ],
    steps: 'people',
  },
  {
    name: 'forgets all contacts of a value but the last',
    edits: [['features/people/values', 'map.get(key) ?? value', 'value']],
    test: 'features/people/matching',
    words: 'random rows',
  },
  {
    name: 'names no command that goes on',
    edits: [
      ['runs/summary', 'run === null || left === 0 ? null', 'run === null || left <= 1 ? null'],
    ],
    steps: 'contacts.delete,weather',
  },
  {
    name: 'says that no repetition ends better',
    edits: [
      [
        'runs/summary',
        'retry: mayRetry(exitCode) && !isUnreachable(totals)',
        'retry: mayRetry(0) && !isUnreachable(totals)',
      ],
    ],
    steps: 'contacts.delete,weather,repeat',
  },
  {
    name: 'adds to another list than the one that was typed',
    edits: [
      [
        'runs/operations/add',
        'path: { listId: list.id }',
        "path: { listId: list.id.replace(/.$/, '0') }",
      ],
    ],
    steps: 'lists.add-contacts',
  },
  {
    name: 'assigns whatever the condition says',
    edits: [
      [
        'runs/operations/assign',
        'return !isSameId(reading.id, condition) && !isSameId(reading.id, batch.other)',
        "return condition === '' && !isSameId(reading.id, batch.other)",
      ],
    ],
    test: 'runs/fold',
    words: 'is never sent while the condition does not hold',
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
    edits: [
      ['features/people/duplicates', 'if (groups <= limit) yield*', 'if (groups < limit) yield*'],
    ],
    test: 'features/people/matching',
    words: 'are shown, and all are counted',
  },
]
