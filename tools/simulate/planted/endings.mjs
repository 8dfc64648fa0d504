/** Where operations are told apart, and what is said at the end. */
export const endings = [
  {
    name: 'calls a run that has ended interrupted',
    edits: [
      [
        'bulk/record/read-run',
        'return isLeft ? (end === undefined ? { died: true } : stopOf(end.stop)) : {}',
        'return end === undefined || isLeft ? { died: true } : stopOf(end.stop)',
      ],
    ],
    steps: 'contacts.delete,contacts.merge,show,weather',
  },
  {
    name: 'says 0 of what is not done',
    edits: [
      [
        'bulk/outcomes/totals',
        'return ending.isPart !== true && isAccepted(totals, ending) ? 0 : 3',
        'return ending.isPart !== true ? 0 : 3',
      ],
    ],
  },
  {
    name: 'leaves a figure out of the summary',
    edits: [['bulk/operations/delete', "figure: 'blocked',\n", '']],
  },
  {
    name: 'leaves an array of ids out of the summary',
    edits: [['bulk/operations/delete', "idArray: 'notFoundIds',\n", '']],
  },
  {
    name: 'counts what is missing as done',
    edits: [
      [
        'bulk/operations/add',
        '  missing: {\n    ...answeredOtherwise,',
        '  missing: {\n    ...asAsked,',
      ],
    ],
  },
  {
    name: 'says that nothing is left of what was not sent',
    edits: [
      [
        'bulk/operations/operation',
        "return isToSend || last === undefined || last.k === 'never-sent' || isPassingRefusal(last)",
        "return isToSend || last === undefined || (last.k !== 'never-sent' && isPassingRefusal(last))",
      ],
    ],
    test: 'bulk/lines',
    words: 'a run with a name at an unknown host name',
  },
  {
    name: 'gives a batch the ids of another',
    edits: [
      [
        'bulk/record/state',
        'const ids = items.slice(from, to)',
        'const ids = items.slice(0, to - from)',
      ],
    ],
  },
]
