/**
 * A policy: four rules that a profile or a machine sets, their schema, and the one function that judges a change by them. Pure:
 * `policy-files.ts` reads policies, and `cli/context.ts` asks `permit` before anything that changes the service is sent.
 *
 * Every rule forbids, and none allows. A change must pass each policy that applies, so the stricter one wins.
 */
import * as v from 'valibot'
import {
  bulkOperations,
  endOf,
  operations,
  type BulkOperation,
  type OperationName,
} from '../api/operations.ts'
import { commandForFiles } from '../bulk/operations/operations.ts'
import { isPlanName } from '../bulk/record/names.ts'
import { SvcError } from '../errors.ts'
import { say, svcWords, type Message } from '../message.ts'
import { isObject } from '../values.ts'
import { groupDigits, joinOr, pluralize } from '../words.ts'

type WriteOperation = {
  [N in OperationName]: (typeof operations)[N]['scope'] extends 'read-write' ? N : never
}[OperationName]

const isWrite = (name: string): name is WriteOperation =>
  operations[name as OperationName].scope === 'read-write'

export const writeOperations = Object.keys(operations).filter(isWrite)

function listOf<const O extends readonly string[]>(names: O) {
  const operation = v.picklist(names, `must be one of ${names.join(', ')}`)
  return v.array(operation, 'must be a list of operations')
}

const entries = {
  readOnly: v.optional(v.boolean('must be true or false')),
  /** Operations that may change something. */
  allow: v.optional(listOf(writeOperations)),
  /** Ids of the whole input of one delete. */
  maxDelete: v.optional(
    v.pipe(
      v.number('must be a number'),
      v.safeInteger('must be a whole number'),
      v.minValue(0, 'must be 0 or more'),
    ),
  ),
  /** Operations that run only by `plans apply`. */
  planned: v.optional(listOf(bulkOperations)),
}

const memberRule = `is not a member of a policy, which can have ${joinOr(Object.keys(entries))}`

/** valibot accepts a list as an object. */
export const AnyObject = v.custom<object>(isObject, 'must be an object')

export const PolicyRules = v.pipe(
  AnyObject,
  v.strictObject(entries, () => memberRule),
)

/** One policy, and where it is written, in words. */
export interface PolicyPart {
  readonly source: string
  readonly rules: v.InferOutput<typeof PolicyRules>
}

/** All policies that apply. Empty: nothing is forbidden. */
export type Policy = readonly PolicyPart[]

/** A change that is about to be sent. */
export interface ChangeRequest {
  /** Undefined for a request of `svc api`: what it changes is not known. */
  readonly operation: WriteOperation | undefined
  /** Number of ids of the whole input. */
  readonly ids: number
  /** The name of its run. */
  readonly name?: string | undefined
}

/** Throws exit 5 when a policy forbids the change; nothing was sent. */
export function permit(policy: Policy, request: ChangeRequest): void {
  for (const { source, rules } of policy) {
    const broken = brokenRule(rules, request)
    if (broken === undefined) continue
    const { rule, why, instead } = broken
    const place = rule === undefined ? source : `${rule} in ${source}`
    const message = `the policy ${why} (${place}); nothing was sent`
    throw new SvcError('policy', message, instead === undefined ? {} : { hint: instead })
  }
}

interface BrokenRule {
  /** Undefined for a change that no policy can allow. */
  readonly rule?: keyof PolicyPart['rules']
  /** The words after `the policy`. */
  readonly why: string
  readonly instead?: Message
}

/** The first rule that forbids the change. */
function brokenRule(
  { readOnly, allow, maxDelete = Infinity, planned }: PolicyPart['rules'],
  { operation, ids, name }: ChangeRequest,
): BrokenRule | undefined {
  if (operation === undefined) return { why: 'lets svc api only read' }
  if (readOnly === true) return { rule: 'readOnly', why: 'allows no change' }
  if (allow?.includes(operation) === false) {
    return { rule: 'allow', why: `does not allow ${operation}` }
  }
  if (endOf(operation) === 'deleted' && ids > maxDelete) {
    const why = `allows a run to delete ${pluralize(maxDelete, 'contact')}, and this one would delete ${groupDigits(ids)}`
    return { rule: 'maxDelete', why }
  }
  const bulk = planned?.find((each) => each === operation)
  if (bulk === undefined || (name !== undefined && isPlanName(name))) return undefined
  return { rule: 'planned', why: `allows ${bulk} only by a plan`, instead: planWords(bulk) }
}

function planWords(operation: BulkOperation): Message {
  const write = svcWords(`${commandForFiles(operation)} --file <file> --plan <plan>`)
  return say`write a plan, have it reviewed, and apply it:\n  ${write}\n  ${svcWords('plans apply <plan>')}`
}
