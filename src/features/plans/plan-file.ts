/**
 * A plan file: the head of a run that somebody else may review and apply. It has a `plan` line and the `ids` lines of the
 * run (docs/run-file.md).
 *
 * Anybody can write such a file. So it counts only if it is, byte for byte, what svc writes for these items.
 */
import { readRegular } from '../../config/trust.ts'
import { SvcError, usageError, fileError } from '../../errors.ts'
import { say, svc } from '../../message.ts'
import { writeWhole } from '../../output/whole.ts'
import { rereadForAnnotation } from '../../runs/files/annotate.ts'
import { checkLaterOutputs } from '../../runs/files/files.ts'
import { Batches, type Items, ItemsBuilder, mostSent, sha256 } from '../../runs/items.ts'
import type { Job, LaterOptions, RunTools } from '../../runs/jobs/job.ts'
import { encodeLine, goodLines, type JobHead, type LineOf } from '../../runs/lines.ts'
import { planName } from '../../runs/names.ts'
import { commandOf, operationOf } from '../../runs/operations/operations.ts'
import { contradictions } from '../../runs/operations/pairs.ts'
import { acceptableOf } from '../../runs/outcomes.ts'
import { parseChoice } from '../../values.ts'
import type { DiskHost } from '../../world.ts'

/** A file with a million pairs is smaller. */
const mostBytes = 256 << 20

/** How long a plan can be applied, in milliseconds. */
const planLifetime = 7 * 24 * 60 * 60_000

/** A plan that was read. */
export interface Plan {
  line: LineOf<'plan'>
  /** SHA-256 of the file. */
  sha256: string
  items: Items
}

/**
 * Writes what a bulk command would send to a new file, and returns what the summary says of it. Throws exit 2 if it cannot
 * be written. Then there is no file.
 */
export async function writePlan(
  { host, note }: RunTools,
  path: string,
  { head, items }: { head: JobHead; items: Items },
) {
  const at = host.now()
  const expiresAt = new Date(at + planLifetime).toISOString()
  const s = host.randomBytes(4).toString('hex')
  const times = { plannedAt: new Date(at).toISOString(), expiresAt }
  const line = { s, i: 0, t: 'plan', schema: 'svc.plan/3', ...times, ...head, at } as const
  const { most } = operationOf(head.operation).batch
  const bytes = canonicalBytes(line, items, new Batches(items.size, most))
  await writeWhole(host, { path, what: 'the plan' }, (file) => file.write(bytes))
  note(
    say`the plan is in "${path}" and can be applied until ${expiresAt}:\n  ${svc`plans apply ${path}`}`,
  )
  return { plan: sha256([bytes]), planFile: path, expiresAt }
}

/** The only bytes that a plan can have. Whatever its line says about the items is computed from them. */
function canonicalBytes(line: LineOf<'plan'>, items: Items, batches: Batches) {
  const { s, at, input } = line
  const plan = {
    ...line,
    i: 0,
    input: { ...input, unique: items.size, sha256: items.sha256() },
    kind: items.kind,
    set: items.setSha256(),
    batches: batches.total,
  }
  const texts = [encodeLine(plan)]
  for (const ids of items.idsLines(batches))
    texts.push(encodeLine({ s, i: texts.length, ...ids, at }))
  return Buffer.from(texts.join(''))
}

/** Reads a plan file. Throws exit 2 when it cannot be read, exit 6 when it is damaged. */
export function readPlan(host: DiskHost, path: string): Plan {
  let bytes: Buffer | undefined
  try {
    bytes = readRegular(host, path, mostBytes).bytes
  } catch (error) {
    throw fileError('usage', `the plan "${path}" cannot be read`, error)
  }
  if (bytes === undefined)
    throw usageError(`"${path}" is not a plan: it is not a file, or too large`)
  return parsePlan(bytes, path)
}

/** Reads the bytes of a plan. Throws exit 6 unless they are exactly what svc writes. `path`: where they are from. */
export function parsePlan(bytes: Buffer, path: string): Plan {
  const plan = planIn(bytes)
  if (plan !== undefined) return plan
  throw new SvcError('rejected', `the plan "${path}" is damaged; nothing was sent`, {
    hint: 'a plan must be exactly as svc wrote it: get the file again, or write a new plan with --plan',
  })
}

function planIn(bytes: Buffer): Plan | undefined {
  let line: LineOf<'plan'> | undefined
  const builder = new ItemsBuilder()
  for (const each of goodLines(bytes)) {
    if (each.t === 'plan') line = each
    if (each.t === 'ids') builder.add(each.ids)
  }
  const built = line && builder.build(line.kind)
  if (line === undefined || built === undefined) return undefined
  const { items, batches } = built
  const isSound =
    batches.size <= operationOf(line.operation).batch.most &&
    couldBePlanned(line, items) &&
    canonicalBytes(line, items, batches).equals(bytes)
  return isSound ? { line, sha256: sha256([bytes]), items } : undefined
}

/** Whether a command could have planned these items, with these parties. */
function couldBePlanned({ operation, parameters }: LineOf<'plan'>, items: Items) {
  const { list, to, ifAssignee } = parameters
  const { pairs } = operationOf(operation)
  const isPairs = items.kind === 'pairs'
  const isAssign = operation === 'tickets.assign'
  const hasParties =
    (list !== undefined) === (operation === 'lists.add-contacts') &&
    (to !== undefined) === (isAssign && !isPairs) &&
    (ifAssignee === undefined || isAssign)
  const hasItems = items.size > 0 && items.size <= mostSent && items.isUnique
  if (!hasParties || !hasItems) return false
  if (!isPairs) return operation !== 'contacts.merge'
  return pairs !== undefined && contradictions(items.pairs, pairs).length === 0
}

/**
 * The job of a plan. Options change how it is sent, but not what. `sha256`: the digest of the only plan that may be applied.
 * Throws exit 6 for a plan of another service or with another digest, exit 2 for options that do not fit it.
 */
export async function jobOfPlan(
  tools: RunTools,
  { line, items, sha256: digest }: Plan,
  { sha256: wanted, ...options }: LaterOptions & { sha256?: string },
): Promise<Job> {
  const { baseUrl } = (await tools.configuration()).profile()
  const { operation, reason, parameters, kind, input } = line
  if (wanted !== undefined && wanted !== digest)
    throw refusal(`its SHA-256 is ${digest}, and --sha256 says ${wanted}`)
  if (line.baseUrl !== baseUrl)
    throw refusal(`it is for ${line.baseUrl}, but the profile is for ${baseUrl}`)
  const { file, annotate } = options
  checkLaterOutputs(options)
  // The parser could not check this: only the plan says which operation it is.
  for (const outcome of options.accept ?? [])
    parseChoice(outcome, `--accept of ${commandOf(operation)}`, acceptableOf(operation))
  const known = { what: 'the plan', operation, kind, source: line.source }
  return {
    operation,
    options: { ...options, file: [], ...(reason !== undefined && { reason }) },
    name: planName(digest),
    isOne: false,
    input,
    resolveContents: () => Promise.resolve({ parameters, items, input }),
    source: line.source,
    annotation: await rereadForAnnotation(tools, known, annotate, file),
    plan: digest,
    beforeStart() {
      const problem = expiryProblem(line, tools.host.now())
      if (problem !== undefined) throw refusal(problem)
    },
  }
}

/** Why no run can start with the plan now, in words; undefined if one can. */
export function expiryProblem(
  { expiresAt }: LineOf<'plan'>,
  now: number,
): string | undefined {
  return now < Date.parse(expiresAt) ? undefined : `it expired on ${expiresAt}`
}

function refusal(problem: string) {
  return new SvcError(
    'rejected',
    `the plan cannot be applied: ${problem}; nothing was sent`,
    {
      hint: 'apply the plan that was reviewed, on its service and in time, or write a new one with --plan',
    },
  )
}
