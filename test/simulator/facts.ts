/** What the service's log says about one run, and which claims about an id that allows. */
import type { Job } from './job.ts'
import type { SimulatedProcess } from './process.ts'
import type { Sent, SimulatedService } from './service.ts'

/** One id of a run and all requests of the run that named it. */
interface IdFacts {
  readonly id: string
  readonly job: Job
  readonly service: SimulatedService
  readonly writes: readonly Sent[]
  readonly reads: readonly Sent[]
  /** When whoever makes the claim looked: nothing that left later can be in it. */
  readonly seenAt: number
}

type Effect = 'deleted' | 'notFound' | 'blocked' | 'added' | 'skipped' | 'failed'

/** A request of the run did this to the id, whoever knows of it. */
const did = ({ id, writes }: IdFacts, effect: Effect): boolean =>
  writes.some(({ landed }) => landed?.entry[effect]?.includes(id) === true)

/** The same, and the run was told so. */
const heard = (facts: IdFacts, effect: Effect): boolean =>
  did({ ...facts, writes: facts.writes.filter(({ told }) => told === 'answered') }, effect)

const isMade = ({ id, job, writes }: IdFacts): boolean =>
  writes.some(({ landed }) => {
    const { merged, assigned } = landed?.entry ?? {}
    if (merged !== undefined) return merged.source === id && merged.target === job.wanted(id)
    return assigned?.ticket === id && assigned.to === job.wanted(id)
  })

const isHeard = (facts: IdFacts): boolean =>
  isMade({ ...facts, writes: facts.writes.filter(({ told }) => told === 'answered') })

const isChanged = (facts: IdFacts): boolean =>
  did(facts, 'deleted') || did(facts, 'added') || isMade(facts)

/** Whether an outcome may be claimed of an id. */
const truths: Readonly<Record<string, (facts: IdFacts) => boolean>> = {
  deleted: (facts) => heard(facts, 'deleted'),
  'not-found': (facts) => heard(facts, 'notFound') && !did(facts, 'deleted'),
  gone: (facts) => heard(facts, 'notFound') && !facts.service.isThere(facts.id),
  blocked: (facts) => heard(facts, 'blocked') && !did(facts, 'deleted'),
  ok: (facts) => heard(facts, 'added') || heard(facts, 'skipped'),
  missing: (facts) => heard(facts, 'failed') && !facts.service.isThere(facts.id),
  undetermined: ({ writes }) => writes.some(({ told }) => told === 'answered'),
  done: (facts) =>
    facts.job.kind === 'merge'
      ? isHeard(facts)
      : isHeard(facts) ||
        facts.reads.some(
          ({ told, landed }) =>
            told === 'answered' && landed?.assignee === facts.job.wanted(facts.id),
        ),
  error: (facts) => !isChanged(facts),
  // The order of what happens within one millisecond is not known.
  'not-attempted': ({ writes, seenAt }) => writes.every(({ at }) => at >= seenAt),
  unknown: () => true,
}

/** Outcomes that say no more than they must, when every answer came: none of them may stand then. */
const weak = new Set(['unknown', 'gone'])

/** It took a lock over, or may have: of a holder from before a restart also without the option. */
export const takesOver = ({ argv, stderr }: SimulatedProcess): boolean =>
  argv.includes('--take-over') || stderr.includes('waiting a minute for a sign of life')

/** Its claims are weaker by themselves: what was answered counts as open again. */
export const opensAgain = (process: SimulatedProcess): boolean =>
  takesOver(process) || process.argv.includes('retry')

const isSuperseded = ({ end }: SimulatedProcess): boolean => end !== 'killed' && end?.code === 11

export class RunFacts {
  readonly job: Job
  readonly run: string
  readonly processes: readonly SimulatedProcess[]
  readonly requests: readonly Sent[]
  readonly #service: SimulatedService
  readonly #byId = new Map<string, Sent[]>()

  constructor(
    run: string,
    job: Job,
    processes: readonly SimulatedProcess[],
    service: SimulatedService,
  ) {
    this.run = run
    this.job = job
    this.#service = service
    this.processes = processes.filter(
      ({ locked, job: its }) => locked.has(run) && its?.undoes !== run,
    )
    // Whoever takes a run back, or removes it before one of its own, holds its lock too.
    const own = new Set(this.processes.filter((process) => process.job === job))
    this.requests = service.log.filter(({ process }) => own.has(process))
    for (const request of this.requests)
      for (const id of request.ids) this.#byId.set(id, [...(this.#byId.get(id) ?? []), request])
  }

  /** Nothing but the network came between. */
  get isCalm(): boolean {
    return this.processes.every((process) => !process.isDisturbed && !opensAgain(process))
  }

  writesOf(id: string): readonly Sent[] {
    return this.#of(id).writes
  }

  readsOf(id: string): readonly Sent[] {
    return this.#of(id).reads
  }

  /** What happened to an id. */
  story(id: string): string {
    return describe(this.#of(id))
  }

  /** Why an outcome is a false claim of a process, or too weak a one; undefined when it is right. */
  problem(id: string, outcome: string, process: SimulatedProcess): string | undefined {
    const facts = isSuperseded(process)
      ? this.#before(id, process)
      : this.#of(id, this.#seenBy(process))
    if (truths[outcome]?.(facts) !== true)
      return `${id} is claimed to be ${outcome}: ${describe(facts)}`
    const { writes } = facts
    const isTold =
      writes.length > 0 && writes.every(({ told }) => told === 'answered' || told === 'refused')
    if (!weak.has(outcome) || !isTold || !this.isCalm) return undefined
    // Whoever reads while another sends may be told less.
    const isAlone = this.processes.every(
      (other) => other === process || other.endedAt < process.startedAt,
    )
    if (!isAlone) return undefined
    return `${id} is claimed to be ${outcome}, and every answer came: ${describe(facts)}`
  }

  /** For how many of these ids a process may claim an outcome. */
  possible(ids: readonly string[], outcome: string, process: SimulatedProcess): number {
    const seenAt = this.#seenBy(process)
    return ids.filter((id) => truths[outcome]?.(this.#of(id, seenAt)) === true).length
  }

  /** Ids that an answer counted so, at most. */
  counted(
    ids: readonly string[],
    count: 'added' | 'skipped' | 'failed' | 'addedOrSkipped',
  ): number {
    return ids.filter((id) => {
      const facts = this.#of(id)
      if (count === 'skipped') return heard(facts, 'skipped') && !did(facts, 'added')
      return count === 'addedOrSkipped' ? heard(facts, 'skipped') : heard(facts, count)
    }).length
  }

  /** A process that works on the run knows of each of its requests; one that reads, of those before it began. */
  #seenBy(process: SimulatedProcess): number {
    return this.processes.includes(process) ? Infinity : process.startedAt
  }

  /** Who lost its lock has said what was so when it had it: without what its successors sent. */
  #before(id: string, process: SimulatedProcess): IdFacts {
    const facts = this.#of(id)
    const writes = facts.writes.filter(
      ({ process: by }) => by === process || by.startedAt < process.startedAt,
    )
    return { ...facts, writes }
  }

  #of(id: string, seenAt = Infinity): IdFacts {
    const about = this.#byId.get(id) ?? []
    const isWrite = ({ operation }: Sent): boolean => operation !== 'tickets.history'
    const [writes, reads] = [about.filter(isWrite), about.filter((sent) => !isWrite(sent))]
    return { id, job: this.job, service: this.#service, writes, reads, seenAt }
  }
}

/** The story of one id, in the order in which its requests left. */
function describe({ id, writes, reads }: IdFacts): string {
  const words = [...writes, ...reads]
    .sort((a, b) => a.at - b.at)
    .map(({ process, operation = '', told, status, at, landed }) => {
      const sent = `${at} process ${process.number} ${operation}, told: ${told} ${status ?? ''}`
      if (landed === undefined) return `[${sent}; never landed]`
      const effects = Object.entries(landed.entry).filter(
        ([, value]) => Array.isArray(value) && value.includes(id),
      )
      const [merged, assigned] = [landed.entry.merged, landed.entry.assigned].map(
        (made) => JSON.stringify(made) ?? '',
      )
      const did = [...effects.map(([name]) => name), merged, assigned, landed.assignee ?? '']
        .join(' ')
        .trim()
      return `[${sent}; landed ${landed.at} as ${landed.entry.n}: ${did}]`
    })
  return words.join(' ') || 'no request named it'
}
