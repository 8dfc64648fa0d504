/**
 * The way to a permit: the answer of the policies of the machine and of the profile to one change; `policy.ts` is the judge. Called by way of
 * `cli/context.ts` by every command that changes one thing and by `svc api`, and by bulk/sessions before the first batch of a run.
 *
 * No request that changes anything is sent before its permit is there.
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
import { judge, refusalWords, writeOperations, type IntendedChange, type Policy } from './policy.ts'

/** Throws exit 5 when a policy forbids the change, exit 2 when one cannot be read; nothing was sent. */
export async function permit(
  tools: Pick<BulkTools, 'host' | 'configuration' | 'signal' | 'note'>,
  asked: IntendedChange & { readonly signed?: SignedPlan | undefined },
): Promise<Permit> {
  const { signed, ...intended } = asked
  const configuration = await tools.configuration()
  const policy = readPolicy(tools.host, configuration.profile())
  // The bytes of a plan say what it changes, and nothing else does.
  const change = signed === undefined ? intended : await changeToSend(tools, policy, signed)
  const [refusal] = judge(policy, change)
  if (refusal !== undefined) {
    const words = refusalWords(refusal)
    throw new SvcError('policy', `the policy ${words}; nothing was sent`, {
      hint: refusal.instead,
    })
  }
  return {
    rate: slowestRate(policy),
    signatures: signaturesOf(change),
  }
}

/** Requests per second that all policies allow; undefined where none sets a rate. */
function slowestRate(policy: Policy): number | undefined {
  let slowest: number | undefined
  for (const { members } of policy) {
    const { rate } = members
    if (rate === undefined) continue
    slowest = Math.min(rate, slowest ?? rate)
  }
  return slowest
}

/** Signatures that counted: the author's first. */
function signaturesOf({ author, approvals = [] }: IntendedChange): string[] {
  const signatures: string[] = []
  if (author !== undefined) signatures.push(author.signature)
  for (const { signature } of approvals) signatures.push(signature)
  return signatures
}

/** A change that svc does not know: no policy allows it. */
const unknownChange: IntendedChange = { ids: 0 }

/**
 * The change that a request of `svc api` makes. It has no operation unless the path is exactly that of one, and the body exactly what it takes,
 * with each member once: what the service would make of anything else is not known here.
 */
export function rawChange(method: string, path: string, body: Buffer): IntendedChange {
  const operation = writeOperations.find((name) => isRequestOf(operations[name], method, path))
  if (operation === undefined) return unknownChange
  const document = documentIn(body)
  const { body: schema } = shapes[operation]
  if (!v.is(schema, document)) return unknownChange
  // An array of a body is one of ids.
  const ids = Object.values(document).find((value) => Array.isArray(value))
  const count = ids?.length ?? 1
  return { operation, ids: count }
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
