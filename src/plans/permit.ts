/**
 * The way to a permit: every command asks for one before it sends a change, a bulk run before its first batch. The answer comes from the policies
 * of the machine and of the profile; `policy.ts` is the judge.
 */
import * as v from 'valibot'
import { operations, type Operation } from '../api/operations.ts'
import { shapes } from '../api/schemas.ts'
import type { BulkTools, Permit, SignedPlan } from '../bulk/tools.ts'
import { parseJson } from '../config/json.ts'
import { SvcError } from '../errors.ts'
import { idPattern } from '../values.ts'
import { changeToSend } from './approvals.ts'
import { readPolicy } from './policy-files.ts'
import { judge, refusalWords, writeOperations, type IntendedChange } from './policy.ts'

/** Throws exit 5 when a policy forbids the change, exit 2 when one cannot be read; nothing was sent. */
export async function permit(
  tools: Pick<BulkTools, 'host' | 'configuration' | 'signal' | 'note'>,
  { signed, ...intended }: IntendedChange & { readonly signed?: SignedPlan | undefined },
): Promise<Permit> {
  const configuration = await tools.configuration()
  const policy = readPolicy(tools.host, configuration.profile())
  // The bytes of a plan say what it changes, and nothing else does.
  const change = signed === undefined ? intended : await changeToSend(tools, policy, signed)
  const [refusal] = judge(policy, change)
  if (refusal !== undefined) {
    throw new SvcError('policy', `the policy ${refusalWords(refusal)}; nothing was sent`, {
      hint: refusal.instead,
    })
  }
  const rates = policy.flatMap(({ members }) => members.rate ?? [])
  const { author, approvals = [] } = change
  const signers = author === undefined ? approvals : [author, ...approvals]
  return {
    // The slowest one holds for all.
    rate: rates.length === 0 ? undefined : Math.min(...rates),
    signatures: signers.flatMap((signer) => signer.signature ?? []),
  }
}

/**
 * The change that a request of `svc api` makes. It has no operation unless the path is exactly that of one, and the body exactly what it takes, with each member once: what
 * the service would make of anything else is not known here.
 */
export function rawChange(method: string, path: string, body: Buffer): IntendedChange {
  const operation = writeOperations.find((name) => isRequestOf(operations[name], method, path))
  const document = operation === undefined ? undefined : documentIn(body)
  if (operation === undefined || !v.is(shapes[operation].body, document)) return { ids: 0 }
  // An array of a body is one of ids.
  const ids = Object.values(document).find((value) => Array.isArray(value))
  return { operation, ids: ids?.length ?? 1 }
}

/** Whether a request is one of this operation, with ids where its path has names in braces. */
function isRequestOf(operation: Operation, method: string, path: string): boolean {
  if (method !== operation.method) return false
  const id = idPattern.source.slice(1, -1)
  const pattern = operation.path.replace(/\{\w+\}/g, id)
  return new RegExp(`^${pattern}$`).test(path)
}

/** The JSON of a body; undefined for what is none, or has a member twice. */
function documentIn(body: Buffer): unknown {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  try {
    return parseJson(decoder.decode(body))
  } catch {
    return undefined
  }
}
