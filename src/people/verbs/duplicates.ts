import { rows } from '../../output/result.ts'
import { defineVerb, viewOf } from '../../cli/verb.ts'
import { countryOption, limitOption } from '../../cli/global-options.ts'
import { peopleSource, inOption } from '../../cli/lists.ts'

const duplicateView = viewOf(
  'Duplicates',
  [
    'group:number',
    'source:id',
    'target:id',
    // `floor`: the least width in terminal cells.
    { title: 'SHARED', field: 'shared', floor: 12 },
    { title: 'NAMES', field: 'names', floor: 12 },
    'warning',
  ],
  {
    computed: {
      names: ({ sourceName, targetName }) => `${sourceName} / ${targetName}`,
      // An empty cell to fill in, in the view for decisions.
      DECISION: () => '',
    },
  },
)

/** The view for a file in which a person decides which rows `contacts merge --file` merges. */
async function decisionView() {
  const { Duplicate } = await import('../../views/documents.ts')
  const facts = Object.keys(Duplicate.entries).map((field) => ({ title: field, field }))
  const decision = { title: 'DECISION', field: 'DECISION' }
  return { ...duplicateView, columns: [...facts, decision] }
}

export const verb = defineVerb({
  description:
    'Find groups of contacts that share exactly the same phone number, email address or messenger. Each contact has a row,\n' +
    'except the oldest of its group, which is the target. Names alone do not make a group. Nothing is merged: write csv or a\n' +
    'workbook, put "merge" under DECISION where both are the same person, and pass the file to svc contacts merge.',
  examples: [
    'svc contacts duplicates',
    'svc contacts duplicates --country DE --out pairs.xlsx',
    'svc contacts merge --file decided.csv \\\n    --where DECISION=merge --dry-run',
  ],
  options: {
    ...inOption,
    ...countryOption,
    ...limitOption,
  },
  effect: 'reads',
  shows: duplicateView,
  run: async (context, _args, options) => {
    const [{ valueReader }, { findDuplicates }] = await Promise.all([
      import('../values.ts'),
      import('../duplicates.ts'),
    ])
    const { settings } = await context.configuration()
    const readValues = valueReader(settings.country)
    const { format, fields, rowLimit } = context.print
    const isForDecisions = (format === 'csv' || format === 'xlsx') && fields === undefined
    const source = await peopleSource(context, options)
    const found = findDuplicates(source, readValues, rowLimit)
    return rows(found, {
      what: 'groups',
      empty: 'no duplicates',
      view: isForDecisions ? await decisionView() : duplicateView,
    })
  },
})
