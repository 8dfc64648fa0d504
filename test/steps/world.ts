/**
 * A world that a seed decides: a clock that stands still between events, commands that are killed or suspended between two steps,
 * and one record of runs, which is a real file of SQLite. The engine, the client and the pages of the operations run as they are.
 */
import * as fs from 'node:fs'
import type { Disk, Host, SqlDatabase, SignedRequest, Exchange } from '../../src/host.ts'
import { Dice } from '../support/dice.ts'
import { realHost } from '../support/real-host.ts'
import type { Service } from './service.ts'

/** Thrown by whatever a command does after it was killed. */
export class Killed extends Error {}

interface Event {
  at: number
  command: Process | undefined
  isWeak: boolean
  go: () => void
}

/** A process: it can be killed before any of its steps, and be suspended for a while. */
export class Process {
  steps = 0
  isDead = false
  suspendedUntil = 0
  /** Its statement of SQLite that fails, and how. */
  readonly trouble: Trouble
  readonly pid: number
  statements = 0
  isInTransaction = false
  constructor(pid: number, trouble: Trouble) {
    this.pid = pid
    this.trouble = trouble
  }
}

export interface Trouble {
  killAt?: number
  suspendAt?: number
  failAt?: number
  /** A code of SQLite: 5 busy, 10 an I/O error, 11 corrupt, 13 full. */
  failsWith?: number
}

export class World {
  time = 1_700_000_000_000
  /** Grows with everything that happens. */
  step = 0
  readonly dice: Dice
  readonly folder: string
  readonly processes: Process[] = []
  #events: Event[] = []
  /** The one connection of all processes: none of their transactions yields, so no two are open at a time. */
  #database: SqlDatabase | undefined
  /** File operations that are under way. */
  #busy = 0

  constructor(seed: number, folder: string) {
    this.dice = new Dice(seed)
    this.folder = folder
  }

  /** Something that happens after a delay, unless its process is dead by then. */
  later(delay: number, command: Process | undefined, go: () => void, isWeak = false): Event {
    const event = { at: this.time + delay, command, isWeak, go }
    this.#events.push(event)
    return event
  }

  cancel(event: Event) {
    this.#events = this.#events.filter((each) => each !== event)
  }

  begin(trouble: Trouble): Process {
    const used = this.processes.filter(({ isDead }) => !isDead).map(({ pid }) => pid)
    // Numbers come again soon.
    const pid =
      [1, 2, 3, 4, 5, 6, 7, 8].find((each) => !used.includes(each) && this.dice.isLucky(0.7)) ??
      9 + this.processes.length
    const process = new Process(pid, trouble)
    this.processes.push(process)
    return process
  }

  kill(process: Process) {
    process.isDead = true
    this.#events = this.#events.filter((each) => each.command !== process)
    // As the system does when it closes what a dead process had open.
    if (process.isInTransaction) this.#database?.exec('ROLLBACK')
    process.isInTransaction = false
  }

  /** A step of a process: it may be its last one. */
  #touch(process: Process) {
    if (process.isDead) throw new Killed()
    this.step += 1
    process.steps += 1
    if (process.steps === process.trouble.suspendAt)
      process.suspendedUntil = this.time + (this.dice.isLucky(0.5) ? 60_000 : 4000)
    if (process.steps !== process.trouble.killAt) return
    this.kill(process)
    throw new Killed()
  }

  close() {
    this.#database?.close()
  }

  /** Lets everything happen that can. */
  async play() {
    for (let events = 0; ; events += 1) {
      if (events > 20_000) throw new Error('this world does not end')
      await this.#rest()
      const awake = this.#events.filter((each) => !this.#isSuspended(each.command))
      const due = awake.filter(({ at }) => at <= this.time)
      const event = due[this.dice.below(due.length)]
      if (event !== undefined) {
        this.cancel(event)
        event.go()
        continue
      }
      const strong = this.#events.filter(({ isWeak }) => !isWeak)
      if (strong.length === 0) return
      const moments = this.#events.map(({ at, command }) =>
        Math.max(at, command?.suspendedUntil ?? 0),
      )
      this.time = Math.max(this.time + 1, Math.min(...moments))
    }
  }

  #isSuspended(process: Process | undefined) {
    return process !== undefined && process.suspendedUntil > this.time
  }

  /** Waits until no promise is left that something in this process settles. */
  async #rest() {
    do await realHost.turn()
    while (this.#busy > 0)
    await realHost.turn()
  }

  /** The host of a command in this world. */
  hostOf(process: Process, service: Service): Host {
    const step = (delay: number) =>
      new Promise<void>((resolve) => this.later(delay, process, resolve))
    return {
      ...realHost,
      env: { HOME: this.folder, SVC_STATE_DIR: `${this.folder}/state` },
      pid: process.pid,
      cwd: () => this.folder,
      disk: this.#diskOf(process),
      openDatabase: async (path) =>
        this.#databaseOf(process, (this.#database ??= await realHost.openDatabase(path))),
      openTransport: () => ({
        send: async (request, signal) => {
          await step(this.dice.below(5))
          return this.#exchange(process, service, request, signal)
        },
        close: () => undefined,
      }),
      now: () => this.time,
      monotonic: () => this.time,
      random: () => this.dice.random(),
      randomBytes: (size) => Buffer.from(Array.from({ length: size }, () => this.dice.below(256))),
      isRunning: (pid) => this.processes.some((each) => each.pid === pid && !each.isDead),
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
        let event: Event
        const again = () => {
          event = this.later(
            ms,
            process,
            () => {
              callback()
              again()
            },
            true,
          )
        }
        again()
        return { cancel: () => this.cancel(event) }
      },
    }
  }

  /** Sends a request, and returns its end to the process, if that still lives. */
  #exchange(process: Process, service: Service, request: SignedRequest, signal: AbortSignal) {
    return new Promise<Exchange>((resolve) => {
      if (process.isDead) return
      const lost = { kind: 'failed', sent: true, error: new Error('aborted') } as const
      signal.addEventListener('abort', () => resolve(lost), { once: true })
      service.take(process, request, (delay, exchange) => {
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

  /** A connection whose statements can fail, and between two of which its process can be killed. */
  #databaseOf(process: Process, real: SqlDatabase): SqlDatabase {
    const guard = <T>(isStep: boolean, work: () => T): T => {
      if (isStep) this.#touch(process)
      if (process.isDead) throw new Killed()
      process.statements += 1
      const { failAt, failsWith } = process.trouble
      if (isStep && process.statements >= (failAt ?? Infinity))
        throw Object.assign(new Error('a fault of the test'), { errcode: failsWith })
      const result = work()
      if (isStep) this.#touch(process)
      return result
    }
    return {
      exec: (text) =>
        guard(/^(?:BEGIN IMMEDIATE|COMMIT)/.test(text), () => {
          real.exec(text)
          if (/^(?:BEGIN|COMMIT|ROLLBACK)/.test(text))
            process.isInTransaction = text.startsWith('BEGIN')
        }),
      prepare(text) {
        const statement = guard(false, () => real.prepare(text))
        const isStep = /^(?:INSERT|UPDATE|DELETE)/.test(text)
        return {
          all: (...values) => guard(false, () => statement.all(...values)),
          get: (...values) => guard(false, () => statement.get(...values)),
          run: (...values) => guard(isStep, () => statement.run(...values)),
        }
      },
      close: () => undefined,
    }
  }
}
