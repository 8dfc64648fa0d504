/**
 * `lists add-contacts`: many contacts in a request, which can be repeated; the service says how many are missing, not which.
 * `operations.ts` registers it.
 */
import { continuing, say, type Message } from '../../message.ts'
import type { Api } from '../../api/client.ts'
import type { SvcError } from '../../errors.ts'
import { receiptView } from '../../views/bulk.ts'
import type { BatchState } from '../record/batch-state.ts'
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

/** Sends ids again, and returns the answer; only its `failed` counts. Throws what the API throws. */
type SendHalf = (ids: readonly string[]) => Promise<unknown>

/**
 * Which ids of a batch do not exist, when the service says only how many. Adding is repeatable (present contacts count as
 * skipped), so halves are sent again; what is in the other half follows by subtraction, but only as a guess: contacts may be
 * deleted between two calls. Each claim at the end rests on a call with those ids and no others.
 *
 * `failed`: how many of `ids` do not exist, as the answer for all of them said; neither 0 nor all. Returns those that do not, in
 * input order: each was in a call that held only such ids and failed whole. `proven`: a last call over all other ids said that
 * none of them failed; otherwise nothing is known of those.
 */
async function isolate(ids: readonly string[], failed: number, send: SendHalf) {
  const search = new Search(send)
  const proven = await search.find(ids, failed)
  return {
    missing: ids.filter((id) => search.missing.has(id)),
    proven,
    calls: search.calls,
  }
}

/** Counts that are searched after: contacts that are deleted all the time must not keep it going for ever. */
const mostRounds = 3

class Search {
  readonly missing = new Set<string>()
  /** Missing by subtraction. */
  private readonly suspected = new Set<string>()
  private readonly send: SendHalf
  calls = 0

  constructor(send: SendHalf) {
    this.send = send
  }

  /**
   * True when a last call over all ids that are not missing said that none of them failed. Where it counts some, contacts were deleted
   * since the count before, perhaps long ago, by the answer of an earlier session: they are searched for by the new count.
   */
  async find(ids: readonly string[], failed: number): Promise<boolean> {
    let rest = ids
    let bad: number | undefined = failed
    for (let round = 0; round < mostRounds; round += 1) {
      if (!(await this.sort(rest, bad, this.missing)) || !(await this.checkSuspected())) {
        return false
      }
      rest = ids.filter((id) => !this.missing.has(id))
      bad = rest.length === 0 ? 0 : await this.failedOf(rest)
      if (bad === undefined || bad === 0) return bad === 0
    }
    return false
  }

  /** Halves a part of which some ids are missing, not all. False when an answer did not add up. */
  private async split(part: readonly string[], bad: number): Promise<boolean> {
    const middle = part.length >> 1
    const left = part.slice(0, middle)
    const right = part.slice(middle)
    const inLeft = await this.failedOf(left)
    if (inLeft === undefined || !(await this.sort(left, inLeft, this.missing))) return false
    const rest = bad - inLeft
    if (rest >= 0 && rest <= right.length) return this.sort(right, rest, this.suspected)
    // Contacts came or went since `bad` was counted.
    const inRight = await this.failedOf(right)
    return inRight !== undefined && this.sort(right, inRight, this.missing)
  }

  /** Keeps a part that is missing whole, skips one that is not missing at all, and halves every other. */
  private async sort(part: readonly string[], bad: number, whole: Set<string>): Promise<boolean> {
    if (bad === 0) return true
    if (bad < part.length) return this.split(part, bad)
    for (const id of part) whole.add(id)
    return true
  }

  /** One call over all that are missing by subtraction: only when it fails whole are they missing. */
  private async checkSuspected(): Promise<boolean> {
    const part = [...this.suspected]
    this.suspected.clear()
    if (part.length === 0) return true
    const bad = await this.failedOf(part)
    if (bad === part.length) for (const id of part) this.missing.add(id)
    return bad !== undefined
  }

  /** Undefined when the answer does not add up. */
  private async failedOf(part: readonly string[]): Promise<number | undefined> {
    this.calls += 1
    const answer = await this.send(part)
    if (!isObject(answer)) return undefined
    const { added, skipped, failed } = answer
    if (!isCount(added) || !isCount(skipped) || !isCount(failed)) return undefined
    return added + skipped + failed === part.length ? failed : undefined
  }
}
