/**
 * A plan file: the head of a run that somebody else may review and apply. It has a `plan` line and the `ids` lines of the run (docs/run-file.md).
 *
 * A file counts only when it is, byte for byte, what svc writes for its content. Anybody could have written it, so its counts, checksum, times and
 * operation must fit each other before any of it is believed.
 */
import { fileError } from '../../errno.ts'
import { SvcError, usageError } from '../../errors.ts'
import { writeWhole } from '../../output/whole.ts'
import { say, svc } from '../../message.ts'
import { Batches, Items, ItemsBuilder, mostSent, sha256 } from '../../runs/items.ts'
import type { RunTools } from '../../runs/jobs/job.ts'
import {
  decodeLine,
  encodeLine,
  type JobHead,
  type Line,
  type LineOf,
  type NewLine,
} from '../../runs/lines.ts'
import { planName } from '../../runs/names.ts'
import { operationOf } from '../../runs/operations/operations.ts'
import { contradictions } from '../../runs/operations/pairs.ts'
import { readRegular } from '../../config/trust.ts'
import type { DiskHost } from '../../world.ts'

/** A file with a million pairs is smaller. */
const mostBytes = 256 << 20

/** Milliseconds for which a plan can be applied. */
const life = 7 * 24 * 60 * 60_000

/** A plan that was read. */
export interface Plan {
  readonly line: LineOf<'plan'>
  /** SHA-256 of the file. */
  readonly sha256: string
  /** The name of the run that applies it. */
  readonly name: string
  readonly items: Items
}

/** A plan that was written, as the summary of its command has it. */
interface WrittenPlan {
  readonly plan: string
  readonly planFile: string
  readonly expiresAt: string
}

/** Writes what a bulk command would send to a new file. Throws exit 2 if it cannot be written. Then there is no file. */
export async function writePlan(
  { host, note }: Pick<RunTools, 'host' | 'note'>,
  path: string,
  { head, items }: { readonly head: JobHead; readonly items: Items },
): Promise<WrittenPlan> {
  const at = host.now()
  const expiresAt = new Date(at + life).toISOString()
  const plan: NewLine = {
    t: 'plan',
    schema: 'svc.plan/3',
    plannedAt: new Date(at).toISOString(),
    expiresAt,
    ...head,
  }
  const { most } = operationOf(head.operation).batch
  const lines = [plan, ...items.lines(new Batches(items.size, most))]
  const s = host.randomBytes(4).toString('hex')
  const bytes = Buffer.from(lines.map((line, i) => inOrder({ s, i, ...line, at })).join(''))
  await writeWhole(host, { path, what: 'the plan' }, (file) => file.write(bytes))
  note(
    say`the plan is in "${path}" and can be applied until ${expiresAt}:\n  ${svc`plans apply ${path}`}`,
  )
  return { plan: sha256([bytes]), planFile: path, expiresAt }
}

/** A line with its members in the order of their schema: there is one text for one plan. */
function inOrder(line: Line): string {
  const text = encodeLine(line)
  const decoded = decodeLine(Buffer.from(text.trimEnd()))
  if (decoded === undefined) throw new TypeError('a plan has a line that cannot be read')
  return encodeLine(decoded)
}

/** How much the clocks of two machines may differ, in milliseconds. */
const clockTolerance = 10 * 60_000

/** Why a run may not begin with the plan at this time, in words. */
export function expiryProblem(
  { plannedAt, expiresAt }: LineOf<'plan'>,
  now: number,
): string | undefined {
  if (now >= Date.parse(expiresAt)) return `it expired on ${expiresAt}`
  const earliest = Date.parse(plannedAt) - clockTolerance
  return now < earliest
    ? `it was planned on ${plannedAt}, but by this machine's clock that is in the future`
    : undefined
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

/** Throws exit 6 for anything that svc did not write like this. `path`: of the file. */
export function parsePlan(bytes: Buffer, path: string): Plan {
  try {
    const [line, builder] = linesOf(bytes)
    const items = itemsOf(line, builder)
    checkParameters(line)
    const digest = sha256([bytes])
    return { line, sha256: digest, name: planName(digest), items }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new SvcError(
      'rejected',
      `the plan "${path}" is damaged: ${error.message}; nothing was sent`,
      {
        hint: 'a plan must be exactly as svc wrote it: get the file again, or write a new plan with --plan',
      },
    )
  }
}

/** Throws a RangeError where bytes are not the lines of a plan, in their order and in the form that svc writes. */
function linesOf(bytes: Buffer): [LineOf<'plan'>, ItemsBuilder] {
  const builder = new ItemsBuilder()
  let first: Line | undefined
  let count = 0
  for (let from = 0; from < bytes.length; count += 1) {
    const end = bytes.indexOf(0x0a, from)
    if (end < 0) throw new RangeError('it has no end')
    const line = decodeLine(bytes.subarray(from, end))
    const text = bytes.toString('utf8', from, end + 1)
    from = end + 1
    if (line === undefined || encodeLine(line) !== text) {
      throw new RangeError(`line ${count + 1} is not in the form that svc writes`)
    }
    first ??= line
    if (!isInPlace(line, first, count)) throw new RangeError('its lines are out of order')
    if (line.t === 'ids') builder.add(line.ids)
  }
  if (first?.t !== 'plan') throw new RangeError('it is not a plan')
  return [first, builder]
}

/** Whether a line is the one that follows so many others: the plan, and then its items. */
function isInPlace(line: Line, first: Line, before: number): boolean {
  const isOfPlan = line.i === before && line.s === first.s && line.at === first.at
  return isOfPlan && (before === 0 || (line.t === 'ids' && line.b === before))
}

/** The items of a plan. Throws a RangeError where they do not fit its counts and checksum. */
function itemsOf(line: LineOf<'plan'>, builder: ItemsBuilder): Items {
  const { operation, kind, batches, input, set, plannedAt, expiresAt } = line
  const check = (isRight: boolean, problem: string): void => {
    if (!isRight) throw new RangeError(problem)
  }
  // A time that does not exist cannot be compared with any other.
  check(Date.parse(plannedAt) < Date.parse(expiresAt), 'it expired before it was planned')
  const { pairs, batch } = operationOf(operation)
  const built = builder.build(kind)
  const isCut = built?.batches.total === batches && built.batches.size <= batch.most
  check(isCut && input.unique > 0 && input.unique <= mostSent, 'its count is wrong')
  const items = built?.items ?? Items.ofPairs([])
  const isWhole = items.size === input.unique && items.isUnique
  const isSame = items.setSha256() === set && items.sha256() === input.sha256
  check(isWhole && isSame, 'its ids do not match its checksum')
  check(pairs !== undefined || kind === 'ids', 'its operation takes no pairs')
  const isSound =
    kind === 'ids' ||
    (pairs !== undefined && contradictions(items.pairs, pairs).length === 0)
  check(isSound, 'its pairs contradict each other')
  return items
}

/** Throws a RangeError for parties that the operation does not take, or lacks. */
function checkParameters({ operation, kind, parameters }: LineOf<'plan'>): void {
  const { list, to, ifAssignee } = parameters
  const isAdd = operation === 'lists.add-contacts'
  const isAssign = operation === 'tickets.assign'
  const isMerge = operation === 'contacts.merge'
  const fits =
    (list !== undefined) === isAdd &&
    (to !== undefined) === (isAssign && kind === 'ids') &&
    (ifAssignee === undefined || isAssign) &&
    !(isMerge && kind === 'ids')
  if (!fits) throw new RangeError('it does not fit its operation')
}
