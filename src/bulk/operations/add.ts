/** `lists add-contacts`: many contacts in a request, which can be repeated; the service says how many are missing, not which. */
import type { Api } from '../../api/client.ts'
import type { SvcError } from '../../errors.ts'
import { receiptView } from '../../resources/bulk.ts'
import type { BatchState } from '../record/batch-state.ts'
import { isolate } from './isolate.ts'
import { all, disbelieve, isCount, needed, sendUntilAnswered, sumProblem, unanswered } from './operation.ts'
import type { AddCounts, Batch, BatchOutcome, BatchToSend, Operation, Requests } from './operation.ts'
import { isObject } from '../../values.ts'

export const addContacts = {
  verb: 'Add',
  doing: 'adding',
  thing: 'contact',
  preposition: 'to',
  isSingle: false,
  concurrency: 4,
  canIsolate: true,
  whyNoUndo: 'the service has no operation that removes a contact from a list',
  keptFields: ['added', 'skipped', 'failed'],
  figures: (_, { added, skipped, addedOrSkipped, failed }) => ({ added, skipped, addedOrSkipped, failed }),
  receiptView,
  send,
  judge,
  judgeUnanswered: unanswered,
  next: sendUntilAnswered,
} as const satisfies Operation

async function send(api: Api, batch: BatchToSend, requests: Requests): Promise<SvcError | undefined> {
  const list = needed(batch.target)
  if (requests.state().answer === undefined) {
    const failure = await requests.attempt((hooks) => api.lists.addContacts(list, needed(batch.json), hooks))
    if (failure !== undefined) return failure
  }
  const { answer } = requests.state()
  if (answer === undefined || batch.isolate !== true) return undefined
  const outcome = judge(batch, requests.state(), answer.data)
  if (!needsIsolating(outcome)) return undefined
  return requests.ask(async (hooks) => {
    const found = await isolate(batch.ids, outcome.added?.failed ?? 0, (part) =>
      api.lists.addContacts(list, part, hooks()),
    )
    await requests.emit({
      t: 'isolated',
      b: batch.batch,
      at: requests.now(),
      ...found,
      missing: [...found.missing],
    })
  })
}

/**
 * Only counts come back: `added + skipped + failed` must be the batch. Members are then batch − failed for certain; who they
 * are is known when none or all failed, or after isolating. Isolating never changes the counts.
 */
function judge(batch: Batch, state: BatchState, data: unknown): BatchOutcome {
  if (!isObject(data)) return disbelieve(batch)
  const { ids } = batch
  const { added, skipped, failed } = data
  if (!isCount(added) || !isCount(skipped) || !isCount(failed)) return disbelieve(batch)
  const problem = sumProblem({ added, skipped, failed }, batch)
  if (problem !== undefined) return disbelieve(batch, problem)
  const counts: AddCounts = state.everAmbiguous
    ? { added, skipped: 0, addedOrSkipped: skipped, failed }
    : { added, skipped, addedOrSkipped: 0, failed }
  if (failed === 0) return { ...all(batch, 'ok'), added: counts }
  if (failed === ids.length) return { ...all(batch, 'missing'), added: counts }
  const { isolation } = state
  if (isolation === undefined) return { ...all(batch, 'undetermined'), added: counts }
  const missing = new Set(isolation.missing.map((id) => id.toLowerCase()))
  const rest = isolation.proven ? 'ok' : 'undetermined'
  return {
    outcomes: Array.from(ids, (id) => (missing.has(id.toLowerCase()) ? 'missing' : rest)),
    added: counts,
    problem: isolation.proven ? undefined : 'which of these contacts exist was not confirmed',
  }
}

/** Some ids of the batch do not exist, and which ones is not known yet. */
export function needsIsolating({ outcomes }: BatchOutcome): boolean {
  return outcomes.includes('undetermined')
}
