/** A simulated world: one service, one disk, two machines and everything that runs on them, all by one seed. */
import { crc32 } from 'node:zlib'
import { keys } from '../../src/sandbox/access.ts'
import { Clock } from './clock.ts'
import { Dice } from './dice.ts'
import { SimulatedDisk } from './disk.ts'
import type { Job } from './job.ts'
import { Machine } from './machine.ts'
import { SimulatedProcess } from './process.ts'
import { SimulatedService } from './service.ts'
import { SimulatedWire, weather, type Weather } from './wire.ts'

const home = '/ana'

const folderOf = (entry: string): string => `${home}/.local/state/svc/runs/${entry}`

/** The folder of a run, by which a world knows it, by the run's id or its name. */
export const entryOf = (run: string): string =>
  /^\d{8}T\d{6}Z-[0-9a-f]{4}$/.test(run) ? run : `@${run.toLowerCase()}`

/** The name of a run as it is typed, by its folder. */
export const nameOf = (entry: string): string => entry.replace(/^@/, '')

const isWhole = (line: string): boolean => {
  const [, text = '', sum = ''] = /^(.*),"c":"([0-9a-f]{8})"\}$/.exec(line) ?? []
  return Number.parseInt(sum, 16) === crc32(Buffer.from(`${text}}`, 'latin1'))
}

/** How a command is run, beside its words. */
export interface Running {
  readonly machine?: Machine | undefined
  readonly env?: Readonly<Record<string, string>> | undefined
  /** It is killed at its nth change of the disk. */
  readonly killedAt?: number | undefined
  readonly job?: Job | undefined
  /** The line that a person types at its terminal; nobody does unless given. */
  readonly typed?: string | undefined
}

export class World {
  readonly dice: Dice
  readonly clock: Clock
  readonly disk: SimulatedDisk
  readonly service: SimulatedService
  readonly machines: readonly Machine[]
  readonly processes: SimulatedProcess[] = []
  readonly runs = new Map<string, SimulatedProcess>()
  /** When a byte of a run's record went bad. */
  readonly damagedAt = new Map<string, number>()
  readonly #pauses: Dice
  readonly #chance: Dice
  /** When runs were seen to be gone. */
  readonly goneAt = new Map<string, number>()
  /** Runs whose beginning no sync had followed when the power went. */
  readonly lost = new Set<string>()
  weather: Weather
  readonly hasDate: boolean
  isDiskBroken = false

  constructor(seed: number) {
    const dice = (this.dice = new Dice(seed))
    this.#pauses = dice.fork()
    this.#chance = dice.fork()
    this.clock = new Clock(Date.UTC(2026, 2, 1, 10) + dice.whole(0, 3_600_000), dice.fork())
    this.disk = new SimulatedDisk(
      {
        pause: (number) => this.#pause(number),
        onDeath: (number) => this.processes[number - 1]?.kill(),
      },
      dice.fork().random,
    )
    this.disk.put(home, undefined, 0o700)
    this.disk.hasLinks = dice.chance(0.9)
    this.disk.losesAnswers = dice.chance(0.15) ? 0.02 : 0
    this.service = new SimulatedService(this.clock, { seed: dice.whole(1, 100_000), contacts: 600 })
    this.machines = ['alpha', 'beta'].map((name) => new Machine(name, this.clock, dice.fork()))
    this.weather = weather(dice.fork(), 0)
    this.hasDate = dice.chance(0.85)
  }

  /** Starts a command. */
  start(
    argv: readonly string[],
    { machine = this.machines[0], env = {}, killedAt, job, ...running }: Running = {},
  ): SimulatedProcess {
    const [key] = keys
    if (machine === undefined || key === undefined)
      throw new Error('a world has machines and a key')
    const credentials = {
      SVC_BASE_URL: 'https://api.example.com',
      SVC_API_KEY: key.apiKey,
      SVC_API_SECRET: key.apiSecret,
    }
    const number = this.processes.length + 1
    const dice = this.#chance.fork()
    const around = {
      clock: this.clock,
      disk: this.disk,
      runs: this.runs,
      openWire: (process: SimulatedProcess) => new SimulatedWire(this, process, dice.fork()),
      env: { HOME: home, TZ: 'UTC', PATH: '/usr/bin', ...credentials, ...env },
    }
    const { typed } = running
    const start = { number, machine, argv, dice: dice.fork(), job, typed }
    const process = new SimulatedProcess(around, start)
    this.processes.push(process)
    process.isDisturbed = process.hasBrokenDisk = this.isDiskBroken
    if (killedAt !== undefined) this.disk.killAt(number, killedAt)
    process.begin()
    return process
  }

  /** The power goes: every process dies, and what was not synced may be gone. */
  losePower(): void {
    this.#loseUnsynced()
    for (const machine of this.machines) machine.boot()
  }

  /** A disk that could not be written is repaired and mounted again: nobody may have it open, and what was not synced may be gone. */
  remount(): void {
    this.#loseUnsynced()
  }

  #loseUnsynced(): void {
    const before = [...this.runs.keys()].filter((run) => this.isThere(run))
    this.disk.losePower()
    for (const run of before) if (!this.isThere(run)) this.lost.add(run)
    // A removal that no sync followed is undone.
    for (const run of this.goneAt.keys()) if (this.isThere(run)) this.goneAt.delete(run)
    for (const process of this.processes) process.kill()
  }

  /** It began, and was not removed. */
  isThere(entry: string): boolean {
    const files = [this.headerOf(entry), this.journalOf(entry)]
    return files.every((path) => this.disk.readFile(path) !== undefined)
  }

  journalOf(entry: string): string {
    return `${folderOf(entry)}/journal.ndjson`
  }

  /** Whether a line of a run's journal does not have the checksum that it ends with, or the last one has no end. */
  hasDamage(entry: string): boolean {
    const [end, ...lines] = (this.disk.readFile(this.journalOf(entry))?.toString('latin1') ?? '')
      .split('\n')
      .reverse()
    return end !== '' || lines.some((line) => !isWhole(line))
  }

  headerOf(entry: string): string {
    return `${folderOf(entry)}/header.json`
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
