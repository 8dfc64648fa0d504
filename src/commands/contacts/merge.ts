/**
 * `svc contacts merge`: one contact into another, or the pairs of a file as a bulk run. The file's form comes from the operation
 * (`bulk/operations/merge.ts`); what one merge asks and shows is here.
 */
import { columnsFor } from '../../output/columns.ts'
import { MergeResult } from '../../api/schemas.ts'
import { fullName } from '../../api/names.ts'
import { type View, one } from '../../output/result.ts'
import * as v from 'valibot'
import { mayArrive } from '../../api/operations.ts'
import { say, svcWords } from '../../message.ts'
import { type OneForm, definePairVerb } from '../../cli/bulk-command.ts'
import { usageError } from '../../errors.ts'
import { parseId } from '../../values.ts'
import { dryRunOf, failedChange } from '../one-change.ts'

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

/** One merge that a command line names: what is asked, and what its ending says. */
const mergeOne: OneForm<MergeResult> = {
  argument: {
    name: 'source',
    takes: 'contact',
    summary: 'the contact to merge, which is removed',
  },
  missing: usageError(
    'name the contact to merge, and with --into the contact that stays',
    say`${svcWords('contacts merge <source> --into <target>')}, or --file <pairs.csv>`,
  ),
  shows: { ...mergeView, schema: () => MergeResult },
  parse(text, target = '') {
    const source = parseId(text, 'the source')
    if (source.toLowerCase() === parseId(target, '--into').toLowerCase())
      throw usageError('a contact cannot be merged into itself')
    return source
  },
  begin(context, { id: source, target = '' }) {
    return {
      preview: () =>
        dryRunOf(context, `merge ${source} into ${target}`, 'contacts.merge', {
          sourceContactId: source,
          body: { targetContactId: target },
        }),
      async question() {
        const { onProfile } = await import('../../bulk/telling/question.ts')
        const where = onProfile((await context.configuration()).profile())
        const message = `Merge the contact ${source} into ${target}${where}? This cannot be undone.`
        return { kind: 'yes-no', message }
      },
      show(ending, answer) {
        const result = v.safeParse(MergeResult, answer ?? ending.state.answer?.d)
        if (ending.outcome === 'done' && result.success) return one(result.output)
        const advice = `${mayArrive(context.host)}: check both contacts after that, before you try again`
        const what = `the merge of ${source} into ${target} may have been made, and was not sent again`
        throw failedChange(ending, `${what};\n${advice}`)
      },
    }
  },
}

export const verb = definePairVerb(
  {
    operation: 'contacts.merge',
    description:
      'Merge one contact into another, or the pairs of a csv file with the columns source and target. This cannot be undone.',
    examples: [
      'svc contacts merge 6400057ed5aad2927b000026 \\\n    --into 640005a3d5aad2927b000027 --dry-run',
      'svc contacts merge --file pairs.csv --dry-run',
      'svc contacts merge --file pairs.csv --expect 2 --yes --receipts out.csv',
    ],
  },
  mergeOne,
)
