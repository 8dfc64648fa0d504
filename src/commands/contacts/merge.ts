import { arrivalTime } from '../../api/operations.ts'
import { bulkOptions, sendBulk } from '../../cli/bulk.ts'
import { defineVerb } from '../../cli/verb.ts'
import { usageError } from '../../errors.ts'
import type { Operation } from '../../runs/engine.ts'
import { firstTexts } from '../../words.ts'
import { parseId } from '../../identifiers.ts'

/** One pair in a request, which is never sent again after a lost answer. */
export const operation: Operation<'contacts.merge'> = {
  name: 'contacts.merge',
  words: {
    verb: 'Merge',
    doing: 'merging',
    run: 'merge',
    item: 'contact',
    preposition: 'into',
    done: 'merged',
  },
  most: 1,
  concurrency: 1,
  pairs: ['source', 'target'],
  acceptable: [],
  isIrreversible: true,
  isFinalIfLost: true,
  isRefusedAlone: true,
  request: ({ ids: [id = ''], target }) => ({
    ids: { sourceContactId: id },
    body: { targetContactId: target },
  }),
  // The API description does not say which of the two is `mergedContactId`, and which is `contact`.
  senseOf({ ids, target }, { mergedContactId, contact }) {
    const named = [mergedContactId, contact.id].map((id) => id.toLowerCase()).sort()
    const sent = [...ids, target].map((id) => id.toLowerCase()).sort()
    return named.join() === sent.join()
      ? { outcomes: 'done' }
      : { problem: 'the answer does not name both contacts' }
  },
  remarks({ outcomes: { unknown = 0 } }, state) {
    if (unknown === 0) return []
    const pairs = [...state.items].filter((_, at) => state.outcomeOf(at) === 'unknown')
    const lines = pairs.map(({ id, target = '' }) => `svc contacts get ${id} ${target}`)
    return [
      `a lost merge can take effect within ${arrivalTime}, and svc does not send it again; after that time, look at both contacts:\n  ${firstTexts(lines).join('\n  ')}`,
    ]
  },
}

export const verb = defineVerb({
  summary: 'merge one contact into another; cannot be undone',
  description:
    'Merge one contact into another, or the pairs of a table with the columns source and target. This cannot be undone, and svc never sends a merge again whose answer was lost.',
  examples: [
    'svc contacts merge 6400057ed5aad2927b000026 \\\n    --into 640005a3d5aad2927b000027 --dry-run',
    'svc contacts merge --file pairs.csv --receipts merged.csv --yes',
  ],
  arguments: [
    { name: 'source', summary: 'the contact to merge; - for pairs on standard input' },
  ],
  options: {
    into: { value: 'target', summary: 'the contact that stays', parse: parseId },
    ...bulkOptions(operation),
  },
  formats: ['table', 'json'],
  act(context, [source], { into, ...options }) {
    const isTable = source === '-' || options.file !== undefined
    const isPair = source !== undefined && into !== undefined
    if (isTable ? into !== undefined : !isPair)
      throw usageError(
        'give the contact to merge, and with --into the contact that stays, or a table of pairs (- for standard input)',
        'svc contacts merge <source> --into <target>\nsvc contacts merge --file <pairs.csv>',
      )
    const ids = source === undefined ? [] : [source]
    return sendBulk(context, { operation, ids, parties: { into }, options })
  },
})
