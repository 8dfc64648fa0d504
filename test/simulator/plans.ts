/** Plans that a person's hand has changed, which count only as svc wrote them, or with the digest that was reviewed; expired ones, and plans that are applied again. */
import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { bulkOperations } from '../../src/api/operations.ts'
import { Items } from '../../src/runs/items.ts'
import type { Dice } from './dice.ts'
import type { Job } from './job.ts'
import { begin } from './later.ts'
import type { SimulatedProcess } from './process.ts'
import type { Stage } from './stage.ts'
import { typeMany } from './typed.ts'

type Edit = (text: string, dice: Dice) => string

const edits: Readonly<Record<string, Edit>> = {
  'another id': (text, dice) => text.replace(/\[\["[0-9a-f]{24}"/, `[["${dice.hex(24)}"`),
  'one line less': (text) => text.replace(/\n.*\n$/, '\n'),
  'another count': (text) => text.replace(/"unique":(\d+)/, '"unique":1$1'),
  'a blank': (text) => text.replace('{"s":', '{ "s":'),
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
  judgeRefused(stage, process, `a plan with ${found.name}`)
}

/** A command ended with 6, or with the code of a disk that cannot be written, and sent nothing. */
function judgeRefused({ judge, world }: Stage, process: SimulatedProcess, what: string): void {
  if (process.end === undefined || process.end === 'killed') return
  const sent = world.service.log.filter((request) => request.process === process)
  const refusals = process.hasBrokenDisk ? [2, 6, 10] : [6, 10]
  const isRefused = refusals.includes(process.end.code) && sent.length === 0
  const told = `${what} ends with ${process.end.code} after ${sent.length} requests`
  judge.expect(isRefused, process, told)
}

type Members = Readonly<Record<string, unknown>>

/** A line with its checksum, as whoever knows the form can write it. */
function withChecksum(members: Members): string {
  const text = JSON.stringify(members).slice(0, -1)
  return `${text},"c":"${crc32(text).toString(16).padStart(8, '0')}"}`
}

/** Changes the lines of a plan, and makes their checksums anew. */
const changed =
  (change: (lines: readonly Members[], dice: Dice) => readonly Members[]): Edit =>
  (text, dice) => {
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => {
        const { c: _, ...members } = JSON.parse(line) as Members
        return members
      })
    return change(lines, dice)
      .map((line) => `${withChecksum(line)}\n`)
      .join('')
  }

/** Changes after which it is a whole plan, as svc writes one: only its digest tells. */
const wholeEdits: typeof edits = {
  'another id and its checksums': changed(([plan = {}, first = {}, ...rest], dice) => {
    if (plan['kind'] !== 'ids') return [{ ...plan, reason: 'another one' }, first, ...rest]
    const rows = [first, ...rest].flatMap(({ ids }) => ids as [string, number][])
    const [one = ['', 0], ...others] = rows
    const changedRows = [[dice.hex(24), one[1]], ...others] as [string, number][]
    const items = Items.ofIds(
      changedRows.map(([id]) => id),
      (at) => changedRows[at]?.[1] ?? 0,
    )
    const input = { ...(plan['input'] as Members), sha256: items.sha256() }
    const ids = changedRows.slice(0, (first['ids'] as unknown[]).length)
    return [{ ...plan, input, set: items.setSha256() }, { ...first, ids }, ...rest]
  }),
  'a later end': changed(([plan, ...rest]) => [
    { ...plan, expiresAt: '2027-01-01T00:00:00.000Z' },
    ...rest,
  ]),
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
    judgeRefused(stage, await stage.run(words), `a plan with ${found.name}`)
  },
  rest: ({ world }, dice) => world.clock.sleep(dice.skewed(1000, 2 * 3_600_000)),
}

const weights = { apply: 6, altered: 3, rest: 1 }

/** A plan is written, reviewed and applied. `options`: any of a bulk command. */
export async function reviewed(
  stage: Stage,
  dice: Dice,
  options: readonly string[],
): Promise<void> {
  const { words, ...typed } = typeMany(stage, dice, dice.pick(bulkOperations))
  const path = stage.place('plan')
  await stage.disturbed(dice, [...words, '--plan', path])
  const text = stage.world.disk.readFile(path)?.toString()
  if (text === undefined) return
  const [, expiresAt = ''] = /"expiresAt":"([^"]*)"/.exec(text) ?? []
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
