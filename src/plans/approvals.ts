/** From the bytes of a plan and its signatures to what a policy judges: who planned it, and who approved it. */
import { isAbsolute } from 'node:path'
import type { BulkTools, SignedPlan } from '../bulk/tools.ts'
import { SvcError } from '../errors.ts'
import { PlanFile } from './plan-file.ts'
import { approvalsNeeded, signersOf, type IntendedChange, type Policy, type Signer } from './policy.ts'
import { readTrustedFile } from './policy-files.ts'
import { namespaces, verify } from './ssh-keygen.ts'

export type SignTools = Pick<BulkTools, 'host' | 'signal' | 'note'>

/** The change that a plan is, with those who signed it. Whose key the plan names is its author, and approves nothing. Pure. */
export function plannedChange(plan: PlanFile, signers: readonly Signer[]) {
  const { operation, plannedBy } = plan.document
  const author = signers.find(({ key }) => key === plannedBy.key)
  return { operation, ids: plan.count, once: plan.name, author, approvals: signers.filter((each) => each !== author) }
}

/** The same for a plan that is about to be sent. Throws exit 6 when that plan cannot be applied here and now, exit 2 for wrong signers. */
export async function judgedPlan(
  tools: SignTools & Pick<BulkTools, 'configuration'>,
  policy: Policy,
  { bytes, signatures, run }: SignedPlan,
): Promise<IntendedChange> {
  const { host } = tools
  const plan = PlanFile.parse(bytes, run?.once?.name ?? 'that is applied')
  const { baseUrl } = (await tools.configuration()).profile()
  refuse(plan.refusal(baseUrl, run === undefined ? host.now() : undefined))
  const { operation, target, options } = plan.document
  if (run !== undefined) {
    const isSame =
      run.once?.name === plan.name &&
      run.operation === operation &&
      run.target?.id === target?.id &&
      run.options.ifAssignee === options.ifAssignee
    if (!isSame) refuse(`it is not the one that run ${run.run} was begun with`)
  }
  const at = run === undefined ? host.now() : Date.parse(run.startedAt)
  const isSigned = approvalsNeeded(policy, operation) > 0
  return plannedChange(plan, isSigned ? await signersOver(tools, policy, { bytes, signatures, at }) : [])
}

/** Throws exit 6 when there is a problem. */
export function refuse(problem: string | undefined): void {
  if (problem === undefined) return
  throw new SvcError('rejected', `the plan cannot be applied: ${problem}; nothing was sent`, {
    hint: 'a plan holds for one service and for a limited time: write a new one with --plan',
  })
}

/** Who made signatures over these bytes, as far as the policy's file of signers knows them; one that counts for nothing is a note. */
export async function signersOver(
  tools: SignTools,
  policy: Policy,
  { bytes, signatures, at }: Pick<SignedPlan, 'bytes' | 'signatures'> & { readonly at: number },
): Promise<Signer[]> {
  const signers = readSigners(tools, policy)
  if (signers === undefined) return []
  const found: Signer[] = []
  for (const signature of signatures) {
    const signer = await verify(tools, { signers, signature, bytes, namespace: namespaces.plan, at })
    if (signer !== undefined) found.push(signer)
  }
  return found
}

/** The file that says who may sign; undefined where no policy has one. It is as hard to change as the policy that names it. */
function readSigners({ host }: SignTools, policy: Policy): string | undefined {
  const part = signersOf(policy)
  const path = part?.members.signers
  if (part === undefined || path === undefined) return undefined
  if (!isAbsolute(path))
    throw new SvcError('config', `signers in ${part.source} must be an absolute path, not "${path}"`)
  const userId = part.isMachines ? host.machinePolicy?.owner : host.userId
  return checkedSigners(readTrustedFile({ userId }, path), path)
}

/** A line of an allowed_signers file of OpenSSH, with one plain principal. */
const line =
  /^(?<principal>[^\s"',*?!#]+)(?: (?:(?:namespaces|valid-after|valid-before)="?[^\s"]*"?,?)+)? (?:ssh-|ecdsa-|sk-)[a-z0-9@.-]+ [A-Za-z0-9+/]+=*(?: .*)?$/i

/** Its lines as ssh-keygen takes them, whatever their line ends were. Throws exit 2, naming the first line that is none. */
function checkedSigners(text: string, path: string): string {
  const lines = text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .map((each) => each.replaceAll('\t', ' ').trim())
  const bad = lines.findIndex((each) => each !== '' && !each.startsWith('#') && !line.test(each))
  if (bad < 0) return `${lines.join('\n')}\n`
  throw new SvcError('config', `${path}, line ${bad + 1}, is not one plain principal with its key`, {
    hint: 'a line is a name, options (namespaces, valid-after, valid-before) if there are any, and a public key; no pattern, no authority',
  })
}
