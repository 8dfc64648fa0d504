/** Holds what processes printed and how they ended against what the service really did. Every comparison is a claim. */
import type { BulkOperation } from '../../src/api/operations.ts'
import { operationOf } from '../../src/runs/operations/operations.ts'
import { figuresOf, idArraysOf } from '../../src/runs/outcomes.ts'
import { askedOutcome } from './effects.ts'
import { claims, type Ending } from './ending.ts'
import { isUndoing, opensAgain, RunFacts, takesOver } from './facts.ts'
import type { Job } from './job.ts'
import { isReceipt, linesOf, parsed, summaryOf } from './printed.ts'
import type { Checked, Listed, Receipt, Shown, Summary } from './printed.ts'
import type { SimulatedProcess } from './process.ts'
import { brokenRules } from './rules.ts'
import { begunTwice } from './same.ts'
import { entryIn, entryOf, nameOf, type World } from './world.ts'

/** A false claim, and the process whose end showed it. */
export interface Violation {
  readonly what: string
  readonly process: SimulatedProcess | undefined
}

/** Receipts that a process printed or wrote, of a run. */
interface Printed {
  readonly process: SimulatedProcess
  readonly receipts: readonly Receipt[]
  readonly summary: Summary | undefined
  readonly facts: RunFacts
  readonly isFile?: boolean
}

const isUndoOfAny = (run: string, names: ReadonlySet<string>): boolean => {
  const [, undone = ''] = /^undo-(.*)$/i.exec(nameOf(run)) ?? []
  return names.has(undone.toLowerCase())
}

export class Judge {
  readonly #world: World
  readonly violations: Violation[] = []
  claims = 0
  /** How the last session of a run ended, until another begins. */
  readonly #ends = new Map<string, { readonly summary: Summary; readonly at: number }>()
  /** Ids that were shown as done by the process that had the answer, by their runs. */
  readonly #shown = new Map<string, Set<string>>()

  constructor(world: World) {
    this.#world = world
  }

  /** The run's facts; undefined for a run that no process is known to have begun. */
  factsOf(run: string | undefined): RunFacts | undefined {
    const job = run === undefined ? undefined : this.#world.runs.get(run)?.job
    return run === undefined || job === undefined ? undefined : new RunFacts(run, job, this.#world)
  }

  /** Something that must be so, wherever it is seen, and the words for it when it is not. */
  claimOf(process: SimulatedProcess | undefined) {
    return (isSo: boolean, what: string): void => {
      this.claims += 1
      if (!isSo) this.violations.push({ what, process })
    }
  }

  /** Judges what a process said, as far as it said anything: one that was killed may have printed receipts. */
  judge(process: SimulatedProcess): Summary | undefined {
    const { end, argv } = process
    if (end !== 'killed') this.#judgeCode(process)
    this.#forgetEnds(process)
    if (argv[0] === 'runs' && argv[1] === 'list') this.#judgeListed(process)
    if (argv[0] === 'runs' && argv[1] === 'check') this.#judgeChecked(process)
    const summary = summaryOf(process)
    const receipts = linesOf(process.stdout).filter(isReceipt)
    const facts = this.factsOf(this.#runOf(process, summary))
    if (receipts.length > 0 && facts !== undefined)
      this.#judgeReceipts({ process, receipts, summary, facts })
    if (summary === undefined || argv.includes('--dry-run')) return summary
    const isSession = argv[0] !== 'runs' || argv[1] === 'resume' || argv[1] === 'undo'
    if (isSession && end !== 'killed' && process.signal === undefined)
      this.claimOf(process)(
        end?.code === summary.exitCode,
        `exit ${end?.code}, but its summary says ${summary.exitCode}`,
      )
    this.#judgeTotals(process, summary)
    if (facts === undefined) return summary
    this.#judgeSummary(process, summary, facts)
    const all = receipts.length === summary.input.unique ? receipts : undefined
    this.#judgeEnding({ process, receipts: all, summary, facts, isSession })
    return summary
  }

  #judgeCode(process: SimulatedProcess): void {
    const claim = this.claimOf(process)
    const { code, stderr, isDisturbed } = process
    claim(code !== 1, `exit 1: ${stderr}`)
    const { losesAnswers } = this.#world.disk
    // Another process with the same line was faster.
    const isTaken = /already (?:exists|in use)/.test(stderr)
    const hasCause = isDisturbed || this.#isPruned(process) || losesAnswers > 0 || isTaken
    // A holder that beats is never taken over.
    const isLost = stderr.includes('was taken over by another process')
    claim(!isLost || isDisturbed, 'it was taken over, and was well')
    claim(code !== 10 || hasCause, `exit 10 without a cause: ${stderr}`)
  }

  /** Receipts in a file: one for each id, and each of them true. */
  judgeFile(process: SimulatedProcess, text: string): void {
    const lines = text.split('\n').filter((line) => line !== '')
    const rows = text.startsWith('{')
      ? linesOf(text).filter(isReceipt)
      : lines
          .slice(1)
          .map((line) => ({ id: line.split(',')[0] ?? '', outcome: line.split(',')[2] ?? '' }))
    this.claimOf(process)(text === '' || text.endsWith('\n'), 'a file of receipts is not whole')
    this.judgeRows(process, rows)
  }

  /** The same of receipts that were read from a file. */
  judgeRows(process: SimulatedProcess, receipts: readonly Receipt[]): void {
    const summary = summaryOf(process)
    const facts = this.factsOf(this.#runOf(process, summary))
    if (facts !== undefined)
      this.#judgeReceipts({ process, receipts, summary, facts, isFile: true })
  }

  /** The rules that hold whatever was printed: what was sent, in which order, and when. */
  judgeRules(): void {
    const all = this.runs.flatMap((run) => this.factsOf(run) ?? [])
    for (const facts of all) {
      const { run } = facts
      this.claims += facts.requests.length
      const goneAt = this.#world.goneAt.get(run) ?? Infinity
      const unrecorded = facts.requests.find(({ at }) => at > goneAt)
      this.claimOf(unrecorded?.process)(
        unrecorded === undefined,
        `it sent a request of run ${run}, which was removed`,
      )
      for (const what of brokenRules(facts, all))
        this.violations.push({ what: `run ${run}: ${what}`, process: undefined })
    }
    for (const job of new Set(this.#world.processes.map((process) => process.job))) {
      const isOnce = job?.name !== undefined
      const sending = isOnce ? this.runs.filter((run) => this.#isOf(run, job)) : []
      // The name of a run that was pruned is free again.
      const kept = sending.filter((run) => !this.#isRemoved(run))
      this.claimOf(undefined)(
        kept.length <= 1,
        `${job?.name} was done by ${kept.length} runs: ${kept.join(', ')}`,
      )
    }
    this.violations.push(...begunTwice(all, this.#world))
  }

  /** Runs that a process has removed were old enough, and are what it lists. */
  judgePruned(
    process: SimulatedProcess,
    gone: ReadonlyMap<string, number>,
    before: Iterable<string>,
  ): void {
    const claim = this.claimOf(process)
    const { argv, code, stdout } = process
    const age = argv[argv.indexOf('--older-than') + 1] === '10m' ? 600_000 : 0
    const known = [...before]
    const removed = known.filter((key) => this.#world.currentKey(entryIn(key)) !== key)
    const names = new Set(removed.map((key) => nameOf(key).toLowerCase()))
    for (const [run, began] of gone) {
      // An undo goes with what it undid.
      if (isUndoOfAny(run, names)) continue
      const isOld = began <= process.latestReading - age
      claim(isOld, `run ${run} is gone, and is younger than ${age / 1000} s`)
    }
    if (code !== 0 || !argv.includes('--json')) return
    const listed = new Set((parsed(stdout) as readonly Listed[]).map(({ run }) => entryOf(run)))
    const untold = [...gone.keys()].filter(
      (run) => !listed.has(entryIn(run)) && !this.#world.damagedAt.has(run),
    )
    claim(untold.length === 0, `it has removed ${untold.join()} and does not say so`)
    const there = known.filter((run) => listed.has(entryIn(run)) && this.#world.isThere(run))
    claim(there.length === 0, `it says that it removed ${there.join()}`)
  }

  get runs(): readonly string[] {
    return [...this.#world.runs.keys()]
  }

  /** Runs were removed while it looked at them. */
  #isPruned({ startedAt }: SimulatedProcess): boolean {
    return this.#world.processes.some(({ prunes, endedAt }) => prunes && endedAt >= startedAt)
  }

  /** Somebody pruned the run, or a power loss took its name. */
  #isRemoved(run: string): boolean {
    const { processes, lost } = this.#world
    return lost.has(run) || processes.some(({ prunes, claimed }) => prunes && claimed.has(run))
  }

  #isOf(run: string, job: Job): boolean {
    const facts = this.factsOf(run)
    return facts?.job === job && facts.requests.length > 0
  }

  #judgeReceipts({ process, receipts, summary, facts, isFile = false }: Printed): void {
    const claim = this.claimOf(process)
    const ids = new Set(receipts.map(({ id }) => id.toLowerCase()))
    claim(ids.size === receipts.length, `${receipts.length - ids.size} ids have two receipts`)
    for (const { id, outcome } of receipts) {
      const problem = facts.problem(id.toLowerCase(), outcome, process)
      claim(problem === undefined, problem ?? '')
    }
    if (operationOf(facts.job.operation).pairs !== undefined)
      this.#judgeShown({ process, receipts, summary, facts })
    // The journal has the rest of a run that a signal aborted.
    const isPart =
      process.argv.includes('--outcome') || summary === undefined || process.signal !== undefined
    const { ids: all } = facts.job
    if (all === undefined || (isPart && !isFile)) return
    const lost = all.filter((id) => !ids.has(id))
    claim(
      lost.length === 0 && ids.size === all.length,
      `${lost.length} ids have no receipt: ${lost[0]}`,
    )
    if (summary === undefined || isFile) return
    for (const { name, outcome, isCount } of figuresOf(facts.job.operation)) {
      if (isCount) continue
      const shown = receipts.filter((receipt) => receipt.outcome === outcome).length
      claim(
        shown === summary.result[name],
        `the summary says ${summary.result[name]} ${name}, the receipts ${shown}`,
      )
    }
  }

  /** The service does not tell again what became of one thing: shown once, it is on disk. */
  #judgeShown({ process, facts, receipts }: Printed): void {
    const claim = this.claimOf(process)
    const shown = this.#shown.get(facts.run) ?? new Set()
    this.#shown.set(facts.run, shown)
    const isAlone = facts.processes.every(
      (other) => other === process || (other.endedAt < process.startedAt && !takesOver(other)),
    )
    for (const { id, outcome } of receipts) {
      const isAsked = outcome === askedOutcome(facts.job.operation)
      const isKept = isAsked || !isAlone || facts.isDamaged || !shown.has(id)
      claim(isKept, `${id} was shown as done, and is claimed to be ${outcome}: ${facts.story(id)}`)
      const isAnswered = facts
        .writesOf(id)
        .some((sent) => sent.process === process && sent.told === 'answered')
      if (isAsked && isAnswered && !process.hasBrokenDisk) shown.add(id)
    }
  }

  #judgeTotals(process: SimulatedProcess, summary: Summary): void {
    const claim = this.claimOf(process)
    const { result, input, left, status, resume } = summary
    const sum = Object.values(result).reduce((total, count) => total + count, 0)
    claim(sum === input.unique, `the figures add up to ${sum} of ${input.unique} ids`)
    const isEnded = status !== 'interrupted' || left > 0 || process.signal !== undefined
    claim(isEnded, 'a run of which nothing is left is called interrupted')
    claim(left === 0 || resume !== null, `${left} are left, and no command goes on with them`)
  }

  #judgeSummary(process: SimulatedProcess, summary: Summary, facts: RunFacts): void {
    const claim = this.claimOf(process)
    const { result, input } = summary
    const { operation, ids } = facts.job
    const figures = figuresOf(operation)
    const names = figures.map(({ name }) => name)
    claim(
      Object.keys(result).join() === names.join(),
      `figures of ${operation} are ${names.join()}, and it has ${Object.keys(result).join()}`,
    )
    this.#judgeArrays(process, summary, operation)
    if (ids === undefined) return
    claim(input.unique === ids.length, `${input.unique} ids, ${ids.length} were typed`)
    for (const { name, outcome, isCount } of figures) {
      const count = result[name] ?? 0
      const most = isCount ? facts.counted(ids, name) : facts.possible(ids, outcome, process)
      claim(
        count <= most,
        `${count} are claimed to be ${name}, at most ${most} are: ${JSON.stringify(result)}`,
      )
    }
    this.#compareWithEnd(process, summary, facts)
  }

  /** What follows from its outcomes and from what it was told. */
  #judgeEnding(ending: Omit<Ending, 'accepted'>): void {
    const { process, facts } = ending
    // Other commands take the outcomes that were accepted when the run began.
    const { argv } =
      process.argv[0] === 'runs' ? (this.#world.runs.get(facts.run) ?? process) : process
    const accepted = argv.includes('--accept')
      ? (argv[argv.indexOf('--accept') + 1] ?? '').split(',')
      : []
    for (const problemOf of claims) {
      const problem = problemOf({ ...ending, accepted })
      this.claimOf(process)(problem === undefined, problem ?? '')
    }
  }

  /** The arrays that have the ids of a figure; null where they are too many. */
  #judgeArrays(process: SimulatedProcess, summary: Summary, operation: BulkOperation): void {
    const claim = this.claimOf(process)
    const members = summary as unknown as Readonly<Record<string, readonly string[] | null>>
    for (const [array, outcome] of idArraysOf(operation)) {
      const figure = figuresOf(operation).find((each) => each.outcome === outcome)
      const count = figure === undefined ? 0 : summary.result[figure.name]
      const listed = members[array]
      claim(
        listed === null || listed?.length === count,
        `${count} are ${outcome}, and ${array} has ${listed?.length} ids`,
      )
    }
  }

  /**
   * An undo takes a session of the run that it undoes, and takes that run over when its last holder died unseen. What no answer said is
   * unknown from then on, such as a ticket that was only read.
   */
  #forgetEnds(process: SimulatedProcess): void {
    for (const run of process.claimed.keys()) {
      const { processes = [] } = this.factsOf(run) ?? {}
      const hasTakenOver = this.#world.processes.some(
        (each) => each.claimed.has(run) && (takesOver(each) || each.end === 'killed'),
      )
      if (hasTakenOver && !processes.includes(process)) this.#ends.delete(run)
    }
  }

  /** The end that a run's last session told; undefined when another process has worked on it since, or still does. */
  #endOf(run: string | undefined, process: SimulatedProcess): Summary | undefined {
    const [known, facts] = [this.#ends.get(run ?? ''), this.factsOf(run)]
    if (known === undefined || facts === undefined || facts.isDamaged) return undefined
    const { summary, at } = known
    // One that began in the millisecond of that end came after it.
    const isAlone = facts.processes.every(
      (other) => other === process || (other.endedAt <= at && other.startedAt < at),
    )
    // One that was stopped with nothing left ended with that; from then on only what became of its ids counts.
    // One that could not write its end told more of it than its disk has.
    const isOver =
      summary.stopReason === 'journal' ||
      summary.exitCode === 10 ||
      (summary.status === 'stopped' && summary.left === 0)
    // A command may have read the run before that end.
    const isSeen = facts.processes.includes(process) || at <= process.startedAt
    return isSeen && isAlone && !isOver ? summary : undefined
  }

  #compareWithEnd(
    process: SimulatedProcess,
    summary: Summary,
    { run, processes, requests }: RunFacts,
  ): void {
    const claim = this.claimOf(process)
    const known = this.#endOf(run, process)
    // It reads the run, or what the record of its name has kept.
    const isShown = !processes.includes(process)
    // The same command sends nothing more for a finished run.
    const isDone = known?.left === 0 && known.status !== 'interrupted' && !opensAgain(process)
    const sent = requests.filter((request) => request.process === process)
    claim(!isDone || sent.length === 0, `of a run that was done it sent ${sent.length} requests`)
    const { retry, exitCode } = known ?? {}
    const isInVain = process.attempts.length === 0 && exitCode === summary.exitCode
    claim(
      isShown || retry !== true || exitCode !== 7 || !isInVain,
      'it was told that a repetition may end better, and does nothing',
    )
    // A file that it was to write failed, and it says so in place of the run's end.
    if (summary.exitCode === 10 && isDone) return
    if ((isShown || isDone) && known !== undefined) this.#compareShown(process, summary, known)
    const isDisturbed = process.isDisturbed || process.end === 'killed'
    // Of two at the same moment, the one that began later may have ended the run.
    const isLast = processes.every(
      (other) =>
        other === process || (other.end !== undefined && other.startedAt <= process.startedAt),
    )
    if (isDisturbed || !isLast) this.#ends.delete(run)
    else if (processes.includes(process))
      this.#ends.set(run, { summary, at: this.#world.clock.now() })
  }

  /** Commands show a run as its session described it at its end, until another session works on it. */
  #compareShown(process: SimulatedProcess, shown: Shown, known: Shown): void {
    const [is, was] = [shown, known].map(({ result, exitCode, status }) =>
      JSON.stringify({ result, exitCode, status }),
    )
    this.claimOf(process)(
      is === was,
      `${process.argv.slice(0, 2).join(' ')} says ${is}, and the run ended with ${was}`,
    )
  }

  /** The rows of `runs list`. */
  #judgeListed(process: SimulatedProcess): void {
    for (const row of (parsed(process.stdout) as readonly Listed[] | undefined) ?? []) {
      const known = this.#endOf(this.#world.keyFor(process, row.run), process)
      // A removal or an undo makes it look like a run that is worked on.
      if (known !== undefined && !['working', 'undone'].includes(row.status)) {
        this.#compareShown(process, row, known)
      }
    }
  }

  /** The verdicts of `runs check` on jobs whose runs have ended. */
  #judgeChecked(process: SimulatedProcess): void {
    const checks = (parsed(process.stdout) as readonly Checked[] | undefined) ?? []
    for (const { name, exitCode } of checks) {
      const known = this.#endOf(this.#world.keyFor(process, name), process)
      if (known === undefined || exitCode === 11) continue
      // A run that ended in the future of this machine's clock needs a person.
      const isAhead = Date.parse(known.endedAt ?? '') > process.latestReading + 300_000
      this.claimOf(process)(
        exitCode === (known.exitCode === 0 && !isAhead ? 0 : 3),
        `runs check says ${exitCode}, and the job ended with ${known.exitCode}`,
      )
    }
  }

  #runOf(process: SimulatedProcess, summary: Summary | undefined): string | undefined {
    const { argv, claimed, job } = process
    if (summary !== undefined) {
      return summary.run === null ? undefined : this.#world.keyFor(process, summary.run)
    }
    const typed = argv[0] === 'runs' && argv[1] !== 'undo' ? argv[2] : undefined
    const named = typed === undefined ? undefined : this.#world.keyFor(process, typed)
    if (named !== undefined) return named
    // It may have had sessions of runs that it removed.
    return [...claimed.keys()].findLast(
      (run) => !isUndoing(process, run) && this.#world.runs.get(run)?.job === job,
    )
  }
}
