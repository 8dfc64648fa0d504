/** A simulated world: one service, one disk, two machines and everything that runs on them, all by one seed. */
import { crc32 } from 'node:zlib'
import { RunLog } from '../../src/runs/fold.ts'
import { goodLines } from '../../src/runs/lines.ts'
import { isFinished } from '../../src/runs/list.ts'
import { keys } from '../../src/sandbox/service.ts'
import { Clock } from './clock.ts'
import { Dice } from './dice.ts'
import { SimulatedDisk } from './disk.ts'
import type { Job } from './job.ts'
import { Machine } from './machine.ts'
import { SimulatedProcess } from './process.ts'
import { isBulk } from './parts.ts'
import { SimulatedService, type Sent } from './service.ts'
import { weather, type Weather } from './wire.ts'

const home = '/ana'

const [{ apiKey, apiSecret }] = keys

const folder = `${home}/.local/state/svc/runs`

/** The file of a run in the state folder, without its ending, by the run's id or its name. */
export const entryOf = (run: string): string =>
  /^\d{8}T\d{6}Z-[0-9a-f]{4}$/.test(run) ? run : `@${run.toLowerCase()}`

/** The same of a key: its file's name and number, as a name can be used again once its run was removed. */
export const entryIn = (key: string): string => key.replace(/#\d+$/, '')

/** The name of a run as it is typed, by its key. */
export const nameOf = (key: string): string => entryIn(key).replace(/^@/, '')

/** How a command is run, beside its words. */
export interface Running {
  readonly machine?: Machine | undefined
  /** It is killed at its nth change of the disk. */
  readonly killedAt?: number | undefined
  readonly job?: Job | undefined
}

export class World {
  readonly env = {
    ...{ HOME: home, TZ: 'UTC', PATH: '/usr/bin' },
    ...{ SVC_BASE_URL: 'https://api.example.com', SVC_API_KEY: apiKey, SVC_API_SECRET: apiSecret },
  }
  readonly dice: Dice
  readonly clock: Clock
  readonly disk: SimulatedDisk
  readonly service: SimulatedService
  readonly machines: readonly Machine[]
  readonly processes: SimulatedProcess[] = []
  readonly runs = new Map<string, SimulatedProcess>()
  /** When each run began, by its key. */
  readonly beganAt = new Map<string, number>()
  /** When a byte of a run's record went bad. */
  readonly damagedAt = new Map<string, number>()
  /** By a process's number. */
  readonly unfinishedBeside = new Map<number, ReadonlySet<string>>()
  readonly #pauses: Dice
  readonly #chance: Dice
  /** When runs were seen to be gone. */
  readonly goneAt = new Map<string, number>()
  /** Runs whose beginning no sync had followed when the power went. */
  readonly lost = new Set<string>()
  weather: Weather
  /** Whether answers of the service have a `Date`. */
  readonly hasDate: boolean
  isDiskBroken = false

  constructor(seed: number, contacts = 600) {
    const dice = (this.dice = new Dice(seed))
    this.#pauses = dice.fork()
    this.#chance = dice.fork()
    this.clock = new Clock(Date.UTC(2026, 2, 1, 10) + dice.whole(0, 3_600_000), dice.fork())
    this.disk = new SimulatedDisk(
      {
        now: () => this.clock.now(),
        pause: (number) => this.#pause(number),
        onDeath: (number) => this.processes[number - 1]?.kill(),
      },
      dice.fork().random,
    )
    this.disk.put(home, undefined, 0o700)
    this.disk.hasLinks = dice.chance(0.9)
    this.disk.losesAnswers = dice.chance(0.15) ? 0.02 : 0
    this.service = new SimulatedService(this.clock, { seed: dice.whole(1, 100_000), contacts })
    this.service.onSend = (sent) => this.#lookBeside(sent)
    this.machines = ['alpha', 'beta'].map((name) => new Machine(name, this.clock, dice.fork()))
    this.weather = weather(dice.fork(), 0)
    this.hasDate = dice.chance(0.85)
  }

  /** Starts a command. */
  start(
    argv: readonly string[],
    { machine = this.machines[0], killedAt, job }: Running = {},
  ): SimulatedProcess {
    if (machine === undefined) throw new Error('a world has machines')
    const number = this.processes.length + 1
    const start = { number, machine, argv, dice: this.#chance.fork(), job }
    const process = new SimulatedProcess(this, start)
    this.processes.push(process)
    process.isDisturbed = process.hasBrokenDisk = this.isDiskBroken
    if (killedAt !== undefined) this.disk.killAt(number, killedAt)
    process.begin()
    return process
  }

  /** A process has written the head of a run. */
  beginRun(key: string, by: SimulatedProcess): void {
    if (this.runs.has(key)) return
    this.runs.set(key, by)
    this.beganAt.set(key, this.clock.now())
  }

  /** The power goes: every process dies, and what was not synced may be gone. */
  losePower(): void {
    this.remount()
    for (const machine of this.machines) machine.boot()
  }

  /** A disk that could not be written is repaired and mounted again: nobody may have it open, and what was not synced may be gone. */
  remount(): void {
    const before = [...this.runs.keys()].filter((run) => this.isThere(run))
    this.disk.losePower()
    for (const run of before) if (!this.isThere(run)) this.lost.add(run)
    // A removal that no sync followed is undone.
    for (const run of this.goneAt.keys()) if (this.isThere(run)) this.goneAt.delete(run)
    for (const process of this.processes) process.kill()
  }

  /** It began, and was not removed. */
  isThere(key: string): boolean {
    const text = goodText(this.#bytesOf(key))
    // A byte of its head may be the one that went bad.
    if (this.damagedAt.has(key))
      return /"t":"(try|res)"/.test(text) && !text.includes('"t":"pruned"')
    const head = text.slice(text.lastIndexOf('"t":"run"'))
    const [, batches] = /"batches":(\d+)/.exec(head) ?? []
    const written = head.match(/"t":"ids"/g)?.length ?? 0
    return batches !== undefined && written >= Number(batches) && !head.includes('"t":"pruned"')
  }

  /** The bytes of a run's record; undefined where its file is gone, or is another one. */
  #bytesOf(key: string): Buffer | undefined {
    return this.currentKey(entryIn(key)) === key
      ? this.disk.readFile(this.journalOf(key))
      : undefined
  }

  /** When a process sends its first change: the other runs of its job that are not finished then. */
  #lookBeside({ process, operation }: Sent): void {
    const { job, number } = process
    if (job === undefined || !isBulk(operation) || this.unfinishedBeside.has(number)) return
    const others = [...this.runs].filter(([key, by]) => by.job === job && !process.claimed.has(key))
    // One that is about to be removed is none.
    const there = others.filter(([key]) => this.isThere(key))
    const open = there.flatMap(([key]) => (this.#isFinished(key) ? [] : [key]))
    this.unfinishedBeside.set(number, new Set(open))
  }

  #isFinished(key: string): boolean {
    const log = new RunLog(key)
    for (const line of goodLines(this.#bytesOf(key) ?? Buffer.alloc(0))) log.apply(line)
    return (
      log.recorded?.firstTryAt === undefined || log.recorded.undone !== undefined || isFinished(log)
    )
  }

  /** The run that a process means by an id or a name; undefined where that is not known, because it was removed meanwhile and began anew. */
  keyFor(process: SimulatedProcess, run: string): string | undefined {
    const isOf = (key: string): boolean => entryIn(key) === entryOf(run)
    const own = [...process.claimed.keys()].findLast(isOf)
    if (own !== undefined) return own
    const possible = [...this.runs.keys()].filter((key) => {
      const isBegun = (this.beganAt.get(key) ?? 0) <= process.endedAt
      return isOf(key) && isBegun && (this.goneAt.get(key) ?? Infinity) >= process.startedAt
    })
    return possible.length === 1 ? possible[0] : undefined
  }

  /** The key of the run that has a file of this name now; undefined where there is none. */
  currentKey(entry: string): string | undefined {
    const number = this.disk.numberOf(`${folder}/${entry}.ndjson`)
    return number === undefined ? undefined : `${entry}#${number}`
  }

  journalOf(key: string): string {
    return `${folder}/${entryIn(key)}.ndjson`
  }

  /** When a run began: by its record, which is written later than its id is made; by the id where there is none. */
  startOf(key: string): number {
    const [, startedAt] = /"startedAt":"([^"]*)"/.exec(goodText(this.#bytesOf(key))) ?? []
    const inId = key.replace(/^(....)(..)(..)T(..)(..)(..)Z.*$/, '$1-$2-$3T$4:$5:$6Z')
    return Date.parse(startedAt ?? inId)
  }

  /** A file of the operator's, as an editor leaves it. */
  write(path: string, text: string): string {
    const whole = `${home}/${path}`
    this.disk.put(whole, text, 0o600)
    return whole
  }

  /** A disk takes its time now and then, so that other processes come between any two calls. */
  async #pause(number: number): Promise<void> {
    const process = this.processes[number - 1]
    if (process?.end === undefined && this.#pauses.chance(0.1))
      await this.clock.sleep(this.#pauses.skewed(1, 30), process)
  }
}

/** The lines of a record whose checksum is right. */
function goodText(bytes: Buffer | undefined): string {
  const lines = bytes?.toString('latin1').split('\n') ?? []
  const isGood = (line: string): boolean => {
    const [, body, checksum] = /^(.*),"c":"([0-9a-f]{8})"\}$/.exec(line) ?? []
    return (
      body !== undefined && crc32(Buffer.from(body, 'latin1')) === parseInt(`0x${checksum}`, 16)
    )
  }
  return lines.filter(isGood).join('\n')
}
