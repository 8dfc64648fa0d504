/**
 * Plans that a person's hand has changed, which count only as svc wrote them; and plans that are
 * edited, expired, applied with the digest that was reviewed, and again.
 */
import { createHash } from 'node:crypto'
import { bulkOperations } from '../../src/api/operations.ts'
import { Items } from '../../src/bulk/record/items.ts'
import type { Dice } from './dice.ts'
import type { Job } from './job.ts'
import { begin } from './later.ts'
import type { SimulatedProcess } from './process.ts'
import type { Stage } from './stage.ts'
import { typeMany } from './typed.ts'

const edits: Readonly<Record<string, (text: string, dice: Dice) => string>> = {
  'another id': (text, dice) =>
    text.replace(/"(ids|pairs)":\[(\[?)"[0-9a-f]{24}"/, `"$1":[$2"${dice.hex(24)}"`),
  'one id less': (text) =>
    text.replace(/"(ids|pairs)":\[(?:\[[^\]]*\]|"[0-9a-f]{24}"),?/, '"$1":['),
  'another count': (text) => text.replace(/"unique":(\d+)/, '"unique":1$1'),
  'another target': (text, dice) =>
    text.replace(/"target":\{"id":"[0-9a-f]{24}"/, `"target": {"id":"${dice.hex(24)}"`),
  'broken into lines': (text) => JSON.stringify(JSON.parse(text), undefined, 2),
  'a line end': (text) => `${text}\n`,
  'cut off': (text, dice) => text.slice(0, dice.whole(0, text.length - 1)),
}

/** The text of a plan as a person changed it; undefined where nothing changed. */
function editedText(
  text: string | undefined,
  dice: Dice,
  more: typeof edits = {},
): { readonly name: string; readonly edited: string } | undefined {
  const [name, edit] = dice.pick(Object.entries({ ...edits, ...more }))
  const edited = text === undefined ? undefined : edit(text, dice)
  return edited === undefined || edited === text ? undefined : { name, edited }
}

/** Applies a changed copy of a plan, which must be refused before anything is sent. */
export async function applyEdited(stage: Stage, dice: Dice, plan: string): Promise<void> {
  const found = editedText(stage.world.disk.readFile(plan)?.toString(), dice)
  if (found === undefined) return
  const path = stage.text(found.edited, 'plan')
  const process = await stage.run(['plans', 'apply', path, '--yes', '--json'])
  judgeRefused(stage, process, `a plan with ${found.name}`, [6, 10])
}

/** A command ended with one of these codes, or with that of a disk that cannot be written, and sent nothing. */
function judgeRefused(
  { judge, world }: Stage,
  process: SimulatedProcess,
  what: string,
  codes: readonly number[],
): void {
  if (process.end === undefined || process.end === 'killed') return
  const sent = world.service.log.filter((request) => request.process === process)
  const refusals = process.hasBrokenDisk ? [...codes, 2, 10] : codes
  const isRefused = refusals.includes(process.end.code) && sent.length === 0
  const told = `${what} ends with ${process.end.code} after ${sent.length} requests`
  judge.expect(isRefused, process, told)
}

type Document = Readonly<Record<'ids' | 'sha256' | 'reason' | 'expiresAt', unknown>>

const changed =
  (change: (document: Document, dice: Dice) => Partial<Document>) =>
  (text: string, dice: Dice): string => {
    const document = JSON.parse(text) as Document
    return JSON.stringify({ ...document, ...change(document, dice) })
  }

/** Changes after which it is a whole plan, as svc writes one: only its digest tells. */
const wholeEdits = {
  'another id and its checksum': changed(({ ids }, dice) => {
    if (!Array.isArray(ids)) return { reason: 'another one' }
    const others = [dice.hex(24), ...(ids as string[]).slice(1)]
    return { ids: others, sha256: Items.ofIds(others, () => 0).setSha256() }
  }),
  'another reason': changed(() => ({ reason: 'another one' })),
  'a later end': changed(() => ({ expiresAt: '2027-01-01T00:00:00.000Z' })),
}

/** A plan file with what is to be done with it. */
interface Planned {
  readonly path: string
  readonly text: string
  readonly digest: string
  readonly job: Job
}

const acts: Readonly<
  Record<string, (stage: Stage, dice: Dice, planned: Planned) => Promise<unknown>>
> = {
  /** It is applied, by the same command or as a copy. */
  apply(stage, dice, { job, path, text }) {
    const place = dice.chance(0.2) ? stage.text(text, 'plan') : path
    const words = job.words.map((word) => (word === path ? place : word))
    return stage.jobs.includes(job)
      ? stage.disturbed(dice, words, { job })
      : begin(stage, dice, job)
  },
  async altered(stage, dice, { text, digest }) {
    const found = editedText(text, dice, wholeEdits)
    if (found === undefined) return
    const path = stage.text(found.edited, 'plan')
    const words = ['plans', 'apply', path, '--sha256', digest, '--yes', '--json']
    const process = await stage.run(words)
    judgeRefused(stage, process, `a plan with ${found.name}`, [6, 10])
  },
  rest: ({ world }, dice) => world.clock.sleep(dice.skewed(1000, 2 * 3_600_000)),
}

const weights = { apply: 6, altered: 3, rest: 1 }

/** A plan is written and applied. `options`: any of a bulk command. */
export async function writtenPlan(
  stage: Stage,
  dice: Dice,
  options: readonly string[],
): Promise<void> {
  const { words, ...typed } = typeMany(stage, dice, dice.pick(bulkOperations))
  const path = stage.place('plan')
  await stage.disturbed(dice, [...words, '--plan', path])
  const text = stage.world.disk.readFile(path)?.toString()
  if (text === undefined) return
  const { expiresAt } = JSON.parse(text) as { readonly expiresAt: string }
  const digest = createHash('sha256').update(text).digest('hex')
  const pinned = dice.chance(0.5) ? ['--sha256', digest] : []
  const job: Job = {
    ...typed,
    name: undefined,
    words: ['plans', 'apply', path, ...pinned, ...options],
    plan: { expiresAt: Date.parse(expiresAt) },
  }
  for (let times = dice.whole(3, 10); times > 0; times -= 1) {
    await acts[dice.weighted(weights)]?.(stage, dice.fork(), { path, text, digest, job })
  }
}
