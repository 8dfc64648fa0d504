/**
 * `--plan`: what a bulk command would send, written into a file, signed by its author where a key is given. Called by `cli/start-bulk.ts` alone, when
 * the session of a bulk verb ended in a preview: with everything resolved and cut as it would be sent.
 *
 * Nothing is written unless all of it can be: a plan without the signature that its policy wants could not be applied.
 */
import { say, svc } from '../message.ts'
import type { ParameterValues } from '../bulk/record/run.ts'
import { currentActor } from '../bulk/record/actor.ts'
import { operationOf, targetOf } from '../bulk/operations/operations.ts'
import { parameterRows } from '../bulk/operations/operation.ts'
import type { BulkOperation } from '../api/operations.ts'
import type { Preview } from '../bulk/sessions/unsent.ts'
import { allLists } from '../bulk/telling/who.ts'
import type { BulkTools } from '../bulk/tools.ts'
import { keyEnding } from '../config/profile.ts'
import { usageError } from '../errors.ts'
import type { Host } from '../host.ts'
import { PlanFile, tableOf } from './plan-file.ts'
import { peopleOf, peoplePath, sumOf } from './people-file.ts'
import { writeWhole } from '../disk/whole.ts'
import { signaturePath } from './plan-place.ts'
import { approvalsNeeded, judge, refusalWords, type Policy } from './policy.ts'
import { findPolicy } from './policy-files.ts'
import { keyOf, namespaces, sign } from './ssh-keygen.ts'
import { pairsSetSha256, setSha256 } from '../bulk/record/items.ts'

/** A file that belongs to the plan. */
interface PlannedFile {
  readonly path: string
  readonly bytes: Buffer
  /** In words. */
  readonly what: string
}

/** Milliseconds for which a plan can be applied, unless `--expires` says otherwise. */
const usualLife = 72 * 60 * 60_000

/** A plan that was written, as the summary of its command has it. */
interface WrittenPlan {
  /** SHA-256 of the file, as `plans show` has it. */
  readonly plan: string
  readonly planFile: string
  readonly expiresAt: string
  /** The file with the names of people; null without one. */
  readonly peopleFile: string | null
}

/** Throws exit 2 when it cannot be written or signed; then there is no file. */
export async function writePlan(
  tools: Pick<BulkTools, 'host' | 'configuration' | 'api' | 'note' | 'warn' | 'signal'>,
  path: string,
  preview: Preview,
): Promise<WrittenPlan> {
  const { host, note, warn } = tools
  const { operation, options } = preview.job
  const { key } = options
  const profile = (await tools.configuration()).profile()
  const policy = await policyFor(tools)
  if (key === undefined) checkUnsigned(approvalsNeeded(policy, operation), operation)
  const actor = currentActor(host)
  const sum = key === undefined ? undefined : await keyOf(tools, key)
  const plannedBy = sum === undefined ? actor : { ...actor, key: sum }
  const areNamed = options.who === true
  const people = areNamed
    ? await peopleOf(await allLists(tools), preview.contents.items)
    : undefined
  const now = host.now()
  const plan = PlanFile.of({
    ...contentOf(preview),
    peopleSha256: people === undefined ? null : sumOf(people),
    baseUrl: profile.baseUrl,
    profile: profile.name ?? null,
    keyEnding: keyEnding(profile.apiKey),
    plannedBy,
    nonce: host.randomBytes(16).toString('hex'),
    plannedAt: new Date(now).toISOString(),
    expiresAt: new Date(now + (options.expires ?? usualLife)).toISOString(),
  })
  const files: PlannedFile[] = [{ path, bytes: plan.bytes, what: 'the plan' }]
  if (people !== undefined) {
    files.push({ path: peoplePath(path), bytes: people, what: 'the names of people' })
  }
  if (key !== undefined && sum !== undefined) {
    const signature = await sign(tools, { key, namespace: namespaces.plan, bytes: plan.bytes })
    const bytes = Buffer.from(signature)
    files.push({ path: signaturePath(path, sum), bytes, what: 'the signature' })
  }
  await writeAll(host, files)
  const { expiresAt } = plan.document
  const command = svc`plans apply ${path}`
  note(say`the plan is in "${path}", and can be applied until ${expiresAt}:\n  ${command}`)
  for (const words of whatReviewersSee(operation, path, people !== undefined)) note(words)
  for (const refusal of judge(policy, { operation, ids: plan.count, once: plan.name })) {
    // Approvals come later.
    if (refusal.member !== 'approvals') {
      warn(`here the plan cannot be applied: the policy ${refusalWords(refusal)}`)
    }
  }
  return {
    plan: plan.sha256,
    planFile: path,
    expiresAt,
    peopleFile: people === undefined ? null : peoplePath(path),
  }
}

/** A plan about tickets has ids alone, and nobody misses names in it. */
function whatReviewersSee(operation: BulkOperation, path: string, hasPeople: boolean): string[] {
  if (hasPeople) return [`reviewers need both files: "${path}" and "${peoplePath(path)}"`]
  if (operationOf(operation).items.kind !== 'contact') return []
  return ['reviewers will see ids alone: there are no names in the plan']
}

/** Nothing is sent here: a policy that cannot be read is for who applies the plan. */
async function policyFor(
  tools: Pick<BulkTools, 'host' | 'configuration' | 'warn'>,
): Promise<Policy> {
  const { policy = [], problem } = await findPolicy(tools)
  if (problem !== undefined) tools.warn(`here the plan cannot be applied: ${problem}`)
  return policy
}

/** Writes all files or none. */
async function writeAll(host: Host, files: readonly PlannedFile[]): Promise<void> {
  const written: string[] = []
  try {
    for (const { path, bytes, what } of files) {
      await writeWhole(host, { path, what }, (file) => file.write(bytes))
      written.push(path)
    }
  } catch (error) {
    for (const path of written) await host.disk.promises.rm(path, { force: true })
    throw error
  }
}

/** Throws exit 2 when the policy wants approvals: then the author signs the plan. */
function checkUnsigned(approvals: number, operation: string): void {
  if (approvals === 0) return
  const count = approvals === 1 ? 'an approval' : `${approvals} approvals`
  throw usageError(
    `the policy wants ${count} of plans for ${operation}, so their author signs them`,
    'sign it with your SSH key:\n  --key ~/.ssh/id_ed25519.pub',
  )
}

/** Flags, and the ids of conditions. */
function optionsOf(
  operation: BulkOperation,
  values: ParameterValues,
): Record<string, string | true> {
  const options: Record<string, string | true> = {}
  for (const { key, use } of parameterRows(operationOf(operation).parameters)) {
    const value = values[key]
    if (use === 'target' || value === undefined) continue
    options[key] = value === true ? value : value.id
  }
  return options
}

/** The change, without where and by whom. */
function contentOf({ job: { operation, options, source }, contents }: Preview) {
  const { input, items, batches, parameters } = contents
  const target = targetOf(operation, parameters)
  const { read, unique, duplicates, invalid, leftOut } = input
  const { pairs } = items
  const ids = items.slice(0, items.size)
  return {
    schema: 'svc.plan/1' as const,
    operation,
    target:
      target === undefined
        ? null
        : { id: target.id, ...(target.name === undefined ? {} : { name: target.name }) },
    ...(pairs === undefined
      ? { ids }
      : { pairs: pairs.map(({ id, other }): [string, string] => [id, other]) }),
    input: { read, unique, duplicates, invalid, ...(leftOut === undefined ? {} : { leftOut }) },
    source: source ?? null,
    sha256: pairs === undefined ? setSha256(tableOf(ids)) : pairsSetSha256(pairs),
    options: {
      batchSize: batches.size,
      ...optionsOf(operation, parameters),
    },
    reason: options.reason ?? null,
  }
}
