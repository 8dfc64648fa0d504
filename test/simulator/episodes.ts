/** What is played: kills at each step, races, closing, damage, ill disks, the file of receipts. Each episode is decided by its seed. */
import { damageRun, type Damage } from './damage.ts'
import { below, dice, type Dice } from './dice.ts'
import type { Folder, Health } from './disk.ts'
import { fold } from './fold.ts'
import { Judge } from './judge.ts'
import type { Command, TypedJob } from './process.ts'
import type { Outcome } from '../../src/runs/engine.ts'
import { World, type Process, type Typed } from './world.ts'

export const modes = ['crash', 'race', 'close', 'damage', 'disk', 'receipts'] as const
export type Mode = (typeof modes)[number]

export interface Played {
  episodes: number
  receipts: number
  /** The outcomes that these have. */
  outcomes: Set<Outcome>
  wrong: string[]
  /** How commands ended. */
  ends: Record<string, number>
}

const idOf = (n: number) => n.toString(16).padStart(24, '0')
const employees = { old: idOf(0xa1), fresh: idOf(0xa2), other: idOf(0xa3) }
const once = 'Nightly'
/** So many items of another job are not in the first one. */
const others = 3
const operations = [
  'contacts.delete',
  'contacts.merge',
  'lists.add-contacts',
  'tickets.assign',
] as const
const pick = <T>(roll: Dice, all: readonly [T, ...T[]]): T => all[below(roll, all.length)] ?? all[0]

/** A world, its judge, and the commands that are typed in it. */
class Episode {
  readonly world: World
  readonly judge: Judge
  readonly roll: Dice
  readonly #job: TypedJob
  /** The items of another job. */
  #others: TypedJob['items'] = []

  constructor(seed: number, operation: TypedJob['operation'], workerPath: string, items = 6) {
    this.roll = dice(seed)
    this.world = new World(1 + below(this.roll, 1e9), workerPath)
    this.judge = new Judge(this.world)
    if (process.env['TRACE'] !== undefined) this.world.trace = console.log
    this.world.stickiness = pick(this.roll, [0, 0.5, 0.9, 0.97])
    this.#job = this.#jobOf(operation, items)
    const chance = (most: number) => (this.roll() < 0.4 ? this.roll() * most : 0)
    this.world.service.faults = {
      neverSent: chance(0.3),
      lost: chance(0.4),
      late: chance(1),
      refused: chance(0.3),
      serverError: chance(0.2),
      odd: chance(0.1),
    }
  }

  /** A job of which some ids do not exist, are blocked, or are with somebody else. */
  #jobOf(operation: TypedJob['operation'], items: number): TypedJob {
    const { service } = this.world
    const isAssign = operation === 'tickets.assign'
    const all = Array.from({ length: items + others }, (_, n) => {
      // With letters, which an answer may have in the other case.
      const id = idOf(0xabc01 + n)
      const target = operation === 'contacts.merge' ? idOf(0x1000 + n) : undefined
      const fate = this.roll()
      if (isAssign)
        service.setHolder(
          id,
          pick(this.roll, [employees.old, employees.old, employees.other, null]),
        )
      else service.setContact(id, fate < 0.7 ? 'there' : fate < 0.85 ? 'blocked' : 'absent')
      if (target !== undefined) service.setContact(target, 'there')
      return { id, line: n + 1, target }
    })
    const target = isAssign ? { id: employees.fresh } : { id: idOf(0xb1) }
    this.#others = all.slice(others)
    return {
      operation,
      items: all.slice(0, items),
      target: operation === 'lists.add-contacts' || isAssign ? target : undefined,
      ifAssignee: isAssign && this.roll() < 0.4 ? { id: employees.old } : undefined,
    }
  }

  /** The command of the job. */
  command(more: Partial<TypedJob> = {}): Command {
    return { verb: 'begin', job: { ...this.#job, ...more } }
  }

  /** The command of another job of the same name, with some of the same ids. */
  otherCommand(): Command {
    return this.command({ once, items: this.#others })
  }

  type(command: Command, how: Typed = {}): Process {
    return this.world.begin(command, how)
  }

  /** Types a command and plays until nothing is left to happen. */
  play(command: Command, how: Typed = {}): string {
    const process = this.type(command, how)
    this.world.play()
    return process.end ?? 'killed'
  }

  /** Somebody changes tickets and contacts meanwhile. */
  meddle() {
    for (let n = 0; n < 3; n += 1)
      this.world.later(below(this.roll, 3000), () => {
        const { service } = this.world
        const { id = '' } = this.#job.items[below(this.roll, this.#job.items.length)] ?? {}
        const who = pick(this.roll, [employees.other, employees.old, employees.fresh])
        if (service.tickets.has(id)) service.setHolder(id, who)
        else if (service.contacts.get(id) === 'there' && this.roll() < 0.3)
          service.setContact(id, 'absent')
      })
  }

  /** The names of runs, and their folders. */
  runs(): [string, Folder][] {
    const folder = this.world.disk.find('/state/runs')
    return folder?.kind !== 'folder'
      ? []
      : [...folder.entries].flatMap(([name, inode]) =>
          inode.kind === 'folder' && !name.startsWith('.') ? [[name, inode]] : [],
        )
  }

  /** Whether ids are due in a run that nobody has closed. */
  #hasDue(folder: Folder) {
    const facts = fold(folder)
    return facts?.items.some((each) => each.isDue) === true && !facts.isClosed
  }

  /** Types a command until nothing is due any more. Nobody disturbs the last tries. */
  untilEnded(command: () => Command, only?: Folder): string {
    const { world, judge } = this
    let end = ''
    for (let n = 0; n < 12; n += 1) {
      if (n === 4) world.service.healNetwork()
      end = this.play(command())
      const folders = only === undefined ? this.runs().map(([, folder]) => folder) : [only]
      const isOver = /^exit [013]\b|no confirmed change/.test(end)
      if (isOver && !folders.some((folder) => this.#hasDue(folder))) return end
      if (judge.foreign !== undefined && end.includes('already exists')) return end
      if (end.startsWith('exit 2')) break
      world.time += 25_000
    }
    if (!judge.isDamaged) judge.wrong.add(`it does not end: ${end}`)
    return end
  }

  /** Goes on with each run in which something is due, until nothing is. */
  finishAll() {
    this.world.suspends = 0
    for (const [run, folder] of this.runs())
      if (this.#hasDue(folder)) this.untilEnded(() => ({ verb: 'resume', run }), folder)
  }

  /** A moment at which a process is killed or suspended, or none. */
  trouble(most: number): Typed {
    const fate = this.roll()
    const at = 1 + below(this.roll, most)
    const host = this.roll() < 0.35 ? 'b' : 'a'
    return fate < 0.3 ? { host, killAt: at } : fate < 0.65 ? { host, pauseAt: at } : { host }
  }

  async conclude(mode: Mode, seed: number): Promise<Played> {
    this.world.killAll()
    await this.judge.conclude()
    const ends: Record<string, number> = {}
    for (const { start, end = '' } of this.world.processes) {
      const words = `${start.command.verb} ${end}`.replaceAll(
        /[0-9a-f]{12,}|\d{4,}[-\d]*\w*|@\w+/g,
        '…',
      )
      ends[words] = (ends[words] ?? 0) + 1
    }
    const { outcomes, wrong } = this.judge
    return {
      episodes: 1,
      receipts: outcomes.length,
      outcomes: new Set(outcomes),
      wrong: [...wrong].map((what) => `${mode} ${seed}: ${what}`),
      ends,
    }
  }
}

/** Kills a command at each of its steps, kills the next one, too, and then goes on until it ends. */
async function crash(seed: number, workerPath: string): Promise<Episode> {
  const kind = ([...operations, 'undo'] as const)[seed % 5] ?? 'undo'
  const hasPower = Math.floor(seed / 5) % 2 === 0
  // The steps in an order in which few seeds reach all kinds of them.
  const killAt = 1 + ((Math.floor(seed / 10) * 61) % 170)
  const isUndo = kind === 'undo'
  const episode = new Episode(seed, isUndo ? 'tickets.assign' : kind, workerPath)
  const { world, roll } = episode
  const isNamed = isUndo || roll() < 0.6
  const begin = () => episode.command(isNamed ? { once } : {})
  if (isUndo) episode.untilEnded(begin)
  if (roll() < 0.5) episode.meddle()
  const goOn = (): Command => {
    const [run] = episode.runs().findLast(([name]) => !isUndo || !name.startsWith('@')) ?? []
    const isResumed = !isNamed || roll() < 0.4
    if (run !== undefined && (isUndo || isResumed)) return { verb: 'resume', run }
    return isUndo ? { verb: 'undo', run: once } : begin()
  }
  episode.play(isUndo ? { verb: 'undo', run: once } : begin(), { killAt })
  const hasZeros = roll() < 0.1
  for (let n = 0; n < 2; n += 1) {
    if (!hasPower) world.losePower({ hasZeros })
    if (hasZeros && !hasPower) episode.judge.isDamaged = true
    await episode.judge.checkRecords()
    if (n === 0) episode.play(goOn(), { killAt: 1 + below(roll, 120) })
  }
  episode.untilEnded(goOn)
  return episode
}

/** Hosts with clocks of their own, numbers of processes that are not seen, and processes that are suspended. */
function unsettle({ world, roll }: Episode) {
  if (roll() < 0.3) world.skew['b'] = below(roll, 80_000) - 40_000
  world.isBlind = roll() < 0.15
  world.suspends = roll() < 0.4 ? 0.01 : 0
  if (roll() < 0.1) world.later(below(roll, 3000), () => world.jump(below(roll, 120_000) - 60_000))
}

/** Two to five processes with the same line, or that go on with the same run, killed and suspended at random. */
function race(seed: number, workerPath: string): Episode {
  const operation = operations[seed % 4] ?? operations[0]
  const episode = new Episode(seed, operation, workerPath)
  const { world, roll } = episode
  unsettle(episode)
  if (roll() < 0.5) episode.meddle()
  const isNamed = roll() < 0.5
  const begin = episode.command(isNamed ? { once } : {})
  if (roll() < 0.4) episode.play(begin, { killAt: 20 + below(roll, 100) })
  const count = 2 + below(roll, 4)
  const spread = pick(roll, [2, 10, 300, 30_000])
  for (let n = 0; n < count; n += 1)
    world.later(below(roll, spread), () => {
      const [run] = episode.runs()[0] ?? []
      const isResumed = run !== undefined && roll() < 0.4
      const typed = roll() < 0.1 ? episode.otherCommand() : begin
      episode.type(isResumed ? { verb: 'resume', run } : typed, episode.trouble(150))
    })
  world.play()
  if (roll() < 0.2) world.losePower()
  episode.finishAll()
  return episode
}

/** Suspends a process before it has a part, or while it has one: with that, a close takes half as many steps as a resume. */
const pauseAnywhere = (roll: Dice, verb: string): Typed =>
  roll() < 0.4
    ? { pauseAt: 10 + below(roll, 40) }
    : { pauseInPart: 1 + below(roll, verb === 'close' ? 40 : 80) }

type Exchange = readonly (readonly [at: number, verb: 'resume' | 'close' | 'remove' | 'begin'])[]

/** Somebody thinks about a run, or works on it, and stops for 40 seconds; meanwhile it is closed, or another one takes its place. */
const exchanges: readonly [Exchange, ...Exchange[]] = [
  [
    [1, 'resume'],
    [600, 'close'],
    [1200, 'remove'],
    [1800, 'begin'],
  ],
  [
    [1, 'resume'],
    [30_000, 'close'],
    [31_000, 'remove'],
    [32_000, 'begin'],
  ],
  [
    [1, 'resume'],
    [30_000, 'close'],
    [31_000, 'remove'],
  ],
  [
    [1, 'resume'],
    [30_000, 'close'],
    [30_001, 'resume'],
    [30_002, 'close'],
  ],
  [
    [1, 'resume'],
    [30_000, 'resume'],
  ],
  [
    [1, 'close'],
    [30_000, 'resume'],
  ],
]

/** Close, undo and remove beside a resume, a begin and a second one of them, killed and suspended at any step. */
function close(seed: number, workerPath: string): Episode {
  const operation = operations[seed % 4] ?? operations[0]
  const episode = new Episode(seed, operation, workerPath)
  const { world, roll } = episode
  unsettle(episode)
  const begin = episode.command(roll() < 0.7 ? { once } : {})
  episode.play(begin, roll() < 0.8 ? { killAt: 30 + below(roll, 100) } : {})
  const spread = pick(roll, [10, 300, 30_000])
  const verbs = ['close', 'close', 'resume', 'begin', 'remove', 'undo'] as const
  const exchange = roll() < 0.6 ? pick(roll, exchanges) : []
  // Nobody knows then that the others live.
  world.isBlind ||= exchange.length > 0 && roll() < 0.6
  for (const [n, [at, verb]] of exchange.entries())
    world.later(at, () => {
      const [run = once] = episode.runs()[0] ?? []
      const command = verb === 'begin' ? episode.otherCommand() : { verb, run }
      const trouble: Typed =
        n === 0 ? pauseAnywhere(roll, verb) : roll() < 0.7 ? {} : episode.trouble(120)
      episode.type(command, trouble)
    })
  const count = exchange.length > 0 ? 0 : 2 + below(roll, 4)
  for (let n = 0; n < count; n += 1)
    world.later(below(roll, spread), () => {
      const [run] = episode.runs()[0] ?? []
      const verb = n === 0 && roll() < 0.7 ? 'close' : pick(roll, verbs)
      const typed = roll() < 0.4 ? episode.otherCommand() : begin
      const command = verb === 'begin' || run === undefined ? typed : { verb, run }
      episode.type(command, episode.trouble(100))
    })
  world.play()
  if (roll() < 0.2) world.losePower()
  episode.finishAll()
  if (roll() < 0.3) for (const [run] of episode.runs()) episode.play({ verb: 'remove', run })
  return episode
}

/** A part is changed after a kill. */
async function damage(seed: number, workerPath: string): Promise<Episode> {
  const operation = operations[seed % 4] ?? operations[0]
  const episode = new Episode(seed, operation, workerPath)
  const { world, roll, judge } = episode
  const begin = episode.command({ once })
  for (let n = 0; n <= below(roll, 3); n += 1)
    episode.play(begin, { killAt: 30 + below(roll, 120) })
  world.play()
  const [run, folder] = episode.runs()[0] ?? []
  if (run === undefined || folder === undefined) return episode
  judge.isDamaged = true
  const damaged: Damage | undefined = await damageRun(judge.reader(), run, folder, roll)
  if (damaged === undefined) return episode
  for (const what of damaged.wrong) judge.wrong.add(what)
  // What was cut off unnoticed is not known to the record.
  judge.isBlind = !damaged.isNoticed
  const before = world.service.requests.length
  const verbs = ['begin', 'resume', 'close', 'undo', 'remove'] as const
  for (let n = 0; n < 4; n += 1) {
    const verb = pick(roll, verbs)
    const end = episode.play(verb === 'begin' ? begin : { verb, run })
    // A run that is gone is begun anew, and one whose end is missing goes on.
    if (!damaged.isNoticed || verb === 'remove') break
    if (world.service.requests.length > before) judge.wrong.add(`a damaged run sent more: ${end}`)
  }
  return episode
}

/** A disk that is full, fails or turns read-only, is repaired, and the run resumed. */
function disk(seed: number, workerPath: string): Episode {
  const operation = operations[seed % 4] ?? operations[0]
  const episode = new Episode(seed, operation, workerPath)
  const { world, roll } = episode
  const begin = episode.command({ once, receipts: roll() < 0.3 ? '/home/out.json' : undefined })
  for (let n = 0; n < 3; n += 1) {
    const illness = pick<Health>(roll, ['full', 'failing', 'quiet', 'well'])
    Object.assign(world.disk.state, { illness, chance: roll() < 0.5 ? 0.03 : 0.1 })
    world.disk.state.shortWrites = illness === 'well' ? 0.03 : 0
    episode.play(begin, roll() < 0.2 ? { killAt: 1 + below(roll, 120) } : {})
    world.disk.repair()
    world.disk.state.shortWrites = 0
    if (roll() < 0.2) world.losePower()
    world.time += roll() < 0.5 ? 25_000 : 0
  }
  episode.untilEnded(() => begin)
  return episode
}

/** A command with `--receipts` is killed at each step. Sometimes another file has come to that place. */
function receipts(seed: number, workerPath: string): Episode {
  const operation = operations[seed % 4] ?? operations[0]
  // Few ids, so that more kills meet the file.
  const episode = new Episode(seed, operation, workerPath, 1 + (seed % 3))
  const { world, roll, judge } = episode
  const path = '/home/out.json'
  const begin = episode.command({ once, receipts: path })
  const foreign = Buffer.from('foreign')
  const isForeign = roll() < 0.3
  const put = () => {
    if (world.disk.find(path) !== undefined) return
    const fd = world.disk.perform({ op: 'open', path, flags: 0o301 }, 0, 0) as number
    world.disk.perform({ op: 'write', fd, text: foreign.toString() }, 0, 0)
    world.disk.perform({ op: 'fsync', fd }, 0, 0)
    const home = world.disk.find('/home')
    if (home !== undefined) world.disk.sync(home)
    judge.foreign = { path, text: foreign.toString() }
  }
  if (isForeign) world.later(below(roll, 400), put)
  episode.play(begin, { killAt: 1 + ((Math.floor(seed / 4) * 61) % 120) })
  if (roll() < 0.3) world.losePower()
  episode.play(begin, { killAt: 1 + below(roll, 90) })
  if (roll() < 0.3) world.losePower()
  const end = episode.untilEnded(() => begin)
  judge.checkFile(path, end)
  return episode
}

const players = { crash, race, close, damage, disk, receipts } as const

/** Plays so many seeds of a mode, from this one on. */
export async function play(
  mode: Mode,
  first: number,
  count: number,
  workerPath: string,
): Promise<Played> {
  const all: Played = { episodes: 0, receipts: 0, outcomes: new Set(), wrong: [], ends: {} }
  for (let seed = first; seed < first + count; seed += 1) {
    const { receipts: printed, outcomes, wrong, ends } = await playOne(mode, seed, workerPath)
    all.episodes += 1
    all.receipts += printed
    for (const outcome of outcomes) all.outcomes.add(outcome)
    all.wrong.push(...wrong)
    for (const [end, times] of Object.entries(ends)) all.ends[end] = (all.ends[end] ?? 0) + times
  }
  return all
}

async function playOne(mode: Mode, seed: number, workerPath: string): Promise<Played> {
  try {
    const episode = await players[mode](seed, workerPath)
    return await episode.conclude(mode, seed)
  } catch (error) {
    const what = error instanceof Error ? error.stack : String(error)
    const wrong = [`${mode} ${seed}: ${what}`]
    return { episodes: 1, receipts: 0, outcomes: new Set(), wrong, ends: {} }
  }
}
