import { say, svc } from '../../message.ts'
import { defineCommand } from '../../cli/command.ts'
import { mayArrive } from '../../api/limits.ts'
import { parseId } from '../../values.ts'
import type { MergeResult } from '../../api/schemas.ts'
import { usageError } from '../../errors.ts'
import { one } from '../../output/result.ts'
import { schemaOf, type Context } from '../../cli/verb.ts'
import { outcomeView } from '../../views/bulk.ts'
import { mergeView } from '../../views/merge.ts'
import { bulkOptions, refuseRunOptions, whoOption } from '../../cli/bulk-options.ts'
import { dryRunOf } from '../dry-run.ts'
import { peopleOf } from '../directory.ts'

export const merge = defineCommand({
  path: 'contacts merge',
  summary: 'merge one contact into another; cannot be undone',
  description:
    'Merge one contact into another, or the pairs of a csv file with the columns source and target. This cannot be undone.',
  examples: [
    'svc contacts merge 6400057ed5aad2927b000026 \\\n    --into 640005a3d5aad2927b000027 --dry-run',
    'svc contacts merge --file pairs.csv --dry-run',
    'svc contacts merge --file pairs.csv --expect 2 --yes --receipts out.csv',
  ],
  arguments: [{ name: 'source', summary: 'the contact that is merged' }],
  options: {
    ...bulkOptions('contacts.merge'),
    ...whoOption,
    into: { value: 'target', summary: 'the contact that stays' },
  },
  effect: 'contacts.merge',
  shows: { ...mergeView, schema: schemaOf('Merged') },
  bulkShows: { ...outcomeView, schema: schemaOf('Summary') },
  run: async (context, source, options) => {
    if (options.file.length > 0) {
      if (source !== undefined || options.into !== undefined)
        throw usageError('--file cannot be used with a source or --into')
      const job = await context.bulk.jobOfPairs('contacts.merge', options)
      return context.bulk.start({ job, target: peopleOf(context, options) })
    }
    if (source === undefined || options.into === undefined) {
      throw usageError(
        'name the contact to merge, and the contact that stays with --into',
        say`${svc`contacts merge <source> --into <target>`}, or --file <pairs.csv>`,
      )
    }
    refuseRunOptions(options)
    const pair = { source: parseId(source, 'the source'), target: parseId(options.into, '--into') }
    if (pair.source.toLowerCase() === pair.target.toLowerCase())
      throw usageError('a contact cannot be merged into itself')
    if (options.dryRun === true) {
      const request = { sourceContactId: pair.source, body: { targetContactId: pair.target } }
      return dryRunOf(
        context,
        `merge ${pair.source} into ${pair.target}`,
        'contacts.merge',
        request,
      )
    }
    return one(await mergeOne(context, pair))
  },
})

/** Merges once, never again: both ids are named with what is unknown, and the time to look. Throws exit 7, 9. */
async function mergeOne(context: Context, { source, target }: { source: string; target: string }) {
  const [{ changeOne, singleError }, { onProfile }] = await Promise.all([
    import('../../bulk/sessions/single.ts'),
    import('../../bulk/telling/confirm.ts'),
  ])
  let answer: MergeResult | undefined
  const ending = await changeOne(context, 'contacts.merge', async () => {
    const api = await context.api()
    const merge: typeof api.contacts.merge = async (...change) =>
      (answer = await api.contacts.merge(...change))
    const where = onProfile((await context.configuration()).profile())
    const message = `Merge the contact ${source} into ${target}${where}? This cannot be undone.`
    return {
      id: source,
      other: target,
      question: { kind: 'yes-no', message },
      api: { ...api, contacts: { merge } },
    }
  })
  if (ending.outcome === 'done' && answer !== undefined) return answer
  throw singleError(
    ending,
    `the merge of ${source} into ${target} may have been made, and was not sent again;\n` +
      `${mayArrive(context.host)}: check both contacts after that, before you try again`,
  )
}
