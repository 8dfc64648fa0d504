/** One run of the program: a host of its own on a machine, a disk and a clock that it shares with others. It can be killed at any moment. */
import { setMaxListeners } from 'node:events'
import { Readable, Writable } from 'node:stream'
import type { Host, Signal } from '../../src/host.ts'
import type { Job } from './job.ts'
import { main } from '../../src/main.ts'
import { sleep as realSleep, type Disk } from '../../src/world.ts'
import type { Dice } from './dice.ts'
import type { Machine } from './machine.ts'
import type { Sent } from './service.ts'
import { SimulatedWire } from './wire.ts'
import type { World } from './world.ts'

interface Start {
  readonly number: number
  readonly machine: Machine
  readonly argv: readonly string[]
  readonly dice: Dice
  /** The work that it does, or does again, if it is a bulk run. */
  readonly job: Job | undefined
}

/** Requests of one process. A world has some hundreds of things, and a command asks of each a few times at most. */
const mostRequests = 5000

class Output extends Writable {
  readonly #chunks: Buffer[] = []
  readonly #isDead: () => boolean

  constructor(isDead: () => boolean) {
    super()
    this.#isDead = isDead
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: () => void): void {
    // A dead process writes nothing, though its code here goes on.
    if (!this.#isDead()) this.#chunks.push(Buffer.from(chunk))
    callback()
  }

  get text(): string {
    return Buffer.concat(this.#chunks).toString()
  }
}

export class SimulatedProcess {
  readonly number: number
  readonly argv: readonly string[]
  readonly machine: Machine
  readonly #world: World
  readonly #stdout = new Output(() => this.end === 'killed')
  readonly #stderr = new Output(() => this.end === 'killed')
  readonly #listeners = new Set<(signal: Signal) => void>()
  readonly #host: Host
  #resolve: () => void = () => undefined
  /** By which it ended: its own end, or a kill. */
  end: { readonly code: number } | 'killed' | undefined
  /** Resolves when it has ended. */
  readonly ended: Promise<void>
  /** It removes runs, if there are any to be removed. */
  readonly prunes: boolean
  readonly startedAt: number
  endedAt = Infinity
  /** The latest time that it read from its machine's clock, which can be set back. */
  latestReading = 0
  /** The same at least. */
  earliestReading = Infinity
  readonly job: Job | undefined
  /** The signal that it died by. */
  signal: Signal | undefined
  /** A kill, a signal or a failing disk came between. */
  isDisturbed = false
  /** It was killed because it did not come to an end. */
  isEndless = false
  /** Its requests, in the order in which they were tried. */
  readonly attempts: Sent[] = []
  /** When the first signal came. */
  signalledAt: number | undefined
  /** Its output may not be on any disk. */
  hasBrokenDisk = false
  /** Aborted by its end: nothing of it is called back any more. */
  readonly over = new AbortController()
  /** When it last began a session of a run, by the run's key. */
  readonly claimed = new Map<string, number>()

  constructor(world: World, { number, machine, argv, dice, job }: Start) {
    this.#world = world
    this.number = number
    this.machine = machine
    this.argv = argv
    this.job = job
    this.prunes = argv[1] === 'prune'
    this.startedAt = world.clock.now()
    setMaxListeners(0, this.over.signal)
    this.#host = this.#hostOf(dice)
    this.ended = new Promise((resolve) => {
      this.#resolve = resolve
    })
  }

  /** Runs the program. */
  begin(): void {
    this.machine.running.set(this.number, Math.floor(this.machine.monotonic() / 10))
    void main(this.#host).then((code) => this.#finish({ code }))
  }

  /** Its exit code; undefined while it runs, and when it was killed. */
  get code(): number | undefined {
    return this.end === 'killed' ? undefined : this.end?.code
  }

  get stdout(): string {
    return this.#stdout.text
  }

  get stderr(): string {
    return this.#stderr.text
  }

  /** Nothing that it does happens any more. */
  kill(): void {
    if (this.end !== undefined) return
    this.isDisturbed = true
    this.#finish('killed')
    this.#world.disk.kill(this.number)
  }

  /** Ends what would turn for ever. */
  giveUp(): void {
    this.isEndless = true
    this.kill()
  }

  /** It sends a request; one of too many is its end. */
  countRequest(request: Sent): void {
    this.attempts.push(request)
    if (this.attempts.length > mostRequests) this.giveUp()
  }

  /** It stands still for a while, as a laptop that sleeps. */
  stop(ms: number): void {
    if (this.end !== undefined) return
    this.isDisturbed = true
    this.#world.clock.hold(this)
    this.#world.clock.after(ms, () => this.#world.clock.letGo(this))
  }

  /** As a terminal or a scheduler sends it. */
  deliver(signal: Signal): void {
    if (this.end !== undefined) return
    this.isDisturbed = true
    this.signalledAt ??= this.#world.clock.now()
    if (this.#listeners.size === 0) this.kill()
    else for (const listener of this.#listeners) listener(signal)
  }

  #finish(end: { readonly code: number } | 'killed'): void {
    if (this.end !== undefined) return
    this.end = end
    this.endedAt = this.#world.clock.now()
    this.machine.running.delete(this.number)
    this.#world.clock.drop(this)
    this.over.abort()
    this.#resolve()
  }

  #hostOf(ofWires: Dice): Host {
    const { machine, number } = this
    const { clock, env } = this.#world
    const dice = ofWires.fork()
    return {
      argv: this.argv,
      env,
      platform: 'linux',
      nodeVersion: '22.0.0',
      pid: number,
      self: ['/usr/bin/svc'],
      cwd: () => env.HOME,
      stdin: Readable.from([]),
      stdout: this.#stdout,
      stderr: this.#stderr,
      isTerminal: { stdin: false, stdout: false, stderr: false },
      columns: () => undefined,
      terminal: () => undefined,
      lookup: () => Promise.reject(new Error('nothing is looked up here')),
      now: () => {
        const now = machine.now()
        this.latestReading = Math.max(this.latestReading, now)
        this.earliestReading = Math.min(this.earliestReading, now)
        return now
      },
      monotonic: () => machine.monotonic(),
      sleep: (ms, signal) => this.#sleep(ms, signal),
      after: (ms, callback) => clock.after(ms, callback, this),
      every: (ms, callback) => clock.every(ms, callback, this),
      turn: () => clock.sleep(0, this),
      disk: this.#disk(),
      computer: machine.computer,
      random: dice.random,
      randomBytes: (size) => Buffer.from(Array.from({ length: size }, () => dice.whole(0, 255))),
      openWire: () => new SimulatedWire(this.#world, this, ofWires.fork()),
      spawn: () => {
        throw new Error('nothing is started here')
      },
      onSignal: (callback) => {
        this.#listeners.add(callback)
        return () => void this.#listeners.delete(callback)
      },
      raise: (signal) => {
        this.signal = signal
      },
      isRunning: (pid) => machine.running.has(pid),
      userId: 0,
    }
  }

  #sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return realSleep(0, signal)
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        timer.cancel()
        reject(signal?.reason as Error)
      }
      const timer = this.#world.clock.after(
        ms,
        () => {
          signal?.removeEventListener('abort', abort)
          resolve()
        },
        this,
      )
      signal?.addEventListener('abort', abort, { once: true, signal: this.over.signal })
    })
  }

  /** The disk that all share, with what the system makes up for each. */
  #disk(): Disk {
    const disk = this.#world.disk.as(this.number)
    const readlinkSync = (path: string) => this.machine.systemFile(path, this.number)
    const readFileSync = (path: string, encoding?: BufferEncoding) =>
      this.machine.systemFile(path, this.number) ?? disk.readFileSync(path, encoding)
    const keys = new Map<number, string>()
    const open = (async (path: string, ...how: [string, number]) => {
      const file = await disk.promises.open(path, ...how)
      const entry = /\/runs\/([^/]+)\.ndjson$/.exec(path)?.[1]
      const key = entry === undefined ? undefined : this.#world.currentKey(entry)
      if (key !== undefined) keys.set(file.fd, key)
      return file
    }) as Disk['promises']['open']
    const writeSync = ((file: number, bytes: Buffer, ...rest: number[]) => {
      const key = keys.get(file)
      const text = key === undefined ? '' : bytes.toString('latin1')
      const isOfRun = text.startsWith('\n{"s":')
      if (key !== undefined && isOfRun && text.includes('"t":"session"')) {
        this.claimed.set(key, this.#world.clock.now())
      }
      if (key !== undefined && isOfRun && text.includes('"t":"run"')) {
        this.#world.beginRun(key, this)
      }
      return disk.writeSync(file, bytes, ...rest)
    }) as Disk['writeSync']
    const promises = Object.assign(Object.create(disk.promises) as Disk['promises'], { open })
    return Object.assign(Object.create(disk) as Disk, {
      promises,
      readFileSync,
      readlinkSync,
      writeSync,
    })
  }
}
