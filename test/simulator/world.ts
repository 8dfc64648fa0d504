/**
 * A world that a seed decides: a clock, a disk, processes on two hosts that are killed and suspended, and a service. The
 * engine of src/runs runs in it as it is. Each call of the disk, the network, a timer or a question is a step; between two
 * steps of one process, those of the others take place in any order.
 */
import { SvcError } from '../../src/errors.ts'
import type { Host } from '../../src/host.ts'
import type { FileFacts, OpenFile, RunFolder } from '../../src/runs/folder.ts'
import { below, dice, type Dice } from './dice.ts'
import { Service } from './service.ts'

interface DiskFile {
  ino: number
  data: Buffer
  synced: Buffer
  mtimeMs: number
}

/** A process, and what became of it. */
export interface Process {
  pid: number
  host: string
  isAlive: boolean
  isSuspended: boolean
  isDone: boolean
  steps: number
  /** The step at which it is killed. */
  killAt?: number | undefined
  /** The run whose file it wrote last. */
  run?: string
  /** The last words of its command. */
  end?: string
}

interface Pending {
  process: Process | undefined
  at: number
  go: () => void
}

/** Chances of faults, each from 0 to 1. */
export interface Faults {
  /** An append is cut off and fails; a sync fails. From then on the disk takes nothing, until it is repaired. */
  disk: number
  /** In one of so many steps a process is suspended for 3 or 40 seconds. */
  suspend: number
}

/** Steps after which a world is taken for endless. */
const mostSteps = 10_000
/** Bytes of a page of the disk. */
const page = 64

export class World {
  time = 1_700_000_000_000
  readonly roll: Dice
  readonly files = new Map<string, DiskFile>()
  readonly processes: Process[] = []
  readonly service: Service
  readonly faults: Faults = { disk: 0, suspend: 0 }
  isDiskBroken = false
  #pending: Pending[] = []
  #nextIno = 1

  constructor(seed: number) {
    this.roll = dice(seed)
    this.service = new Service(
      this.roll,
      () => this.time,
      (delay, go) => this.later(delay, go),
    )
  }

  /** Something that happens without a process. */
  later(delay: number, go: () => void) {
    this.#pending.push({ process: undefined, at: this.time + delay, go })
  }

  /** A moment at which others can act. Never resolves in a process that is dead. */
  step(process: Process, delay = 0): Promise<void> {
    process.steps += 1
    if (process.killAt === process.steps) this.kill(process)
    return new Promise((go) => {
      if (process.isAlive) this.#pending.push({ process, at: this.time + delay, go })
    })
  }

  kill(process: Process) {
    process.isAlive = false
    this.#pending = this.#pending.filter((each) => each.process !== process)
  }

  /** All processes die. Pages that were not synced come or stay away at random. */
  losePower() {
    for (const process of this.processes) this.kill(process)
    for (const file of this.files.values()) {
      const { synced } = file
      const length = synced.length + below(this.roll, file.data.length - synced.length + 1)
      const data = Buffer.from(file.data.subarray(0, length))
      for (let at = synced.length; at < length; at += page)
        if (this.roll() < 0.3) data.fill(0, at, Math.min(at + page, length))
      Object.assign(file, { data, synced: data })
    }
  }

  /** Plays until nothing is left to happen. */
  async play() {
    for (let steps = 0, idle = 0; ; steps += 1) {
      await new Promise((go) => setImmediate(go))
      const awake = this.#pending.filter(({ process }) => process?.isSuspended !== true)
      const ready = awake.filter(({ at }) => at <= this.time)
      if (ready.length > 0) {
        idle = 0
        const [next] = ready.splice(below(this.roll, ready.length), 1)
        this.#pending = this.#pending.filter((each) => each !== next)
        this.time += 1
        next?.go()
        this.#suspendSomebody()
      } else if (awake.length > 0) this.time = Math.min(...awake.map(({ at }) => at))
      else if (this.#isWorking() && idle < 100) idle += 1
      else return
      if (steps > mostSteps) throw new Error('this world does not end')
    }
  }

  /** A process may be busy with work of Node's own, such as loading a module. */
  #isWorking() {
    return this.processes.some((each) => each.isAlive && !each.isDone && !each.isSuspended)
  }

  #suspendSomebody() {
    if (this.roll() >= this.faults.suspend) return
    const living = this.processes.filter((each) => each.isAlive && !each.isDone)
    const chosen = living[below(this.roll, living.length)]
    if (chosen === undefined || chosen.isSuspended) return
    chosen.isSuspended = true
    this.later(this.roll() < 0.5 ? 40_000 : 3_000, () => (chosen.isSuspended = false))
  }

  /** Begins a process, which does this work until it ends. */
  begin(host: string, killAt: number | undefined, work: (process: Process) => Promise<string>) {
    const process: Process = {
      pid: 100 + this.processes.length,
      host,
      isAlive: true,
      isSuspended: false,
      isDone: false,
      steps: 0,
      killAt,
    }
    this.processes.push(process)
    void work(process)
      .catch((error: unknown) => (error instanceof Error ? error.message : String(error)))
      .then((end) => {
        process.end = end
        process.isDone = true
      })
    return process
  }

  /** The outside world of a process. */
  hostOf(process: Process): Host {
    const own: Partial<Host> = {
      env: {},
      pid: process.pid,
      computer: { hostname: process.host, userName: 'ana' } as Host['computer'],
      now: () => this.time,
      monotonic: () => this.time,
      random: () => this.roll(),
      randomBytes: (size) => Buffer.from(Array.from({ length: size }, () => below(this.roll, 256))),
      isRunning: (pid) =>
        this.processes.some(
          (each) => each.pid === pid && each.host === process.host && each.isAlive && !each.isDone,
        ),
      sleep: (ms) => this.step(process, ms),
      every: (ms, callback) => {
        let isOn = true
        const tick = async () => {
          for (;;) {
            await this.step(process, ms)
            if (!isOn || process.isDone) return
            callback()
          }
        }
        void tick()
        return { cancel: () => void (isOn = false) }
      },
      openWire: () => this.service.wireOf(process, (delay) => this.step(process, delay)),
    }
    // The engine asks for nothing else.
    return own as Host
  }

  folderOf(process: Process): RunFolder {
    const step = (delay?: number) => this.step(process, delay)
    const failIfBroken = () => {
      if (this.roll() < this.faults.disk) this.isDiskBroken = true
      if (this.isDiskBroken) throw Object.assign(new Error('EROFS'), { code: 'EROFS' })
    }
    return {
      path: '/state/runs',
      prepare: async () => {
        await step()
        if (this.isDiskBroken) throw new SvcError('usage', 'the state folder cannot be written')
      },
      names: async () => {
        await step()
        return [...this.files.keys()]
      },
      open: async (name, how) => {
        await step()
        const there = this.files.get(name)
        if (how !== 'create') return there && this.#handleOf(process, name, there, failIfBroken)
        if (there !== undefined) return undefined
        const none = Buffer.alloc(0)
        const made = { ino: this.#nextIno++, data: none, synced: none, mtimeMs: this.time }
        this.files.set(name, made)
        return this.#handleOf(process, name, made, failIfBroken)
      },
      factsOf: async (name) => {
        await step()
        const file = this.files.get(name)
        return file && factsOf(file)
      },
      sync: () => step(),
    }
  }

  #handleOf(process: Process, name: string, file: DiskFile, failIfBroken: () => void): OpenFile {
    const step = (delay?: number) => this.step(process, delay)
    return {
      facts: async () => {
        await step()
        return factsOf(file)
      },
      read: async (from, length) => {
        await step()
        return Buffer.from(file.data.subarray(from, from + length))
      },
      append: async (bytes) => {
        await step()
        process.run = name.replace(/\.ndjson$/, '')
        const wasBroken = this.isDiskBroken
        try {
          failIfBroken()
        } catch (error) {
          // The disk fills up in the middle of a line.
          if (wasBroken) throw error
          file.data = Buffer.concat([file.data, bytes.subarray(0, below(this.roll, bytes.length))])
          throw error
        }
        file.data = Buffer.concat([file.data, bytes])
        file.mtimeMs = this.time
        return bytes.length
      },
      sync: async () => {
        await step(below(this.roll, 20))
        failIfBroken()
        file.synced = file.data
      },
      touch: async () => {
        await step()
        file.mtimeMs = this.time
      },
      close: () => step(),
    }
  }
}

const factsOf = ({ ino, data, mtimeMs }: DiskFile): FileFacts => ({
  ino,
  size: data.length,
  mtimeMs,
})
