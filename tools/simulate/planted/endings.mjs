/** Where operations are told apart, and what is said at the end. */
export const endings = [
  {
    name: 'calls a run that has ended interrupted',
    edits: [['bulk/runs/recorded', 'if (!isLeft) return { stop: null }\n', '']],
    steps: 'contacts.delete,contacts.merge,show,weather',
  },
  {
    name: 'says 0 of what is not done',
    edits: [['bulk/outcomes/totals', 'return isAccepted(totals, ending) ? 0 : 3', 'return 0']],
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
        "if (sendAfter !== undefined || last === undefined || last.kind === 'never-sent') return true",
        "if (sendAfter !== undefined || last?.kind === 'never-sent') return true",
      ],
    ],
  },
  {
    name: 'gives a batch the ids of another',
    edits: [
      [
        'bulk/sending/scheduler',
        'json: () => state.items.json(from, to)',
        'json: () => state.items.json(0, to - from)',
      ],
    ],
  },
]
