/** The way to a permit: every command asks for one before it sends a change. */
import type { BulkTools, Permit, SignedPlan } from '../bulk/tools.ts'
import { SvcError } from '../errors.ts'
import { judgedPlan } from './approvals.ts'
import { readProtected } from './never-delete.ts'
import { readPolicy } from './policy-files.ts'
import { isRemoval, judge, type IntendedChange, type Refusal } from './policy.ts'

/** Throws exit 5 when a policy forbids the change, exit 2 when one cannot be read; nothing was sent. */
export async function permit(
  tools: Pick<BulkTools, 'host' | 'configuration' | 'api' | 'signal' | 'note'>,
  { signed, ...asked }: IntendedChange & { readonly signed?: SignedPlan | undefined },
): Promise<Permit> {
  const policy = readPolicy(tools.host, (await tools.configuration()).profile())
  const change = signed === undefined ? asked : await judgedPlan(tools, policy, signed)
  const refusal = judge(policy, change)
  if (refusal !== undefined) throw refused(refusal)
  const rates = policy.flatMap(({ members }) => members.rate ?? [])
  const kept = isRemoval(change.operation ?? '') ? policy.flatMap(({ members }) => members.neverDelete ?? []) : []
  return {
    rate: rates.length === 0 ? undefined : Math.min(...rates),
    protectedIds: kept.length === 0 ? undefined : async () => readProtected(await tools.api(), policy),
  }
}

function refused({ source, member, why, instead }: Refusal): SvcError {
  const where = member === undefined ? source : `${member} in ${source}`
  return new SvcError('policy', `the policy ${why} (${where}); nothing was sent`, { hint: instead })
}
