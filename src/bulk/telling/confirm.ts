/**
 * The question before anything is sent, and how a run, its target and its profile are named. A person answers what they read here, so the
 * question, the dry run, plans and notes take their words from the same functions. `session.ts` asks it, and the verbs that ask for one
 * change; `plans/describe.ts` prints its words.
 */
import { basename } from 'node:path'
import type { Question as PromptQuestion } from '../../output/questions/prompt.ts'
import { exactTime, isFuture, relativeTime } from '../../output/text/time.ts'
import { groupDigits, pluralize } from '../../words.ts'
import { keyEnding, type Profile } from '../../config/profile.ts'
import { operationOf, targetOf, targetParameter } from '../operations/operations.ts'
import { labelOf, parameterRows } from '../operations/operation.ts'
import { batchRange, countIds } from '../record/batches.ts'
import type { BulkOperation } from '../../api/operations.ts'
import type { InputCounts, ParameterValues, Party, RunFile } from '../record/run.ts'
import type { RunState } from '../outcomes/state.ts'
import type { BulkTools } from '../tools.ts'
import { safe } from '../../safe-text.ts'

/** `1 contact`, `1,234 tickets`. */
export function describeCount(operation: BulkOperation, count: number): string {
  return pluralize(count, operationOf(operation).items.kind)
}

/** `12 read, 1 duplicates, 0 invalid, 3 rows left out`. */
export function inputWords(
  input: Pick<InputCounts, 'read' | 'duplicates' | 'invalid' | 'leftOut'>,
): string {
  const { read, duplicates, invalid, leftOut } = input
  const facts = [
    `${groupDigits(read)} read`,
    `${groupDigits(duplicates)} duplicates`,
    `${groupDigits(invalid)} invalid`,
  ]
  if (leftOut !== undefined) facts.push(`${pluralize(leftOut, 'row')} left out`)
  return facts.join(', ')
}

/** ` to "VIP" (6400…)`: the list, or the employee of all tickets. */
export function toTarget(operation: BulkOperation, target: Party | undefined): string {
  if (target === undefined) return ''
  const preposition = targetParameter(operation)?.preposition ?? ''
  return ` ${preposition} ${partyWords(target)}`
}

/**
 * `--if-assignee "Ada Byron" (6400…)`, `--isolate`: conditions and flags of a job, which decide what happens as its target does. A
 * person who confirms or reviews the job has to see them.
 */
export function conditionWords(operation: BulkOperation, values: ParameterValues): string[] {
  return parameterRows(operationOf(operation).parameters).flatMap((row) => {
    const value = values[row.key]
    if (row.use === 'target' || value === undefined) return []
    const label = labelOf(row)
    return [value === true ? label : `${label} ${partyWords(value)}`]
  })
}

/** `, with --isolate`; empty without conditions and flags. */
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
  target: Party | undefined,
): string {
  const { verb } = operationOf(operation).words
  const what = describeCount(operation, count)
  return `${verb} ${what}${toTarget(operation, target)}`
}

/** ` on "prod" (api.example.com, key …a1b2)`. */
export function onProfile(profile: Profile | undefined): string {
  if (profile === undefined) return ''
  const { host } = new URL(profile.baseUrl)
  const key = `key ${keyEnding(profile.apiKey)}`
  if (profile.name === undefined) return ` on ${host} (${key})`
  return ` on "${profile.name}" (${host}, ${key})`
}

/** A session that is asked about. */
interface Question {
  readonly run: RunFile
  readonly state: RunState
  /** Numbers of the batches that are sent. */
  readonly left: readonly number[]
  /** Undefined when nothing is left. */
  readonly profile: Profile | undefined
  /** Texts about who is meant, for a terminal of so many columns. */
  readonly about?: (columns: number) => Promise<string[]>
  /** The run is there already. */
  readonly recorded?: object
  /** One change that its command named has a question of its own. */
  readonly one?:
    | {
        readonly question: (parameters: ParameterValues) => Promise<PromptQuestion | undefined>
      }
    | undefined
}

/** `Delete 1,234 contacts`, `Assign ticket 6400… to 6401…`, `Give 9 tickets back to who had them`. */
function changeOf({ state, left, run }: Question, count: number): string {
  const isUndo = run.undoes !== undefined
  const target = targetOf(run.operation, run.parameters)
  const { operation, items, batches } = state
  if (count !== 1) {
    const what = describeCount(operation, count)
    if (isUndo) return `Give ${what} back to who had them`
    const title = titleOf(operation, count, target)
    return `${title}${withConditions(operation, run.parameters)}`
  }
  const { from: first } = batchRange(batches, left[0] ?? 0)
  const other = target === undefined ? items.pairs?.[first]?.other : undefined
  const id = items.id(first)
  if (isUndo) return `Give ${describePair(operation, id, undefined)} back to ${other}`
  const { verb } = operationOf(operation).words
  const what = describePair(operation, id, other)
  const conditions = withConditions(operation, run.parameters)
  return `${verb} ${what}${toTarget(operation, target)}${conditions}`
}

/** `contact 6400… into 6401…`, `ticket 6400… to 6401…`. */
export function describePair(
  operation: BulkOperation,
  id: string,
  other: string | undefined,
): string {
  const what = `${operationOf(operation).items.kind} ${id}`
  if (other === undefined) return what
  const preposition = targetParameter(operation)?.preposition
  return `${what} ${preposition} ${other}`
}

/** `run 2026… ("old.txt", started 2026-03-01T10:15:00+01:00, 3h ago)`: what a person knows a run by. */
export function describeRun({ host, print }: BulkTools, { run, source, startedAt }: RunFile) {
  const began = Date.parse(startedAt)
  const file = source === undefined ? '' : `"${basename(source.path)}", `
  const now = host.now()
  const age = isFuture(began, now) ? 'in the future' : relativeTime(began, now)
  const start = exactTime(began, print.utc)
  return `run ${run} (${file}started ${start}, ${age})`
}

/**
 * One delete is answered with y, more of them and pairs of a file with their number; deletes and merges cannot be undone, and
 * everything else asks on a protected profile only. Throws exit 9.
 */
export async function confirm(tools: BulkTools, question: Question): Promise<void> {
  const { state, left, run, profile, about, one } = question
  const count = countIds(state.batches, left)
  if (count === 0 || profile === undefined) return
  if (one !== undefined) {
    const ofOne = await one.question(run.parameters)
    if (ofOne !== undefined) await tools.confirm(ofOne)
    return
  }
  const { irrevocable } = operationOf(state.operation)
  if (irrevocable === undefined && !profile.protected) return
  // A number that is typed was read.
  const isTyped = irrevocable === 'typed' || (irrevocable !== undefined && count > 1)
  const ofRun = question.recorded === undefined ? '' : ` of ${describeRun(tools, run)}`
  const change = changeOf(question, count)
  const warning = irrevocable === undefined ? '' : ' This cannot be undone.'
  const message = `${change}${ofRun}${onProfile(profile)}?${warning}`
  const kind = isTyped
    ? ({ kind: 'typed', expected: String(count) } as const)
    : ({ kind: 'yes-no' } as const)
  await tools.confirm({ ...kind, message, ...(about && { about }) })
}
