/** What a command does to the service or to what svc keeps, for programs that decide what to run. */
import { operations, removals, type Operation } from '../../api/operations.ts'
import { approvalsNeeded, writeOperations, type Policy } from '../../plans/policy.ts'

interface Effects {
  /** It can remove something for good. */
  readonly destructive: boolean
  /** The same command again does no harm, whatever became of the first. */
  readonly idempotent: boolean
}

/** Commands that are no operation and do more than read. */
const others: Readonly<Record<string, Effects>> = {
  'svc api': { destructive: true, idempotent: false },
  'svc plans apply': { destructive: true, idempotent: true },
  'svc profiles remove': { destructive: true, idempotent: true },
  'svc runs prune': { destructive: true, idempotent: true },
  'svc runs resume': { destructive: true, idempotent: true },
  'svc runs retry': { destructive: true, idempotent: false },
  'svc runs undo': { destructive: false, idempotent: false },
}

/** Those of them that can send any change. */
const sendsAny = /^svc (?:api|plans apply|runs (?:resume|retry|undo))$/

/** `policy`: undefined when it is not known; then neither is whether an approval is needed. */
export function effectsOf(
  path: string,
  policy: Policy | undefined,
): Effects & { readonly needsApproval: boolean | null } {
  const own = path.replace('svc ', '').replace(' ', '.')
  const operation: Operation | undefined = Object.entries(operations).find(([name]) => name === own)?.[1]
  const { destructive, idempotent } = others[path] ?? {
    destructive: Object.values<string>(removals).includes(own),
    idempotent: operation?.retry !== 'once',
  }
  const changes = sendsAny.test(path) ? writeOperations : writeOperations.filter((name) => name === own)
  const isNeeded = policy === undefined ? null : changes.some((name) => approvalsNeeded(policy, name) > 0)
  return { destructive, idempotent, needsApproval: changes.length === 0 ? false : isNeeded }
}
