/**
 * Approving a plan: it is shown, its count is typed, and the file's bytes are signed. Called by `commands/plans/approve.ts` alone.
 *
 * The count is typed by hand, by a person at a terminal: a script would approve whatever is in the file.
 */
import { say, svc } from '../message.ts'
import { join } from 'node:path'
import { describeCount } from '../bulk/telling/confirm.ts'
import { operationOf } from '../bulk/operations/operations.ts'
import { itemsText } from '../bulk/telling/who.ts'
import type { BulkTools } from '../bulk/tools.ts'
import { homeFolder } from '../config/environment.ts'
import { SvcError, usageError } from '../errors.ts'
import { plannedColumns, type Approval } from '../views/plan.ts'
import { writeWhole } from '../disk/whole.ts'
import { describePlan, type DescribedPlan } from './describe.ts'
import type { PlanFile } from './plan-file.ts'
import { readPlan, signaturePath, noteUnreadSignatures } from './plan-place.ts'
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
  const onDisk = readPlan(tools.host, path)
  noteUnreadSignatures(tools, onDisk)
  const { plan } = onDisk
  const { plannedBy } = plan.document
  const description = await describePlan(tools, onDisk)
  if (description.isExpired) {
    throw new SvcError('rejected', `the plan cannot be approved: ${description.state}`)
  }
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
  const lines = [description.title]
  for (const [name, value] of description.facts) lines.push(`  ${name}: ${value}`)
  tools.note(lines.join('\n'))
  const workbook = `${path}.xlsx`
  tools.note(say`every id:\n  ${svc`plans show ${path} --out ${workbook}`}`)
  await confirmCount(tools, plan, description)
  const text = await sign(tools, {
    key,
    namespace: namespaces.plan,
    bytes: plan.bytes,
  })
  const bytes = Buffer.from(text)
  const place = { path: signature, what: 'the signature' }
  await writeWhole(tools.host, place, (file) => file.write(bytes))
  tools.note(say`to apply the plan, with its signatures beside it:\n  ${svc`plans apply ${path}`}`)
  return { plan: plan.sha256, signature, key: sha256 }
}

/** Shows whom the plan is about, and asks for their number. Throws exit 9 when it is not typed. */
async function confirmCount(
  tools: ApproveTools,
  plan: PlanFile,
  { rows, problem }: Pick<DescribedPlan, 'rows' | 'problem'>,
): Promise<void> {
  const { operation, pairs } = plan.document
  const { items, words } = operationOf(operation)
  const columns = plannedColumns(items.kind, pairs && items.pairs?.columns)
  const cellsAt = (n: number): string[] => {
    const row = rows[n]
    const lists = row?.lists.join('; ')
    const cells: Readonly<Record<string, string | null | undefined>> = { ...row, lists }
    return columns.map(({ field }) => cells[field] ?? '')
  }
  const shown = {
    kind: items.kind,
    titles: columns.map(({ title }) => title),
    count: plan.count,
    cellsAt,
  }
  const itemsOrProblem = async (width: number): Promise<string[]> => {
    if (problem !== undefined) return [problem]
    return [await itemsText(shown, tools.print, width)]
  }
  const verb = words.verb.toLowerCase()
  const message = `Approve: ${verb} ${describeCount(operation, plan.count)}?`
  await tools.confirm({
    kind: 'typed',
    message,
    expected: String(plan.count),
    byHand: true,
    about: itemsOrProblem,
  })
}

/** The first that ssh would look for. Throws exit 2. */
function usualKey({ host }: ApproveTools): string {
  const home = homeFolder(host) ?? ''
  const folder = join(home, '.ssh')
  const names = ['id_ed25519', 'id_ecdsa', 'id_ed25519_sk', 'id_ecdsa_sk', 'id_rsa']
  for (const name of names) {
    const path = join(folder, `${name}.pub`)
    if (host.disk.existsSync(path)) return path
  }
  throw usageError(
    `there is no key in ${folder}`,
    'name your SSH key, or the public half of one in the agent, with --key <file>; if you have none, make one with:\n  ssh-keygen -t ed25519',
  )
}
