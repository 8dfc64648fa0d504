/**
 * A world that a seed decides: a clock, a disk, processes on two hosts that are killed and suspended, and a service. The engine
 * runs in it as it is. Between two calls of a process, to the disk or for an event, those of the others take place in any order.
 */
import { Worker } from 'node:worker_threads'
import { Channel, newMemory } from './channel.ts'
import { below, dice, type Dice } from './dice.ts'
import { Disk, DiskError, type Call, type Folder } from './disk.ts'
import type { Asked, Command, Later, Lease, Made, Printed, Reply, Start, Told } from './process.ts'
import { Service, type Request } from './service.ts'

/** A thread that plays processes, one after the other. */
interface Thread {
  worker: Worker
  channel: Channel
  /** The disk of which it has a copy, and its version. */
  disk: Disk | undefined
  version: number
}

/** The run that a process works on: its folder, which a copy of the name does not have, and the process's own part. */
export interface Own {
  run: string
  folder: Folder
  part: number
  ino: number
}

export interface Process {
  readonly start: Start
  thread: Thread | undefined
  /** What it waits for: an answer to a call, or an event. Undefined if it has ended, by itself or killed. */
  waits: { answer: () => Reply } | 'idle' | undefined
  steps: number
  /** The step at which it is killed, or suspended for 40 seconds. */
  killAt?: number | undefined
  pauseAt?: number | undefined
  pauseInPart?: number | undefined
  suspendedUntil: number
  own: Own | undefined
  /** The step of the world at which its last sync of its part ended. */
  syncedAt: number
  /** The folders of the runs that it has read, by their names, with the last one first. */
  readonly folders: Map<string, Folder[]>
  /** How far it has read each file, by their numbers. */
  readonly read: Map<number, number>
  end: string | undefined
}

interface Event {
  at: number
  process: Process | undefined
  isWeak: boolean
  go: () => void
}

/** Sees what happens in a world. */
export interface Witness {
  onPrint(process: Process, printed: Printed): void
  onSend(process: Process, request: Request): void
  onWrite(process: Process, text: string): void
  onAsk(process: Process, named: readonly string[]): void
  onMove(process: Process, call: Call): void
  onSync(process: Process, ino: number): void
  onEnd(process: Process): void
}

const mostSteps = 30_000
/** Bytes that are read of the beginning or end of a part. */
const edgeBytes = 1 << 12
/** Most calls that a process makes on its own. */
const mostCalls = 200
const partPath = /^\/state\/runs\/([^/]+)\/(\d+)\.ndjson$/
/** The threads that have no process now. */
const idle: Thread[] = []

export class World {
  time = 1_700_000_000_000
  readonly roll: Dice
  readonly disk: Disk
  readonly service: Service
  readonly processes: Process[] = []
  /** How far the clock of each host is ahead. */
  readonly skew: Record<string, number> = { a: 0, b: 0 }
  /** A process is suspended at one of so many steps. */
  suspends = 0
  /** How likely the process that did the last step does the next one, too. */
  stickiness = 0
  /** No process knows another one's number, as in containers of one host name. */
  isBlind = false
  hasLostPower = false
  step = 0
  witness: Witness | undefined
  /** Hears each step in words. */
  trace: ((line: string) => void) | undefined
  readonly #workerPath: string
  #events: Event[] = []
  #last: Process | undefined

  constructor(seed: number, workerPath: string) {
    this.roll = dice(seed)
    this.#workerPath = workerPath
    this.disk = new Disk(seed)
    this.disk.makeFolder('/state')
    this.disk.makeFolder('/home')
    this.service = new Service(this.roll, this)
  }

  /** Something that happens without a process. */
  later(delay: number, go: () => void) {
    this.#events.push({ at: this.time + delay, process: undefined, isWeak: false, go })
  }

  /** The time on a host. */
  now(host: string) {
    return this.time + (this.skew[host] ?? 0)
  }

  begin(command: Command, { host = 'a', ...trouble }: Typed = {}): Process {
    const seed = 1 + below(this.roll, 1e9)
    const start = { command, pid: this.#freePid(host), hostname: host, seed }
    const process: Process = {
      start,
      thread: undefined,
      waits: { answer: () => ({ kind: 'start', start }) },
      steps: 0,
      ...trouble,
      suspendedUntil: 0,
      own: undefined,
      syncedAt: 0,
      folders: new Map(),
      read: new Map(),
      end: undefined,
    }
    this.processes.push(process)
    return process
  }

  /** Numbers come again soon. */
  #freePid(host: string) {
    for (;;) {
      const pid = 1 + below(this.roll, 8)
      if (!this.#isRunning(host, pid)) return pid
    }
  }

  #isRunning(host: string, pid: number) {
    return this.processes.some(
      ({ start, waits }) => waits !== undefined && start.hostname === host && start.pid === pid,
    )
  }

  kill(process: Process) {
    if (process.waits === undefined) return
    this.note(process, 'KILLED')
    process.waits = undefined
    process.end ??= 'killed'
    this.#events = this.#events.filter((each) => each.process !== process)
    this.service.onEnd(process)
    const { thread } = process
    process.thread = undefined
    if (thread === undefined) return
    thread.channel.answer(this.#told(process, { kind: 'dead' }))
    idle.push(thread)
  }

  killAll() {
    for (const process of this.processes) this.kill(process)
  }

  losePower({ hasZeros = false } = {}) {
    this.trace?.('POWER')
    this.killAll()
    this.hasLostPower = true
    this.disk.losePower({ hasZeros })
  }

  /** The clock jumps on all hosts. */
  jump(ms: number) {
    for (const host of Object.keys(this.skew)) this.skew[host] = (this.skew[host] ?? 0) + ms
  }

  /** Plays until nothing is left to happen. */
  play() {
    for (let steps = 0; ; steps += 1) {
      if (steps > mostSteps) throw new Error('this world does not end')
      const awake = this.#events.filter(
        ({ process }) =>
          process === undefined || (process.waits === 'idle' && !this.#isSuspended(process)),
      )
      const due = awake.filter(({ at }) => at <= this.time)
      const calling = this.processes.filter(
        (each) => typeof each.waits === 'object' && !this.#isSuspended(each),
      )
      if (due.length + calling.length > 0) this.#playOne(calling, due)
      else if (!this.#skipTime(awake)) return
    }
  }

  #isSuspended(process: Process | undefined) {
    return process !== undefined && process.suspendedUntil > this.time
  }

  /** Goes on to the next moment at which something happens. Returns false if nothing will. */
  #skipTime(awake: readonly Event[]): boolean {
    const waking = this.processes.filter((each) => each.waits && this.#isSuspended(each))
    if (waking.length === 0 && awake.every(({ isWeak }) => isWeak)) {
      const hanging = this.processes.find(({ waits }) => waits !== undefined)
      if (hanging === undefined) return false
      throw new Error(`a process waits for ever: ${JSON.stringify(hanging.start.command)}`)
    }
    const moments = [...awake.map(({ at }) => at), ...waking.map((each) => each.suspendedUntil)]
    this.time = Math.max(this.time + 1, Math.min(...moments))
    return true
  }

  /** Lets one of those take its step who can. */
  #playOne(calling: readonly Process[], due: readonly Event[]) {
    const isSame = this.#last !== undefined && this.roll() < this.stickiness
    const same = isSame ? calling.find((each) => each === this.#last) : undefined
    const choice = below(this.roll, calling.length + due.length)
    const process = same ?? calling[choice]
    const event = process === undefined ? due[choice - calling.length] : undefined
    this.#last = process ?? event?.process
    this.step += 1
    this.time += 1
    if (this.#last !== undefined && this.#interrupt(this.#last)) return
    if (event !== undefined) {
      this.#events = this.#events.filter((each) => each !== event)
      event.go()
    } else if (process !== undefined) this.#answer(process)
  }

  /** Tells the trace what a process asks or is told. */
  note({ start, steps }: Process, what: unknown) {
    const who = `${this.step} ${start.hostname}${start.pid} ${start.command.verb} ${steps}`
    this.trace?.(`${who}: ${JSON.stringify(what)}`)
  }

  /** Kills or suspends a process that is about to take a step. Returns whether the step is not taken now. */
  #interrupt(process: Process): boolean {
    process.steps += 1
    if (process.steps === process.killAt) {
      this.kill(process)
      return true
    }
    const isPaused = process.steps === process.pauseAt
    if (!isPaused && this.roll() >= this.suspends) return false
    process.suspendedUntil = this.time + (isPaused || this.roll() < 0.5 ? 40_000 : 3_000)
    return true
  }

  /** Says how many calls a process makes before somebody else can take a step, or before it is killed or suspended. */
  #lease(process: Process): number {
    const others = this.processes.filter((each) => each !== process && each.waits !== undefined)
    const isAlone = others.every((each) => each.waits === 'idle' || this.#isSuspended(each))
    const moments = [
      ...this.#events.flatMap((each) => (each.process === process ? [] : each.at)),
      ...others.map((each) => each.suspendedUntil).filter((at) => at > this.time),
    ]
    const alone = isAlone ? Math.min(...moments) - this.time - 1 : 0
    const { killAt = Infinity, pauseAt = Infinity, pauseInPart, own, steps } = process
    // Nobody knows yet at which step that will be.
    if (pauseInPart !== undefined && own === undefined) return 0
    const limit = Math.min(
      mostCalls,
      ...[killAt, pauseAt].map((at) => (at > steps ? at - steps - 1 : Infinity)),
    )
    let calls = 0
    while (calls < limit && (calls < alone || this.roll() < this.stickiness)) {
      if (this.suspends > 0 && this.roll() < this.suspends) return calls
      calls += 1
    }
    return calls
  }

  #told(process: Process, reply: Reply): Told {
    const { thread } = process
    const told = { ...reply, now: this.now(process.start.hostname), uptime: this.time }
    const calls = reply.kind === 'dead' ? 0 : this.#lease(process)
    if (thread === undefined || calls === 0)
      return { ...told, lease: { calls: 0, disk: undefined } }
    const isFresh = thread.disk === this.disk && thread.version === this.disk.version
    // A copy costs as much as a few calls.
    if (!isFresh && calls < 4) return { ...told, lease: { calls: 0, disk: undefined } }
    const lease: Lease = { calls, disk: isFresh ? undefined : this.disk.state }
    Object.assign(thread, { disk: this.disk, version: this.disk.version })
    return { ...told, lease }
  }

  /** Makes the calls again that a process has made on its copy. */
  #repeat(process: Process, made: readonly Made[]) {
    const { thread } = process
    if (thread === undefined) return
    for (const { later, call } of made) {
      for (const each of later) this.#begin(process, each)
      this.step += 1
      this.time += 1
      process.steps += 1
      this.#do(process, { kind: 'disk', call, later: [], made: [] })
    }
    if (made.length > 0) Object.assign(thread, { disk: this.disk, version: this.disk.version })
  }

  /** Answers the call for which a process waits. */
  #answer(process: Process) {
    const { waits } = process
    if (typeof waits !== 'object') return
    process.thread ??= idle.pop() ?? this.#newThread()
    this.#tell(process, waits.answer())
  }

  /** Tells a process something, and takes its next call. */
  #tell(process: Process, told: Reply) {
    const { thread } = process
    if (thread === undefined) return
    this.note(process, told)
    const asked = thread.channel.answer(this.#told(process, told)) as Asked
    this.#repeat(process, asked.made)
    for (const each of asked.later) this.#begin(process, each)
    if (asked.kind === 'free') return this.#finish(process, asked.end)
    if (asked.kind === 'idle') process.waits = 'idle'
    else process.waits = { answer: () => this.#do(process, asked) }
  }

  #finish(process: Process, end: string | undefined) {
    if (process.thread !== undefined) idle.push(process.thread)
    process.thread = undefined
    process.waits = undefined
    process.end = end ?? 'killed'
    this.witness?.onEnd(process)
    this.#events = this.#events.filter((each) => each.process !== process)
    this.service.onEnd(process)
  }

  #do(process: Process, asked: Asked): Reply {
    if (asked.kind === 'running') {
      const isThere = !this.isBlind && this.#isRunning(process.start.hostname, asked.pid)
      return { kind: 'value', value: isThere }
    }
    this.note(process, asked)
    if (asked.kind === 'print') this.witness?.onPrint(process, asked.printed)
    if (asked.kind !== 'disk') return { kind: 'value' }
    try {
      return { kind: 'value', value: this.#perform(process, asked.call) }
    } catch (error) {
      if (!(error instanceof DiskError)) throw error
      return { kind: 'failed', code: error.code, message: error.message }
    }
  }

  #perform(process: Process, call: Call): unknown {
    const { disk } = this
    if (call.op === 'rename') this.witness?.onMove(process, call)
    const value = disk.perform(call, this.step, this.now(process.start.hostname))
    const [, run = '', part] = partPath.exec(call.path ?? '') ?? []
    const folder = part === undefined ? undefined : disk.find(`/state/runs/${run}`)
    if (call.op === 'open' && folder?.kind === 'folder') {
      process.folders.set(run, [folder, ...(process.folders.get(run) ?? [])])
      const ino = disk.opened(value as number)?.inode.ino ?? 0
      // Opened to write.
      if (((call.flags ?? 0) & 3) !== 0) {
        process.own = { run, folder, part: Number(part), ino }
        if (process.pauseInPart !== undefined) process.pauseAt = process.steps + process.pauseInPart
        this.#wakeOthers(process, folder)
      }
    }
    const inode = disk.opened(call.fd ?? 0)?.inode
    // An edge is read for its first or last line alone.
    if (call.op === 'read' && call.length !== edgeBytes && inode !== undefined)
      process.read.set(inode.ino, (call.position ?? 0) + String(value).length)
    if (call.op === 'fsync' && inode !== undefined) this.witness?.onSync(process, inode.ino)
    const { own } = process
    if (call.op === 'rename' && own !== undefined && own.folder === disk.find(call.to ?? ''))
      process.own = { ...own, run: call.to?.split('/').at(-1) ?? '' }
    if (call.op === 'write' && partPath.test(disk.opened(call.fd ?? 0)?.path ?? ''))
      this.witness?.onWrite(process, (call.text ?? '').slice(0, value as number))
    return value
  }

  /** Processes of the same run wake at the worst moment: when somebody else goes on with it. */
  #wakeOthers(process: Process, folder: Folder) {
    for (const each of this.processes)
      if (each !== process && each.own?.folder === folder && this.#isSuspended(each))
        if (this.roll() < 0.5) each.suspendedUntil = this.time + below(this.roll, 12)
  }

  /** Begins something that ends later. */
  #begin(process: Process, later: Later) {
    if (later.what === 'send') return this.service.take(process, later)
    const then = (delay: number, value?: () => unknown) =>
      this.tellLater(process, later.id, delay, value, later.what === 'weak')
    if (later.what === 'sleep' || later.what === 'weak') return then(later.ms)
    if (later.what === 'ask')
      return then(below(this.roll, this.roll() < 0.1 ? 30_000 : 300), () =>
        this.witness?.onAsk(process, later.named),
      )
    const inode = this.disk.opened(later.fd)?.inode
    const data = inode?.kind === 'file' ? inode.data : undefined
    return then(below(this.roll, 20), () => {
      if (inode === undefined) return 'EBADF'
      try {
        this.disk.sync(inode, data)
        process.syncedAt = this.step
        return null
      } catch (error) {
        if (error instanceof DiskError) return error.code
        throw error
      }
    })
  }

  /** Something that happens later, unless the process is dead by then. */
  laterOf(process: Process, delay: number, go: () => void, isWeak = false) {
    if (process.waits === undefined) return
    this.#events.push({ at: this.time + delay, process, isWeak, go })
  }

  /** Tells a process later that something has ended. */
  tellLater(
    process: Process,
    id: number,
    delay: number,
    value: () => unknown = () => undefined,
    isWeak = false,
  ) {
    const go = () => this.#tell(process, { kind: 'event', id, value: value() })
    this.laterOf(process, delay, go, isWeak)
  }

  #newThread(): Thread {
    const memory = newMemory()
    const worker = new Worker(this.#workerPath, { workerData: { memory } })
    worker.unref()
    const channel = new Channel(memory)
    channel.receive()
    return { worker, channel, disk: undefined, version: 0 }
  }
}

export interface Typed {
  host?: string | undefined
  killAt?: number | undefined
  pauseAt?: number | undefined
  /** The step at which it is suspended, counted from the one that opens its part. */
  pauseInPart?: number | undefined
}
