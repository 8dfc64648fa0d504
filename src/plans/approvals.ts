/** From the bytes of a plan and its signatures to what a policy judges: who planned it, and who approved it. */
import { partyIn } from '../bulk/operations/parameters.ts'
import type { ParameterValues } from '../bulk/record/run.ts'
import type { BulkTools, SignedPlan } from '../bulk/tools.ts'
import { SvcError } from '../errors.ts'
import { PlanFile, type PlanDocument } from './plan-file.ts'
import { approvalsNeeded, type IntendedChange, type Policy, type Signer } from './policy.ts'
import { findSigners, type SignTools } from './signers.ts'

type PlanFacts = Pick<PlanFile, 'count' | 'name'> & {
  readonly document: Pick<PlanDocument, 'operation' | 'plannedBy'>
}

/**
 * The change that a plan is, with those who signed it: its author, whose key the plan names, and one signature of each other person.
 * Nobody who is tied to the author approves anything. Pure.
 */
export function changeOf(
  { document: { operation, plannedBy }, count, name }: PlanFacts,
  signers: readonly Signer[],
) {
  const author = signers.find(({ key }) => key === plannedBy.key)
  const persons = new Map(signers.map((signer) => [signer.person, signer]))
  if (author !== undefined) persons.delete(author.person)
  return { operation, ids: count, once: name, author, approvals: [...persons.values()] }
}

/** The change of a plan that is about to be sent. Throws exit 6 when that plan cannot be applied here and now, exit 2 for wrong signers. */
export async function changeToSend(
  tools: SignTools & Pick<BulkTools, 'configuration'>,
  policy: Policy,
  { bytes, signatures, run }: SignedPlan,
): Promise<IntendedChange> {
  const { host } = tools
  const plan = PlanFile.parse(bytes, run?.once?.name ?? 'that is applied')
  const { baseUrl } = (await tools.configuration()).profile()
  refuse(plan.refusal(baseUrl, run === undefined ? host.now() : undefined))
  const { operation } = plan.document
  if (run !== undefined) {
    const isOfPlan =
      run.once?.name === plan.name &&
      run.operation === operation &&
      isSame(run.parameters, plan.parameters)
    if (!isOfPlan) refuse(`it is not the one that run ${run.run} was begun with`)
  }
  const at = run === undefined ? host.now() : Date.parse(run.startedAt)
  const isSigned = approvalsNeeded(policy, operation) > 0
  return changeOf(plan, isSigned ? await findSigners(tools, policy, { bytes, signatures, at }) : [])
}

/** Whether two runs change the same in the same way. Names may have changed. */
function isSame(before: ParameterValues, now: ParameterValues): boolean {
  const keys = new Set([...Object.keys(before), ...Object.keys(now)])
  return [...keys].every((key) => {
    const hasFlag = before[key] === true
    return hasFlag ? now[key] === true : partyIn(before, key)?.id === partyIn(now, key)?.id
  })
}

/** Throws exit 6 when there is a problem. */
export function refuse(problem: string | undefined): void {
  if (problem === undefined) return
  throw new SvcError('rejected', `the plan cannot be applied: ${problem}; nothing was sent`, {
    hint: 'a plan holds for one service and for a limited time: write a new one with --plan',
  })
}
