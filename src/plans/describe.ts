/**
 * A plan in words and as data, for those who approve it: with its signatures, and the run by which it was applied here. Called by
 * `commands/plans/show.ts`, which prints it, and by `approve.ts`, which shows it before it asks.
 *
 * Everything in a plan file was written by somebody else, who may want to be believed: each fact is made harmless and fits one line, and
 * signatures are what ssh-keygen says they are, not what the file says.
 */
import * as v from 'valibot'
import type { ListedRun } from '../bulk/runs/store.ts'
import type { BulkTools } from '../bulk/tools.ts'
import { SvcError } from '../errors.ts'
import { groupDigits, joinOr } from '../words.ts'
import { count, text, textOrNull } from '../views/documents.ts'
import { type PlanDocument, type PlanFile, Document } from './plan-file.ts'
import { conditionWords, inputWords, titleOf } from '../bulk/telling/confirm.ts'
import { actorWords } from '../bulk/record/actor.ts'
import { listsText } from '../bulk/telling/who.ts'
import { outcomeFacts, outcomesOfOperation } from '../bulk/operations/outcome.ts'
import type { BulkOperation } from '../api/operations.ts'
import { safe } from '../safe-text.ts'
import { exactTime, relativeTime } from '../output/text/time.ts'
import { changeOf, findSigners } from './approvals.ts'
import type { PlanOnDisk } from './plan-place.ts'
import {
  approvalsNeeded,
  judge,
  refusalWords,
  signersOf,
  type Policy,
  type Signer,
} from './policy.ts'
import { readPolicy } from './policy-files.ts'
import { readRows } from './people-file.ts'
import { operationOf } from '../bulk/operations/operations.ts'
import type { PlannedId } from '../views/plan.ts'

const ApplicationFacts = v.object({
  run: text,
  startedAt: text,
  /** Null while it is applied, and where its process died. */
  endedAt: textOrNull,
  exitCode: v.nullable(count),
  /** How many ids were left at its end. */
  left: v.nullable(count),
})

interface Application {
  /** Null where its record cannot be read. */
  readonly facts: v.InferOutput<typeof ApplicationFacts> | null
  readonly words: string
  /** Whether applying the plan again would send something: what the run has left. */
  readonly isOpen: boolean
}

/** How and when a plan was applied; undefined where this state folder knows of no run. `time` words an ISO 8601 date-time. */
async function applicationOf(
  tools: Pick<BulkTools, 'store'>,
  plan: PlanFile,
  time: (text: string) => string,
): Promise<Application | undefined> {
  const store = await tools.store()
  try {
    const entry = store.names.read(plan.name)
    if (entry === undefined) return undefined
    const listed = store.prunedRun(entry) ?? (await store.look(entry.run))
    return applicationBy(listed, time)
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
    return unreadable(error.message)
  }
}

const unreadable = (problem: string): Application => ({
  facts: null,
  words: `whether it was applied cannot be known: ${problem}`,
  isOpen: false,
})

/** How a run applied its plan; undefined for one that never began. */
function applicationBy(
  { id, run, end, holder, problem }: ListedRun,
  time: (text: string) => string,
): Application | undefined {
  if (problem !== undefined) return unreadable(problem)
  // A name is taken before its run begins.
  if (run === undefined) return undefined
  const { startedAt } = run
  const begun = {
    run: id,
    startedAt,
    endedAt: null,
    exitCode: null,
    left: null,
  }
  if (holder !== undefined) {
    const words = `run ${id} is applying it since ${time(startedAt)}`
    return {
      facts: begun,
      words,
      isOpen: false,
    }
  }
  if (end === undefined) {
    const words = `it was applied on ${time(startedAt)}: run ${id} has no end on record`
    return {
      facts: begun,
      words,
      isOpen: true,
    }
  }
  const { exitCode, left } = end
  const endedAt = new Date(end.at).toISOString()
  const isOpen = left > 0
  const rest = left === 0 ? '' : `, with ${groupDigits(left)} left to apply`
  return {
    facts: { ...begun, endedAt, exitCode, left },
    words: `it was applied: run ${id} ended with ${exitCode} on ${time(endedAt)}${rest}`,
    isOpen,
  }
}

const SignerFacts = v.object({ principal: text, key: text })

/** A plan without its ids, and what its signatures are worth here. */
export const ShownPlan = v.object({
  ...v.omit(Document, ['ids', 'pairs']).entries,
  /** SHA-256 of the file. */
  plan: text,
  /** In words. */
  state: text,
  isExpired: v.boolean(),
  /** Here and now, by the policies of this machine and profile. */
  canApply: v.boolean(),
  /** Why it cannot, in words. */
  reasons: v.array(text),
  /** The run by which it was applied in this state folder. */
  application: v.nullable(ApplicationFacts),
  approvalsNeeded: count,
  author: v.nullable(SignerFacts),
  approvals: v.array(SignerFacts),
  signatures: v.array(text),
})

/** A plan as a person reads it, and as data. */
export interface DescribedPlan {
  readonly title: string
  /** Why it cannot be applied any more, or what is missing until it can. */
  readonly state: string
  readonly isExpired: boolean
  /** Facts of one line each, whatever is in them. */
  readonly facts: readonly (readonly [name: string, value: string])[]
  readonly document: v.InferOutput<typeof ShownPlan>
  readonly rows: readonly PlannedId[]
  /** Why they have no names, in words. */
  readonly problem: string | undefined
}

type DescribeTools = Pick<
  BulkTools,
  'host' | 'configuration' | 'store' | 'note' | 'signal' | 'print'
>

/** The description of a plan that `plans show` and `plans approve` give. Signatures are checked where a policy of this machine or profile names signers. */
export async function describePlan(
  tools: DescribeTools,
  { path, plan, signatures }: PlanOnDisk,
): Promise<DescribedPlan> {
  const { host, print } = tools
  const { operation, ids: _ids, pairs: _pairs, ...document } = plan.document
  const { baseUrl, profile, keyEnding, target, plannedBy, reason, plannedAt, expiresAt, input } =
    document
  const policy = await policyFor(tools, baseUrl)
  // Without signers that a policy names, nobody here could say whose a signature is.
  const isChecked = signersOf(policy) !== undefined
  const texts = signatures.map(({ text }) => text)
  const signed = { bytes: plan.bytes, signatures: texts, at: host.now() }
  const signers = isChecked ? await findSigners(tools, policy, signed) : []
  const problem = plan.refusal(baseUrl, host.now())
  const change = changeOf(plan, signers)
  const refusals = judge(policy, change).map((refusal) => `the policy ${refusalWords(refusal)}`)
  const time = (text: string): string => {
    const at = Date.parse(text)
    return `${exactTime(at, print.utc)} (${relativeTime(at, host.now())})`
  }
  const application = await applicationOf(tools, plan, time)
  const expiry = problem === undefined ? [] : [problem]
  const told = application === undefined ? [] : [application.words]
  // A run that has begun is resumed also after the plan has expired.
  const reasons = application?.isOpen === true ? refusals : [...told, ...expiry, ...refusals]
  const state = [...told, ...expiry, ...refusals].join('; ') || 'it can be applied'
  const planned = readPlanned(host, path, plan.document)
  const named = profile === null ? undefined : JSON.stringify(profile)
  const lines: (readonly [name: string, value: string])[] = [
    ['State', state],
    ['Service', `${baseUrl}, key ${keyEnding}`],
    // Whatever the planner called it, in quotes that it cannot close.
    ['Profile', named ?? 'none: the planner had credentials in the environment'],
    ...conditionsOf(plan),
    ['Input', inputWords(input)],
    ...planned.lists,
    ...unknownBefore(operation),
    ['Planned by', `${actorWords(plannedBy)}, ${time(plannedAt)}`],
    ['Reason', reason ?? 'none was given'],
    ['Until', time(expiresAt)],
    ['Signed by', signatureWords(change, isChecked, signatures.length)],
    ['SHA-256', plan.sha256],
  ]
  return {
    rows: planned.rows,
    problem: planned.problem,
    title: safe(titleOf(operation, plan.count, target ?? undefined)),
    state,
    isExpired: problem !== undefined,
    facts: lines.map(([name, value]) => [name, safe(value)] as const),
    document: {
      plan: plan.sha256,
      state,
      isExpired: problem !== undefined,
      canApply: reasons.length === 0,
      reasons,
      application: application?.facts ?? null,
      approvalsNeeded: approvalsNeeded(policy, operation),
      author: change.author === undefined ? null : factsOf(change.author),
      approvals: change.approvals.map(factsOf),
      signatures: signatures.map(({ path }) => path),
      operation,
      ...document,
    },
  }
}

/** Its rows, why they have no names, and on which lists its people are. A plan about tickets has no people, whom nobody misses. */
function readPlanned(host: DescribeTools['host'], path: string, plan: PlanDocument) {
  const { rows, problem } = readRows(host, path, plan)
  const lists: [name: string, value: string][] = []
  if (operationOf(plan.operation).items.kind !== 'contact') {
    return { rows, problem: undefined, lists }
  }
  if (problem === undefined) lists.push(['People', listsOf(rows)])
  return { rows, problem, lists }
}

/** How many are on each list, as far as the planner read them. */
function listsOf(rows: readonly PlannedId[]): string {
  const counts = new Map<string, number>()
  let onNone = 0
  for (const { lists } of rows) {
    if (lists.length === 0) onNone += 1
    for (const name of lists) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  const lists = Array.from(counts, ([name, count]) => ({ name, count }))
  lists.sort((one, other) => other.count - one.count)
  return listsText(lists, onNone)
}

/** Conditions and flags, which those who approve it have to see. */
function conditionsOf({
  document: { operation },
  parameters,
}: PlanFile): [name: string, value: string][] {
  const words = conditionWords(operation, parameters)
  return words.length === 0 ? [] : [['With', words.join(', ')]]
}

/** Outcomes that only the service knows before the plan is applied. */
function unknownBefore(operation: BulkOperation): [name: string, value: string][] {
  const outcomes = outcomesOfOperation(operation)
  const unknown = outcomes.filter((outcome) => outcomeFacts(outcome).isAcceptable)
  if (unknown.length === 0) return []
  const words = `how many of them are ${joinOr(unknown)}: the service says so when it is applied`
  return [['Unknown', words]]
}

const factsOf = ({ principal, key }: Signer): v.InferOutput<typeof SignerFacts> => ({
  principal,
  key,
})

/** Who signed, and how many files beside the plan count for nothing. */
function signatureWords(
  { author, approvals }: ReturnType<typeof changeOf>,
  isChecked: boolean,
  files: number,
) {
  if (!isChecked && files > 0) {
    const number = files === 1 ? '1 file' : `${files} files`
    return `${number}, not checked: no policy here names who may sign`
  }
  const words: string[] = []
  const add = ({ principal, key }: Signer, role: string): void => {
    words.push(`${principal} (${role}, key ${key.slice(0, 16)})`)
  }
  if (author !== undefined) add(author, 'author')
  for (const signer of approvals) add(signer, 'approval')
  const others = files - words.length
  if (others === 1) words.push('1 signature counts for nothing')
  else if (others !== 0) words.push(`${others} signatures count for nothing`)
  return words.length === 0 ? 'nobody' : words.join(', ')
}

/** Policies of the machine, and of the profile when it is for this service. */
async function policyFor({ host, configuration }: DescribeTools, baseUrl: string): Promise<Policy> {
  try {
    const profile = (await configuration()).profile()
    if (profile.baseUrl === baseUrl) return readPolicy(host, profile)
  } catch (error) {
    // A plan can be read without a profile.
    if (!(error instanceof SvcError) || error.exitCode !== 4) throw error
  }
  return readPolicy(host, { policy: undefined, baseUrl })
}
