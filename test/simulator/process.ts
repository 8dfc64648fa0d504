/**
 * A process of a world, in a thread of its own: one command after the other, each with a `host` whose calls go to the world. When
 * nothing is left to do, it asks for the next event. A process that was killed gets no answer any more, and its calls throw.
 */
import { workerData } from 'node:worker_threads'
import { createApi } from '../../src/api/api.ts'
import type { BulkOperationName } from '../../src/api/operations.ts'
import { operation as deleteContacts } from '../../src/commands/contacts/delete.ts'
import { operation as mergeContacts } from '../../src/commands/contacts/merge.ts'
import { operation as addContacts } from '../../src/commands/lists/add-contacts.ts'
import { operation as assignTickets } from '../../src/commands/tickets/assign.ts'
import type { Profile } from '../../src/config/profile.ts'
import {
  beginRun,
  closeRun,
  onceRun,
  recordedRuns,
  receiptsOf,
  removeRun,
  resumeRun,
  undoJob,
  type ShownRun,
  type Job,
  type Operation,
  type Receipt,
  type RunTools,
  type Summary,
} from '../../src/runs/engine.ts'
import { SvcError } from '../../src/errors.ts'
import type { Host, Exchange, WireRequest } from '../../src/host.ts'
import { Client } from '../../src/http/client.ts'
import { Items, type Item } from '../../src/input/items.ts'
import { Redactor } from '../../src/safe-text.ts'
import { Channel } from './channel.ts'
import { below, dice } from './dice.ts'
import { Disk, type Call, type DiskState } from './disk.ts'
import { fakeFs } from './fake-fs.ts'

/** The job of a command, as data. */
export interface TypedJob {
  operation: BulkOperationName
  items: Item[]
  target?: { id: string } | undefined
  ifAssignee?: { id: string } | undefined
  once?: string | undefined
  /** The path of `--receipts`. */
  receipts?: string | undefined
}

/** What a person types. */
export type Command =
  { verb: 'begin'; job: TypedJob } | { verb: 'resume' | 'close' | 'remove' | 'undo'; run: string }

/** A process begins. */
export interface Start {
  command: Command
  pid: number
  hostname: string
  seed: number
}

/** What a command printed. */
export interface Printed {
  run: string
  receipts: Receipt[]
  summary: Summary
}

/** Something that ends later, with an event of this number. */
export type Later = { id: number } & (
  | { what: 'sleep'; ms: number }
  | { what: 'weak'; ms: number }
  | { what: 'ask'; named: string[] }
  | { what: 'sync'; fd: number }
  | { what: 'send'; method: string; path: string; body: string }
)

/** A call that a process has made on its copy of the disk. */
export interface Made {
  later: Later[]
  call: Call
}

/** What a process asks of the world, and the calls that it has made on its own before. */
export type Asked = { later: Later[]; made: Made[] } & (
  | { kind: 'disk'; call: Call }
  | { kind: 'running'; pid: number }
  | { kind: 'print'; printed: Printed }
  | { kind: 'idle' }
  | { kind: 'free'; end: string | undefined }
)

export type Reply =
  | { kind: 'value'; value?: unknown }
  | { kind: 'failed'; code: string; message: string }
  | { kind: 'event'; id: number; value?: unknown }
  | { kind: 'start'; start: Start }
  | { kind: 'dead' }
/** So many calls of the disk can be made on the own copy of it, because nobody else takes a step meanwhile. */
export interface Lease {
  calls: number
  /** Undefined if the copy is up to date. */
  disk: DiskState | undefined
}

export type Told = Reply & { now: number; uptime: number; lease: Lease }

// Requests of a few ids, so that a run has several.
deleteContacts.most = 2
addContacts.most = 4
const operations: readonly Operation[] = [
  deleteContacts,
  mergeContacts,
  addContacts,
  assignTickets,
] as readonly unknown[] as readonly Operation[]

function operationOf(name: string): Operation {
  const found = operations.find((each) => each.name === name)
  if (found === undefined) throw new TypeError(`no operation ${name}`)
  return found
}

/** Thrown by each call of a process that was killed. */
class Killed extends Error {}

const profile = {
  name: 'prod',
  baseUrl: 'http://127.0.0.1',
  apiKey: 'key-1',
  protected: false,
} as unknown as Profile
const quiet = () => undefined

class Process {
  readonly start: Start
  isDead = false
  /** The last words of the command. */
  end: string | undefined
  #now = 0
  #uptime = 0
  #later: Later[] = []
  #made: Made[] = []
  /** How many calls of the disk it can make on its own copy. */
  #calls = 0
  #nextId = 1
  readonly #waiting = new Map<number, (value: unknown) => void>()
  /** The ids that a question is about. */
  #named: string[] = []
  readonly #tools: RunTools

  constructor(start: Start, now: number) {
    this.start = start
    this.#now = now
    this.#tools = this.#toolsOn(this.#host())
  }

  /** What it has begun and made since it last asked. */
  takeBegun(): { later: Later[]; made: Made[] } {
    const begun = { later: this.#later, made: this.#made }
    this.#later = []
    this.#made = []
    return begun
  }

  hear(told: Told) {
    this.#now = told.now
    this.#uptime = told.uptime
    this.#calls = told.lease.calls
    if (told.lease.disk !== undefined) copy.state = told.lease.disk
    if (told.kind === 'dead') this.isDead = true
    if (told.kind !== 'event') return
    const wake = this.#waiting.get(told.id)
    this.#waiting.delete(told.id)
    wake?.(told.value)
  }

  #call(call: Call): unknown {
    if (this.isDead) throw new Killed()
    if (this.#calls === 0) return this.#ask({ kind: 'disk', call })
    this.#calls -= 1
    this.#now += 1
    this.#uptime += 1
    this.#made.push({ later: this.#later, call })
    this.#later = []
    return copy.perform(call, 0, this.#now)
  }

  #ask(asked: { kind: 'disk'; call: Call } | { kind: 'running'; pid: number }): unknown
  #ask(asked: { kind: 'print'; printed: Printed }): unknown
  #ask(asked: object): unknown {
    if (this.isDead) throw new Killed()
    const told = channel.call({ ...asked, ...this.takeBegun() }) as Told
    this.hear(told)
    if (told.kind === 'dead') throw new Killed()
    if (told.kind === 'failed') throw Object.assign(new Error(told.message), { code: told.code })
    return told.kind === 'value' ? told.value : undefined
  }

  /** Starts something that ends later. */
  #begin(what: Record<string, unknown> & { what: Later['what'] }, then: (value: unknown) => void) {
    const id = this.#nextId++
    if (this.isDead) return id
    this.#waiting.set(id, then)
    this.#later.push({ ...what, id } as Later)
    return id
  }

  #until(what: Record<string, unknown> & { what: Later['what'] }): Promise<unknown> {
    return new Promise((resolve) => this.#begin(what, resolve))
  }

  #host(): Host {
    const { pid, hostname, seed } = this.start
    const roll = dice(seed)
    const host: Partial<Host> = {
      env: { SVC_STATE_DIR: '/state' },
      pid,
      userId: 0,
      computer: { hostname, userName: 'ana' } as Host['computer'],
      now: () => this.#now,
      monotonic: () => this.#uptime,
      random: () => roll(),
      randomBytes: (size) => Buffer.from(Array.from({ length: size }, () => below(roll, 256))),
      isRunning: (other) => this.#ask({ kind: 'running', pid: other }) === true,
      sleep: async (ms) => void (await this.#until({ what: 'sleep', ms })),
      turn: async () => void (await this.#until({ what: 'sleep', ms: 0 })),
      every: (ms, callback) => {
        let id = 0
        const arm = () => {
          id = this.#begin({ what: 'weak', ms }, () => {
            arm()
            callback()
          })
        }
        arm()
        return { cancel: () => void this.#waiting.set(id, quiet) }
      },
      disk: fakeFs(
        (call) => this.#call(call),
        (fd, done) =>
          this.#begin({ what: 'sync', fd }, (code) =>
            done(code == null ? null : Object.assign(new Error('sync'), { code })),
          ),
      ),
      openWire: () => ({
        send: async ({ method, path, body }: WireRequest) => {
          const sent = { what: 'send' as const, method, path, body: body.toString() }
          const exchange = exchangeOf((await this.#until(sent)) as Answered)
          return { exchange, release: quiet }
        },
        close: quiet,
      }),
    }
    // The engine asks for nothing else.
    return host as Host
  }

  #toolsOn(host: Host): RunTools {
    const shield = <T>(work: () => Promise<T>) => work()
    const { signal: never } = new AbortController()
    const signals = { caught: undefined, cancelled: never, aborted: never, shield }
    const messages = { redactor: new Redactor(), log: quiet, warn: quiet, note: quiet }
    const options = { profile, host, signals, messages, beforeChange: quiet }
    const limits = { secret: 'not-a-secret', timeout: 30_000, wait: 3_000 }
    const api = createApi(new Client({ ...options, ...limits }))
    return {
      host,
      profile: () => Promise.resolve(profile),
      api: () => Promise.resolve(api),
      operation: (name) => Promise.resolve(operationOf(name)),
      permit: () => Promise.resolve(),
      note: quiet,
      warn: quiet,
      questions: () =>
        Promise.resolve({
          confirm: async () => void (await this.#until({ what: 'ask', named: this.#named })),
        }),
      signals: { ...signals, protectOutput: quiet },
      messages: { error: quiet, withProfile: (text) => text, redactor: messages.redactor },
      progress: () => Promise.resolve({ stop: quiet }),
    }
  }

  /** Does what was typed. */
  async work(): Promise<void> {
    try {
      this.end = await this.#type(this.start.command)
    } catch (error) {
      if (this.isDead) return
      this.end =
        error instanceof SvcError
          ? `exit ${error.exitCode}: ${error.message}`
          : `defect: ${error instanceof Error ? error.stack : String(error)}`
    }
  }

  async #type(command: Command): Promise<string> {
    const tools = this.#tools
    if (command.verb === 'begin') {
      const job = jobOf(command.job)
      const { once } = job
      const recorded =
        once === undefined ? undefined : await recordedRuns(tools).read(onceRun(once))
      return this.#print(await beginRun(tools, job, recorded))
    }
    const record = await recordedRuns(tools).find(command.run)
    const { state } = record
    if (command.verb === 'undo') {
      const job = await undoJob(tools, operationOf('tickets.assign'), record)
      return this.#print(await beginRun(tools, job))
    }
    this.#named = state.items.ids.filter((_, at) => state.isDue(at))
    if (command.verb === 'resume') return this.#print(await resumeRun(tools, record))
    await (command.verb === 'close' ? closeRun : removeRun)(tools, record)
    return `exit 0: ${command.verb}`
  }

  #print({ record, summary }: ShownRun): string {
    const receipts = [...receiptsOf(record.state)]
    this.#ask({ kind: 'print', printed: { run: record.run, receipts, summary } })
    return `exit ${summary.exitCode}`
  }
}

function jobOf(typed: TypedJob): Job {
  const { receipts: path, items } = typed
  const { length: size } = items
  const bytes = (all: Iterable<Receipt>) => [Buffer.from(JSON.stringify([...all]))]
  return {
    ...typed,
    operation: operationOf(typed.operation),
    items: Items.of(items),
    input: { read: size, unique: size, duplicates: 0, leftOut: 0, undecided: 0 },
    accept: [],
    concurrency: typed.operation === 'contacts.merge' ? 1 : 2,
    receipts: path === undefined ? undefined : { path, bytes },
  }
}

/** An answer, or the code of a failure. */
export type Answered = { status: number; body: string } | { code: string; sent: boolean }

function exchangeOf(answered: Answered): Exchange {
  if ('code' in answered) {
    const { code, sent } = answered
    return { kind: 'failed', sent, error: Object.assign(new Error(code), { code }) }
  }
  const { status, body } = answered
  const headers = { 'content-type': 'application/json' }
  return { kind: 'response', status, headers, body: Buffer.from(body) }
}

const { memory } = workerData as { memory: SharedArrayBuffer }
const channel = new Channel(memory)
/** The copy of the disk in this thread. */
const copy = new Disk(1)
let current: Process | undefined

/** Asks for the next event or command, once nothing is left to do. */
function goOn() {
  if (current?.isDead === true) current = undefined
  const end = current?.end
  const isOver = current === undefined || end !== undefined
  const { later, made } = current?.takeBegun() ?? { later: [], made: [] }
  const told = channel.call(
    isOver ? { kind: 'free', end, later: [], made } : { kind: 'idle', later, made },
  )
  if (isOver && current !== undefined) {
    current.isDead = true
    current = undefined
  }
  take(told as Told)
  setImmediate(goOn)
}

function take(told: Told) {
  if (told.kind === 'start') {
    current = new Process(told.start, told.now)
    current.hear(told)
    void current.work()
  } else current?.hear(told)
}

process.on('unhandledRejection', (error) => {
  if (current !== undefined && !(error instanceof Killed)) current.end = `defect: ${String(error)}`
})
goOn()
