/** `svc contacts merge`: one contact into another, or the pairs of a file as a bulk run. */
import * as v from 'valibot'
import { fullName } from '../../api/names.ts'
import { mayArrive } from '../../api/operations.ts'
import { MergeResult } from '../../api/schemas.ts'
import { answerOf, failedChange, sendBulk, sendOneChange } from '../../cli/bulk-command.ts'
import { bulkOptions } from '../../cli/bulk-verb.ts'
import type { Context } from '../../cli/context.ts'
import { defineVerb } from '../../cli/verb.ts'
import { usageError } from '../../errors.ts'
import { refuseFiles } from '../../input/input.ts'
import { say, svcWords } from '../../message.ts'
import { one } from '../../output/result.ts'
import { isSameId } from '../../runs/batch.ts'
import type { BulkOptions } from '../../runs/jobs/job.ts'
import { parseId } from '../../values.ts'

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
      summary: 'contact to merge and remove; - for standard input',
    },
  ],
  options: {
    into: { value: 'target', takes: 'contact', summary: 'the contact that stays' },
    ...bulkOptions('contacts.merge'),
  },
  effect: 'contacts.merge',
  columns: {
    MERGED: 'mergedContactId',
    CONTACT: 'contact.id',
    NAME: ({ contact }: MergeResult) => fullName(contact),
    PHONE: 'contact.identities.phone',
    EMAIL: 'contact.identities.email',
    UPDATED: 'contact.updatedAt',
  },
  ids: 'contact.id',
  run: (context, [source], options) => {
    if (source === '-')
      return mergePairs(context, undefined, { ...options, file: ['-', ...options.file] })
    return options.file.length > 0
      ? mergePairs(context, source, options)
      : mergeOne(context, source, options)
  },
})

type MergeOptions = BulkOptions & { into?: string }

function mergePairs(context: Context, source: string | undefined, options: MergeOptions) {
  if (source !== undefined || options.into !== undefined)
    throw usageError('--file cannot be used with a source or --into')
  return sendBulk(context, { operation: 'contacts.merge', ids: [], options })
}

/** Merges one contact into another, which it shows. */
async function mergeOne(
  context: Context,
  source: string | undefined,
  options: MergeOptions,
) {
  const { into } = options
  if (source === undefined || into === undefined)
    throw usageError(
      'give the contact to merge, and with --into the contact that stays',
      say`${svcWords('contacts merge <source> --into <target>')}, --file <pairs.csv>, or - for pairs on standard input`,
    )
  refuseFiles(context.host, [source])
  const id = parseId(source, 'the source')
  if (isSameId(id, parseId(into, '--into')))
    throw usageError('a contact cannot be merged into itself')
  const change = await sendOneChange(context, {
    operation: 'contacts.merge',
    ids: [id],
    options,
    parties: { into },
  })
  // The output of a dry run.
  if (change.kind === 'summary') return change
  const { run, batch, outcome } = change
  const answer = v.safeParse(MergeResult, answerOf(change))
  const { exitCode } = run.summary.document
  if (outcome === 'done' && answer.success) return one(answer.output, { exitCode })
  const hintIfUnknown =
    `the merge of ${id} into ${into} may have been made, and was not sent again;\n` +
    `${mayArrive(batch.at)}: check both contacts after that; if it was not made, --new-run sends it again`
  throw failedChange(change, hintIfUnknown)
}
