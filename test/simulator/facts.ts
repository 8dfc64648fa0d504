/** The service's log of one run, and the claims about an id that it allows. */
import type { BulkOperation } from '../../src/api/operations.ts'
import {
  isOutcome,
  outcomeFacts,
  outcomesOfOperation,
  type CommonOutcome,
} from '../../src/runs/outcomes.ts'
import { askedOutcome, outcomeAgain, ownOutcomes, type Effect } from './effects.ts'
import type { Job } from './job.ts'
import { isBulk } from './parts.ts'
import type { SimulatedProcess } from './process.ts'
import type { Sent, SimulatedService } from './service.ts'
import { entryIn, type World } from './world.ts'

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

const wasAnswered = ({ told }: Sent): boolean => told === 'answered'

const effectsOf = ({ id }: IdFacts, writes: readonly Sent[]): Effect[] =>
  writes.flatMap(({ landed }) => landed?.effects.get(id) ?? [])

/** The requests that landed before the run changed the thing for the first time, and the one that did. */
const untilChanged = ({ id, writes }: IdFacts): Sent[] => {
  const landed = writes
    .filter((sent) => sent.landed !== undefined)
    .sort((a, b) => (a.landed?.entry.n ?? 0) - (b.landed?.entry.n ?? 0))
  const first = landed.findIndex((sent) => sent.landed?.effects.get(id)?.isChanged === true)
  return first < 0 ? landed : landed.slice(0, first + 1)
}

/** A request of the run did what was asked, whoever knows of it. */
const isMade = (facts: IdFacts): boolean => {
  const asked = askedOutcome(facts.job.operation)
  return effectsOf(facts, facts.writes).some(({ outcome }) => outcome === asked)
}

/** Answers that came, with this outcome of the id. */
const heard = (facts: IdFacts, outcome: string | undefined): Effect[] =>
  effectsOf(facts, facts.writes.filter(wasAnswered)).filter((effect) => effect.outcome === outcome)

const isHeard = (facts: IdFacts, outcome: string | undefined): boolean =>
  outcome !== undefined && heard(facts, outcome).length > 0

const isChanged = (facts: IdFacts): boolean =>
  effectsOf(facts, facts.writes).some((effect) => effect.isChanged)

/** A ticket was read when the wanted employee had it, as is seen where one ticket is given to one employee. */
const isReadAsWanted = ({ id, job, reads }: IdFacts): boolean => {
  const wanted = job.wanted(id)
  return (
    wanted !== undefined &&
    effectsOf({ id } as IdFacts, reads.filter(wasAnswered)).some(
      ({ before }) => before.assignee === wanted,
    )
  )
}

type Rule = (facts: IdFacts) => boolean

/** Outcomes of every operation. */
const commonRules: Readonly<Record<CommonOutcome, Rule>> = {
  // A reader of a run that goes on says what was so when it began: a merge behind one that is in flight is sent later.
  error: (facts) =>
    !isChanged({ ...facts, writes: facts.writes.filter(({ at }) => at < facts.seenAt) }),
  // The order of what happens within one millisecond is not known.
  'not-attempted': ({ writes, seenAt }) => writes.every(({ at }) => at >= seenAt),
  unknown: () => true,
}

/**
 * Whether an outcome of an operation may be claimed of an id, by what the operation says of the outcome and by what the service
 * answers to a request that it has done before. Throws for an outcome of which these do not tell.
 */
export function ruleOf(operation: BulkOperation, outcome: string): Rule {
  if (Object.hasOwn(commonRules, outcome)) return commonRules[outcome as CommonOutcome]
  const again = outcomeAgain[operation]
  const own = ownOutcomes(operation).find((each) => each === outcome)
  if (own === undefined) throw new RangeError(`there is no rule for "${outcome}" of ${operation}`)
  const { guessOf, isReopenable, isDone } = outcomeFacts(own)
  if (guessOf !== undefined) {
    if (again === undefined || again === guessOf)
      throw new RangeError(`nothing tells when "${outcome}" of ${operation} may be guessed`)
    return (facts) => isHeard(facts, again)
  }
  // An answer about all of its request says that some are not as asked, and no other answer which.
  if (isReopenable) return ({ writes }) => writes.some(wasAnswered)
  if (isDone) return (facts) => isHeard(facts, outcome) || isReadAsWanted(facts)
  // Somebody else had the ticket when it was read, and nothing was sent.
  if (own === 'kept') return isReadOtherwise
  // The process that changed it cannot say that it was so before.
  if (outcome === again) return (facts) => isHeard(facts, outcome) && !isMade(facts)
  return (facts) => isHeard(facts, outcome)
}

/** A ticket was read when somebody else had it, and no request of the run had changed it by then. */
function isReadOtherwise(facts: IdFacts): boolean {
  const { id, job, reads } = facts
  const readers = effectsOf({ id } as IdFacts, reads.filter(wasAnswered))
  const condition = job.condition ?? job.givenBackFrom?.(id)
  const others = readers.some(({ before }) => before.assignee !== condition)
  return others && !isChanged(facts)
}

/** Facts about a thing that never existed: only a guess may call it done. */
const isAbsent = ({ id, service }: IdFacts, outcome: string): boolean => {
  if (!isOutcome(outcome)) return false
  const { isDone, guessOf } = outcomeFacts(outcome)
  return isDone && guessOf === undefined && !service.everHad(id)
}

const mayClaim = (facts: IdFacts, outcome: string): boolean =>
  isOutcome(outcome) &&
  outcomesOfOperation(facts.job.operation).includes(outcome) &&
  ruleOf(facts.job.operation, outcome)(facts) &&
  !isAbsent(facts, outcome)

/** It says no more than it must after a lost answer: when every answer came, it may not stand. */
const isWeak = (outcome: string): boolean =>
  outcome === 'unknown' || (isOutcome(outcome) && outcomeFacts(outcome).guessOf !== undefined)

/** It took a run over, or may have: of a holder from before a restart also without the option. */
export const takesOver = ({ argv, stderr }: SimulatedProcess): boolean =>
  argv.includes('--take-over') || stderr.includes('waiting a minute for a sign of life')

/** It opens batches again by what became of them. */
export const opensByOutcome = ({ argv }: SimulatedProcess): boolean =>
  argv[0] === 'runs' && argv[1] === 'resume' && argv.includes('--outcome')

/** Its claims are weaker by themselves: what was answered counts as open again. */
export const opensAgain = (process: SimulatedProcess): boolean =>
  takesOver(process) || opensByOutcome(process)

/** Whether a process undoes a run: another run can have its name since the line was typed first. */
export const isUndoing = ({ job }: SimulatedProcess, run: string): boolean =>
  job?.undoes !== undefined && entryIn(job.undoes) === entryIn(run)

/** Whether a request was of this run: a process may have claimed others before, to make room, and after it, to undo them. */
function isOf({ process, at }: Sent, run: string): boolean {
  const worked = [...process.claimed].filter(
    ([key, claimedAt]) => claimedAt <= at && !isUndoing(process, key),
  )
  return worked.at(-1)?.[0] === run
}

export class RunFacts {
  readonly job: Job
  readonly run: string
  readonly processes: readonly SimulatedProcess[]
  readonly requests: readonly Sent[]
  /** A byte of its record went bad, which weakens claims. */
  readonly isDamaged: boolean
  readonly #service: SimulatedService
  readonly #byId = new Map<string, Sent[]>()
  /** Whether a process took the run over: who has it after that inherits it. */
  readonly #isTakenOver: boolean

  constructor(
    run: string,
    job: Job,
    { processes, service, damagedAt }: Pick<World, 'processes' | 'service' | 'damagedAt'>,
  ) {
    this.run = run
    this.job = job
    this.isDamaged = damagedAt.has(run)
    this.#service = service
    this.processes = processes.filter(
      (process) => process.claimed.has(run) && !isUndoing(process, run),
    )
    // An undo holds a session of the run that it takes back, and a prune one of each that it removes.
    const own = new Set(this.processes.filter((process) => process.job === job))
    this.#isTakenOver = processes.some((process) => process.job === job && opensAgain(process))
    this.requests = service.log.filter((sent) => own.has(sent.process) && isOf(sent, run))
    for (const request of this.requests)
      for (const id of request.ids) this.#byId.set(id, [...(this.#byId.get(id) ?? []), request])
  }

  /** Nothing but the network came between. */
  get isCalm(): boolean {
    const isUndisturbed = this.processes.every(
      (process) => !process.isDisturbed && !opensAgain(process),
    )
    return isUndisturbed && !this.#isTakenOver && !this.isDamaged
  }

  writesOf(id: string): readonly Sent[] {
    return this.#of(id).writes
  }

  readsOf(id: string): readonly Sent[] {
    return this.#of(id).reads
  }

  /** The events of an id. */
  story(id: string): string {
    return describe(this.#of(id))
  }

  /** Why an outcome is a false claim of a process, or too weak a one; undefined when it is right. */
  problem(id: string, outcome: string, process: SimulatedProcess): string | undefined {
    const facts = this.#knownTo(process, id)
    if (!mayClaim(facts, outcome)) return `${id} is claimed to be ${outcome}: ${describe(facts)}`
    const { writes } = facts
    const isTold =
      writes.length > 0 && writes.every(({ told }) => told === 'answered' || told === 'refused')
    if (!isWeak(outcome) || !isTold || !this.isCalm) return undefined
    // A reader may see less while another process sends.
    const isAlone = this.processes.every(
      (other) => other === process || other.endedAt < process.startedAt,
    )
    if (!isAlone) return undefined
    return `${id} is claimed to be ${outcome}, and every answer came: ${describe(facts)}`
  }

  /** For how many of these ids a process may claim an outcome. */
  possible(ids: readonly string[], outcome: string, process: SimulatedProcess): number {
    return ids.filter((id) => mayClaim(this.#knownTo(process, id), outcome)).length
  }

  /** Ids that an answer counted so, at most; of a count that no answer has, those that are as wanted. */
  counted(ids: readonly string[], count: string): number {
    const { operation } = this.job
    const outcome = ownOutcomes(operation).find((own) => own === 'ok')
    const isOfAnswers = ['added', 'skipped'].includes(count)
    return ids.filter((id) => {
      const facts = this.#of(id)
      const effects = heard(facts, outcome)
      // Things of which no answer tells whether the run changed them.
      if (!isOfAnswers) return effects.length > 0
      const its = effects.filter(({ counts }) => counts.includes(count))
      const isAsked = outcome === askedOutcome(operation)
      if (!isAsked || its.some((effect) => effect.isChanged)) return its.length > 0
      // A thing that the run changed was not as wanted before, and others may change it back later.
      const before = heard({ ...facts, writes: untilChanged(facts) }, outcome)
      return before.some(({ counts }) => counts.includes(count))
    }).length
  }

  /**
   * The knowledge of a process when it states the outcome of an id. One that works on the run knows of every request of those who had it
   * before; it may still be printing when another one has it. One that reads knows of the requests before it began.
   */
  #knownTo(process: SimulatedProcess, id: string): IdFacts {
    const claimedAt = process.claimed.get(this.run)
    if (claimedAt === undefined || !this.processes.includes(process))
      return this.#of(id, process.startedAt)
    const facts = this.#of(id)
    const writes = facts.writes.filter(
      ({ process: by }) => by === process || (by.claimed.get(this.run) ?? 0) <= claimedAt,
    )
    return { ...facts, writes }
  }

  #of(id: string, seenAt = Infinity): IdFacts {
    const requests = this.#byId.get(id) ?? []
    const [writes, reads] = [requests.filter(isWrite), requests.filter((sent) => !isWrite(sent))]
    return { id, job: this.job, service: this.#service, writes, reads, seenAt }
  }
}

/** It changes something. */
export const isWrite = ({ operation }: Sent): boolean => isBulk(operation)

/** The story of one id, in the order in which its requests left. */
function describe({ id, writes, reads }: IdFacts): string {
  const words = [...writes, ...reads]
    .sort((a, b) => a.at - b.at)
    .map(({ process, operation = '', told, status, at, landed }) => {
      const sent = `${at} process ${process.number} ${operation}, told: ${told} ${status ?? ''}`
      if (landed === undefined) return `[${sent}; never landed]`
      const effect = landed.effects.get(id)
      const { outcome = '', counts = [], before, after, isChanged } = effect ?? {}
      const assignees = [before, after].map((state) => state?.assignee ?? '').join(' > ')
      const did = [outcome, ...counts, isChanged === true ? 'changed' : '', assignees].join(' ')
      return `[${sent}; landed ${landed.at} as ${landed.entry.n}: ${did.trim()}]`
    })
  return words.join(' ') || 'no request named it'
}
