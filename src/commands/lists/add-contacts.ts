import { bulkOptions, sendBulk } from '../../cli/bulk.ts'
import { idsArgument } from '../../cli/inputs.ts'
import { listArgument } from '../../cli/lists.ts'
import { defineVerb } from '../../cli/verb.ts'
import { findSumProblem, type Operation } from '../../runs/engine.ts'
import { groupDigits } from '../../words.ts'

/**
 * Up to 100 contacts in a request, which is safe to send again. The answer counts the contacts that do not exist, but does not name
 * them. So a request in which only some exist is sent again as two halves.
 */
export const operation: Operation<'lists.add-contacts'> = {
  name: 'lists.add-contacts',
  words: { verb: 'Add', doing: 'adding', run: 'add', item: 'contact', done: 'on the list' },
  most: 100,
  concurrency: 4,
  acceptable: ['not-found'],
  request: ({ ids, target }) => ({ ids: { listId: target }, body: { contactIds: ids } }),
  senseOf({ ids }, { added, skipped, failed }) {
    const problem = findSumProblem({ added, skipped, failed }, ids.length)
    if (problem !== undefined) return { problem }
    if (failed === 0) return { outcomes: 'done', added }
    if (failed === ids.length) return { outcomes: 'not-found', added }
    // Only some exist: svc sends the halves.
    return { outcomes: 'unknown', due: true, added }
  },
  remarks({ outcomes: { done = 0 } }, { added, hasLostAnswer }) {
    if (added >= done) return []
    // The lost answer may have counted contacts that were added, so 0 proves nothing.
    if (hasLostAnswer && added === 0) return []
    if (added === 0) return ['nobody was added: all were on the list already']
    const counts = `${groupDigits(added)} of ${groupDigits(done)} were added`
    return [
      hasLostAnswer ? `at least ${counts}` : `${counts}, the others were there already`,
    ]
  },
}

export const verb = defineVerb({
  summary: 'add contacts to a list, from ids or id files',
  description:
    'Add contacts to a list, from ids or id files. Adding a contact that is already on the list changes nothing. If a request ' +
    'names contacts that do not exist, svc finds them by sending it again in halves, which re-adds a contact that somebody has ' +
    'just removed.',
  examples: [
    'svc lists add-contacts VIP --file ids.txt',
    'svc lists add-contacts VIP --file ids.txt --once vip-2026-03-01 --yes',
    'svc lists add-contacts VIP --file export.csv --receipts out.csv',
  ],
  arguments: [listArgument, idsArgument],
  options: bulkOptions(operation),
  formats: ['table', 'json'],
  act: (context, [list, ids], options) =>
    sendBulk(context, { operation, ids, parties: { list }, options }),
})
