/** Mistakes in reading files: ids, tables, workbooks; configuration, plans and policies. */
export const files = [
  {
    name: 'takes an id of sixteen digits for a rounded number',
    edits: [['input/id', '/^\\d{15}0+$/', '/^\\d{16}0+$/']],
    test: 'input/id',
    words: 'in a file was rounded, or is one',
  },
  {
    name: 'reads ids of hidden rows',
    edits: [
      [
        'features/workbook/sheet',
        '? isHiding(hidden) || !isOfSize(height, leastHeight)',
        '? !isOfSize(height, leastHeight)',
      ],
    ],
    test: 'features/workbook/xlsx-fixtures',
    words: 'ids that look like numbers, formulas, days and hidden rows',
  },
  {
    name: 'believes a configuration that others can write',
    edits: [
      [
        'config/load',
        'readTrusted(host, path, {',
        'readTrusted({ ...host, userId: undefined }, path, {',
      ],
    ],
    test: 'config/load',
    words: 'and one that others can write is refused',
  },
  {
    name: 'reads a secret that the group can read',
    edits: [['config/load', '(stats.mode & 0o077) !== 0', '(stats.mode & 0o007) !== 0']],
    test: 'config/load',
    words: 'one with a secret may be read by nobody else',
  },
  {
    name: 'sends in the clear to any host',
    edits: [
      [
        'config/rules',
        "protocol === 'http:' && !isLoopback(hostname)",
        "protocol === 'http:' && hostname === '' && !isLoopback(hostname)",
      ],
    ],
    test: 'config/origin',
    words: 'only allowed to 127.0.0.0/8',
  },
  {
    name: 'deletes one more than a profile allows',
    edits: [
      [
        'config/rules',
        "endOf(operation) !== 'deleted' || ids <= maxDelete)",
        "endOf(operation) !== 'deleted' || ids <= maxDelete + 1)",
      ],
    ],
    test: 'config/rules',
    words: 'maxDelete',
  },
  {
    name: 'applies a plan after it expired',
    edits: [
      [
        'features/plans/plan-file',
        'now < Date.parse(expiresAt) ? undefined',
        "expiresAt !== '' || now < 0 ? undefined",
      ],
    ],
    test: 'features/plans/plans',
    words: 'a plan that expired is refused',
  },
  {
    name: 'applies a plan that a person has broken into lines, or with another id',
    edits: [
      [
        'features/plans/plan-file',
        'bytesOf(plan, items, batches).equals(bytes)',
        'bytesOf(plan, items, batches).length > 0',
      ],
    ],
    test: 'features/plans/altered',
    words: 'altered plans are refused',
  },
  {
    name: 'takes a number with and without the ninth digit of Brazil for two',
    edits: [['features/people/phone', '/^(\\+55\\d{2})9(?=\\d{8}$)|', '/^(never)|']],
    test: 'features/people/phone',
    words: '+55 41 98765-4321',
  },
  {
    name: 'forgets the further lists of a contact',
    edits: [
      [
        'api/people',
        'if (member.lists.at(-1) !== list) member.lists = [...member.lists, list]\n',
        '\n',
      ],
    ],
    test: 'api/people',
    words: 'each contact is there once',
  },
  {
    name: 'takes the first of a group for none of it',
    edits: [
      [
        'features/people/duplicates',
        'byText.set(text, { text, people: [contact] })',
        'byText.set(text, { text, people: [] })',
      ],
    ],
    steps: 'reads',
  },
  {
    name: 'compares a value of --where with its blanks',
    edits: [
      [
        'input/row-filter',
        'return { column, value: fold(value), isExcluded',
        'return { column, value, isExcluded',
      ],
    ],
    test: 'input/reader',
    words: 'with blanks around its parts',
  },
  {
    name: 'takes rows that one of two --where wants',
    edits: [
      [
        'input/row-filter',
        'const isWanted = this.#wanted.every(',
        'const isWanted = this.#wanted.some(',
      ],
    ],
    test: 'input/reader',
    words: 'two of them',
  },
  {
    name: 'prefers credentials of the environment to a profile that is typed',
    edits: [
      [
        'config/profile',
        'if (typed !== undefined) return {',
        'if (typed !== undefined && credentialVariables(host).length === 0) return {',
      ],
    ],
    test: 'config/profile',
    words: 'the first of these counts',
  },
]
