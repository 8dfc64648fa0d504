/**
 * Walks every path of one batch: attempts under every fault, sessions that are killed and resumed, a lock that is taken over,
 * batches that are opened again, other people's doings, requests that are carried out late. Paths that come to the same
 * situation are walked on once and counted as often as there are. Every situation is judged, not only the ends, since a run
 * may be stopped anywhere.
 */
import { requestCanLand } from '../../../src/api/limits.ts'
import { operationOf } from '../../../src/bulk/operations/operations.ts'
import { reopenable } from '../../../src/bulk/operations/outcome.ts'
import { unsent, canLandUntil, type BatchState } from '../../../src/bulk/record/batch-state.ts'
import type { Batch } from '../../../src/bulk/operations/operation.ts'
import type { BatchOutcome } from '../../../src/bulk/operations/outcome.ts'
import { parseEvent, readEvent, resEvent, type AttemptPlace, type BatchEvent } from '../../../src/bulk/record/events.ts'
import { endingOf, exchangeOf, type Ending, type Fault, type Lie, type Work } from './faults.ts'
import { reading, type Rules } from './rules.ts'

/** The service, and what is true of one batch in it. */
export interface World {
  /** Does so much of a request of this run, and returns the honest answer. */
  arrive(work: Work): unknown
  /** Works on the first id only, and answers so that not all of it can be true. */
  lie(lie: Lie): unknown
  /** Assign: who has the ticket. */
  assignee?(): string
  /** What other people can do, each by its name. */
  others(): readonly string[]
  other(name: string): void
  copy(): World
  key(): string
}

/** What svc may know of its own doings, kept by the model and not by the rules. */
export interface Truth {
  /** A request of this run left, if only one of a session that lost its lock. */
  readonly sent: boolean
  /** One of them may have been carried out without an accepted answer. */
  readonly doubt: boolean
  /** Not every lost answer was a 5xx of the service. */
  readonly silent: boolean
  /** An answer to this session's or an earlier one's own attempt was lost since the batch was opened last. */
  readonly ownLost: boolean
  /** How the last attempt ended that svc did not give up; `reopened` until there is another one. */
  readonly ending: Ending | 'reopened' | undefined
  /** An answer that was accepted, and is honest. */
  readonly honest?: unknown
  /** Assign: who had the ticket before the first attempt that may have been carried out. */
  readonly before?: string | undefined
  /** Assign: what was read since the last attempt in this session; null when it could not be read. */
  readonly seen?: string | null | undefined
  /** Assign: after an attempt that may have been carried out, somebody else was seen to have the ticket. */
  readonly moved?: boolean
  /** This session's last attempt was refused, or never left. */
  readonly isRefusedHere?: boolean
  /** What must never happen, and did. */
  readonly violation?: string | undefined
}

interface LateRequest {
  readonly work: Work
  readonly at: number
}

export interface Situation<W extends World = World> {
  readonly world: W
  /** As a new session reads it from the journal. */
  readonly disk: BatchState
  /** As this session has it. */
  readonly memory: BatchState
  /** This session works on the batch. */
  readonly isWorking: boolean
  readonly late: readonly LateRequest[]
  readonly truth: Truth
  /** Attempts that may still be made. */
  readonly left: number
  /** How often somebody else may still interfere, or another session begin. */
  readonly extras: number
  readonly trace: readonly string[]
  /** How many paths lead here. */
  readonly count: number
}

export interface Setting<W extends World> {
  readonly batch: Batch
  readonly faults: readonly Fault[]
  readonly world: () => W
  readonly extras: number
  /** Three unless it says otherwise. */
  readonly attempts?: number
  /** What is wrong with a situation, in words. */
  readonly judge: (situation: Situation<W>, outcome: BatchOutcome, action: string) => string | undefined
  /** Assign: what is wrong with giving back what is done; `from`: the time from which undo does. */
  readonly judgeUndo?: (situation: Situation<W>, from: number | undefined) => string | undefined
}

export interface End {
  readonly outcome: BatchOutcome
  readonly state: BatchState
  readonly truth: Truth
  count: number
}

export interface Explored {
  paths: number
  readonly wrong: string[]
  readonly ends: Map<string, End>
}

const mostAttempts = 3

/** Wrong rules need no more than one false claim. */
export class Caught extends Error {}

export function tell(wrong: string[], problem: string, isHunt: boolean): void {
  if (isHunt) throw new Caught(problem)
  if (wrong.length < 5) wrong.push(problem)
}

/** Everything that can come of one batch. */
export function explore<W extends World>(setting: Setting<W>, rules: Rules, isHunt: boolean): Explored {
  return new Walk(setting, rules, isHunt).run()
}

class Walk<W extends World> {
  private readonly setting: Setting<W>
  private readonly rules: Rules
  private readonly isHunt: boolean
  private readonly explored: Explored = { paths: 0, wrong: [], ends: new Map() }
  private readonly levels: Map<string, Situation<W>>[] = []
  private readonly lines = new Map<string, string>()
  private readonly states: KnownStates

  constructor(setting: Setting<W>, rules: Rules, isHunt: boolean) {
    this.setting = setting
    this.rules = rules
    this.isHunt = isHunt
    this.states = new KnownStates(setting.batch, rules)
  }

  run(): Explored {
    const { world, extras, attempts: left = mostAttempts } = this.setting
    const truth: Truth = { sent: false, doubt: false, silent: false, ownLost: false, ending: undefined }
    const start = { world: world(), disk: unsent, late: [], truth, left, extras, trace: [], count: 1 }
    this.put(this.restarted({ ...start, memory: unsent, isWorking: true }))
    for (let level = this.levels.length - 1; level >= 0; level -= 1) {
      for (const situation of this.levels[level]?.values() ?? []) {
        this.visit(situation)
        // A late request is carried out before whatever comes next, or not yet.
        if (situation.late.length > 0) this.visit(landed(situation))
      }
      this.levels[level]?.clear()
    }
    return this.explored
  }

  /** Whatever is done next, less of it is left: attempts and extras, then readings. */
  private put(next: Situation<W>): void {
    const level = (next.left + next.extras) * 2 + (next.memory.reading === undefined ? 1 : 0)
    while (this.levels.length <= level) this.levels.push(new Map())
    const { world, disk, memory, isWorking, late, truth } = next
    const states = `${this.states.numberOf(disk)} ${this.states.numberOf(memory)} ${isWorking}`
    const name = `${states} ${next.left} ${world.key()} ${JSON.stringify(late)} ${JSON.stringify(truth)}`
    const same = this.levels[level]?.get(name)
    this.levels[level]?.set(name, same === undefined ? next : { ...same, count: same.count + next.count })
  }

  private visit(situation: Situation<W>): void {
    this.judge(situation)
    if (situation.extras > 0) this.interfere(situation)
    const step = this.stepOf(situation)
    if (step === 'read') this.read(situation)
    else if (step === 'send' && situation.left > 0) {
      for (const fault of this.setting.faults) this.put(this.attempt(situation, fault))
    } else this.end(situation)
  }

  private stepOf({ isWorking, memory }: Situation<W>): 'read' | 'send' | 'finished' {
    const { batch } = this.setting
    if (!isWorking) return 'finished'
    if (batch.operation === 'tickets.assign') return this.rules.step(memory, batch.other ?? '')
    return this.states.actionOf(memory) === 'send' ? 'send' : 'finished'
  }

  private judge(situation: Situation<W>): void {
    const { batch } = this.setting
    const { disk, memory, late, trace, truth } = situation
    const outcome = this.states.outcomeOf(disk)
    const problem =
      truth.violation ??
      (outcome.outcomes.length === batch.ids.length ? undefined : 'not one outcome for each id') ??
      (this.isResumedAssign(situation) || sameOutcome(outcome, this.states.outcomeOf(memory))
        ? undefined
        : 'memory and journal differ') ??
      late.map(({ at }) => landsTooLate(disk, at)).find((found) => found !== undefined) ??
      this.setting.judge(situation, outcome, this.states.actionOf(disk)) ??
      (outcome.outcomes[0] === 'done' ? this.setting.judgeUndo?.(situation, this.rules.undoableFrom(disk)) : undefined)
    if (problem !== undefined) {
      const claimed = outcome.outcomes.join(' ')
      tell(this.explored.wrong, `${trace.join(', ')}: ${claimed}: ${problem}`, this.isHunt)
    }
  }

  /** A session forgets what an earlier one read, until it has read the ticket itself. */
  private isResumedAssign({ disk, memory }: Situation<W>): boolean {
    return disk.reading !== undefined && memory.reading === undefined
  }

  private end({ disk, truth, count }: Situation<W>): void {
    const outcome = this.states.outcomeOf(disk)
    this.explored.paths += count
    const name = endName(disk, outcome, truth)
    const same = this.explored.ends.get(name)
    if (same === undefined) this.explored.ends.set(name, { outcome, state: disk, truth, count })
    else same.count += count
  }

  /** A new session knows what stands in the journal, and nothing else. */
  private restarted(situation: Situation<W>): Situation<W> {
    const { disk, truth } = situation
    const action = this.states.actionOf(disk)
    const isWorking = action === 'send' || action === 'read-first'
    return {
      ...situation,
      memory: isWorking ? this.states.resumed(disk) : disk,
      isWorking,
      truth: { ...truth, seen: undefined, isRefusedHere: false },
    }
  }

  private apply(situation: Situation<W>, line: string): Situation<W> {
    const { disk, memory } = situation
    return { ...situation, disk: this.states.after(disk, line), memory: this.states.lived(memory, line) }
  }

  /** One attempt under one fault. */
  private attempt(situation: Situation<W>, fault: Fault): Situation<W> {
    const at = this.timeOf(situation)
    const begun = { ...situation, left: situation.left - 1, trace: [...situation.trace, fault.name] }
    if (fault.crash === 'before-try') return this.restarted(begun)
    const place = { b: 1, a: situation.memory.attempts + 1, at }
    const tried = this.apply(begun, JSON.stringify({ t: 'try', ...place } satisfies BatchEvent))
    const sent = tried.truth.sent || (fault.neverSent === undefined && fault.crash !== 'before-send')
    const truth = { ...after(tried.truth, endingOf(fault)), sent, violation: this.violationOf(situation, fault) }
    if (fault.crash === 'before-send') return this.restarted({ ...tried, truth })

    const world = copyOf(situation.world)
    const late = fault.isLate === true ? [...situation.late, { work: fault.work ?? 'all', at }] : situation.late
    const answer = fault.neverSent === undefined && fault.isLate !== true ? answerOf(world, fault) : undefined
    const gone = {
      ...tried,
      world,
      late,
      truth: { ...truth, honest: truth.ending === 'answered' ? answer : undefined },
    }
    if (fault.crash === 'before-res') return this.restarted(gone)
    const ended = this.apply(gone, this.lineOf(place, fault, answer))
    return fault.crash === 'after-res' ? this.restarted(ended) : ended
  }

  /** The `res` line of an attempt, as it is written. */
  private lineOf({ b, a, at }: AttemptPlace, fault: Fault, answer: unknown): string {
    const { operation } = this.setting.batch
    return once(this.lines, `${fault.name} ${a} ${at} ${JSON.stringify(answer)}`, () => {
      const result = this.rules.classify(exchangeOf(fault, answer), reading(operation))
      return JSON.stringify(resEvent(operationOf(operation).keptFields, { b, a, at: at === 0 ? 0 : at + 500 }, result))
    })
  }

  private violationOf({ truth }: Situation<W>, fault: Fault): string | undefined {
    if (truth.violation !== undefined) return truth.violation
    if (fault.neverSent !== undefined || fault.crash === 'before-send') return undefined
    switch (this.setting.batch.operation) {
      case 'contacts.merge':
        return truth.ownLost ? 'sent again after an answer was lost' : undefined
      case 'tickets.assign':
        if (truth.isRefusedHere === true) return 'sent again after a refusal'
        if (truth.seen === undefined) return 'sent without reading the ticket'
        if (truth.seen === null || !truth.doubt) return undefined
        return truth.moved === true ? 'someone else’s change was overwritten' : undefined
      case 'contacts.delete':
      case 'lists.add-contacts':
        return truth.honest === undefined ? undefined : 'sent again after a good answer'
    }
  }

  /** Assign: the ticket is read, or cannot be. */
  private read(situation: Situation<W>): void {
    const { world, truth, trace } = situation
    const id = world.assignee?.() ?? ''
    const place = { b: 1, at: 0 }
    const known = truth.doubt ? (truth.before ?? id) : id
    const before = truth.ownLost ? truth.before : known
    const seen = this.apply(situation, JSON.stringify(readEvent(place, { id })))
    const moved = truth.moved === true || (truth.doubt && id !== before)
    this.put({ ...seen, truth: { ...truth, seen: id, before, moved }, trace: [...trace, 'read'] })
    const unread = this.apply(situation, JSON.stringify(readEvent(place, { problem: 'forbidden' })))
    const forgotten = truth.doubt ? truth.before : undefined
    this.put({ ...unread, truth: { ...truth, seen: null, before: forgotten }, trace: [...trace, 'unreadable'] })
  }

  /** Only for merges it matters when something happened. */
  private timeOf({ left }: Situation<W>): number {
    return this.setting.batch.operation === 'contacts.merge' ? 1000 * (1 + mostAttempts - left) : 0
  }

  /** Somebody else does something; or the session ends here, and another one resumes, takes over, or retries. */
  private interfere(situation: Situation<W>): void {
    const extras = situation.extras - 1
    const next = (name: string): Situation<W> => ({ ...situation, extras, trace: [...situation.trace, name] })
    for (const name of situation.world.others()) {
      const world = copyOf(situation.world)
      world.other(name)
      this.put({ ...next(name), world })
    }
    this.put(this.restarted(next('another session')))
    if (situation.disk.answer === undefined) this.takeOver(next('taken over'))
    this.reopen(next('opened again'))
  }

  /** The session before may have sent one more request than its journal says; it may even be in flight. */
  private takeOver(situation: Situation<W>): void {
    const at = this.timeOf(situation)
    const truth = { ...situation.truth, doubt: true, silent: true }
    const tainted = { ...situation, disk: this.states.tainted(situation.disk, at), truth }
    this.put(this.restarted(tainted))
    const sent = { ...truth, sent: true }
    for (const work of ['all', 'first'] as const) {
      if (work === 'first' && this.setting.batch.ids.length === 1) continue
      const world = copyOf(situation.world)
      world.arrive(work)
      this.put(this.restarted({ ...tainted, world, truth: sent }))
    }
    const late = [...situation.late, { work: 'all' as const, at }]
    this.put(this.restarted({ ...tainted, late, truth: sent }))
  }

  private reopen(situation: Situation<W>): void {
    const { disk, truth } = situation
    const wanted: readonly string[] = reopenable
    if (!this.states.outcomeOf(disk).outcomes.some((outcome) => wanted.includes(outcome))) return
    const isCleared = disk.answer !== undefined
    this.put(
      this.restarted({
        ...situation,
        disk: this.states.reopened(disk),
        truth: {
          ...truth,
          doubt: truth.doubt || isCleared,
          silent: truth.silent || isCleared,
          ownLost: false,
          moved: false,
          honest: undefined,
          ending: truth.ending === undefined ? undefined : 'reopened',
        },
      }),
    )
  }
}

/** The rules are pure: each state is made once, and each question about it asked once. */
class KnownStates {
  private readonly batch: Batch
  private readonly rules: Rules
  private readonly byText = new Map<string, BatchState>()
  private readonly numbers = new Map<BatchState, number>()
  private readonly outcomes = new Map<BatchState, BatchOutcome>()
  private readonly actions = new Map<BatchState, string>()
  private readonly resumes = new Map<BatchState, BatchState>()
  private readonly reopens = new Map<BatchState, BatchState>()
  private readonly taints = new Map<BatchState, Map<number, BatchState>>()
  private readonly live: Steps = new Map()
  private readonly read: Steps = new Map()

  constructor(batch: Batch, rules: Rules) {
    this.batch = batch
    this.rules = rules
  }

  known(state: BatchState): BatchState {
    if (this.numbers.has(state)) return state
    const text = JSON.stringify(state)
    const same = this.byText.get(text)
    if (same !== undefined) return same
    this.byText.set(text, state)
    this.numbers.set(state, this.numbers.size)
    return state
  }

  numberOf(state: BatchState): number {
    return this.numbers.get(this.known(state)) ?? -1
  }

  outcomeOf(state: BatchState): BatchOutcome {
    return once(this.outcomes, this.known(state), (known) => this.rules.outcomesOf(this.batch, known))
  }

  actionOf(state: BatchState): string {
    return once(this.actions, this.known(state), (known) => this.rules.next(this.batch, known))
  }

  resumed(state: BatchState): BatchState {
    return once(this.resumes, this.known(state), (known) => this.known(this.rules.resume(known)))
  }

  reopened(state: BatchState): BatchState {
    return once(this.reopens, this.known(state), (known) => this.known(this.rules.reopen(known)))
  }

  tainted(state: BatchState, at: number): BatchState {
    const byTime = once(this.taints, this.known(state), () => new Map<number, BatchState>())
    return once(byTime, at, () => this.known(this.rules.taint(state, { at })))
  }

  /** The state after an event, as the session that wrote it has it. */
  lived(state: BatchState, line: string): BatchState {
    return this.following(this.live, state, line, () => JSON.parse(line) as BatchEvent)
  }

  /** The state after a line of the journal, as it is read back. */
  after(state: BatchState, line: string): BatchState {
    return this.following(this.read, state, line, () => {
      const event = parseEvent(JSON.parse(line))
      if (event === undefined || !('b' in event) || event.t === 'cut') throw new Error('the model wrote a bad line')
      return event
    })
  }

  private following(steps: Steps, state: BatchState, line: string, event: () => BatchEvent): BatchState {
    const byLine = once(steps, this.known(state), () => new Map<string, BatchState>())
    return once(byLine, line, () => this.known(this.rules.apply(state, event())))
  }
}

type Steps = Map<BatchState, Map<string, BatchState>>

function once<K, V>(known: Map<K, V>, key: K, make: (key: K) => V): V {
  const found = known.get(key)
  if (found !== undefined) return found
  const made = make(key)
  known.set(key, made)
  return made
}

function copyOf<W extends World>(world: W): W {
  return world.copy() as W
}

function landed<W extends World>(situation: Situation<W>): Situation<W> {
  const world = copyOf(situation.world)
  for (const { work } of situation.late) world.arrive(work)
  return { ...situation, world, late: [], trace: [...situation.trace, 'carried out late'] }
}

function answerOf(world: World, { work = 'nothing', reply }: Fault): unknown {
  return reply?.is === 'lie' ? world.lie(reply.lie) : world.arrive(work)
}

/** What an attempt that ended so leaves to know. */
function after(truth: Truth, ending: Ending): Truth {
  const isLost = ending === 'failed' || ending === 'silent'
  return {
    ...truth,
    seen: undefined,
    ending: ending === 'given-up' ? truth.ending : ending,
    doubt: truth.doubt || isLost,
    ownLost: truth.ownLost || isLost,
    silent: truth.silent || ending === 'silent',
    isRefusedHere: ending === 'refused' || ending === 'for-now' || ending === 'never-sent',
  }
}

/** A merge that waits for this one must be held back for as long as a request of this one can still be carried out. */
function landsTooLate(state: BatchState, at: number): string | undefined {
  const until = canLandUntil(state)
  return until !== undefined && until >= at + requestCanLand ? undefined : 'a request can still be carried out'
}

function sameOutcome(one: BatchOutcome, other: BatchOutcome): boolean {
  return one.outcomes.join() === other.outcomes.join()
}

/** Ends of the same name count the same in the totals. */
function endName(state: BatchState, { outcomes, counts = {} }: BatchOutcome, { silent }: Truth): string {
  const last = state.last?.kind === 'refused' ? state.last.status : state.last?.kind
  return `${outcomes.join()} ${Object.values(counts).join(' ')} ${state.attempts > 1} ${last} ${silent} ${state.lostSilently}`
}
