import { peopleSource, inOption } from '../../cli/lists.ts'
import { defineVerb, countryOption, limitOption } from '../../cli/verb.ts'
import { rows } from '../../output/result.ts'
import type { Duplicate } from '../duplicates.ts'

/** The columns of a file in which a person writes "yes" for each pair that `contacts merge --file` is to merge. */
const decisionColumns = {
  group: 'group',
  source: 'source',
  target: 'target',
  shared: 'shared',
  sourceName: 'sourceName',
  targetName: 'targetName',
  warning: 'warning',
  merge: 'merge',
}

export const verb = defineVerb({
  description:
    'Find groups of contacts that share exactly the same phone number, email address or messenger. Each contact has a row, ' +
    'except the oldest of its group, which is the target. Names alone do not make a group. Nothing is merged: write csv or a ' +
    'workbook, write "yes" under merge where both are the same person, and pass the file to svc contacts merge.',
  examples: [
    'svc contacts duplicates',
    'svc contacts duplicates --country DE --out pairs.xlsx',
    'svc contacts merge --file pairs.csv --dry-run',
  ],
  options: {
    ...inOption,
    ...countryOption,
    ...limitOption,
  },
  effect: 'reads',
  columns: {
    GROUP: 'group',
    SOURCE: 'source',
    TARGET: 'target',
    SHARED: 'shared',
    NAMES: ({ sourceName, targetName }: Duplicate) => `${sourceName} / ${targetName}`,
    WARNING: 'warning',
  },
  run: async (context, _args, options) => {
    const { findDuplicates } = await import('../duplicates.ts')
    const { settings } = await context.configuration()
    const { format, fields, rowLimit } = context.print
    const isForDecisions = (format === 'csv' || format === 'xlsx') && fields === undefined
    const source = await peopleSource(context, options)
    const found = await findDuplicates(source, settings.country, rowLimit)
    return rows(found.rows, {
      ending: found.ending,
      // --limit counts groups: none is cut in two.
      what: 'groups',
      empty: 'no duplicates',
      columns: isForDecisions ? decisionColumns : undefined,
    })
  },
})
