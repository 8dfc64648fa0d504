/** `svc contacts merge`: one contact into another, or the pairs of a file as a bulk run. */
import * as v from 'valibot'
import { fullName } from '../../api/names.ts'
import { mayArrive } from '../../api/operations.ts'
import { MergeResult } from '../../api/schemas.ts'
import {
  failedChange,
  newStart,
  oneChangeView,
  onlyBatch,
  refuseBoth,
  operationView,
  startBulk,
  startOne,
} from '../../cli/bulk-command.ts'
import { bulkOptions } from '../../cli/bulk-options.ts'
import { defineVerb } from '../../cli/verb.ts'
import { usageError } from '../../errors.ts'
import { say, svcWords } from '../../message.ts'
import { columnsFor, one, type View } from '../../output/result.ts'
import { parseId } from '../../values.ts'

const mergeView: View<MergeResult> = {
  columns: columnsFor(
    'mergedContactId as MERGED',
    'contact.id as CONTACT',
    'name',
    'contact.identities.phone as PHONE',
    'contact.identities.email as EMAIL',
    'contact.updatedAt as UPDATED',
  ),
  computed: { name: ({ contact }) => fullName(contact) },
  id: ({ contact }) => contact.id,
}

export const verb = defineVerb({
  description:
    'Merge one contact into another, or the pairs of a csv file with the columns source and target. This cannot be undone.',
  examples: [
    'svc contacts merge 6400057ed5aad2927b000026 \\\n    --into 640005a3d5aad2927b000027 --dry-run',
    'svc contacts merge --file pairs.csv --dry-run',
    'svc contacts merge --file pairs.csv --expect 2 --yes --receipts out.csv',
  ],
  arguments: [
    {
      name: 'source',
      takes: 'contact',
      summary: 'the contact to merge, which is removed',
    },
  ],
  options: {
    ...bulkOptions('contacts.merge'),
    into: { value: 'target', takes: 'contact', summary: 'the contact that stays' },
  },
  effect: 'contacts.merge',
  shows: oneChangeView(mergeView, () => MergeResult),
  bulkShows: operationView('contacts.merge'),
  run: async (context, [source], options) => {
    const { file, into } = options
    refuseBoth(file, { 'a source': source, '--into': into })
    if (file.length > 0) {
      return startBulk(context, newStart('contacts.merge', { ids: [], options }))
    }
    if (source === undefined || into === undefined) {
      throw usageError(
        'give the contact to merge, and with --into the contact that stays',
        say`${svcWords('contacts merge <source> --into <target>')}, or --file <pairs.csv>`,
      )
    }
    const id = parseId(source, 'the source')
    if (id.toLowerCase() === parseId(into, '--into').toLowerCase()) {
      throw usageError('a contact cannot be merged into itself')
    }
    const typed = { ids: [id], options, parties: { into }, isOne: true }
    const ended = await startOne(context, newStart('contacts.merge', typed))
    // A dry run or a plan has a result of its own.
    if (ended.kind === 'one') return ended
    const { batch, outcome } = onlyBatch(ended)
    // The answer to this command, or the recorded one if an earlier command has merged them.
    const answer = ended.sent?.answer ?? batch.answer?.d
    const result = v.safeParse(MergeResult, answer)
    const { exitCode } = ended.summary.document
    if (outcome === 'done' && result.success) return one(result.output, { exitCode })
    const advice = `${mayArrive(context.host)}: check both contacts after that; if it was not made, --new-run sends it again`
    const what = `the merge of ${id} into ${into} may have been made, and was not sent again`
    // The words are used only if the outcome is unknown.
    throw failedChange(ended, `${what};\n${advice}`)
  },
})
