import { bulkOptions, sendBulk } from '../../cli/bulk.ts'
import { idsArgument } from '../../cli/inputs.ts'
import { defineVerb } from '../../cli/verb.ts'
import { findSumProblem, type Operation, type Outcome } from '../../runs/engine.ts'
import { groupDigits } from '../../words.ts'

/** Up to 100 contacts in a request, which is safe to send again. */
export const operation: Operation<'contacts.delete'> = {
  name: 'contacts.delete',
  words: {
    verb: 'Delete',
    doing: 'deleting',
    run: 'delete',
    item: 'contact',
    done: 'deleted',
  },
  most: 100,
  concurrency: 4,
  acceptable: ['not-found', 'blocked'],
  isIrreversible: true,
  request: ({ ids }) => ({ body: { contactIds: ids } }),
  senseOf({ ids, outcomesBefore }, { deletedCount, notFoundIds, blockedIds }) {
    const counts = {
      deletedCount,
      notFoundIds: notFoundIds.length,
      blockedIds: blockedIds.length,
    }
    const problem = findSumProblem(counts, ids.length)
    if (problem !== undefined) return { problem }
    // Most answers name no id.
    if (deletedCount === ids.length) return { outcomes: 'done' }
    const absent = new Set(notFoundIds.map((id) => id.toLowerCase()))
    const blocked = new Set(blockedIds.map((id) => id.toLowerCase()))
    const outcomes = ids.map((id, at): Outcome => {
      if (blocked.has(id.toLowerCase())) return 'blocked'
      if (!absent.has(id.toLowerCase())) return 'done'
      // After a lost answer, an earlier attempt may have deleted it.
      return outcomesBefore[at] === 'unknown' ? 'gone' : 'not-found'
    })
    const deleted = outcomes.filter((outcome) => outcome === 'done')
    if (
      deleted.length !== deletedCount ||
      absent.size + blocked.size !== ids.length - deletedCount
    )
      return { problem: 'the answer names an id twice, or one that was not sent' }
    return { outcomes }
  },
  remarks({ outcomes: { done = 0, gone = 0, unknown = 0, 'not-found': notFound = 0 } }) {
    const remarks: string[] = []
    const most = groupDigits(done + gone + unknown)
    if (gone > 0)
      remarks.push(
        `between ${groupDigits(done)} and ${most} were deleted by this run: of some, an answer was lost`,
      )
    if (notFound > 0)
      remarks.push(
        'those not found may have been deleted by an earlier run:\n  svc runs list',
      )
    return remarks
  },
}

export const verb = defineVerb({
  summary: 'delete contacts, from ids or id files; cannot be undone',
  description:
    'Delete contacts, from ids or id files. This cannot be undone. The service does not delete contacts with chats; they are reported as blocked.',
  examples: [
    'svc contacts delete --file ids.txt --dry-run',
    'svc contacts delete --file ids.txt --expect 12 --once cleanup-2026-03-01 --yes',
  ],
  arguments: [idsArgument],
  options: bulkOptions(operation),
  formats: ['table', 'json'],
  act: (context, [ids], options) =>
    sendBulk(context, { operation, ids, parties: {}, options }),
})
