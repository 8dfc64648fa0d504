import { defineCommand, schemaOf } from '../../cli/command.ts'
import { limitOption } from '../../cli/paging.ts'
import { rows } from '../../output/result.ts'
import { kinds } from '../../directory/identity.ts'
import { decisionView, duplicateView } from '../../views/duplicate.ts'
import { parseChoices } from '../../values.ts'
import { directorySource, inOption, phonesOf } from '../directory.ts'

export const duplicates = defineCommand({
  path: 'contacts duplicates',
  summary: 'find contacts that share a phone number, an address or a messenger',
  description:
    'Find groups of contacts that share a phone number, an email address or a messenger exactly, with a row for each contact\n' +
    'except the oldest of its group, which is the target. Names alone make no group. Nothing is merged: write csv or a workbook,\n' +
    'put "merge" under DECISION where both are the same person, and give the file to svc contacts merge.',
  examples: [
    'svc contacts duplicates',
    'svc contacts duplicates --by email --out pairs.xlsx',
    'svc contacts merge --file decided.csv \\\n    --where DECISION=merge --dry-run',
  ],
  options: {
    ...inOption,
    ...limitOption,
    by: {
      value: 'kinds',
      suggestions: kinds,
      isSeparated: true,
      summary: `what counts: ${kinds.join(', ')}`,
      default: 'all of them',
      parse: (text: string) => parseChoices(text, '--by', kinds),
    },
  },
  effect: 'reads',
  shows: { ...duplicateView, schema: schemaOf('Duplicates') },
  run: async (context, { by = kinds, ...options }) => {
    const [readPhones, { findDuplicates }] = await Promise.all([
      phonesOf(context),
      import('../../directory/duplicates.ts'),
    ])
    const { format, fields } = context.print
    const isFile =
      (format === 'csv' || format === 'tsv' || format === 'xlsx') && fields === undefined
    const source = await directorySource(context, options)
    const found = findDuplicates(source, readPhones, { by, limit: context.print.rowLimit })
    return rows(found, {
      what: 'groups',
      empty: 'no duplicates',
      view: isFile ? decisionView : duplicateView,
    })
  },
})
