/** Approving a plan: it is shown, its count is typed, and the file's bytes are signed. */
import { say, svc } from '../message.ts'
import { join } from 'node:path'
import { describeCount } from '../bulk/telling/confirm.ts'
import { operationOf } from '../bulk/operations/operations.ts'
import { peopleText } from '../bulk/telling/who.ts'
import type { BulkTools } from '../bulk/tools.ts'
import { homeFolder } from '../config/paths.ts'
import { SvcError, usageError } from '../errors.ts'
import type { Approval } from '../views/plan.ts'
import { writeWhole } from '../disk/whole-file.ts'
import { describePlan } from './describe.ts'
import { readPlan, signaturePath, tellOthers } from './plan-place.ts'
import { keyOf, namespaces, sign } from './ssh-keygen.ts'

type ApproveTools = Pick<
  BulkTools,
  'host' | 'configuration' | 'store' | 'note' | 'signal' | 'print' | 'confirm'
>

/** Throws exit 2 without a key, exit 6 for a plan that is damaged or has expired, exit 9 when the count is not typed. */
export async function approvePlan(
  tools: ApproveTools,
  path: string,
  typedKey: string | undefined,
): Promise<Approval> {
  const found = readPlan(tools.host, path)
  tellOthers(tools, found)
  const { plan } = found
  const { operation, plannedBy } = plan.document
  const { title, state, isExpired, facts, rows, problem } = await describePlan(tools, found)
  if (isExpired) throw new SvcError('rejected', `the plan cannot be approved: ${state}`)
  const key = typedKey ?? usualKey(tools)
  const sha256 = await keyOf(tools, key)
  if (sha256 === plannedBy.key) {
    throw usageError(
      'the plan is signed by its author with this key, which does not count as an approval',
      'somebody else approves it',
    )
  }
  const signature = signaturePath(path, sha256)
  if (tools.host.disk.existsSync(signature)) {
    throw usageError(`this key has signed the plan already: ${signature}`)
  }
  tools.note(`${title}\n${facts.map(([name, value]) => `  ${name}: ${value}`).join('\n')}`)
  tools.note(say`every id:\n  ${svc`plans show ${path} --out ${`${path}.xlsx`}`}`)
  const personAt = (n: number): string[] => {
    const { id = '', name = '', lists = [] } = rows[n] ?? {}
    return [id, name, lists.join('; ')]
  }
  const about = async (columns: number): Promise<string[]> => [
    problem ?? (await peopleText(plan.count, personAt, tools.print, columns)),
  ]
  const message = `Approve: ${operationOf(operation).words.verb.toLowerCase()} ${describeCount(operation, plan.count)}?`
  await tools.confirm({ kind: 'typed', message, expected: String(plan.count), byHand: true, about })
  const text = await sign(tools, { key, namespace: namespaces.plan, bytes: plan.bytes })
  await writeWhole(tools.host, { path: signature, what: 'the signature' }, (file) =>
    file.write(Buffer.from(text)),
  )
  tools.note(say`to apply the plan, with its signatures beside it:\n  ${svc`plans apply ${path}`}`)
  return {
    plan: plan.sha256,
    signature,
    key: sha256,
  }
}

/** The first that ssh would look for. Throws exit 2. */
function usualKey({ host }: ApproveTools): string {
  const folder = join(homeFolder(host) ?? '', '.ssh')
  const names = ['id_ed25519', 'id_ecdsa', 'id_ed25519_sk', 'id_ecdsa_sk', 'id_rsa']
  const found = names
    .map((name) => join(folder, `${name}.pub`))
    .find((path) => host.disk.existsSync(path))
  if (found !== undefined) return found
  throw usageError(
    `there is no key in ${folder}`,
    'name your SSH key, or the public half of one in the agent, with --key <file>; if you have none, make one with:\n  ssh-keygen -t ed25519',
  )
}
