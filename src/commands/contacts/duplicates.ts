import { defineCommand } from '../../cli/command.ts'
import { rows, type Ending } from '../../output/result.ts'
import { schemaOf, type Context } from '../../cli/verb.ts'
import { kinds, type Kind } from '../../directory/identity.ts'
import { decisionView, duplicateView, type Duplicate } from '../../resources/duplicate.ts'
import { parseChoices } from '../../values.ts'
import { directorySource, inOption, phonesOf, type DirectoryOptions } from '../directory.ts'

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
    by: {
      value: 'kinds',
      summary: `what counts: ${kinds.join(', ')}`,
      default: 'all of them',
      parse: (text: string) => parseChoices(text, '--by', kinds),
    },
  },
  effect: 'reads',
  shows: { ...duplicateView, schema: schemaOf('Duplicates') },
  run: (context, options) => {
    const { format, fields } = context.print
    const isFile = (format === 'csv' || format === 'tsv' || format === 'xlsx') && fields === undefined
    const found = sharingRows(context, options)
    return rows(found, { what: 'rows', empty: 'no duplicates', view: isFile ? decisionView : duplicateView })
  },
})

async function* sharingRows(
  context: Context,
  { by = kinds, ...options }: DirectoryOptions & { readonly by?: readonly Kind[] | undefined },
): AsyncGenerator<Duplicate, Ending> {
  const [readPhones, { Duplicates }, { counted }] = await Promise.all([
    phonesOf(context),
    import('../../directory/duplicates.ts'),
    import('../../directory/reading.ts'),
  ])
  const sharing = new Duplicates(readPhones, by)
  try {
    const read = await sharing.read(await directorySource(context, options))
    const { groups, contacts } = yield* sharing.rows()
    const unplaced = `${counted(sharing.unplaced, 'phone number')} not compared: they are not complete, or need --country`
    const summary = `${counted(groups, 'group')} of ${counted(contacts, 'contact')}`
    return { notes: [...(groups > 0 ? [summary] : []), ...(sharing.unplaced > 0 ? [unplaced] : []), ...read.notes()] }
  } finally {
    sharing.close()
  }
}
