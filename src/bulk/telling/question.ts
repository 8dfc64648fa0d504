/**
 * The phase `ask`: the question before anything is sent, and how a run, its parties and its profile are named. People decide by what they read here, so
 * the question (`begin.ts`, `resume.ts`, `undo.ts`), the dry run, plans and notes take their words from the same functions.
 */
import { basename } from 'node:path'
import type { BulkOperation } from '../../api/operations.ts'
import { keyEnding, type Profile } from '../../config/profile.ts'
import { exactTime, isFuture, relativeTime } from '../../output/text/time.ts'
import { safe } from '../../safe-text.ts'
import { groupDigits, pluralize } from '../../words.ts'
import type { Header, InputCounts, ParameterValues, Party } from '../record/header.ts'
import type { OneChange } from '../job.ts'
import { labelOf } from '../operations/operation.ts'
import {
  columnSlot,
  operationOf,
  partiesOf,
  slotsOfOperation,
} from '../operations/operations.ts'
import type { RunState } from '../record/state.ts'
import type { BulkTools } from '../tools.ts'

/** `1 contact`, `1,234 tickets`. */
export function describeCount(operation: BulkOperation, count: number): string {
  return pluralize(count, operationOf(operation).items.kind)
}

/** `12 read, 1 duplicates, 0 invalid, 3 rows left out`. */
export function inputWords({
  read,
  duplicates,
  invalid,
  leftOut,
}: Pick<InputCounts, 'read' | 'duplicates' | 'invalid' | 'leftOut'>): string {
  const facts = [
    `${groupDigits(read)} read`,
    `${groupDigits(duplicates)} duplicates`,
    `${groupDigits(invalid)} invalid`,
  ]
  if (leftOut !== undefined) facts.push(`${pluralize(leftOut, 'row')} left out`)
  return facts.join(', ')
}

/** ` to "VIP" (6400…)`: the parties that all items share, each with its preposition. */
export function toParties(operation: BulkOperation, values: ParameterValues): string {
  return partiesOf(operation, values)
    .map(({ slot, ...party }) => ` ${slot.preposition ?? ''} ${partyWords(party)}`)
    .join('')
}

/**
 * `--if-assignee "Ada Byron" (6400…)`: the conditions and flags of a job. Like its parties, they decide what happens, so a person who confirms or
 * reviews the job must see them.
 */
export function conditionWords(
  operation: BulkOperation,
  values: ParameterValues,
): string[] {
  return slotsOfOperation(operation).flatMap((slot) => {
    const value = values[slot.key]
    if (slot.preposition !== undefined || value === undefined) return []
    const label = labelOf(slot)
    return [value === true ? label : `${label} ${partyWords(value)}`]
  })
}

/** `, with --if-assignee …`; empty without conditions and flags. */
export function withConditions(operation: BulkOperation, values: ParameterValues): string {
  const words = conditionWords(operation, values)
  return words.length === 0 ? '' : `, with ${words.join(', ')}`
}

/** `"VIP" (6400…)`, or the id alone. */
const partyWords = ({ id, name }: Party): string =>
  name === undefined ? id : `"${safe(name)}" (${id})`

/** `Add 1,234 contacts to "VIP" (6400…)`. */
export function titleOf(
  operation: BulkOperation,
  count: number,
  values: ParameterValues,
): string {
  const { verb } = operationOf(operation).words
  return `${verb} ${describeCount(operation, count)}${toParties(operation, values)}`
}

/** ` on "prod" (api.example.com, key …a1b2)`. */
export function onProfile(profile: Profile | undefined): string {
  if (profile === undefined) return ''
  const { host } = new URL(profile.baseUrl)
  const key = `key ${keyEnding(profile.apiKey)}`
  if (profile.name === undefined) return ` on ${host} (${key})`
  return ` on "${profile.name}" (${host}, ${key})`
}

/** `contact 6400… into 6401…`, `ticket 6400… to 6401…`. */
export function describePair(
  operation: BulkOperation,
  id: string,
  other: string | undefined,
): string {
  const what = `${operationOf(operation).items.kind} ${id}`
  const preposition = columnSlot(operation)?.preposition
  return other === undefined ? what : `${what} ${preposition} ${other}`
}

/** `run 2026… ("old.txt", started 2026-03-01T10:15:00+01:00, 3h ago)`: a run as a person recognizes it. */
export function describeRun(
  { host, print }: Pick<BulkTools, 'host' | 'print'>,
  run: string,
  { source, startedAt }: Header,
): string {
  const began = Date.parse(startedAt)
  const file = source === undefined ? '' : `"${basename(source.path)}", `
  const now = host.now()
  const age = isFuture(began, now) ? 'in the future' : relativeTime(began, now)
  return `run ${run} (${file}started ${exactTime(began, print.utc)}, ${age})`
}

/** The subject of the question: a run, and those of its batches that would be sent. */
export interface Asked {
  readonly run: string
  readonly header: Header
  readonly state: RunState
  readonly left: readonly number[]
  readonly profile: Profile
  readonly isNew: boolean
  /** Texts that show who is affected, for a terminal with so many columns. */
  readonly about?: ((columns: number) => Promise<string[]>) | undefined
  readonly one?: OneChange | undefined
}

/** `Delete 1,234 contacts`, `Assign ticket 6400… to 6401…`, `Change 9 tickets back`. */
function changeOf({ header, state, left }: Asked, count: number): string {
  const { operation, parameters, items } = state
  // In an undo of pairs, each item has its own party. In an undo of ids, all items have the same one.
  const isGivenBack = header.undoes !== undefined && items.kind === 'pairs'
  const conditions = withConditions(operation, parameters)
  if (count !== 1) {
    if (isGivenBack) return `Change ${describeCount(operation, count)} back`
    return `${titleOf(operation, count, parameters)}${conditions}`
  }
  const { id, other } = items.at(state.batches.range(left[0] ?? 1).from)
  if (isGivenBack)
    return `Change ${describePair(operation, id, undefined)} back to ${other ?? ''}`
  const { verb } = operationOf(operation).words
  const what = describePair(operation, id, other)
  return `${verb} ${what}${toParties(operation, parameters)}${conditions}`
}

/**
 * Asks before anything that cannot be undone, and before every change on a protected profile. A single delete is answered with y; several deletes, and the
 * pairs of a file, are answered with their number. Throws exit 9.
 */
export async function confirm(tools: BulkTools, asked: Asked): Promise<void> {
  const { state, left, run, header, profile, about, one } = asked
  if (one !== undefined) {
    const question = await one.question(state.parameters)
    if (question !== undefined) await tools.questions.confirm(question)
    return
  }
  const { irrevocable } = operationOf(state.operation)
  if (irrevocable === undefined && !profile.protected) return
  const count = state.batches.count(left)
  // Somebody who types the number has read it.
  const isTyped = irrevocable === 'typed' || (irrevocable !== undefined && count > 1)
  const ofRun = asked.isNew ? '' : ` of ${describeRun(tools, run, header)}`
  const warning = irrevocable === undefined ? '' : ' This cannot be undone.'
  const message = `${changeOf(asked, count)}${ofRun}${onProfile(profile)}?${warning}`
  const kind = isTyped
    ? ({ kind: 'typed', expected: String(count) } as const)
    : ({ kind: 'yes-no' } as const)
  await tools.questions.confirm({ ...kind, message, ...(about && { about }) })
}
