/**
 * A plan file: what a bulk command would send, written down as one JSON document on one line, to be approved and applied. What is
 * hashed and signed is its bytes as they are. A file counts only when it is, byte for byte, what svc writes for its content: so
 * keys come once and in this order, and there is one text for one plan. `write-plan.ts` makes one, `plan-place.ts` reads it from disk,
 * `approvals.ts` reads it again from the bytes that a run is about to apply; every file of this folder takes its document from here.
 *
 * A plan that was read is judged here as if anybody could have written it: its count, its checksum, its times and its operation are held against
 * each other before anything of it is believed.
 */
import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { Source, type ParameterValues, type Party } from '../bulk/record/run.ts'
import { Actor } from '../bulk/record/actor.ts'
import { mostSent } from '../bulk/record/batches.ts'
import { Count, Id, Ordinal, Sha256 } from '../bulk/record/events.ts'
import { bulkOperations } from '../api/operations.ts'
import { allOperations, operationOf } from '../bulk/operations/operations.ts'
import { parameterRows } from '../bulk/operations/operation.ts'
import { SvcError } from '../errors.ts'
import { IdTable } from '../input/id-table.ts'
import type { Pair } from '../input/pairs.ts'
import { setSha256, pairsSetSha256 } from '../bulk/record/items.ts'

/** A million pairs take less. */
export const mostPlanBytes = 64 << 20

/** As `Date.toISOString` writes it. */
const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const Moment = v.pipe(v.string(), v.regex(moment, 'is no time'))

/** 16 random bytes in hexadecimal digits. */
const nonce = /^[0-9a-f]{32}$/
const Nonce = v.pipe(v.string(), v.regex(nonce))

const text = (most: number) => v.pipe(v.string(), v.nonEmpty(), v.maxLength(most))

const Target = v.strictObject({
  id: Id,
  name: v.optional(v.string()),
})

/** Source and target of a merge, or ticket and employee. */
const PairOfIds = v.tuple([Id, Id])

/** Flags and conditions of all operations; a target has a member of its own. */
const optionEntries: v.ObjectEntries = {}
for (const { parameters } of allOperations) {
  for (const { key, use } of parameterRows(parameters)) {
    if (use === 'target') continue
    const value = use === 'flag' ? v.literal(true) : Id
    optionEntries[key] = v.optional(value)
  }
}

export const Document = v.strictObject({
  schema: v.literal('svc.plan/1'),
  operation: v.picklist(bulkOperations),
  baseUrl: text(2000),
  /** Null when the planner's credentials came from the environment. */
  profile: v.nullable(text(200)),
  /** The last characters of the planner's key: which company is behind a key is not known. */
  keyEnding: text(20),
  /** The list, or the one employee of all tickets. */
  target: v.nullable(Target),
  ids: v.optional(v.array(v.string())),
  pairs: v.optional(v.array(PairOfIds)),
  input: v.strictObject({
    read: Count,
    unique: Ordinal,
    duplicates: Count,
    invalid: Count,
    leftOut: v.optional(Count),
  }),
  /** The one file that the ids came from, whose rows can be written again with their outcomes; null where there is none. */
  source: v.nullable(Source),
  /** Checksum of the ids or pairs as a set. */
  sha256: Sha256,
  options: v.strictObject({
    batchSize: v.pipe(Ordinal, v.maxValue(100)),
    ...optionEntries,
  }),
  plannedBy: v.strictObject({
    ...Actor.entries,
    /** SHA-256 of the author's public key. */
    key: v.optional(Sha256),
  }),
  reason: v.nullable(text(1000)),
  plannedAt: Moment,
  expiresAt: Moment,
  nonce: Nonce,
  /** Checksum of the file with the names of people, which can be destroyed. */
  peopleSha256: v.nullable(Sha256),
})

export type PlanDocument = v.InferOutput<typeof Document>

/** By which the clocks of two machines may differ. */
const clockTolerance = 10 * 60_000

/** A plan with its bytes, made by the planner or read from a file that it wrote. */
export class PlanFile {
  readonly document: PlanDocument
  readonly bytes: Buffer
  readonly sha256: string

  private constructor(document: PlanDocument, bytes: Buffer) {
    this.document = document
    this.bytes = bytes
    const hash = createHash('sha256')
    this.sha256 = hash.update(bytes).digest('hex')
  }

  /** A new plan. */
  static of(document: PlanDocument): PlanFile {
    // In the order of the schema.
    const ordered = v.parse(Document, document)
    const bytes = Buffer.from(JSON.stringify(ordered))
    return new PlanFile(ordered, bytes)
  }

  /** Throws exit 6 for anything that svc did not write like this; `name`: of the file. */
  static parse(bytes: Buffer, name: string): PlanFile {
    const problem = (what: string): SvcError =>
      new SvcError('rejected', `the plan "${name}" is damaged: ${what}; nothing was sent`, {
        hint: 'a plan counts only as svc wrote it: get the file again, or write a new plan with --plan',
      })
    if (bytes.length > mostPlanBytes) throw problem('it is too large')
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
    let value: unknown
    try {
      const json = decoder.decode(bytes)
      value = JSON.parse(json)
    } catch {
      throw problem('it is not JSON')
    }
    const result = v.safeParse(Document, value, { abortEarly: true })
    if (!result.success) {
      const [issue] = result.issues
      const member = v.getDotPath(issue) ?? 'it'
      throw problem(`${member}: ${issue.message}`)
    }
    const plan = new PlanFile(result.output, bytes)
    const written = Buffer.from(JSON.stringify(result.output))
    if (!written.equals(bytes)) throw problem('it is not written as svc writes it')
    const wrong = plan.#problem()
    if (wrong !== undefined) throw problem(wrong)
    return plan
  }

  /** Values of the operation's parameters. */
  get parameters(): ParameterValues {
    const { operation, target } = this.document
    const options: Readonly<Record<string, unknown>> = this.document.options
    const values: Record<string, Party | true> = {}
    const { parameters } = operationOf(operation)
    for (const { key, use } of parameterRows(parameters)) {
      const option = options[key]
      if (use === 'target' && target !== null) values[key] = target
      else if (typeof option === 'string') values[key] = { id: option }
      else if (option === true) values[key] = true
    }
    return values
  }

  /** The name under which it is applied, once in a state folder. */
  get name(): string {
    return planName(this.sha256)
  }

  get count(): number {
    return this.document.input.unique
  }

  get pairs(): readonly Pair[] | undefined {
    const { pairs } = this.document
    return pairs?.map(([id, other], position) => {
      const line = position + 1
      return { id, other, line }
    })
  }

  /** The ids, or the first ones of the pairs. */
  table(): IdTable {
    const { ids, pairs = [] } = this.document
    if (ids !== undefined) return tableOf(ids)
    const firsts = pairs.map(([id]) => id)
    return tableOf(firsts)
  }

  /** Why the plan cannot be applied, even with every approval. `now`: undefined for a run that began in time. */
  refusal(baseUrl: string, now: number | undefined): string | undefined {
    const { baseUrl: planned, expiresAt, plannedAt } = this.document
    if (planned !== baseUrl) return `it is for ${planned}, the profile is for ${baseUrl}`
    if (now === undefined) return undefined
    if (now >= Date.parse(expiresAt)) return `it expired on ${expiresAt}`
    const earliest = Date.parse(plannedAt) - clockTolerance
    if (now < earliest) return `it was planned on ${plannedAt}, and it is earlier here`
    return undefined
  }

  /** The first thing in it that does not fit the others, in words. */
  #problem(): string | undefined {
    const { document, pairs } = this
    const { operation, ids, input, sha256, plannedAt, expiresAt } = document
    const items = ids ?? pairs ?? []
    if (items.length !== input.unique) return 'it has another count'
    if (input.unique > mostSent) return 'it has another count'
    // A time that does not exist is before and after none.
    const isInOrder = Date.parse(plannedAt) < Date.parse(expiresAt)
    if (!isInOrder) return 'it expired before it was planned'
    if (!fitsOperation(document)) return 'it does not fit its operation'
    const ofPairs = operationOf(operation).items.pairs
    try {
      ofPairs?.check(pairs ?? [])
      const table = this.table()
      const sum = pairs === undefined ? setSha256(table) : pairsSetSha256(pairs)
      // An id that is there twice is one of the table.
      const isWhole = table.size === input.unique && sum === sha256
      return isWhole ? undefined : 'its items are not those of its checksum'
    } catch (error) {
      if (error instanceof RangeError) return 'it has what is no id'
      if (error instanceof SvcError) return 'its pairs contradict each other'
      throw error
    }
  }
}

/** Whether ids, pairs, target and batches are such as this operation takes. */
function fitsOperation(document: PlanDocument): boolean {
  const { operation, ids, pairs, target, options } = document
  const { batch, items, parameters } = operationOf(operation)
  const rows = parameterRows(parameters)
  const hasIds = ids !== undefined
  const hasPairs = pairs !== undefined
  if (hasIds === hasPairs) return false
  if (options.batchSize > batch.most) return false
  for (const [key, value] of Object.entries(options)) {
    if (key === 'batchSize' || value === undefined) continue
    const isOfOperation = rows.some((row) => row.key === key)
    if (!isOfOperation) return false
  }
  if (hasPairs) return items.pairs !== undefined && target === null
  const wanted = rows.find(({ use }) => use === 'target')
  // An operation on one ticket has no plan.
  if (wanted?.isOfOne === true) return false
  const hasTarget = target !== null
  return hasTarget === (wanted !== undefined)
}

/** Ids without lines: those of a plan are not those of its input. Throws RangeError for what is no id. */
export function tableOf(ids: readonly string[]): IdTable {
  const table = new IdTable()
  for (const id of ids) table.addText(id, 0)
  return table
}

/** `plan-` and the first 40 digits of the file's SHA-256: a name that no `--once` may take. */
export function planName(sha256: string): string {
  const digits = sha256.slice(0, 40)
  return `plan-${digits}`
}
