/**
 * The phase `ask`: the question before anything is sent, and how a run, its parties and its profile are named. People decide
 * by what they read here, so the question, the dry run and notes take their words from the same functions.
 */
import { basename } from 'node:path'
import type { BulkOperation } from '../../api/operations.ts'
import { onProfile, type Profile } from '../../config/profile.ts'
import { exactTime, relativeTime } from '../../output/text/time.ts'
import { safe } from '../../safe-text.ts'
import { pluralize } from '../../words.ts'
import type { Head } from '../fold.ts'
import type { RunTools } from '../jobs/job.ts'
import type { Parameters, Party } from '../lines.ts'
import { operationOf } from '../operations/operations.ts'
import type { RunState } from '../state.ts'

/** `1 contact`, `1,234 tickets`. */
export function describeCount(operation: BulkOperation, count: number): string {
  return pluralize(count, operationOf(operation).item)
}

/** ` to "VIP" (6400…)`: the list or the employee that all items share. */
export function toParty({ list, to }: Parameters) {
  const party = list ?? to
  return party === undefined ? '' : ` to ${partyWords(party)}`
}

/** `--if-assignee "Ada Byron" (6400…)`: it decides what happens, so a person who confirms or reviews the job must see it. */
export function conditionWords({ ifAssignee }: Parameters): string | undefined {
  return ifAssignee && `--if-assignee ${partyWords(ifAssignee)}`
}

/** `, with --if-assignee …`; empty without a condition. */
export function withCondition(parameters: Parameters) {
  const words = conditionWords(parameters)
  return words === undefined ? '' : `, with ${words}`
}

/** `"VIP" (6400…)`, or the id alone. */
const partyWords = ({ id, name }: Party) =>
  name === undefined ? id : `"${safe(name)}" (${id})`

/** `Add 1,234 contacts to "VIP" (6400…)`. */
export function titleOf(operation: BulkOperation, count: number, parameters: Parameters) {
  const { verb } = operationOf(operation).words
  return `${verb} ${describeCount(operation, count)}${toParty(parameters)}`
}

/** `contact 6400… into 6401…`, `ticket 6400… to 6401…`. */
export function describePair(
  operation: BulkOperation,
  id: string,
  other: string | undefined,
) {
  const { item, pairs } = operationOf(operation)
  const what = `${item} ${id}`
  return other === undefined ? what : `${what} ${pairs?.preposition ?? ''} ${other}`
}

/** `run 2026… ("old.txt", started 2026-03-01T10:15:00+01:00, 3h ago)`: a run as a person recognizes it. */
export function describeRun(
  { host }: RunTools,
  run: string,
  { source, startedAt }: Pick<Head, 'source' | 'startedAt'>,
) {
  const began = Date.parse(startedAt)
  const file = source === undefined ? '' : `"${basename(source.path)}", `
  const age = relativeTime(began, host.now())
  return `run ${run} (${file}started ${exactTime(began)}, ${age})`
}

/** Batches that would be sent, and how many ids of them. */
interface Change {
  state: RunState
  left: readonly number[]
  count: number
  /** The job: whether it is an undo. */
  job: Pick<Head, 'undoes'>
}

interface Asked extends Change {
  profile: Profile
  /** The run in words, if it was there before. */
  run?: string
  /** Texts that show who is affected, for a terminal with so many columns. */
  about?: (columns: number) => Promise<readonly string[]>
}

/** `Delete 1,234 contacts`, `Assign ticket 6400… to 6401…`, `Give 9 tickets back`. */
export function changeOf({ state, left, count, job }: Change) {
  const isUndo = job.undoes !== undefined
  const { operation, parameters, items } = state
  const condition = withCondition(parameters)
  // `count` may be 1 of a batch of many, of which the first id need not be that one.
  if (state.batches.count(left) !== 1) {
    if (isUndo) return `Give ${describeCount(operation, count)} back`
    return `${titleOf(operation, count, parameters)}${condition}`
  }
  const { id, other } = items.at(state.batches.range(left[0] ?? 1).from)
  if (isUndo) return `Give ${describePair(operation, id, undefined)} back to ${other ?? ''}`
  const { verb } = operationOf(operation).words
  return `${verb} ${describePair(operation, id, other)}${toParty(parameters)}${condition}`
}

/**
 * Asks before anything that cannot be undone, and before every change on a protected profile. A single change is answered
 * with y; several deletes, and the pairs of a file, are answered with their number. Throws exit 2.
 */
export async function confirm({ questions }: RunTools, asked: Asked): Promise<void> {
  const { state, count, run, profile, about } = asked
  const { irrevocable } = operationOf(state.operation)
  if (irrevocable === undefined && !profile.protected) return
  // Somebody who types the number has read it.
  const isOfInput = irrevocable === 'typed' && state.items.at(0).line > 0
  const isTyped = irrevocable !== undefined && (count > 1 || isOfInput)
  const ofRun = run === undefined ? '' : ` of ${run}`
  const warning = irrevocable === undefined || isTyped ? '' : ' This cannot be undone.'
  const message = `${changeOf(asked)}${ofRun}${onProfile(profile)}?${warning}`
  const kind = isTyped
    ? ({ kind: 'typed', expected: String(count) } as const)
    : ({ kind: 'yes-no' } as const)
  await questions.confirm({ ...kind, message, ...(about && { about }) })
}
