/**
 * `--plan`: writes what a bulk command would send to a new file. Called by `cli/context.ts` for the session of a bulk verb:
 * with everything resolved and counted as it would be sent.
 */
import { partyIn } from '../bulk/operations/operation.ts'
import { slotsOfOperation } from '../bulk/operations/operations.ts'
import { currentActor, sha256 } from '../bulk/record/header.ts'
import type { Items } from '../bulk/record/items.ts'
import type { BulkTools, Planned } from '../bulk/tools.ts'
import { keyEnding } from '../config/profile.ts'
import { writeWhole } from '../disk/whole.ts'
import { say, svc } from '../message.ts'
import { encodePlan, targetSlot, type PlanDocument } from './plan-file.ts'

/** Milliseconds for which a plan can be applied: seven days. */
const life = 7 * 24 * 60 * 60_000

/** A plan that was written, as the summary of its command has it. */
interface WrittenPlan {
  /** SHA-256 of the file, as `plans show` has it. */
  readonly plan: string
  readonly planFile: string
  readonly expiresAt: string
}

/** Throws exit 2 if it cannot be written. Then there is no file. */
export async function writePlan(
  { host, configuration, note }: Pick<BulkTools, 'host' | 'configuration' | 'note'>,
  path: string,
  planned: Planned,
): Promise<WrittenPlan> {
  const { baseUrl, name, apiKey } = (await configuration()).profile()
  const { options } = planned
  const now = host.now()
  const expiresAt = new Date(now + life).toISOString()
  const bytes = encodePlan({
    ...contentOf(planned),
    schema: 'svc.plan/2',
    baseUrl,
    profile: name ?? null,
    keyEnding: keyEnding(apiKey),
    plannedBy: currentActor(host),
    reason: options.reason ?? null,
    plannedAt: new Date(now).toISOString(),
    expiresAt,
    nonce: host.randomBytes(16).toString('hex'),
  })
  await writeWhole(host, { path, what: 'the plan' }, (file) => file.write(bytes))
  const command = svc`plans apply ${path}`
  note(say`the plan is in "${path}" and can be applied until ${expiresAt}:\n  ${command}`)
  return { plan: sha256([bytes]), planFile: path, expiresAt }
}

/** The change, without where and by whom. */
function contentOf({ operation, source, input, items, parameters }: Planned) {
  const { sha256: _sum, ...counts } = input
  const slot = targetSlot(operation)
  const options: PlanDocument['options'] = {}
  for (const { key, preposition } of slotsOfOperation(operation)) {
    const value = parameters[key]
    if (key === slot?.key || value === undefined) continue
    options[key] = value === true || preposition !== undefined ? value : value.id
  }
  return {
    operation,
    target: (slot && partyIn(parameters, slot.key)) ?? null,
    ...(items.kind === 'ids' ? { ids: [...items.ids] } : { pairs: rowsOf(items) }),
    sha256: items.setSha256(),
    input: { ...counts, source },
    options,
  }
}

function rowsOf({ pairs }: Items): PlanDocument['pairs'] {
  return pairs.map(({ id, other, line }) => [id, other, line])
}
