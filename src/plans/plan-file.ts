/**
 * A plan file: what a bulk command would send, as one JSON document on one line. `write-plan.ts` makes one, and `readPlan` reads it once:
 * `plans show` shows what was read, and `plans apply` sends it.
 *
 * A file counts only when it is, byte for byte, what svc writes for its content: keys come once and in this order, and there is one text for one
 * plan. Anybody could have written it, so its count, checksum, times and operation must fit each other before any of it is believed.
 */
import * as v from 'valibot'
import { bulkOperations } from '../api/operations.ts'
import { slotsOf, type KeyedSlot } from '../bulk/operations/operation.ts'
import {
  allOperations,
  operationOf,
  slotsOfOperation,
} from '../bulk/operations/operations.ts'
import {
  Actor,
  sha256 as digestOf,
  Source,
  type ParameterValues,
  type Party,
} from '../bulk/record/header.ts'
import { Items, mostSent } from '../bulk/record/items.ts'
import { Count, Id, Ordinal, Sha256 } from '../bulk/record/journal.ts'
import { planName } from '../bulk/record/names.ts'
import { readRegular } from '../disk/trust.ts'
import { fileError } from '../errno.ts'
import { SvcError, usageError } from '../errors.ts'
import { idPattern } from '../values.ts'
import type { DiskHost } from '../world.ts'

/** A file with a million pairs is smaller. */
const mostBytes = 96 << 20

/** As `Date.toISOString` writes it. */
const Moment = v.pipe(
  v.string(),
  v.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, 'is not a time'),
)

const text = (most: number) => v.pipe(v.string(), v.nonEmpty(), v.maxLength(most))

/** A party as the reviewers of the plan see it. */
const NamedParty = v.strictObject({ id: Id, name: v.optional(v.string()) })

/** Flags, conditions (the id alone) and further parties of all operations. */
const options: v.ObjectEntries = {}
for (const { slots } of allOperations) {
  for (const { key, kind } of slotsOf(slots)) {
    options[key] = v.optional(kind === 'flag' ? v.literal(true) : v.union([Id, NamedParty]))
  }
}

export const PlanDocument = v.strictObject({
  schema: v.literal('svc.plan/2'),
  operation: v.picklist(bulkOperations),
  baseUrl: text(2000),
  /** Null when the planner's credentials came from the environment. */
  profile: v.nullable(text(200)),
  /** The last characters of the planner's key. */
  keyEnding: text(20),
  /** The list or employee that all ids have in common. */
  target: v.nullable(NamedParty),
  ids: v.optional(v.array(v.string())),
  /** Two ids, and the line of the input. */
  pairs: v.optional(v.array(v.tuple([Id, Id, Count]))),
  input: v.strictObject({
    read: Count,
    unique: Ordinal,
    duplicates: Count,
    invalid: Count,
    leftOut: v.optional(Count),
    /** The one file that the ids came from, whose rows can be written again with their outcomes. */
    source: v.optional(Source),
  }),
  /** Checksum of the ids or pairs as a set. */
  sha256: Sha256,
  options: v.strictObject(options),
  plannedBy: Actor,
  reason: v.nullable(text(1000)),
  plannedAt: Moment,
  expiresAt: Moment,
  /** 16 random bytes in hexadecimal digits. */
  nonce: v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/)),
})

export type PlanDocument = v.InferOutput<typeof PlanDocument>

/** A plan that was read. */
export interface Plan {
  readonly document: PlanDocument
  /** SHA-256 of the file. */
  readonly sha256: string
  /** The name of the run that applies it. */
  readonly name: string
  readonly items: Items
  readonly parameters: ParameterValues
}

/** The bytes of a new plan, with keys in the order of the schema. */
export function encodePlan(document: PlanDocument): Buffer {
  return Buffer.from(JSON.stringify(v.parse(PlanDocument, document)))
}

/** How much the clocks of two machines may differ, in milliseconds. */
const clockTolerance = 10 * 60_000

/** Why a run may not begin with the plan at this time, in words. */
export function expiryProblem(
  { plannedAt, expiresAt }: PlanDocument,
  now: number,
): string | undefined {
  if (now >= Date.parse(expiresAt)) return `it expired on ${expiresAt}`
  const earliest = Date.parse(plannedAt) - clockTolerance
  return now < earliest
    ? `it was planned on ${plannedAt}, but by this machine's clock that is in the future`
    : undefined
}

/** Reads a plan file. Throws exit 2 when it cannot be read, exit 6 when it is damaged. */
export function readPlan(host: DiskHost, path: string): Plan {
  let bytes: Buffer | undefined
  try {
    bytes = readRegular(host, path, mostBytes).bytes
  } catch (error) {
    throw fileError('usage', `the plan "${path}" cannot be read`, error)
  }
  if (bytes === undefined)
    throw usageError(`"${path}" is not a plan: it is not a file, or too large`)
  return parsePlan(bytes, path)
}

/** Throws exit 6 for anything that svc did not write like this. `path`: of the file. */
export function parsePlan(bytes: Buffer, path: string): Plan {
  const document = documentIn(bytes, path)
  const digest = digestOf([bytes])
  try {
    const items = itemsOf(document)
    return {
      document,
      sha256: digest,
      name: planName(digest),
      items,
      parameters: parametersOf(document),
    }
  } catch (error) {
    if (error instanceof RangeError) throw damageError(path, error.message)
    throw error
  }
}

function damageError(path: string, problem: string): SvcError {
  return new SvcError(
    'rejected',
    `the plan "${path}" is damaged: ${problem}; nothing was sent`,
    {
      hint: 'a plan must be exactly as svc wrote it: get the file again, or write a new plan with --plan',
    },
  )
}

function documentIn(bytes: Buffer, path: string): PlanDocument {
  let value: unknown
  try {
    value = JSON.parse(bytes.toString())
  } catch {
    throw damageError(path, 'it is not JSON')
  }
  const result = v.safeParse(PlanDocument, value, { abortEarly: true })
  if (!result.success) {
    const [issue] = result.issues
    throw damageError(path, `${v.getDotPath(issue) ?? 'it'}: ${issue.message}`)
  }
  const written = Buffer.from(JSON.stringify(result.output))
  if (!written.equals(bytes))
    throw damageError(path, 'it is not in the form that svc writes')
  return result.output
}

/** The items of a plan. Throws RangeError where they do not fit its count and checksum. */
function itemsOf({ operation, ids, pairs, input, sha256, ...times }: PlanDocument): Items {
  const check = (isRight: boolean, problem: string): void => {
    if (!isRight) throw new RangeError(problem)
  }
  // A time that does not exist cannot be compared with any other.
  const isInOrder = Date.parse(times.plannedAt) < Date.parse(times.expiresAt)
  check(isInOrder, 'it expired before it was planned')
  const isOfOneKind = (ids === undefined) !== (pairs === undefined)
  check(isOfOneKind && input.unique <= mostSent, 'its count is wrong')
  const items =
    pairs === undefined
      ? Items.ofIds(ids ?? [], () => 0)
      : Items.ofPairs(pairs.map(([id, other, line]) => ({ id, other, line })))
  check(
    items.ids.every((id) => idPattern.test(id)),
    'it has a value that is not an id',
  )
  const isWhole = items.size === input.unique && items.isUnique
  check(isWhole && items.setSha256() === sha256, 'its ids do not match its checksum')
  if (pairs !== undefined) checkPairs(operation, items)
  return items
}

/** Throws RangeError for pairs of an operation that takes none, and for pairs that contradict each other. */
function checkPairs(operation: PlanDocument['operation'], items: Items): void {
  const ofPairs = operationOf(operation).items.pairs
  if (ofPairs === undefined) throw new RangeError('its operation takes no pairs')
  try {
    ofPairs.check(items.pairs)
  } catch (error) {
    if (error instanceof SvcError) throw new RangeError('its pairs contradict each other')
    throw error
  }
}

/** The plan's target: the first party that a sentence names. All others are among the plan's options. */
export function targetSlot(operation: PlanDocument['operation']): KeyedSlot | undefined {
  return slotsOfOperation(operation).find(({ preposition }) => preposition !== undefined)
}

/** Throws RangeError for a target, flags or conditions that the operation does not take. */
function parametersOf({
  operation,
  pairs,
  target,
  options,
}: PlanDocument): ParameterValues {
  const first = targetSlot(operation)
  // Each pair has a second party of its own. An operation on one thing alone has no plan.
  const isWanted = first !== undefined && (pairs === undefined || first.place !== 'column')
  const isPerItem = pairs === undefined && first?.isPerItem === true
  const slots = slotsOfOperation(operation).filter(({ key }) => key !== first?.key)
  const isKnown = Object.keys(options).every((key) =>
    slots.some((slot) => slot.key === key),
  )
  const isWhole = slots.every((slot) => slot.preposition === undefined || options[slot.key])
  if (isWanted !== (target !== null) || isPerItem || !isKnown || !isWhole) {
    throw new RangeError('it does not fit its operation')
  }
  const values: Record<string, Party | true> = {}
  if (first !== undefined && target !== null) values[first.key] = target
  for (const [key, value] of Object.entries(options)) {
    if (value === true) values[key] = true
    else if (typeof value === 'string') values[key] = { id: value }
    else if (v.is(NamedParty, value)) values[key] = value
  }
  return values
}
