/**
 * A small world for `src/disk/claim.ts`: four workers on two machines do one job of a few batches by the rules of a run, one after the other or at
 * once. They are killed and stand still, one prunes the run, lists of the folder are old, and lines come late to the other machine. Each
 * claim is held against what the service did.
 */
import { Claim, type ClaimHost } from '../../src/disk/claim.ts'
import { SvcError } from '../../src/errors.ts'
import type { Disk } from '../../src/world.ts'
import { Clock } from '../simulator/clock.ts'
import { Dice } from '../simulator/dice.ts'
import { SimulatedDisk } from '../simulator/disk.ts'
import { Machine } from '../simulator/machine.ts'

/** A simpler rule in place of the real one. */
export type Variant = 'earlier sessions stay'

type Kind = 'delete' | 'merge'
type Answer = 'done' | 'absent' | 'refused'

interface Line {
  readonly t: 'session' | 'try' | 'res' | 'pruned'
  readonly n: number
  readonly b?: number
  readonly answer?: Answer
  readonly takeOver?: boolean
  readonly machine: Machine
  readonly at: number
}

interface Batch {
  isOpen: boolean
  hasTry: boolean
  isAmbiguous: boolean
  accepted: { readonly answer: Answer; readonly isAmbiguous: boolean } | undefined
}

/** Reliability 3.3, as far as the model goes. */
function fold(lines: readonly Line[], count: number) {
  const batches = Array.from({ length: count }, (): Batch => {
    return { isOpen: false, hasTry: false, isAmbiguous: false, accepted: undefined }
  })
  let session = 1
  let isPruned = false
  const begin = (n: number, takeOver: boolean): void => {
    session = n
    for (const batch of batches) {
      if (batch.accepted !== undefined) continue
      batch.isAmbiguous ||= batch.isOpen || takeOver
      batch.isOpen = false
    }
  }
  for (const { t, n, b = 0, answer, takeOver = true } of lines) {
    if (n < session) continue
    if (n > session) begin(n, t === 'session' ? takeOver : true)
    const batch = batches[b]
    if (t === 'pruned') isPruned = true
    if (batch === undefined || (t !== 'try' && t !== 'res')) continue
    if (t === 'try') {
      batch.isAmbiguous ||= batch.isOpen
      batch.isOpen = batch.hasTry = true
    } else {
      batch.isOpen = false
      if (answer === undefined) batch.isAmbiguous = true
      else batch.accepted ??= { answer, isAmbiguous: batch.isAmbiguous }
    }
  }
  return { batches, isPruned }
}

interface Process {
  readonly id: number
  readonly machine: Machine
  readonly disk: Disk
}

const folder = '/runs/@job'

export class ClaimModel {
  readonly violations: string[] = []
  claims = 0
  readonly #dice: Dice
  readonly #clock: Clock
  readonly #disk: SimulatedDisk
  readonly #machines: readonly Machine[]
  readonly #variant: Variant | undefined
  readonly #processes = new Map<number, Process>()
  readonly #kinds: readonly Kind[]
  /** For each batch: whether its thing is there, how often it was sent, and how often that changed something. */
  readonly #truth: { isThere: boolean; sent: number; changed: number }[]
  /** Milliseconds by which lines come late to another machine. */
  readonly #lateness: number
  readonly #age: number
  /** Chance of a call of the disk that takes minutes. */
  readonly #hangs: number
  #lines: Line[] = []
  #listings: { readonly at: number; readonly names: readonly string[] }[] = []
  readonly #lastChange = new Map<Machine, number>()
  #summary: readonly string[] | undefined
  #ids = 1

  constructor(seed: number, variant?: Variant) {
    const dice = (this.#dice = new Dice(seed))
    this.#variant = variant
    this.#clock = new Clock(Date.UTC(2026, 2, 1), dice.fork())
    this.#disk = new SimulatedDisk({ pause: (id) => this.#pause(id) }, dice.fork().random)
    this.#disk.put(folder, undefined, 0o700)
    this.#machines = ['alpha', 'beta'].map((name) => new Machine(name, this.#clock, dice.fork()))
    this.#kinds = Array.from({ length: dice.whole(1, 3) }, () => dice.pick(['delete', 'merge']))
    this.#truth = this.#kinds.map(() => ({ isThere: dice.chance(0.8), sent: 0, changed: 0 }))
    this.#lateness = dice.chance(0.3) ? dice.skewed(1000, 200_000) : 0
    this.#hangs = dice.pick([0, 0.01, 0.06])
    this.#age = dice.chance(0.5) ? dice.skewed(1000, 90_000) : 0
  }

  /** Plays the world to its end, in which all requests have landed. */
  async play(): Promise<void> {
    let working = 4
    for (let worker = 0; worker < 4; worker += 1) {
      void this.#work(this.#dice.fork()).then(() => (working -= 1))
    }
    await this.#clock.run(() => working === 0)
    await this.#clock.run(() => false)
    this.#judge(this.#summary ?? this.#claimsOf(fold(this.#lines, this.#kinds.length).batches))
    if (this.#lateness > 0) return
    for (const [b, { sent }] of this.#truth.entries()) {
      this.claims += 1
      if (this.#kinds[b] === 'merge' && sent > 1)
        this.violations.push(`merge ${b} sent ${sent} times`)
    }
  }

  async #pause(id: number): Promise<void> {
    // A disk can hang in the middle of anything.
    const longest = this.#dice.chance(this.#hangs) ? 200_000 : 30
    await this.#clock.sleep(this.#dice.skewed(longest / 30, longest), this.#processes.get(id))
  }

  /** A worker starts processes again and again, as a scheduler does. */
  async #work(dice: Dice): Promise<void> {
    for (let times = dice.whole(1, 6); times > 0; times -= 1) {
      await this.#clock.sleep(dice.skewed(1, 120_000))
      const process = this.#start(dice.pick(this.#machines))
      const ended = new Promise<void>((resolve) => {
        const end = (): void => {
          this.#clock.drop(process)
          this.#disk.kill(process.id)
          process.machine.running.delete(process.id)
          resolve()
        }
        if (dice.chance(0.4)) this.#clock.after(dice.skewed(5, 100_000), end)
        void this.#run(process, dice.fork()).then(end)
      })
      if (dice.chance(0.4)) {
        this.#clock.after(dice.skewed(5, 30_000), () => this.#clock.hold(process))
        this.#clock.after(dice.skewed(30_000, 400_000), () => this.#clock.letGo(process))
      }
      await ended
    }
  }

  #start(machine: Machine): Process {
    const id = this.#ids++
    machine.running.set(id, id)
    const disk = this.#disk.as(id)
    const process = { id, machine, disk }
    this.#processes.set(id, process)
    return process
  }

  async #run(process: Process, dice: Dice): Promise<void> {
    try {
      const takeOver = dice.chance(0.6)
      const claim = await Claim.take(this.#hostOf(process), folder, { what: 'the job', takeOver })
      const isOver = await this.#goOn(process, claim, dice)
      const hasWritten = this.#lines.some(({ n, t }) => t === 'session' && n === claim.number)
      if (claim.isTakenOver && !hasWritten) claim.release()
      else this.#end(process, claim, isOver ? 0 : 7)
    } catch (error) {
      if (!(error instanceof SvcError)) throw error
    }
  }

  /** The journal is closed before the session says that it ended: who opens it then has all of it. */
  #end({ machine }: Process, claim: Claim, exitCode: number): void {
    claim.check()
    this.#lines = this.#lines.map((line) => (line.machine === machine ? { ...line, at: 0 } : line))
    claim.release(exitCode)
  }

  /** Works on the run; true when nothing is left. */
  async #goOn(process: Process, claim: Claim, dice: Dice): Promise<boolean> {
    const { isPruned, batches } = this.#read(process, claim)
    if (isPruned) return true
    if (claim.number > 1) this.#write(process, claim, { t: 'session', takeOver: claim.isTakenOver })
    if (dice.chance(0.15)) {
      claim.check()
      this.#summary ??= this.#claimsOf(this.#read(process, claim).batches)
      this.#write(process, claim, { t: 'pruned' })
      await this.#pause(process.id)
      claim.check()
      return true
    }
    for (const [b, batch] of batches.entries()) {
      for (let attempt = 0; attempt < 2 && batch.accepted === undefined; attempt += 1) {
        const wasTried = this.#kinds[b] === 'merge' && batch.hasTry
        if (wasTried) break
        await this.#attempt(process, claim, b, dice)
        Object.assign(batch, this.#read(process, claim).batches[b])
      }
    }
    this.#judge(this.#claimsOf(this.#read(process, claim).batches))
    return batches.every(({ accepted }) => accepted !== undefined)
  }

  async #attempt(process: Process, claim: Claim, b: number, dice: Dice): Promise<void> {
    this.#write(process, claim, { t: 'try', b })
    await this.#pause(process.id)
    claim.check()
    // A process can stand still between the check and the first byte.
    await this.#clock.sleep(dice.skewed(1, 20), process)
    const truth = this.#truth[b]
    if (truth === undefined) return
    truth.sent += 1
    if (this.#lines.some(({ t }) => t === 'pruned') && this.#summary?.[b] === 'never sent')
      this.violations.push(`batch ${b} was sent, and was pruned as never sent`)
    const answer = await new Promise<Answer | undefined>((resolve) => {
      const isLost = dice.chance(0.2)
      this.#clock.after(dice.skewed(5, 60_000), () => {
        const isRefused = dice.chance(0.15)
        const found = truth.isThere ? 'done' : 'absent'
        const given = isRefused ? 'refused' : found
        if (given === 'done') {
          truth.changed += 1
          truth.isThere = false
        }
        this.#clock.after(dice.skewed(1, 2000), () => resolve(isLost ? undefined : given), process)
      })
    })
    this.#write(process, claim, { t: 'res', b, ...(answer && { answer }) })
  }

  #write(process: Process, claim: Claim, line: Omit<Line, 'n' | 'machine' | 'at'>): void {
    claim.check()
    const { machine } = process
    this.#lines.push({ ...line, n: claim.number, machine, at: this.#clock.now() })
  }

  /** Lines of another machine can come late. */
  #read({ machine }: Process, claim: Claim) {
    const since = this.#clock.now() - this.#lateness
    const lines = this.#lines.filter((line) => line.machine === machine || line.at <= since)
    const { batches, isPruned } = fold(lines, this.#kinds.length)
    for (const batch of batches) {
      const isAmbiguous = batch.isOpen || (claim.isTakenOver && batch.accepted === undefined)
      batch.isAmbiguous ||= isAmbiguous
    }
    return { batches, isPruned }
  }

  #claimsOf(batches: readonly Batch[]): string[] {
    return batches.map(({ accepted, hasTry, isAmbiguous }) => {
      if (accepted === undefined) return hasTry || isAmbiguous ? 'unknown' : 'never sent'
      const { answer } = accepted
      return answer !== 'done' && accepted.isAmbiguous ? 'gone or unknown' : answer
    })
  }

  #judge(claims: readonly string[]): void {
    for (const [b, claim] of claims.entries()) {
      this.claims += 1
      const changed = this.#truth[b]?.changed ?? 0
      const isFalse =
        claim === 'done'
          ? changed === 0
          : claim !== 'unknown' &&
            claim !== 'gone or unknown' &&
            claim !== 'never sent' &&
            changed > 0
      if (isFalse) this.violations.push(`batch ${b} is said to be ${claim}, and changed ${changed}`)
    }
  }

  #hostOf(process: Process): ClaimHost {
    const { machine, id } = process
    const dice = this.#dice.fork()
    return {
      pid: id,
      platform: 'linux',
      now: () => machine.now(),
      isRunning: (pid) => machine.running.has(pid),
      monotonic: () => machine.monotonic(),
      randomBytes: (size) => Buffer.from(Array.from({ length: size }, () => dice.whole(0, 255))),
      sleep: (ms) => this.#clock.sleep(ms, process),
      every: (ms, callback) => this.#clock.every(ms, callback, process),
      computer: machine.computer,
      disk: this.#diskOf(process, dice),
    }
  }

  /** The disk as the process has it: with the system's own files, old lists, and what the variant leaves out. */
  #diskOf({ disk, machine, id }: Process, dice: Dice): Disk {
    const note = (): void => {
      this.#lastChange.set(machine, this.#clock.now())
      this.#listings.push({ at: this.#clock.now(), names: disk.readdirSync(folder) })
    }
    const readdirSync = (path: string): readonly string[] => {
      const since = Math.max(this.#clock.now() - this.#age, this.#lastChange.get(machine) ?? 0)
      // The last one before `since` was still true then.
      const first = this.#listings.findLastIndex(({ at }) => at <= since)
      const known = this.#listings.slice(Math.max(0, first))
      return dice.chance(0.5) && known.length > 0 ? dice.pick(known).names : disk.readdirSync(path)
    }
    const open = async (path: string, ...how: [string, number]) => {
      const file = await disk.promises.open(path, ...how)
      if (how[0] === 'wx') note()
      return file
    }
    const rm = async (path: string): Promise<void> => {
      if (this.#variant === 'earlier sessions stay') return
      await disk.promises.rm(path, { force: true })
      note()
    }
    const readFileSync = (path: string | number, encoding?: BufferEncoding) => {
      if (typeof path === 'string')
        return machine.systemFile(path, id) ?? disk.readFileSync(path, encoding)
      return disk.readFileSync(path, encoding)
    }
    const readlinkSync = (path: string) => machine.systemFile(path, id)
    const promises = Object.assign(Object.create(disk.promises) as object, { open, rm })
    const overrides = { promises, readdirSync, readFileSync, readlinkSync }
    return Object.assign(Object.create(disk) as Disk, overrides)
  }
}
