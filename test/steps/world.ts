/**
 * A world that a seed decides: a clock that stands still between events, commands that are killed or suspended between two steps,
 * and a record of runs, which is a real file of SQLite that each command has open for itself. The engine, the client and the pages
 * of the operations run as they are.
 */
import * as fs from 'node:fs'
import type {
  Disk,
  Exchange,
  Host,
  SqlDatabase,
  SqlStatement,
  SignedRequest,
} from '../../src/host.ts'
import { Dice } from '../support/dice.ts'
import { realHost } from '../support/real-host.ts'

/** Thrown by whatever a command does after it was killed. */
export class Killed extends Error {}

/** What happens to a process: at one of its steps, or from one of its statements on. */
export interface Trouble {
  killAt?: number | undefined
  suspendAt?: number | undefined
  failAt?: number | undefined
  /** A code of SQLite: 10 an I/O error, 11 corrupt, 13 full. */
  failsWith?: number | undefined
  /** How many statements fail. */
  failures?: number | undefined
}

export class Process {
  readonly pid: number
  readonly trouble: Trouble
  steps = 0
  statements = 0
  isDead = false
  suspendedUntil = 0
  /** A transaction of it failed. */
  hasFailed = false
  database: SqlDatabase | undefined
  isInTransaction = false
  /** Gives back what it has in memory, when the world ends. */
  atEnd: () => void = () => undefined
  constructor(pid: number, trouble: Trouble) {
    this.pid = pid
    this.trouble = trouble
  }
}

interface Event {
  at: number
  process: Process | undefined
  /** It keeps nobody waiting. */
  isWeak: boolean
  go: () => void
}

/** What a world tells while it is played. */
export interface Watcher {
  /** Before and behind each transaction that writes, with the connection of its process. */
  begins(database: SqlDatabase): void
  committed(process: Process, database: SqlDatabase): void
  /** Takes a request in the moment in which it leaves. `end` tells its process how it ended. */
  leaves(
    process: Process,
    request: SignedRequest,
    end: (delay: number, how: Exchange) => void,
  ): void
}

export class World {
  time = 1_700_000_000_000
  readonly dice: Dice
  readonly folder: string
  watcher: Watcher | undefined
  readonly #processes: Process[] = []
  #events: Event[] = []
  /** File operations that are under way. */
  #busy = 0

  constructor(seed: number, folder: string) {
    this.dice = new Dice(seed)
    this.folder = folder
  }

  /** Something that happens after a delay, unless its process is dead by then. */
  later(delay: number, process: Process | undefined, go: () => void, isWeak = false): Event {
    const event = { at: this.time + delay, process, isWeak, go }
    this.#events.push(event)
    return event
  }

  cancel(event: Event | undefined) {
    this.#events = this.#events.filter((each) => each !== event)
  }

  begin(trouble: Trouble): Process {
    const isUsed = (pid: number) => this.#processes.some((each) => each.pid === pid && !each.isDead)
    // Numbers come again soon.
    const again = [1, 2, 3, 4, 5, 6, 7, 8].find((pid) => !isUsed(pid) && this.dice.isLucky(0.7))
    const process = new Process(again ?? 9 + this.#processes.length, trouble)
    this.#processes.push(process)
    return process
  }

  /** Ends a process. The system closes what it had open. */
  kill(process: Process) {
    process.isDead = true
    this.#events = this.#events.filter((each) => each.process !== process)
    if (process.isInTransaction) process.database?.exec('ROLLBACK')
    process.isInTransaction = false
    process.database?.close()
    process.database = undefined
  }

  /** A step of a process: it may be its last one. */
  #touch(process: Process) {
    if (process.isDead) throw new Killed()
    process.steps += 1
    const { killAt, suspendAt } = process.trouble
    if (process.steps === suspendAt)
      process.suspendedUntil = this.time + (this.dice.isLucky(0.5) ? 60_000 : 4000)
    if (process.steps !== killAt) return
    this.kill(process)
    throw new Killed()
  }

  end() {
    for (const process of this.#processes) process.atEnd()
  }

  /** Lets everything happen that can. */
  async play() {
    for (let count = 0; ; count += 1) {
      if (count > 20_000) throw new Error('this world does not end')
      await this.#rest()
      const due = this.#events.filter(({ at, process }) => momentOf(at, process) <= this.time)
      const event = due[this.dice.below(due.length)]
      if (event !== undefined) {
        this.cancel(event)
        event.go()
        continue
      }
      if (this.#events.every(({ isWeak }) => isWeak)) return
      this.time = Math.min(...this.#events.map(({ at, process }) => momentOf(at, process)))
    }
  }

  /** Waits until no promise is left that something in this process settles. */
  async #rest() {
    do await realHost.turn()
    while (this.#busy > 0)
    await realHost.turn()
  }

  /** The host of a process in this world. */
  hostOf(process: Process): Host {
    const step = (delay: number) =>
      new Promise<void>((resolve) => this.later(delay, process, resolve))
    return {
      ...realHost,
      env: { HOME: this.folder, SVC_STATE_DIR: `${this.folder}/state` },
      pid: process.pid,
      cwd: () => this.folder,
      disk: this.#diskOf(process),
      openDatabase: async (path) => this.#databaseOf(process, await realHost.openDatabase(path)),
      openTransport: () => ({
        send: async (request, signal) => {
          await step(this.dice.below(5))
          return this.#exchange(process, request, signal)
        },
        close: () => undefined,
      }),
      now: () => this.time,
      monotonic: () => this.time,
      random: () => this.dice.random(),
      randomBytes: (size) => Buffer.from(Array.from({ length: size }, () => this.dice.below(256))),
      isRunning: (pid) => this.#processes.some((each) => each.pid === pid && !each.isDead),
      computer: { ...realHost.computer, hostname: 'here', userName: 'tester' },
      turn: async () => {
        await step(0)
        this.#touch(process)
      },
      sleep: (ms, signal) =>
        new Promise((resolve, reject) => {
          const event = this.later(ms, process, resolve)
          const end = () => {
            this.cancel(event)
            reject(signal?.reason as Error)
          }
          if (signal?.aborted === true) end()
          else signal?.addEventListener('abort', end, { once: true })
        }),
      after: (ms, callback) => {
        const event = this.later(ms, process, callback, true)
        return { cancel: () => this.cancel(event) }
      },
      every: (ms, callback) => {
        let event: Event | undefined
        const next = () => (event = this.later(ms, process, () => (callback(), next()), true))
        next()
        return { cancel: () => this.cancel(event) }
      },
    }
  }

  /** Sends a request, and returns its end to the process, if that still lives. */
  #exchange(process: Process, request: SignedRequest, signal: AbortSignal) {
    return new Promise<Exchange>((resolve) => {
      if (process.isDead) return
      const lost = { kind: 'failed', sent: true, error: new Error('aborted') } as const
      signal.addEventListener('abort', () => resolve(lost), { once: true })
      this.watcher?.leaves(process, request, (delay, exchange) => {
        this.later(delay, process, () => {
          try {
            this.#touch(process)
            resolve(exchange)
          } catch {
            // It was killed before it could read the answer.
          }
        })
      })
    })
  }

  #diskOf(process: Process): Disk {
    const wrap = (target: object): object =>
      new Proxy(target, {
        get: (from, name) => {
          const member: unknown = Reflect.get(from, name)
          if (name === 'promises') return wrap(member as object)
          // The system closes what a dead process had open.
          if (typeof member !== 'function' || name === 'closeSync') return member
          return (...args: unknown[]) => {
            this.#touch(process)
            const result: unknown = Reflect.apply(member, from, args)
            if (!(result instanceof Promise)) return result
            this.#busy += 1
            return result.finally(() => (this.#busy -= 1))
          }
        },
      })
    return wrap(fs) as Disk
  }

  /** The connection of a process. Its statements can fail, and the process can be killed between two of them. */
  #databaseOf(process: Process, real: SqlDatabase): SqlDatabase {
    if (process.isDead) real.close()
    process.database = real
    const guard = <T>(isStep: boolean, work: () => T): T => {
      if (process.isDead) throw new Killed()
      if (!isStep) return work()
      this.#touch(process)
      process.statements += 1
      const { failAt = Infinity, failsWith, failures = Infinity } = process.trouble
      try {
        if (process.statements >= failAt && process.statements < failAt + failures)
          throw Object.assign(new Error('a fault of the test'), { errcode: failsWith })
        return work()
      } catch (error) {
        process.hasFailed = true
        throw error
      } finally {
        this.#touch(process)
      }
    }
    const exec = (text: string) => {
      if (text === 'BEGIN IMMEDIATE') this.watcher?.begins(real)
      // Nobody can wait here for a lock: another process of this world has it.
      real.exec(text.replace(/busy_timeout = \d+/, 'busy_timeout = 0'))
      const hasWritten = text === 'COMMIT' && process.isInTransaction
      if (/^(?:COMMIT|ROLLBACK)/.test(text)) process.isInTransaction = false
      else if (text === 'BEGIN IMMEDIATE') process.isInTransaction = true
      if (hasWritten) this.watcher?.committed(process, real)
    }
    return {
      exec: (text) => guard(/^(?:BEGIN IMMEDIATE|COMMIT)/.test(text), () => exec(text)),
      prepare(text): SqlStatement {
        const statement = guard(false, () => real.prepare(text))
        const isStep = /^(?:INSERT|UPDATE|DELETE)/.test(text)
        return {
          all: (...values) => guard(false, () => statement.all(...values)),
          get: (...values) => guard(false, () => statement.get(...values)),
          run: (...values) => guard(isStep, () => statement.run(...values)),
        }
      },
      close() {
        if (process.database !== real) return
        process.database = undefined
        real.close()
      },
    }
  }
}

/** When something can happen, at the earliest. */
const momentOf = (at: number, process: Process | undefined) =>
  Math.max(at, process?.suspendedUntil ?? 0)
