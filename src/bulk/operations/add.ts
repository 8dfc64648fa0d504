/** `lists add-contacts`: many contacts in a request, which can be repeated; the service says how many are missing, not which. */
import { continuing, say, type Message } from '../../message.ts'
import type { Api } from '../../api/client.ts'
import type { SvcError } from '../../errors.ts'
import { receiptView } from '../../views/bulk.ts'
import type { BatchState } from '../record/batch-state.ts'
import { isolate } from './isolate.ts'
import { answeredOtherwise, asAsked, type CommonOutcome } from './outcome-facts.ts'
import {
  all,
  disbelieve,
  isCount,
  assertDefined,
  sendUntilAnswered,
  sumProblem,
  outcomeWithoutAnswer,
  type Batch,
  type BatchOutcomeOf,
  type BatchToSend,
  type EndedRun,
  type Operation,
  type Requests,
  partyIn,
} from './operation.ts'
import { isObject } from '../../values.ts'
import { groupDigits } from '../../words.ts'

const outcomes = {
  ok: { ...asAsked, meaning: 'on the list now: added, or already there' },
  missing: {
    ...answeredOtherwise,
    isolatedIds: 'missingIds',
    meaning: 'these contacts do not exist',
    reason: 'there is no contact with this id',
  },
  undetermined: {
    isDone: false,
    isAcceptable: true,
    isReopenable: true,
    meaning: 'some contacts of these requests do not exist, and the service does not say which',
    reason: 'not known: some contacts of its request do not exist',
  },
} as const

type AddOutcome = keyof typeof outcomes | CommonOutcome

export const addContacts = {
  words: { verb: 'Add', doing: 'adding', done: 'added' },
  items: { kind: 'contact' },
  parameters: {
    list: {
      kind: 'list',
      use: 'target',
      preposition: 'to',
      summary: 'list id or name; asked for on a terminal',
      question: 'Which list?',
    },
    isolate: {
      kind: 'flag',
      use: 'flag',
      summary: 'find out which contacts of a batch do not exist, by sending halves of it again',
    },
  },
  request: ({ parameters }, ids) => ({
    path: { listId: assertDefined(partyIn(parameters, 'list')).id },
    body: { contactIds: ids },
  }),
  batch: { most: 100, concurrency: 4 },
  outcomes,
  /** `addedOrSkipped`: added by this run or members before it, since an earlier attempt's answer was lost. */
  counts: {
    added: 'ok',
    skipped: 'ok',
    addedOrSkipped: 'ok',
    failed: 'missing',
  },
  isolates: { flag: 'isolate', outcome: 'undetermined' },
  present: (api, parameters) =>
    api.lists.members(assertDefined(partyIn(parameters, 'list')).id, { limit: Infinity }),
  undo: { whyNot: 'the service has no operation that removes a contact from a list' },
  keptFields: ['added', 'skipped', 'failed'],
  receiptView,
  send,
  judge,
  judgeUnanswered: outcomeWithoutAnswer,
  next: sendUntilAnswered,
  notes: addNotes,
} as const satisfies Operation<keyof typeof outcomes>

async function send(
  _api: Api,
  batch: BatchToSend,
  requests: Requests,
): Promise<SvcError | undefined> {
  if (requests.state().answer === undefined) {
    const failure = await requests.attempt()
    if (failure !== undefined) return failure
  }
  const { answer } = requests.state()
  if (answer === undefined || batch.isolate !== true) return undefined
  const outcome = judge(batch, requests.state(), answer.data)
  if (!outcome.outcomes.includes('undetermined')) return undefined
  return requests.ask(async (hooks) => {
    const found = await isolate([...batch.ids], outcome.counts?.['failed'] ?? 0, (part) =>
      requests.send(part, hooks()),
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
function judge(batch: Batch, state: BatchState, data: unknown): BatchOutcomeOf<AddOutcome> {
  if (!isObject(data)) return disbelieve(batch)
  const { ids } = batch
  const { added, skipped, failed } = data
  if (!isCount(added) || !isCount(skipped) || !isCount(failed)) return disbelieve(batch)
  const problem = sumProblem({ added, skipped, failed }, batch)
  if (problem !== undefined) return disbelieve(batch, problem)
  const counts = state.everAmbiguous
    ? {
        added,
        skipped: 0,
        addedOrSkipped: skipped,
        failed,
      }
    : { added, skipped, addedOrSkipped: 0, failed }
  if (failed === 0) return { ...all(batch, 'ok'), counts }
  if (failed === ids.length) return { ...all(batch, 'missing'), counts }
  const { isolation } = state
  if (isolation === undefined) return { ...all(batch, 'undetermined'), counts }
  const missing = new Set(isolation.missing.map((id) => id.toLowerCase()))
  const rest = isolation.proven ? 'ok' : 'undetermined'
  return {
    outcomes: Array.from(ids, (id) => (missing.has(id.toLowerCase()) ? 'missing' : rest)),
    counts,
    problem: isolation.proven ? undefined : 'which of these contacts exist was not confirmed',
  }
}

function addNotes({ count, sum, isolates, isolateCalls, run }: EndedRun): readonly Message[] {
  const undetermined = count('undetermined')
  const calls =
    isolates && isolateCalls > 0
      ? [`${groupDigits(isolateCalls)} more requests were made to find which contacts do not exist`]
      : []
  if (undetermined === 0) return calls
  if (isolates) {
    return [...calls, `which of ${groupDigits(undetermined)} contacts exist is not known yet`]
  }
  // Batches that are missing whole were said to fail too.
  const missing = sum('failed') - count('missing')
  const verb = missing === 1 ? 'does' : 'do'
  return [
    say`${groupDigits(missing)} of these ${groupDigits(undetermined)} contacts ${verb} not exist, and the service does not say which; to find them:\n  ${continuing`runs retry ${run} --outcome undetermined --isolate`}`,
  ]
}
