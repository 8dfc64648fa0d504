/** Where operations are told apart, and what is said at the end. */
export const endings = [
  {
    name: 'calls a run that has ended interrupted',
    edits: [
      [
        'runs/summary',
        'if (state.listLeft().length === 0) return {}',
        'if (end !== undefined && state.listLeft().length === 0) return {}',
      ],
    ],
    steps: 'contacts.delete,contacts.merge,show,weather',
  },
  {
    name: 'says 0 of what is not done',
    edits: [
      [
        'runs/totals',
        'return ending.isPart !== true && isAccepted(totals, ending) ? 0 : 3',
        'return ending.isPart !== true ? 0 : 3',
      ],
    ],
    test: 'runs/fold',
    words: 'a summary',
  },
  {
    name: 'leaves a figure out of the summary',
    edits: [['runs/outcomes', "figure: 'blocked',", '']],
  },
  {
    name: 'leaves an array of ids out of the summary',
    edits: [['runs/outcomes', "idArray: 'notFoundIds',", '']],
  },
  {
    name: 'counts what is missing as done',
    edits: [['runs/outcomes', 'missing: {\n    ...otherwise,', 'missing: {\n    ...asAsked,']],
    test: 'runs/fold',
    words: 'a summary',
  },
  {
    name: 'says that nothing is left of what was not sent',
    edits: [
      [
        'runs/operations/operation',
        "return isToSend || last === undefined || last.k === 'never-sent' || isPassingRefusal(last)",
        "return isToSend || last === undefined || (last.k !== 'never-sent' && isPassingRefusal(last))",
      ],
    ],
    test: 'runs/fold',
    words: 'try; unsent',
  },
  {
    name: 'gives a batch the ids of another',
    edits: [
      ['runs/state', 'const ids = items.slice(from, to)', 'const ids = items.slice(0, to - from)'],
    ],
    test: 'runs/fold',
    words: 'however far away it is',
  },
]
