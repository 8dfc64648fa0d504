/** A world with people in it: what they typed so far, what is left to type it with, and the judge who looks on. */
import { bulkOperations } from '../../src/api/operations.ts'
import { operationOf } from '../../src/runs/operations/operations.ts'
import type { Dice } from './dice.ts'
import { isAble, isOpen } from './effects.ts'
import type { Job } from './job.ts'
import { Judge } from './judge.ts'
import type { SimulatedProcess } from './process.ts'
import { nameOf, World, type Running } from './world.ts'

/** A session waits at most this long for anything, but for the 60 s of a take-over and what it was told to wait. */
const longest = 3 * 3_600_000

/** Contacts that nobody uses up. */
const leastFree = 30

/** The file that an option of a command line names. */
function fileIn(words: readonly string[], option: string): string | undefined {
  const at = words.indexOf(option)
  return at < 0 ? undefined : words[at + 1]
}

/** Whether two jobs without a name ask for the same. */
function isSame(one: Job, other: Job): boolean {
  const [key, otherKey] = [one, other].map(({ operation, ids, parties, condition, ...job }) =>
    job.name !== undefined || ids === undefined
      ? undefined
      : JSON.stringify([
          operation,
          ids.map((id) => `${id} ${job.wanted(id)}`).sort(),
          parties,
          condition,
          // An assignee that all tickets share is another job than one in each row of a file.
          job.words.includes('--to'),
        ]),
  )
  return key !== undefined && key === otherKey
}

export class Stage {
  readonly world: World
  readonly judge: Judge
  readonly jobs: Job[] = []
  /** Claims that are judged once more when every request has landed. */
  readonly last: (() => void)[] = []
  /** Supplies of a seed: contacts without and with chats, tickets, employees who can have them, lists. */
  readonly stock: Readonly<Record<'free' | 'busy' | 'tickets' | 'employees' | 'lists', string[]>>
  #files = 0
  /** Files that commands wrote by their paths, and at whose end they were seen first. */
  readonly #written = new Map<string, { process: SimulatedProcess; text: string }>()
  /** Those whose process came to its end: they are on disk. Others may go with the power. */
  readonly #lasting = new Set<string>()

  constructor(seed: number, size?: number) {
    this.world = new World(seed, size)
    this.judge = new Judge(this.world)
    const { company } = this.world.service
    const contacts = [...company.contacts.all()]
    const able = company.employees.filter(isAble)
    this.stock = {
      free: contacts.filter(({ chat }) => !chat).map(({ id }) => id),
      busy: contacts.filter(({ chat }) => chat).map(({ id }) => id),
      tickets: [...company.tickets.values()].filter(isOpen).map(({ id }) => id),
      employees: able.map(({ id }) => id).slice(0, 6),
      lists: [...company.lists.keys()],
    }
    // Requests of few ids, so that a few ids are many batches.
    const most = this.world.dice.whole(1, 6)
    for (const { batch, pairs } of bulkOperations.map(operationOf))
      if (pairs === undefined) Object.assign(batch, { most })
  }

  /** The job of a command line: one without a name is the same as another that asks for the same. */
  jobLike(job: Job): Job {
    const known = this.jobs.includes(job) ? job : this.jobs.find((other) => isSame(other, job))
    if (known === undefined) this.jobs.push(job)
    return known ?? job
  }

  /** Ids of the contacts on a list now. */
  membersOf(list: string): string[] {
    return [...(this.world.service.company.lists.get(list)?.members.keys() ?? [])]
  }

  /** Takes so many contacts that nobody else takes after that. The last ones stay for all: traffic never runs out of them. */
  takeFree(dice: Dice, count: number): string[] {
    const { free } = this.stock
    return free.length < leastFree + count ? dice.some(free, count) : free.splice(0, count)
  }

  file(lines: readonly string[], ending = 'txt'): string {
    return this.text(`${lines.join('\n')}\n`, ending)
  }

  /** The same of a whole text. */
  text(text: string, ending: string): string {
    this.#files += 1
    return this.world.write(`input-${this.#files}.${ending}`, text)
  }

  /** A place for a file that a command writes. */
  place(ending: string): string {
    this.#files += 1
    return `/ana/output-${this.#files}.${ending}`
  }

  /** Types a command, waits for its end and has it judged. */
  async run(words: readonly string[], running: Running = {}): Promise<SimulatedProcess> {
    const process = this.world.start(words, running)
    const before = new Map(
      (process.prunes ? this.journals : []).map((run) => [run, this.world.startOf(run)]),
    )
    const late = this.world.clock.after(longest, () => process.giveUp())
    await process.ended
    late.cancel()
    this.judge.claimOf(process)(!process.isEndless, 'it does not come to an end')
    const summary = this.judge.judge(process)
    if (process.prunes) this.#judgePruned(process, before)
    const [receipts, annotated] = [fileIn(words, '--receipts'), fileIn(words, '--annotate')]
    // A command that continues a run has the input of the one that began it.
    const input = fileIn(words, '--file') ?? fileIn(running.job?.words ?? [], '--file')
    const text = receipts === undefined ? undefined : this.#read(process, receipts)
    if (text !== undefined && summary !== undefined) this.judge.judgeFile(process, text)
    if (annotated !== undefined && input !== undefined && words[1] !== 'match')
      this.#judgeAnnotated(process, annotated, input, summary !== undefined)
    return process
  }

  /** Runs that are there. */
  get journals(): string[] {
    return this.judge.runs.filter((run) => this.world.isThere(run))
  }

  /** Runs that a process removed, if no other one did. */
  #judgePruned(process: SimulatedProcess, before: ReadonlyMap<string, number>): void {
    const isAlone = this.world.processes.every(
      (other) => other === process || !other.prunes || other.endedAt < process.startedAt,
    )
    const there = new Set(this.journals)
    const gone = new Map(
      [...before].filter(([run]) => !there.has(run) && !this.world.damagedAt.has(run)),
    )
    for (const run of gone.keys()) {
      // The name of a run that a power loss took is free again.
      if (!this.world.lost.has(run)) this.world.goneAt.set(run, process.endedAt)
    }
    const pruned = [...gone].filter(
      ([run]) => !this.world.lost.has(run) && !this.#isTakenBack(run, process),
    )
    if (isAlone) this.judge.judgePruned(process, new Map(pruned), before.keys())
  }

  /** A process that cannot record a whole run, as on a full disk, removes it silently; meanwhile others see it. */
  #isTakenBack(run: string, { startedAt }: SimulatedProcess): boolean {
    const own = this.world.runs.get(run)
    const isNamed = own !== undefined && `${own.stdout}${own.stderr}`.includes(nameOf(run))
    return own !== undefined && own.endedAt >= startedAt && !isNamed
  }

  /** Whether another process that ran at the same time names the file, so that it may have written it. */
  #isShared(process: SimulatedProcess, path: string): boolean {
    return this.world.processes.some(
      (other) =>
        other !== process &&
        other.argv.includes(path) &&
        other.startedAt <= process.endedAt &&
        other.endedAt >= process.startedAt,
    )
  }

  /** The file that a session left at a path; undefined for none or another session's. A file that was moved there never disappears. */
  #read(process: SimulatedProcess, path: string): string | undefined {
    const text = this.world.disk.readFile(path)?.toString()
    const before = this.#written.get(path)
    if (this.#isShared(process, path) && !process.stderr.includes('wrote "')) return undefined
    this.judge.claimOf(process)(text !== undefined || !this.#lasting.has(path), `${path} is gone`)
    if (text === undefined || text === before?.text) return undefined
    this.#written.set(path, { process, text })
    // A disk that turns read-only may lose what it took last: the process says that not all is written.
    const isTold = /cannot be written/.test(process.stderr)
    if (process.end === 'killed' || isTold) this.#lasting.delete(path)
    else this.#lasting.add(path)
    return text
  }

  /** The input again, row for row; what stands behind the rows is true of a process that has come to its end. */
  #judgeAnnotated(process: SimulatedProcess, path: string, input: string, isEnd: boolean): void {
    const rows = this.#read(process, path)?.split('\n')
    if (rows === undefined) return
    const claim = this.judge.claimOf(process)
    // Lines get a heading.
    if (!input.endsWith('.csv')) rows.shift()
    const lines = this.world.disk.readFile(input)?.toString().split('\n') ?? []
    const other = lines.findIndex((line, n) => rows[n]?.startsWith(line) !== true)
    const isWhole = rows.length === lines.length && other < 0
    claim(isWhole, `${path} has ${rows.length} rows of ${lines.length}: ${rows[other]}`)
    const outcomes = new Map<string, string>()
    for (const [n, line] of lines.entries()) {
      const [id] = /[0-9a-f]{24}/.exec(line.toLowerCase()) ?? []
      const added = rows[n]?.slice(line.length) ?? ''
      const [, outcome = ''] = added.split(added[0] ?? '')
      const known = id === undefined ? undefined : outcomes.get(id)
      claim(known === undefined || known === outcome, `${id} is ${known} and ${outcome} in ${path}`)
      if (id !== undefined) outcomes.set(id, outcome)
    }
    const receipts = Array.from(outcomes, ([id, outcome]) => ({ id, outcome }))
    if (isEnd) this.judge.judgeRows(process, receipts)
  }

  /** When every request has landed: the rules of what was sent, and once more what was said. */
  judgeAll(): void {
    this.judge.judgeRules()
    // The written rows are still there. A later session may have sent those that are not attempted.
    for (const path of this.#lasting) {
      const isThere = this.world.disk.readFile(path) !== undefined
      this.judge.claimOf(this.#written.get(path)?.process)(isThere, `${path} is gone`)
    }
    for (const again of this.last) again()
  }

  /** The same with what befalls a process now and then: a kill at a write, or at any moment, a signal, a stop. */
  async disturbed(
    dice: Dice,
    words: readonly string[],
    running: Running = {},
  ): Promise<SimulatedProcess> {
    const befalls = dice.weighted({ nothing: 50, write: 21, kill: 11, signal: 9, stop: 9 })
    const moment = dice.skewed(5, 90_000)
    const duration = dice.skewed(1000, 400_000)
    const signal = dice.pick(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    const ended = this.run(
      words,
      befalls === 'write' ? { ...running, killedAt: dice.skewed(1, 160) } : running,
    )
    const process = this.world.processes.at(-1)
    if (befalls === 'kill') this.world.clock.after(moment, () => process?.kill())
    if (befalls === 'signal') this.world.clock.after(moment, () => process?.deliver(signal))
    if (befalls === 'stop') this.world.clock.after(moment, () => process?.stop(duration))
    return ended
  }
}
