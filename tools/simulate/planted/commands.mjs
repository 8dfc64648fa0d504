/** Verbs, their options, and what they print. */
export const commands = [
  {
    name: 'adopts an older list for one that was created',
    edits: [
      ['commands/lists/creation', 'if (isKnownMet && known.size > 0) break', "known.delete('')"],
    ],
    test: 'commands/create',
    words: 'an older list of the same name, made a moment before, is never adopted',
  },
  {
    name: 'prunes a run of which something is unknown',
    edits: [
      [
        'bulk/sessions/prune',
        "if (left > 0 || outcomes.unknown + outcomes['not-attempted'] > 0) return false",
        "if (left > 0 || outcomes['not-attempted'] > 0) return false",
      ],
    ],
    steps: 'contacts.delete,contacts.merge,weather,clock',
  },
  {
    name: 'prunes runs whatever their age',
    edits: [
      [
        'bulk/sessions/prune',
        '(listed) => listed.beganAt < before && isFree(listed)',
        '(listed) => listed.beganAt < Infinity && isFree(listed)',
      ],
    ],
    steps: 'contacts.delete,prune',
  },
  {
    name: 'prunes a run that somebody works on',
    edits: [
      [
        'bulk/sessions/prune',
        '    await locks.takeRun(store, id)\n    if (!(await may',
        '    if (!(await may',
      ],
      [
        'bulk/sessions/prune',
        'holder === undefined || options.takeOver === true',
        'holder !== null',
      ],
    ],
    steps: 'contacts.delete,lists.add-contacts,prune,weather',
  },
  {
    name: 'lists a run as removed that is there',
    edits: [
      [
        'bulk/sessions/prune',
        'if (dryRun || (await pruneRun(tools, store, listed, { ...options, onlySettled })))',
        'if (dryRun || (await pruneRun(tools, store, listed, { ...options, onlySettled })) || onlySettled)',
      ],
    ],
    steps: 'contacts.delete,prune,resume,retry,together',
  },
  {
    name: 'looks a name up on the first page alone',
    edits: [
      [
        'api/names',
        '  const all: ContactList[] = []\n  for await (const list of api.lists.all({ limit: Infinity })) all.push(list)',
        '  const all: ContactList[] = []\n  for await (const list of api.lists.all({ limit: 100 })) all.push(list)',
      ],
    ],
    steps: 'reads,members',
  },
  {
    name: 'prints the first page of a path as all of it',
    edits: [
      [
        'commands/api/pages',
        '    for (const row of page) rows.push(row)',
        '    for (const row of page) if (rows.length < 5) rows.push(row)',
      ],
    ],
    steps: 'reads',
  },
  {
    name: 'marks incomplete ids alone, and no csv or table',
    edits: [
      [
        'output/incomplete',
        "return format === 'ndjson' ? `${json}\\n` : `${incompleteMark} ${words}\\n`",
        "if (format === 'ndjson') return `${json}\\n`\n  return format === 'ids' ? `${incompleteMark} ${words}\\n` : ''",
      ],
    ],
    steps: 'combine,pipe,weather',
  },
  {
    name: 'writes a cell that a spreadsheet would run',
    edits: [['output/formats/csv', '(?=[=+\\-@＝＋－＠]|', '(?=[+\\-@＝＋－＠]|']],
    test: 'output/formats/csv',
    words: 'no cell is run',
  },
  {
    name: 'leaves out only what is in all other inputs',
    edits: [['commands/ids/subtract', '!read.others.some((table)', '!read.others.every((table)']],
    test: 'commands/ids',
    words: 'subtract leaves out what is in any of the other inputs',
  },
  {
    name: 'takes a job that began long ago for one that did not end just now',
    edits: [
      [
        'commands/runs/job-verdict',
        'if (Math.max(...times) < now - within)',
        'if (Math.min(...times) < now - within)',
      ],
    ],
    test: 'commands/check',
    words: 'began or ended within the time',
  },
  {
    name: 'tells the code of the last of several jobs',
    edits: [
      [
        'commands/runs/check',
        'mostUrgent(checks.map((check) => check.exitCode))',
        '(checks.at(-1)?.exitCode ?? 0)',
      ],
    ],
    test: 'commands/check',
    words: 'one that is worked on is 11, which comes before 6 and 3',
  },
  {
    name: 'takes messages of two people for one album',
    edits: [['output/conversation', 'first.fromId === next.fromId &&\n', '']],
    test: 'output/conversation',
    words: 'the same album id of two people is no album',
  },
]
