/**
 * Policies: the rules that a profile and the machine's file may set, their schemas, and the one judge of a change. `policy-files.ts` reads them by
 * these schemas; `permit.ts` asks the judge before anything is sent, `write-plan.ts` and `describe.ts` to tell people; `program/help/json.ts`
 * says which commands need approvals. Pure.
 *
 * Every rule forbids, and none allows: of several policies each must be passed, so that no profile loosens what the machine's file says. A change of
 * which svc does not know what it does is forbidden by any policy.
 */
import * as v from 'valibot'
import { isObject, parseRate } from '../values.ts'
import { join, say, svc, svcWords, type Message, type ShownCommand } from '../message.ts'
import { isAbsolute } from 'node:path'
import {
  endOf,
  operations,
  type OperationName,
  bulkOperations,
  type BulkOperation,
} from '../api/operations.ts'
import { commandForFiles } from '../bulk/operations/operations.ts'
import { SvcError } from '../errors.ts'
import { groupDigits, joinOr } from '../words.ts'

/**
 * An object that takes nothing else, for valibot takes a list for an object, and passes over keys such as `__proto__` in silence. Its
 * members' names are as they should be: `problemOf` says what is wrong with one, in words that follow it.
 */
export function plainObject(rule: string, problemOf: (key: string) => string | undefined) {
  return v.pipe(
    v.custom<Record<string, unknown>>(isObject, rule),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return
      const input = dataset.value
      for (const key of Object.keys(input)) {
        const message = problemOf(key)
        if (message !== undefined) {
          addIssue({
            message,
            path: [{ type: 'object', origin: 'key', input, key, value: input[key] }],
          })
        }
      }
    }),
  )
}

/** An object with these members alone; `rule` follows the name of any other. */
export function exactObject<E extends v.ObjectEntries>(entries: E, rule: string) {
  const problemOf = (key: string): string | undefined =>
    Object.hasOwn(entries, key) ? undefined : rule
  return v.pipe(plainObject('must be an object', problemOf), v.object(entries))
}

type WriteOperation = {
  [N in OperationName]: (typeof operations)[N]['scope'] extends 'read-write' ? N : never
}[OperationName]

const isWrite = (name: OperationName): name is WriteOperation =>
  operations[name].scope === 'read-write'

/** All that change something, in the order of the description. */
export const writeOperations = (Object.keys(operations) as OperationName[]).filter(isWrite)

/** Schemas of members; what they say of a value follows its name. */
const count = (least: number) => {
  const rule = `must be a whole number, at least ${least}`
  return v.pipe(v.number(rule), v.safeInteger(rule), v.minValue(least, rule))
}
const text = v.pipe(v.string('must be text'), v.nonEmpty('must not be empty'))
const anyOf = <const T extends string>(names: readonly T[]) =>
  v.array(v.picklist(names, `must be one of ${names.join(', ')}`), 'must be a list of operations')
const approvalCounts = Object.fromEntries(
  bulkOperations.map((name) => [name, v.optional(count(1))]),
)

/** Members of a policy; all of them are optional, and each forbids something. */
export const PolicyMembers = v.pipe(
  exactObject(
    {
      readOnly: v.optional(v.boolean('must be true or false')),
      allow: v.optional(anyOf(writeOperations)),
      /** Ids of the whole input of one delete. */
      maxDelete: v.optional(count(0)),
      /** Requests per second. */
      rate: v.optional(
        v.pipe(
          text,
          v.regex(
            /^(?=.*[1-9])[0-9]{1,6}(?:\.[0-9]{1,3})?(?:\/s)?$/,
            'must be requests per second, such as "10/s"',
          ),
          v.transform((rate) => parseRate(rate)),
        ),
      ),
      requireOnce: v.optional(anyOf(bulkOperations)),
      approvals: v.optional(
        exactObject(
          approvalCounts as Record<BulkOperation, (typeof approvalCounts)[string]>,
          `is no operation: it takes ${joinOr(bulkOperations)}`,
        ),
      ),
      /** The people who may approve: an allowed_signers file of OpenSSH. */
      signers: v.optional(v.pipe(text, v.check(isAbsolute, 'must be an absolute path'))),
    },
    'is not a member of a policy',
  ),
  v.check(
    ({ approvals, signers }) => approvals === undefined || signers !== undefined,
    'has approvals without signers',
  ),
)

/** One policy, and where it is written, in words. */
export interface PolicyPart {
  readonly source: string
  /** Whether it is the machine's, which no profile can loosen. */
  readonly isMachines: boolean
  readonly members: v.InferOutput<typeof PolicyMembers>
}

/** All that apply: a change must pass each, so the strictest one counts. Empty: nothing is forbidden. */
export type Policy = readonly PolicyPart[]

export interface Signer {
  readonly principal: string
  /** SHA-256 of the public key. */
  readonly key: string
  /** A text that all names and keys of one person share. */
  readonly person: string
  readonly signature: string
}

export interface IntendedChange {
  /** Absent: a request or a signature of which svc does not know what it changes. */
  readonly operation?: WriteOperation
  /** Number of ids of the whole input, all shards together. */
  readonly ids: number
  readonly once?: string | undefined
  /** One change that its command names. */
  readonly isOne?: boolean | undefined
  /** The author of the plan; undefined when there is no plan, or it is not signed. */
  readonly author?: Signer | undefined
  /** Signatures of other persons, one for each. */
  readonly approvals?: readonly Signer[]
}

interface Refusal {
  readonly source: string
  /** The rule that forbids it; undefined for a change that no policy can allow. */
  readonly member?: string
  /** Follows `the policy`: `allows no write`. */
  readonly why: string
  readonly instead: Message
}

/** Everything that forbids the change; empty when it may be made. */
export function judge(policy: Policy, { operation, ...change }: IntendedChange): Refusal[] {
  return policy.flatMap(({ source, members }) => {
    const isKnown = operation !== undefined
    const broken = isKnown ? brokenRules(members, { ...change, operation }) : [unknownChange]
    return broken.map((rule) => ({ source, ...rule }))
  })
}

/** Follows `the policy`: what it forbids, and where that is written. */
export function refusalWords({ source, member, why }: Refusal): string {
  const place = member === undefined ? source : `${member} in ${source}`
  return `${why} (${place})`
}

type Broken = Omit<Refusal, 'source'>

/** Why a change breaks a rule; false when it keeps it. */
type Rule = (
  members: PolicyPart['members'],
  change: IntendedChange & { operation: WriteOperation },
) => Pick<Refusal, 'why' | 'instead'> | false

/** `svc contacts delete`, `svc lists update <list>`, `svc tickets assign --to <employee>`. */
function commandOf(operation: WriteOperation, more = ''): ShownCommand {
  const bulk = bulkOperations.find((name) => name === operation)
  if (bulk !== undefined) return svcWords(`${commandForFiles(bulk)}${more}`)
  const list = operations[operation].path.includes('{listId}') ? ' <list>' : ''
  return svcWords(`${operation.replace('.', ' ')}${list}${more}`)
}

/** The commands of operations, one a line. */
function commands(names: readonly WriteOperation[]): Message {
  const lines = names.map((name) => say`  ${commandOf(name)}`)
  return join(lines, '\n')
}

const unknownChange: Broken = {
  why: 'allows no change but by the operations, exactly as the service describes them',
  instead: say`use the command for it:\n${commands(writeOperations)}`,
}

function brokenRules(...judged: Parameters<Rule>): Broken[] {
  return Object.entries(rules).flatMap(([member, rule]) => {
    const broken = rule(...judged)
    return broken === false ? [] : [{ member, ...broken }]
  })
}

/** The rule of each member. Members that set something, and forbid nothing by themselves, have none. */
const rules: { readonly [member in keyof PolicyPart['members']]: Rule } = {
  readOnly: ({ readOnly }, { operation }) =>
    readOnly === true && { why: 'allows no change', instead: dryRun(operation) },
  allow: ({ allow }, { operation }) =>
    allow?.includes(operation) === false && {
      why: `does not allow ${operation}`,
      instead: allow.length === 0 ? dryRun(operation) : say`it allows these:\n${commands(allow)}`,
    },
  maxDelete: ({ maxDelete = Infinity }, { operation, ids }) => {
    const isDelete = endOf(operation) === 'deleted'
    if (!isDelete || ids <= maxDelete) return false
    const most = maxDelete === 1 ? '1 contact' : `${groupDigits(maxDelete)} contacts`
    return {
      why: `allows a run to delete ${most}, and this one would delete ${groupDigits(ids)}`,
      instead: dryRun(operation),
    }
  },
  requireOnce: ({ requireOnce = [] }, { operation, once, isOne }) => {
    const needsName = requireOnce.some((name) => name === operation)
    if (!needsName || once !== undefined || isOne === true) return false
    return {
      why: `allows ${operation} only as a job with a name`,
      instead: say`give it a name:\n  ${commandOf(operation, ' --file <file> --once <name>')}`,
    }
  },
  approvals: ({ approvals: wanted = {} }, { operation, author, approvals = [] }) => {
    const needed = Object.entries(wanted).find(([name]) => name === operation)?.[1] ?? 0
    // Approvals of a plan that nobody answers for count for nothing.
    const given = author === undefined ? 0 : approvals.length
    if (given >= needed) return false
    const rule = `allows ${operation} only as a plan that its author signed`
    const rest = say`\n  ${svc`plans approve <plan>`}\n  ${svc`plans apply <plan>`}`
    if (author === undefined) {
      const write = commandOf(operation, ' --file <file> --plan <plan> --key <key>')
      return {
        why: rule,
        instead: say`write a plan, have it approved, and apply it:\n  ${write}${rest}`,
      }
    }
    const approvalWords = needed === 1 ? '1 approval' : `${needed} approvals`
    const are = given === 1 ? 'is' : 'are'
    return {
      why: `${rule}, with ${approvalWords} (there ${are} ${given})`,
      instead: say`somebody else approves it:${rest}`,
    }
  },
}

function dryRun(operation: WriteOperation): Message {
  return say`to see what would be done:\n  ${commandOf(operation, ' … --dry-run')}`
}

/** How many approvals an operation needs; 0: none. */
export function approvalsNeeded(policy: Policy, operation: string): number {
  let most = 0
  for (const { members } of policy) {
    for (const [name, needed = 0] of Object.entries(members.approvals ?? {})) {
      if (name === operation) most = Math.max(most, needed)
    }
  }
  return most
}

/**
 * The file that says who may sign: the machine's alone, where it has one. Throws exit 2 when policies of the machine that both apply
 * name different ones: who may approve for one could approve for the other.
 */
export function signersOf(policy: Policy) {
  const all = policy.flatMap(({ source, isMachines, members: { signers: path } }) =>
    path === undefined ? [] : [{ source, isMachines, path }],
  )
  const ofMachine = all.filter(({ isMachines }) => isMachines)
  const [first] = ofMachine
  const other = ofMachine.find(({ path }) => path !== first?.path)
  if (first !== undefined && other !== undefined) {
    throw new SvcError(
      'config',
      `${first.source} and ${other.source} name different signers, and both apply`,
    )
  }
  return first ?? all[0]
}
