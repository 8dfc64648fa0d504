/** Plans that a person's hand has changed, which count only as svc wrote them, or with the digest that was reviewed; expired ones, and plans that are applied again. */
import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { bulkOperations } from '../../src/api/operations.ts'
import { Items } from '../../src/runs/items.ts'
import type { Dice } from './dice.ts'
import type { Job } from './job.ts'
import { begin } from './later.ts'
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

/** Applies a changed copy of a plan, which must be refused before anything is sent. */
async function applyEdited(stage: Stage, dice: Dice, text: string, digest?: string): Promise<void> {
  const [name, edit] = dice.pick(
    Object.entries(digest === undefined ? edits : { ...edits, ...wholeEdits }),
  )
  const edited = edit(text, dice)
  if (edited === text) return
  const path = stage.text(edited, 'plan')
  const reviewed = digest === undefined ? [] : ['--sha256', digest]
  const process = await stage.run(['plans', 'apply', path, ...reviewed, '--yes', '--json'])
  const { code } = process
  if (code === undefined) return
  const sent = stage.world.service.log.filter((request) => request.process === process)
  // A disk that cannot be written is 10.
  const refusals = process.hasBrokenDisk ? [2, 6, 10] : [6, 10]
  stage.judge.claimOf(process)(
    refusals.includes(code) && sent.length === 0,
    `a plan with ${name} ends with ${code} after ${sent.length} requests`,
  )
}

const acts = { apply: 6, edited: 2, altered: 3, rest: 1 }

/** A plan is written, reviewed and applied, several times now and then, or a copy that a person has changed. `options`: any of a bulk command. */
export async function plan(stage: Stage, dice: Dice, options: readonly string[]): Promise<void> {
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
  for (let times = dice.whole(1, 10); times > 0; times -= 1) {
    const act = dice.weighted(acts)
    const own = dice.fork()
    if (act === 'edited') await applyEdited(stage, own, text)
    else if (act === 'altered') await applyEdited(stage, own, text, digest)
    else if (act === 'rest') await stage.world.clock.sleep(own.skewed(1000, 96 * 3_600_000))
    else if (!stage.jobs.includes(job)) await begin(stage, own, job)
    else {
      const place = own.chance(0.2) ? stage.text(text, 'plan') : path
      const again = job.words.map((word) => (word === path ? place : word))
      await stage.disturbed(own, again, { job })
    }
  }
}
