/** What is played: kills at each step, races, damage, undo, disks that fail. Each returns what was false, and counts. */
import type { Job } from '../../src/runs/jobs/job.ts'
import { Commands, employees, jobOf, named, operations } from './commands.ts'
import { below, dice, type Dice } from './dice.ts'
import { falseRecords, falseClaims, logOf, mergedTwice } from './judge.ts'
import { decodeLine } from '../../src/runs/lines.ts'
import { isBegun, RunLog } from '../../src/runs/log.ts'
import { World } from './world.ts'

export interface Played {
  episodes: number
  receipts: number
  wrong: string[]
  /** How commands ended. */
  ends: Record<string, number>
}

export const modes = ['crash', 'race', 'damage', 'undo', 'disk', 'merges'] as const
export type Mode = (typeof modes)[number]

const items = 7

function newPlayed(): Played {
  return { episodes: 0, receipts: 0, wrong: [], ends: {} }
}

/** A network with faults at random. */
function troubled(world: World, roll: Dice) {
  const chance = (most: number) => (roll() < 0.5 ? roll() * most : 0)
  Object.assign(world.service.faults, {
    neverSent: chance(0.2),
    lost: chance(0.3),
    late: chance(0.6),
    refused: chance(0.2),
    serverError: chance(0.2),
    odd: chance(0.1),
  })
}

const pick = (roll: Dice, ways: readonly string[]) => ways[below(roll, ways.length)] ?? ''

/** The end of a world: the faults are over, and everything that was said is compared with what was done. */
function conclude(played: Played, commands: Commands, where: string) {
  const { world, printed } = commands
  played.episodes += 1
  const wrong = [...falseRecords(world), ...mergedTwice(world)]
  for (const { run, receipts, wrong: atOnce } of printed) {
    played.receipts += receipts.length
    wrong.push(...atOnce)
    const log = logOf(world.files.get(`${run}.ndjson`)?.data ?? Buffer.alloc(0))
    // What was printed stays true, whatever came after it; only what was due can be sent since.
    const lasting = receipts.map((each) =>
      each.outcome === 'not-attempted' ? { ...each, outcome: 'unknown' as const } : each,
    )
    if (isBegun(log)) wrong.push(...falseClaims(world, run, lasting, log))
  }
  for (const { end = 'killed' } of world.processes) {
    const words = end.replaceAll(/[0-9a-f]{12,}|\b[a-z]+-[0-9a-f]{12}\.\d+|\d{3,}/g, '…')
    played.ends[words] = (played.ends[words] ?? 0) + 1
  }
  for (const what of new Set(wrong)) played.wrong.push(`${where}: ${what}`)
}

/** Kills a command at each of its steps, with and without a power loss, kills the next too, and then types it until it ends. */
export async function crash(seed: number): Promise<Played> {
  const played = newPlayed()
  for (const operation of operations) {
    for (const hasPower of [true, false]) {
      for (let killAt = 1; killAt < 600; killAt += 1) {
        const world = new World(seed * 1000 + killAt)
        const roll = dice(seed)
        troubled(world, roll)
        const commands = new Commands(world)
        const job = jobOf(world, operation, items)
        const first = commands.start(job, { killAt })
        await world.play()
        if (!hasPower) world.losePower()
        commands.start(job, { killAt: hasPower ? 1 + Math.floor(killAt / 2) : killAt })
        await world.play()
        await commands.untilDone(job)
        conclude(
          played,
          commands,
          `crash ${seed} ${operation} killed at ${killAt}${hasPower ? '' : ' with a power loss'}`,
        )
        if (first.isAlive && hasPower) break
        if (first.isDone) break
      }
    }
  }
  return played
}

/** Two to five processes with the same line, on two hosts, killed and suspended at random. */
export async function race(seed: number): Promise<Played> {
  const played = newPlayed()
  for (const operation of operations) {
    const world = new World(seed * 7 + 3)
    const roll = dice(seed)
    troubled(world, roll)
    world.faults.suspend = roll() < 0.5 ? 0.01 : 0
    const commands = new Commands(world)
    const typed = jobOf(world, operation, items)
    const job = roll() < 0.4 ? named(typed, 'Nightly') : typed
    // Sometimes another job of the same name, which is refused, or comes first.
    const hasRival = job !== typed && roll() < 0.5
    const other = hasRival ? named(jobOf(world, operation, items - 1), 'Nightly') : job
    const count = 2 + below(roll, 4)
    for (let n = 0; n < count; n += 1) {
      const host = roll() < 0.3 ? 'b' : 'a'
      const killAt = roll() < 0.3 ? 1 + below(roll, 200) : undefined
      const each = n === 1 ? other : job
      world.later(below(roll, 2000), () => commands.start(each, { host, killAt }))
    }
    await world.play()
    await commands.untilDone(job)
    conclude(played, commands, `race ${seed} ${operation}`)
  }
  return played
}

/** A file is changed: a byte, a stretch of zeros, a stretch that is gone, two lines swapped, or a copy of its head behind it. */
export async function damage(seed: number): Promise<Played> {
  const played = newPlayed()
  for (const operation of operations) {
    const world = new World(seed * 11 + 5)
    const roll = dice(seed)
    troubled(world, roll)
    const commands = new Commands(world)
    const job = jobOf(world, operation, items)
    for (const most of [150, 200]) {
      commands.start(job, { killAt: 40 + below(roll, most) })
      await world.play()
    }
    const where = `damage ${seed} ${operation}`
    const file = [...world.files.values()].at(-1)
    const before = file && logOf(file.data)
    const changed = file && before && damaged(file.data, roll, before)
    if (file === undefined || changed === undefined) continue
    file.data = changed.data
    file.synced = changed.data
    const end = await commands.untilDone(job)
    conclude(played, commands, `${where} ${changed.how}`)
    if (changed.isNoticed && !/damaged/.test(end))
      played.wrong.push(`${where} ${changed.how}: unnoticed, ${end}`)
  }
  return played
}

/** A change before the last line of the session in force, so that a line that counts is behind it. */
function damaged(data: Buffer, roll: Dice, { next, holder, queue }: ReturnType<typeof logOf>) {
  const last = data.indexOf(`{"n":${next - 1},"s":"${holder}"`)
  const limit = last < 0 ? 0 : data.lastIndexOf(0x0a, last)
  if (limit <= 0 || queue === undefined) return undefined
  const from = below(roll, limit)
  const to = Math.min(from + 1 + below(roll, 300), limit)
  const copy = Buffer.from(data)
  const how = pick(roll, ['a byte', 'zeros', 'a hole', 'a copy behind', 'swapped'])
  if (how === 'a byte') copy.writeUInt8(copy.readUInt8(from) ^ 1, from)
  if (how === 'zeros') copy.fill(0, from, to)
  const changed =
    how === 'a hole'
      ? Buffer.concat([data.subarray(0, from), data.subarray(to)])
      : how === 'a copy behind'
        ? Buffer.concat([data, data.subarray(0, limit)])
        : how === 'swapped'
          ? swapped(data, from)
          : copy
  const counted = countedLines(data)
  const after = countedLines(changed)
  const isShort = counted.some((line) => !after.includes(line))
  const isAgain = how === 'a copy behind' && data.subarray(0, limit).includes(`"s":"${holder}"`)
  return { how, data: changed, isNoticed: isShort || isAgain }
}

/** The line at this place and the one behind it change places. */
function swapped(data: Buffer, from: number) {
  const lines = data.toString('latin1').split('\n')
  let at = 0
  const n = lines.findIndex((line) => (at += line.length + 1) > from && line !== '')
  const other = lines.findIndex((line, place) => place > n && line !== '')
  const [one = '', two = ''] = [lines[n], lines[other]]
  return Buffer.from(lines.with(n, two).with(other, one).join('\n'), 'latin1')
}

/** The lines that count, as texts. */
function countedLines(data: Buffer): string[] {
  const log = new RunLog('run')
  return data
    .toString('latin1')
    .split('\n')
    .filter((text) => {
      const line = decodeLine(Buffer.from(text, 'latin1'))
      const before = log.next
      if (line !== undefined) log.apply(line)
      return log.next !== before
    })
}

/** An assign that is killed, resumed and undone at the same moment, while a person takes a ticket. */
export async function undo(seed: number): Promise<Played> {
  const played = newPlayed()
  const world = new World(seed * 17 + 9)
  const roll = dice(seed)
  troubled(world, roll)
  // A request that arrives after its run was given back is a known gap.
  world.service.faults.late = 0
  world.faults.suspend = roll() < 0.3 ? 0.01 : 0
  const commands = new Commands(world)
  const job = named(jobOf(world, 'tickets.assign', items), 'give')
  const some = (most: number) => (roll() < 0.4 ? { killAt: 1 + below(roll, most) } : {})
  commands.start(job, { killAt: 20 + below(roll, 200) })
  await world.play()
  const { id: ticket } = job.items.at(below(roll, items))
  commands.start(job, some(120))
  commands.undo('@give', some(120))
  if (roll() < 0.5) commands.undo('@give')
  if (roll() < 0.5) commands.start(job)
  world.later(below(roll, 100), () => world.service.setHolder(ticket, employees.other))
  await world.play()
  for (let n = 0; n < 6; n += 1) {
    const process = commands.undo('@give')
    await world.play()
    if (!/^exit [47]/.test(process.end ?? '')) break
  }
  const where = `undo ${seed}`
  const back = world.service.left.findIndex(({ run }) => run === 'undo-@give')
  const late = world.service.left
    .slice(back < 0 ? Infinity : back)
    .filter(({ run }) => run === '@give')
  if (late.length > 0) played.wrong.push(`${where}: the run sent after its undo began`)
  conclude(played, commands, where)
  return played
}

/** A disk that turns read-only, is repaired, and the command repeated. */
export async function disk(seed: number): Promise<Played> {
  const played = newPlayed()
  for (const operation of operations) {
    const world = new World(seed * 19 + 1)
    const roll = dice(seed)
    troubled(world, roll)
    const commands = new Commands(world)
    const job = jobOf(world, operation, items)
    for (let n = 0; n < 3; n += 1) {
      world.faults.disk = roll() * 0.1
      commands.start(job)
      await world.play()
      world.faults.disk = 0
      world.isDiskBroken = false
    }
    await commands.untilDone(job)
    conclude(played, commands, `disk ${seed} ${operation}`)
  }
  return played
}

/** Merges whose answers are lost, and other jobs with the same source. */
export async function merges(seed: number): Promise<Played> {
  const played = newPlayed()
  const world = new World(seed * 13 + 1)
  const roll = dice(seed)
  troubled(world, roll)
  const commands = new Commands(world)
  const job = jobOf(world, 'contacts.merge', 5)
  const part: Job = { ...named(job, 'part') }
  for (const each of [job, part, job, part, job]) {
    commands.start(each, roll() < 0.3 ? { killAt: 1 + below(roll, 150) } : {})
    await world.play()
  }
  conclude(played, commands, `merges ${seed}`)
  return played
}

const players: Readonly<Record<Mode, (seed: number) => Promise<Played>>> = {
  crash,
  race,
  damage,
  undo,
  disk,
  merges,
}

/** Plays so many seeds of a mode, from this one on. */
export async function play(mode: Mode, first: number, count: number): Promise<Played> {
  const all = newPlayed()
  for (let seed = first; seed < first + count; seed += 1) {
    const { episodes, receipts, wrong, ends } = await players[mode](seed)
    all.episodes += episodes
    all.receipts += receipts
    all.wrong.push(...wrong)
    for (const [end, times] of Object.entries(ends)) all.ends[end] = (all.ends[end] ?? 0) + times
  }
  return all
}
