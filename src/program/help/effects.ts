/** Effects of a command on the service and on the files of svc, for programs that decide what to run. */
import { endOf, operations } from '../../api/operations.ts'
import type { Command } from '../../cli/command.ts'
import { approvalsNeeded, writeOperations, type Policy } from '../../plans/policy.ts'

interface Effects {
  /** It can remove something for good. */
  readonly destructive: boolean
  /** The same command again does no harm, whatever became of the first. */
  readonly idempotent: boolean
  readonly needsApproval: boolean | null
}

/** `policy`: undefined when it is not known; then neither is whether an approval is needed. */
export function effectsOf(
  { effect, isDestructive, isIdempotent }: Command,
  policy: Policy | undefined,
): Effects {
  const operation = Object.entries(operations).find(([name]) => name === effect)?.[1]
  const sendsAny = effect === 'from input' || effect === 'from method'
  const changes = sendsAny ? writeOperations : writeOperations.filter((name) => name === effect)
  const isNeeded =
    policy === undefined ? null : changes.some((name) => approvalsNeeded(policy, name) > 0)
  return {
    destructive: isDestructive ?? endOf(effect) !== undefined,
    idempotent: isIdempotent ?? operation?.retry !== 'once',
    needsApproval: changes.length === 0 ? false : isNeeded,
  }
}
