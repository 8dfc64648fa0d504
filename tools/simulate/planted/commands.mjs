/** Verbs, their options, and what they print. */
export const commands = [
  {
    name: 'prunes a run with something left, and does not ask',
    edits: [
      [
        'runs/prune',
        'wanted.filter((each) => !isOver(each, all))',
        'wanted.filter((each) => each.isUndone && !isOver(each, all))',
      ],
    ],
    test: 'runs/prune',
    words: 'asks before it removes a run that ended with',
  },
  {
    name: 'prunes runs whatever their age',
    edits: [
      [
        'runs/prune',
        'all.filter(({ startedAt }) => startedAt < before)',
        'all.filter(({ startedAt }) => startedAt < before + startedAt)',
      ],
    ],
    steps: 'contacts.delete,prune',
  },
  {
    name: 'lists a run as removed that is there',
    edits: [
      [
        'runs/prune',
        'removed.push(...(await removeRun(tools, each, asked.includes(each))))',
        'await removeRun(tools, each, asked.includes(each))\n removed.push(each.path)',
      ],
    ],
    test: 'runs/prune',
    words: 'says that a run stays whose file cannot be removed',
  },
  {
    name: 'looks a name up on the first page alone',
    edits: [
      [
        'api/names',
        'for await (const list of lists.all({ limit: Infinity })) all.push(candidateOf(list))',
        'for await (const list of lists.all({ limit: 100 })) all.push(candidateOf(list))',
      ],
    ],
    steps: 'reads,members',
  },
  {
    name: 'writes a cell that a spreadsheet would run',
    edits: [['output/formats/data', '(?=[=+\\-@＝＋－＠])', '(?=[+\\-@＝＋－＠])']],
    test: 'output/formats/csv',
    words: 'no cell is run',
  },
  {
    name: 'leaves out only what is in all other inputs',
    edits: [['commands/ids/subtract', '!leftOut.some((other)', '!leftOut.every((other)']],
    test: 'commands/ids',
    words: 'subtract leaves out what is in any of the other inputs',
  },
  {
    name: 'takes a job that began long ago for one that did not end just now',
    edits: [
      [
        'commands/runs/check',
        'host.now() - endedAt <= within',
        'host.now() - listed.startedAt <= within',
      ],
    ],
    test: 'commands/check',
    words: 'counts from its end, and a job that is older is not fine',
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
]
