/**
 * The crash and fault model: every path of two batches of two ids with three attempts each, through the pure rules that
 * the program runs, against a small service that knows the truth. At the end of each path every claim is held against
 * that truth: 0 may be false. Then the rules are broken on purpose, one at a time, and the model must notice each.
 *
 * Batches share nothing, so the paths of one batch are walked and then combined with those of the other; paths that end
 * alike are combined once and counted as often as there are.
 */
import { describe, expect, it } from 'vitest'
import { decodeEvent, encodeEvent } from '../../src/bulk/journal.ts'
import {
  applyEvent,
  assignStep,
  countBatch,
  emptyTotals,
  nextAction,
  resEvent,
  settle,
  summarise,
  unsent,
  type AttemptResult,
  type BatchEvent,
  type BatchState,
  type BulkOperation,
  type NextAction,
  type Outcome,
  type Settled,
} from '../../src/bulk/reconcile.ts'
import { figure } from '../figures/figure.ts'
import { idOf } from '../ids/inputs.ts'

/** What is under test, so that a wrong variant of each can be put in. */
interface Rules {
  apply: (state: BatchState, event: BatchEvent) => BatchState
  settle: (operation: BulkOperation, ids: readonly string[], state: BatchState, others?: readonly string[]) => Settled
  next: (operation: BulkOperation, state: BatchState) => NextAction
  step: (state: BatchState, wanted: string) => 'read' | 'send' | 'settled'
  /** Reliability, section 1: which answers of the service are a refusal. */
  isRefusal: (operation: BulkOperation, status: number, hasRetryAfter: boolean) => boolean
}

const rules: Rules = {
  apply: applyEvent,
  settle,
  next: nextAction,
  step: assignStep,
  isRefusal: (operation, status, hasRetryAfter) =>
    (status >= 400 && status < 500 && status !== 408) ||
    (status === 503 && hasRetryAfter && operation !== 'contacts.merge' && operation !== 'tickets.assign'),
}

const attemptsEach = 3

/** What the service does with a request that arrives, and what it says. */
type Work = 'all' | 'nothing' | 'first'
type Reply =
  | { readonly is: 'good'; readonly upper?: boolean }
  | { readonly is: 'lie'; readonly lie: 'sum' | 'foreign' | 'overlap' | 'twice' }
  | { readonly is: 'status'; readonly status: number; readonly retryAfter?: boolean }
  | { readonly is: 'lost' }

/** One attempt: where it breaks. */
interface Fault {
  readonly name: string
  /** A crash before the `try` was written, or before the request was sent: nothing arrives. */
  readonly crash?: 'before-try' | 'before-send' | 'before-res' | 'torn-res' | 'after-res'
  readonly neverSent?: 'failed' | 'stopped'
  readonly work?: Work
  /** The request arrives only after the next one, or at the very end. */
  readonly isLate?: boolean
  readonly reply?: Reply
}

const good: Reply = { is: 'good' }
const status = (code: number, retryAfter = false): Reply => ({ is: 'status', status: code, retryAfter })

const everyFault: readonly Fault[] = [
  { name: 'answered', work: 'all', reply: good },
  { name: 'answered in capitals', work: 'all', reply: { is: 'good', upper: true } },
  { name: 'never sent', neverSent: 'failed' },
  { name: 'given up before sending', neverSent: 'stopped' },
  { name: '400', work: 'nothing', reply: status(400) },
  { name: '401', work: 'nothing', reply: status(401) },
  { name: '429', work: 'nothing', reply: status(429) },
  { name: '408, nothing done', work: 'nothing', reply: status(408) },
  { name: '408, done', work: 'all', reply: status(408) },
  { name: '500, nothing done', work: 'nothing', reply: status(500) },
  { name: '500, partly done', work: 'first', reply: status(500) },
  { name: '502, done', work: 'all', reply: status(502) },
  { name: 'request lost', work: 'nothing', reply: { is: 'lost' } },
  { name: 'answer lost', work: 'all', reply: { is: 'lost' } },
  { name: 'request arrives late', work: 'all', isLate: true, reply: { is: 'lost' } },
  { name: 'crash before try', crash: 'before-try' },
  { name: 'crash between try and send', crash: 'before-send' },
  { name: 'crash between send and res, nothing done', crash: 'before-res', work: 'nothing' },
  { name: 'crash between send and res, partly done', crash: 'before-res', work: 'first' },
  { name: 'crash between send and res, done', crash: 'before-res', work: 'all' },
  { name: 'crash between send and res, done late', crash: 'before-res', work: 'all', isLate: true },
  { name: 'torn journal tail', crash: 'torn-res', work: 'all', reply: good },
  { name: 'torn journal tail after 429', crash: 'torn-res', work: 'nothing', reply: status(429) },
  { name: 'crash after res', crash: 'after-res', work: 'all', reply: good },
]

const lies: readonly Fault[] = (['sum', 'foreign', 'overlap', 'twice'] as const).map((lie) => ({
  name: `an answer that lies: ${lie}`,
  work: 'first',
  reply: { is: 'lie', lie },
}))

/** The service refuses with 503 and Retry-After before doing anything (repeatable operations), or perhaps after (once). */
const overload: readonly Fault[] = [{ name: '503 with Retry-After', work: 'nothing', reply: status(503, true) }]
const overloadAfterWork: readonly Fault[] = [
  ...overload,
  { name: '503 with Retry-After, done', work: 'all', reply: status(503, true) },
]

/** A service's view of one batch: applies requests, answers, and is asked for the truth. */
interface World {
  arrive(work: Work): unknown
  lie(kind: 'sum' | 'foreign' | 'overlap' | 'twice'): unknown
  copy(): World
}

/** The driver's own memory of a path: what is on disk, and the state in memory. */
interface Path<W extends World> {
  readonly world: W
  /** The journal's bytes, line by line. */
  readonly disk: readonly string[]
  readonly state: BatchState
  readonly late: readonly Work[]
  readonly left: number
  readonly faults: readonly string[]
  /** Requests that left after an attempt whose answer was lost. */
  readonly sentAfterLoss: number
}

interface Setting<W extends World> {
  readonly operation: BulkOperation
  readonly faults: readonly Fault[]
  readonly ids: readonly string[]
  readonly others?: readonly string[]
  readonly world: () => W
}

/** A resumed session knows what stands in the journal, and nothing else. */
function fromDisk(disk: readonly string[], rules: Rules): BatchState {
  let state = unsent
  for (const line of disk) {
    const event = decodeEvent(Buffer.from(line.slice(0, -1)))
    if (typeof event === 'string' || !('b' in event)) throw new Error('the model wrote a bad line')
    state = rules.apply(state, event)
  }
  return state
}

function upperCase(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replace(/"[0-9a-f]{24}"/g, (id) => id.toUpperCase())) as unknown
}

/** One attempt under one fault. */
function attempt<W extends World>(setting: Setting<W>, path: Path<W>, fault: Fault, rules: Rules): Path<W> {
  const { operation } = setting
  const world = path.world.copy() as W
  const faults = [...path.faults, fault.name]
  const left = path.left - 1
  if (fault.crash === 'before-try') return { ...path, left, faults, state: fromDisk(path.disk, rules) }

  const number = path.state.attempts + 1
  const tryEvent = { t: 'try', b: 1, a: number, at: 0 } as const
  const disk = [...path.disk, encodeEvent(tryEvent)]
  let state = rules.apply(path.state, tryEvent)
  if (fault.crash === 'before-send') return { ...path, disk, left, faults, state: fromDisk(disk, rules) }

  const wasLost = applied(path.disk).everAmbiguous || applied(path.disk).open
  const sentAfterLoss = path.sentAfterLoss + (wasLost && fault.neverSent === undefined ? 1 : 0)
  let answer: unknown
  let late = path.late
  if (fault.neverSent === undefined) {
    if (fault.isLate === true) late = [...path.late, fault.work ?? 'all']
    else if (fault.reply?.is === 'lie') answer = world.lie(fault.reply.lie)
    else answer = world.arrive(fault.work ?? 'nothing')
    // What came late arrives now, behind this one; what is late from now on waits.
    for (const work of path.late) world.arrive(work)
    late = late.slice(path.late.length)
  }
  const next = { ...path, world, disk, late, left, faults, sentAfterLoss }
  if (fault.crash === 'before-res') return { ...next, state: fromDisk(disk, rules) }

  const result = resultOfFault(operation, fault, answer, rules)
  const event = resEvent(operation, { b: 1, a: number, at: 0 }, result)
  if (fault.crash === 'torn-res') return { ...next, state: fromDisk(disk, rules) }
  const written = [...disk, encodeEvent(event)]
  state = fault.crash === 'after-res' ? fromDisk(written, rules) : rules.apply(state, event)
  return { ...next, disk: written, state }
}

/** The truth about the journal, whatever the rules under test make of it. */
function applied(disk: readonly string[]): BatchState {
  return fromDisk(disk, rules)
}

function resultOfFault(operation: BulkOperation, fault: Fault, answer: unknown, rules: Rules): AttemptResult {
  if (fault.neverSent !== undefined) {
    return { kind: 'never-sent', message: 'refused', stopped: fault.neverSent === 'stopped' ? true : undefined }
  }
  const reply = fault.reply ?? { is: 'lost' }
  switch (reply.is) {
    case 'good':
      return { kind: 'answered', status: 200, data: reply.upper === true ? upperCase(answer) : answer }
    case 'lie':
      return { kind: 'answered', status: 200, data: answer }
    case 'lost':
      return { kind: 'ambiguous', message: 'reset' }
    case 'status':
      return rules.isRefusal(operation, reply.status, reply.retryAfter === true)
        ? { kind: 'refused', status: reply.status }
        : { kind: 'ambiguous', status: reply.status, message: 'failed' }
  }
}

/** Every end of every path of one batch. */
function* walk<W extends World>(setting: Setting<W>, rules: Rules, path: Path<W> = begin(setting)): Generator<Path<W>> {
  if (path.left === 0 || rules.next(setting.operation, path.state) !== 'send') {
    yield ended(path, rules)
    return
  }
  for (const fault of setting.faults) yield* walk(setting, rules, attempt(setting, path, fault, rules))
}

function begin<W extends World>({ world }: Setting<W>): Path<W> {
  return { world: world(), disk: [], state: unsent, late: [], left: attemptsEach, faults: [], sentAfterLoss: 0 }
}

/** The summary is made from the journal as often as from memory: both must be true, so the journal is taken. */
function ended<W extends World>(path: Path<W>, rules: Rules): Path<W> {
  const world = path.world.copy() as W
  for (const work of path.late) world.arrive(work)
  return { ...path, world, late: [], state: fromDisk(path.disk, rules) }
}

/** What is wrong with the end of a path, in words; nothing when all is well. */
type Judge<W extends World> = (path: Path<W>, settled: Settled) => string | undefined

interface Explored {
  paths: number
  wrong: string[]
}

/** Wrong rules need no more than one false claim. */
class Caught extends Error {}

function note(wrong: string[], problem: string, isHunt: boolean): void {
  if (isHunt) throw new Caught(problem)
  if (wrong.length < 5) wrong.push(problem)
}

/** Walks one batch. */
function explore<W extends World>(
  setting: Setting<W>,
  judge: Judge<W>,
  rules: Rules,
  isHunt: boolean,
): Explored & { ends: Map<string, End> } {
  const explored = { paths: 0, wrong: [] as string[], ends: new Map<string, End>() }
  for (const path of walk(setting, rules)) {
    explored.paths += 1
    const settled = rules.settle(setting.operation, setting.ids, path.state, setting.others)
    const problem =
      settled.outcomes.length === setting.ids.length ? judge(path, settled) : 'not one outcome for each id'
    if (problem !== undefined) {
      note(explored.wrong, `${path.faults.join(', ')}: ${settled.outcomes.join(' ')}: ${problem}`, isHunt)
    }
    const name = endName(path.state, settled)
    const end = explored.ends.get(name)
    if (end === undefined) explored.ends.set(name, { settled, state: path.state, count: 1 })
    else end.count += 1
  }
  return explored
}

/** Ends of the same name count the same in the totals. */
function endName(state: BatchState, settled: Settled): string {
  const { added } = settled
  const counts = added === undefined ? '' : `${added.added} ${added.skipped} ${added.addedOrSkipped} ${added.failed}`
  const last = state.last?.kind === 'refused' ? state.last.status : state.last?.kind
  return `${settled.outcomes.join()} ${counts} ${state.attempts > 1} ${last}`
}

interface End {
  settled: Settled
  state: BatchState
  count: number
}

// Delete

type Kind = 'free' | 'chats' | 'absent'

class Contacts implements World {
  readonly ids: readonly string[]
  readonly kinds: readonly Kind[]
  readonly deleted: Set<string>

  constructor(ids: readonly string[], kinds: readonly Kind[], deleted = new Set<string>()) {
    this.ids = ids
    this.kinds = kinds
    this.deleted = deleted
  }

  copy(): Contacts {
    return new Contacts(this.ids, this.kinds, new Set(this.deleted))
  }

  kindOf(id: string): Kind {
    if (this.deleted.has(id)) return 'absent'
    return this.kinds[this.ids.indexOf(id)] ?? 'absent'
  }

  arrive(work: Work): unknown {
    const affected = work === 'nothing' ? [] : work === 'first' ? this.ids.slice(0, 1) : this.ids
    const before = this.ids.map((id) => this.kindOf(id))
    for (const id of affected) if (this.kindOf(id) === 'free') this.deleted.add(id)
    return {
      deletedCount: before.filter((kind) => kind === 'free').length,
      notFoundIds: this.ids.filter((_, index) => before[index] === 'absent'),
      blockedIds: this.ids.filter((_, index) => before[index] === 'chats'),
    }
  }

  /** Works on the first id only, and answers so that not all of it can be true. */
  lie(kind: 'sum' | 'foreign' | 'overlap' | 'twice'): unknown {
    this.arrive('first')
    const [, second = ''] = this.ids
    switch (kind) {
      case 'sum':
        return { deletedCount: 1, notFoundIds: [], blockedIds: [] }
      case 'foreign':
        return { deletedCount: 1, notFoundIds: [idOf(999)], blockedIds: [] }
      case 'overlap':
        return { deletedCount: 0, notFoundIds: [second], blockedIds: [second] }
      case 'twice':
        return { deletedCount: 0, notFoundIds: [second, second], blockedIds: [] }
    }
  }
}

function deleteSetting(kinds: readonly Kind[], first = 1): Setting<Contacts> {
  // One of the ids is written in capitals in the file.
  const ids = [idOf(0xa0 + first), idOf(0xb0 + first)]
  return {
    operation: 'contacts.delete',
    faults: [...everyFault, ...lies, ...overload],
    ids,
    world: () => new Contacts(ids, kinds),
  }
}

const judgeDelete: Judge<Contacts> = ({ world, state, left }, { outcomes }) => {
  for (const [index, outcome] of outcomes.entries()) {
    const id = world.ids[index] ?? ''
    const was = world.kinds[index]
    const isDeleted = world.deleted.has(id)
    const claims: Partial<Record<Outcome, boolean>> = {
      deleted: isDeleted,
      'not-found': was === 'absent' && !isDeleted,
      gone: world.kindOf(id) === 'absent',
      blocked: was === 'chats',
      error: !isDeleted,
      'not-attempted': !isDeleted,
      unknown: true,
    }
    if (claims[outcome] !== true) return `${outcome} is not true of an id that was ${was}`
  }
  return useless('contacts.delete', state, left, outcomes)
}

/** Claims that are true but worth nothing: rules could say `unknown` of everything. */
function useless(
  operation: BulkOperation,
  state: BatchState,
  left: number,
  outcomes: readonly Outcome[],
): string | undefined {
  const isUnknown = outcomes.includes('unknown')
  if (isUnknown && state.answer === undefined && left > 0) {
    const mayBeSent = operation === 'contacts.delete' || operation === 'lists.add-contacts'
    if (mayBeSent) return 'unknown, although it may be sent again'
  }
  if (isUnknown && state.attempts === 0) return 'unknown without an attempt'
  const event = state.last?.kind === 'refused' && state.attempts === 1 && !state.everAmbiguous && !state.open
  if (event && isUnknown) return 'unknown after a plain refusal'
  return undefined
}

const kinds: readonly Kind[] = ['free', 'chats', 'absent']
const deleteWorlds = kinds.flatMap((one) => kinds.map((other) => [one, other]))

function modelDelete(rules: Rules, isHunt = false): Explored {
  const whole: Explored = { paths: 0, wrong: [] }
  const [first] = deleteWorlds.map((world) => {
    const explored = explore(deleteSetting(world), judgeDelete, rules, isHunt)
    whole.paths += explored.paths
    whole.wrong.push(...explored.wrong)
    return explored.ends
  })
  // Both batches together: nothing lost, nothing doubled, and an exit code of 0 only when all is in an accepted state.
  const second = explore(deleteSetting(['absent', 'chats'], 2), judgeDelete, rules, isHunt).ends
  whole.paths += combine('contacts.delete', [first ?? new Map(), second], 4, whole.wrong, isHunt)
  return whole
}

/** Every pair of ends: the totals add up to the ids. Returns how many pairs of paths that are. */
function combine(
  operation: BulkOperation,
  [one, other]: readonly [Map<string, End>, Map<string, End>],
  ids: number,
  wrong: string[],
  isHunt: boolean,
): number {
  let paths = 0
  for (const a of one.values()) {
    for (const b of other.values()) {
      paths += a.count * b.count
      const totals = emptyTotals(2)
      countBatch(totals, a.state, a.settled)
      countBatch(totals, b.state, b.settled)
      const { result, exitCode } = summarise(operation, totals, {})
      const sum = Object.values(result).reduce((all, figure) => all + figure, 0)
      const outcomes = [...a.settled.outcomes, ...b.settled.outcomes]
      const accepted: readonly Outcome[] = ['deleted', 'gone', 'ok', 'done']
      const problem =
        sum !== ids
          ? `the result adds up to ${sum}, not ${ids}`
          : (exitCode === 0) !== outcomes.every((outcome) => accepted.includes(outcome))
            ? `exit code ${exitCode} for ${outcomes.join(' ')}`
            : outcomes.includes('unknown') && exitCode !== 7
              ? `exit code ${exitCode} with unknown ids`
              : undefined
      if (problem !== undefined) note(wrong, problem, isHunt)
    }
  }
  return paths
}

// Add

class Members implements World {
  readonly kinds: readonly ('new' | 'member' | 'absent')[]
  readonly added: Set<number>

  constructor(kinds: readonly ('new' | 'member' | 'absent')[], added = new Set<number>()) {
    this.kinds = kinds
    this.added = added
  }

  copy(): Members {
    return new Members(this.kinds, new Set(this.added))
  }

  arrive(work: Work): unknown {
    const count = work === 'nothing' ? 0 : work === 'first' ? 1 : this.kinds.length
    const answer = { added: 0, skipped: 0, failed: 0 }
    this.kinds.forEach((kind, index) => {
      if (kind === 'absent') answer.failed += 1
      else if (kind === 'member' || this.added.has(index)) answer.skipped += 1
      else {
        answer.added += 1
        if (index < count) this.added.add(index)
      }
    })
    return answer
  }

  lie(): unknown {
    this.arrive('first')
    return { added: 2, skipped: 1, failed: 0 }
  }
}

const judgeAdd: Judge<Members> = ({ world, state, left }, { outcomes, added }) => {
  const isMember = (index: number): boolean => world.kinds[index] === 'member' || world.added.has(index)
  for (const [index, outcome] of outcomes.entries()) {
    const claims: Partial<Record<Outcome, boolean>> = {
      ok: isMember(index),
      missing: world.kinds[index] === 'absent',
      undetermined: true,
      unknown: true,
      error: world.added.size === 0,
      'not-attempted': world.added.size === 0,
    }
    if (claims[outcome] !== true) return `${outcome} is not true of a contact that was ${world.kinds[index]}`
  }
  if (added !== undefined) {
    const members = world.kinds.filter((_, index) => isMember(index)).length
    if (members !== outcomes.length - added.failed)
      return `${members} are members, not ${outcomes.length} - ${added.failed}`
    if (added.added > world.added.size) return `${added.added} claimed as added, ${world.added.size} were`
    if (added.added + added.addedOrSkipped < world.added.size) return 'fewer claimed as added than were'
    const members0 = world.kinds.filter((kind) => kind === 'member').length
    if (added.skipped > members0) return `${added.skipped} claimed as members before, ${members0} were`
  }
  return useless('lists.add-contacts', state, left, outcomes)
}

function modelAdd(rules: Rules, isHunt = false): Explored {
  const whole: Explored = { paths: 0, wrong: [] }
  const each = ['new', 'member', 'absent'] as const
  const ends = each.flatMap((one) =>
    each.map((other) => {
      const setting: Setting<Members> = {
        operation: 'lists.add-contacts',
        faults: [...everyFault, ...lies.slice(0, 1), ...overload],
        ids: [idOf(1), idOf(2)],
        world: () => new Members([one, other]),
      }
      const explored = explore(setting, judgeAdd, rules, isHunt)
      whole.paths += explored.paths
      whole.wrong.push(...explored.wrong)
      return explored.ends
    }),
  )
  whole.paths += combine('lists.add-contacts', [ends[1] ?? new Map(), ends[2] ?? new Map()], 4, whole.wrong, isHunt)
  return whole
}

// Merge

class Merging implements World {
  times: number

  constructor(times = 0) {
    this.times = times
  }

  copy(): Merging {
    return new Merging(this.times)
  }

  arrive(work: Work): unknown {
    if (work !== 'nothing') this.times += 1
    return { mergedContactId: idOf(1), contact: { id: idOf(2), firstName: 'Ann' } }
  }

  lie(): unknown {
    return { mergedContactId: idOf(999), contact: { id: idOf(2) } }
  }
}

const judgeMerge: Judge<Merging> = ({ world, sentAfterLoss }, { outcomes }) => {
  const [outcome] = outcomes
  if (sentAfterLoss > 0) return 'sent again after an answer was lost'
  if (world.times > 1) return 'merged twice'
  if (outcome === 'done' && world.times !== 1) return 'done is not true'
  if ((outcome === 'error' || outcome === 'not-attempted') && world.times > 0) return `${outcome} is not true`
  return undefined
}

function modelMerge(rules: Rules, isHunt = false): Explored {
  const setting: Setting<Merging> = {
    operation: 'contacts.merge',
    faults: [
      ...everyFault.filter(({ name }) => name !== '500, partly done'),
      ...lies.slice(0, 1),
      ...overloadAfterWork,
    ],
    ids: [idOf(1)],
    others: [idOf(2)],
    world: () => new Merging(),
  }
  const explored = explore(setting, judgeMerge, rules, isHunt)
  explored.paths += combine('contacts.merge', [explored.ends, explored.ends], 2, explored.wrong, isHunt)
  return explored
}

// Assign

const [ticket, old, wanted, other] = [1, 2, 3, 4].map(idOf) as [string, string, string, string]

class Assignee implements World {
  now: string
  /** Someone else's change that a request of ours overwrote although a reading could have shown it. */
  isOverwritten: boolean

  constructor(now: string, isOverwritten = false) {
    this.now = now
    this.isOverwritten = isOverwritten
  }

  copy(): Assignee {
    return new Assignee(this.now, this.isOverwritten)
  }

  arrive(work: Work): unknown {
    const previousAssigneeId = this.now
    if (work !== 'nothing') this.now = wanted
    return { ticketId: ticket, chatId: idOf(9), previousAssigneeId, newAssigneeId: wanted }
  }

  lie(): unknown {
    return { ticketId: ticket, chatId: null, previousAssigneeId: old, newAssigneeId: other }
  }
}

/** Assign reads between attempts; at each reading it may fail, and someone else may have changed the assignee before. */
function* walkAssign(setting: Setting<Assignee>, rules: Rules, path: Path<Assignee>): Generator<Path<Assignee>> {
  const step = path.left === 0 ? 'settled' : rules.step(path.state, wanted)
  if (step === 'settled') {
    yield ended(path, rules)
    return
  }
  if (step === 'read') {
    for (const happening of ['read', 'fails', 'changed by someone else'] as const) {
      const world = path.world.copy()
      if (happening === 'changed by someone else') world.now = other
      const isRead = happening !== 'fails'
      const event = { t: 'read', b: 1, at: 0, ok: isRead, id: isRead ? world.now : null } as const
      yield* walkAssign(setting, rules, {
        ...path,
        world,
        disk: [...path.disk, encodeEvent(event)],
        state: rules.apply(path.state, event),
        faults: [...path.faults, happening],
      })
    }
    return
  }
  for (const fault of setting.faults) {
    const before = path.world.now
    const after = attempt(setting, path, fault, rules)
    // Who had the ticket before the first attempt may be replaced; who took it since may not.
    const isSince = before === other && applied(path.disk).before?.id !== other
    if (path.state.attempts > 0 && isSince && fault.neverSent === undefined) after.world.isOverwritten = true
    // Every request that leaves was preceded by a reading of this session: a crash forgets it.
    const state = fault.crash === undefined ? after.state : { ...after.state, reading: undefined }
    yield* walkAssign(setting, rules, { ...after, state: state as BatchState })
  }
}

function modelAssign(rules: Rules, isHunt = false): Explored {
  const explored: Explored = { paths: 0, wrong: [] }
  const ends = new Map<string, End>()
  const setting: Setting<Assignee> = {
    operation: 'tickets.assign',
    faults: [
      ...everyFault.filter(({ name }) => name !== '500, partly done'),
      ...lies.slice(0, 1),
      ...overloadAfterWork,
    ],
    ids: [ticket],
    others: [wanted],
    world: () => new Assignee(old),
  }
  for (const start of [old, wanted]) {
    for (const path of walkAssign(setting, rules, { ...begin(setting), world: new Assignee(start) })) {
      explored.paths += 1
      const settled = rules.settle('tickets.assign', [ticket], path.state, [wanted])
      const [outcome] = settled.outcomes
      const isWanted = path.world.now === wanted
      const problem =
        outcome === 'done' && !isWanted
          ? 'done is not true'
          : // That someone else changed it was read; that a late request comes after the reading cannot be seen.
            outcome === 'error' && isWanted && start !== wanted && settled.problem === undefined
            ? 'error, although it was changed'
            : path.world.isOverwritten
              ? 'someone else’s change was overwritten'
              : undefined
      if (problem !== undefined) note(explored.wrong, `${path.faults.join(', ')}: ${problem}`, isHunt)
      const name = endName(path.state, settled)
      const end = ends.get(name)
      if (end === undefined) ends.set(name, { settled, state: path.state, count: 1 })
      else end.count += 1
    }
  }
  explored.paths += combine('tickets.assign', [ends, ends], 2, explored.wrong, isHunt)
  return explored
}

const models = { delete: modelDelete, add: modelAdd, merge: modelMerge, assign: modelAssign }

describe('no claim is false', () => {
  it.each(Object.keys(models) as (keyof typeof models)[])('%s', { timeout: 120_000 }, (name) => {
    const { paths, wrong } = models[name](rules)
    figure('paths of the model', paths)
    figure('false claims in the model', wrong.length)
    expect(wrong).toEqual([])
    expect(paths).toBeGreaterThan(name === 'delete' || name === 'add' ? 400_000 : 5_000)
  })
})

describe('rules that are wrong are caught', () => {
  const sure = (state: BatchState): BatchState => ({
    ...state,
    everAmbiguous: false,
    ambiguousAttempts: 0,
    open: false,
  })
  const variants: [name: string, model: keyof typeof models, wrong: Partial<Rules>][] = [
    [
      'an attempt without an answer is forgotten',
      'delete',
      { apply: (state, event) => ({ ...applyEvent(state, event), everAmbiguous: false }) },
    ],
    [
      'only the last attempt counts',
      'delete',
      {
        apply: (state, event) => ({
          ...applyEvent(state, event),
          ...(event.t === 'try'
            ? { everAmbiguous: state.open }
            : event.t === 'res'
              ? { everAmbiguous: event.k === 'ambiguous' }
              : {}),
        }),
      },
    ],
    [
      'a 5xx is taken for a refusal',
      'delete',
      { isRefusal: (operation, code, after) => code >= 500 || rules.isRefusal(operation, code, after) },
    ],
    ['a 408 is taken for a refusal', 'delete', { isRefusal: (_, code) => code >= 400 && code < 500 }],
    [
      'a try without its res is taken for never sent',
      'delete',
      {
        apply: (state, event) => applyEvent(state.open && event.t === 'try' ? { ...state, open: false } : state, event),
      },
    ],
    [
      'a try without its res is not attempted',
      'delete',
      {
        settle: (operation, ids, state, others) =>
          state.open ? { outcomes: ids.map(() => 'not-attempted') } : settle(operation, ids, state, others),
      },
    ],
    [
      'not-found instead of gone',
      'delete',
      {
        settle: (operation, ids, state, others) =>
          settle(operation, ids, state.answer === undefined ? state : sure(state), others),
      },
    ],
    [
      'gone counts as deleted',
      'delete',
      {
        settle: (operation, ids, state, others) => {
          const settled = settle(operation, ids, state, others)
          return { ...settled, outcomes: settled.outcomes.map((outcome) => (outcome === 'gone' ? 'deleted' : outcome)) }
        },
      },
    ],
    ['the sums are not checked', 'delete', { settle: believing(({ deletedCount }, size) => deletedCount <= size) }],
    [
      'foreign ids are not noticed',
      'delete',
      {
        settle: believing(
          ({ deletedCount, notFoundIds, blockedIds }, size) =>
            deletedCount + notFoundIds.length + blockedIds.length === size,
        ),
      },
    ],
    ['letter case matters', 'delete', { settle: believing(() => true, true) }],
    [
      'a refusal after a lost answer settles it',
      'delete',
      {
        settle: (operation, ids, state, others) =>
          settle(operation, ids, state.last?.kind === 'refused' ? sure(state) : state, others),
      },
    ],
    [
      'answered batches are sent again',
      'delete',
      { next: (operation, state) => (state.attempts < attemptsEach ? 'send' : nextAction(operation, state)) },
    ],
    [
      'an answer that does not add up is sent again',
      'delete',
      {
        next: (operation, state) =>
          state.answer !== undefined && settle(operation, [idOf(0xa1), idOf(0xb1)], state).problem !== undefined
            ? 'send'
            : nextAction(operation, state),
      },
    ],
    [
      'open tries are skipped when resuming',
      'delete',
      { next: (operation, state) => (state.open ? 'finished' : nextAction(operation, state)) },
    ],
    [
      'unknown batches are not sent again',
      'delete',
      { next: (operation, state) => (state.everAmbiguous ? 'list-only' : nextAction(operation, state)) },
    ],
    [
      'an unsent batch counts as deleted',
      'delete',
      {
        settle: (operation, ids, state, others) =>
          isUnsent(state) ? { outcomes: ids.map(() => 'deleted') } : settle(operation, ids, state, others),
      },
    ],
    [
      'an id is left out',
      'delete',
      {
        settle: (operation, ids, state, others) =>
          settle(operation, ids.slice(0, 1), { ...state, answer: undefined }, others),
      },
    ],
    [
      'add: the sums are not checked',
      'add',
      {
        settle: (operation, ids, state, others) =>
          settle(operation, state.answer === undefined ? ids : ids, trimmed(state), others),
      },
    ],
    [
      'add: skipped after a lost answer',
      'add',
      {
        settle: (operation, ids, state, others) =>
          settle(operation, ids, state.answer === undefined ? state : sure(state), others),
      },
    ],
    [
      'add: a 5xx is taken for a refusal',
      'add',
      { isRefusal: (operation, code, after) => code >= 500 || rules.isRefusal(operation, code, after) },
    ],
    [
      'merge: 503 with Retry-After is a refusal',
      'merge',
      { isRefusal: (operation, code, after) => (code === 503 && after) || rules.isRefusal(operation, code, after) },
    ],
    [
      'merge: sent again after a lost answer',
      'merge',
      {
        next: (operation, state) => {
          const action = nextAction(operation, state)
          return action === 'list-only' ? 'send' : action
        },
      },
    ],
    [
      'merge: a refusal after a lost answer settles it',
      'merge',
      {
        apply: (state, event) => {
          const next = applyEvent(state, event)
          return event.t === 'res' && event.k === 'refused' ? sure(next) : next
        },
        next: (operation, state) =>
          nextAction(operation, state) === 'list-only' ? 'send' : nextAction(operation, state),
      },
    ],
    [
      'merge: another contact in the answer is believed',
      'merge',
      {
        settle: (operation, ids, state, others) =>
          state.answer === undefined ? settle(operation, ids, state, others) : { outcomes: ['done'] },
      },
    ],
    [
      'assign: sent again without reading',
      'assign',
      {
        step: (state, id) => (state.attempts > 0 && assignStep(state, id) === 'read' ? 'send' : assignStep(state, id)),
      },
    ],
    [
      'assign: someone else’s change is overwritten',
      'assign',
      {
        step: (state, id) =>
          state.reading?.ok === true && state.attempts > 0 && state.answer === undefined && state.reading.id === other
            ? 'send'
            : assignStep(state, id),
      },
    ],
    [
      'assign: a refusal after a lost answer settles it',
      'assign',
      {
        step: (state, id) => (state.last?.kind === 'refused' ? 'settled' : assignStep(state, id)),
        settle: (operation, ids, state, others) =>
          settle(operation, ids, state.last?.kind === 'refused' ? sure(state) : state, others),
      },
    ],
    [
      'assign: another assignee in the answer is believed',
      'assign',
      {
        settle: (operation, ids, state, others) =>
          state.answer === undefined ? settle(operation, ids, state, others) : { outcomes: ['done'] },
      },
    ],
    [
      'assign: an unreadable ticket is taken for unchanged',
      'assign',
      {
        settle: (operation, ids, state, others) =>
          state.everAmbiguous && state.reading?.ok === false
            ? { outcomes: ['error'] }
            : settle(operation, ids, state, others),
      },
    ],
  ]
  it.each(variants)('%s', { timeout: 120_000 }, (_, model, wrong) => {
    expect(() => models[model]({ ...rules, ...wrong }, true)).toThrow(Caught)
    figure('wrong rules caught', 1)
  })
})

function isUnsent(state: BatchState): boolean {
  return state.last === undefined && !state.everAmbiguous && !state.open
}

/** An answer to add, cut down so that it adds up. */
function trimmed(state: BatchState): BatchState {
  const data = state.answer?.data as { added: number; skipped: number; failed: number } | undefined
  if (data === undefined || state.answer === undefined || data.added + data.skipped + data.failed <= 2) return state
  return { ...state, answer: { ...state.answer, data: { ...data, skipped: 0 } } }
}

interface DeleteAnswer {
  deletedCount: number
  notFoundIds: string[]
  blockedIds: string[]
}

/** Delete, believing answers that pass another check than ours. */
function believing(check: (answer: DeleteAnswer, size: number) => boolean, isCaseSensitive = false): Rules['settle'] {
  return (operation, ids, state, others) => {
    const data = state.answer?.data as DeleteAnswer | undefined
    if (data === undefined || !check(data, ids.length)) return settle(operation, ids, state, others)
    if (isCaseSensitive && settle(operation, ids, state).problem !== undefined)
      return settle(operation, ids, state, others)
    const key = (id: string): string => (isCaseSensitive ? id : id.toLowerCase())
    const has = (list: string[], id: string): boolean => list.map(key).includes(key(id))
    return {
      outcomes: ids.map((id) =>
        has(data.blockedIds, id)
          ? 'blocked'
          : has(data.notFoundIds, id)
            ? state.everAmbiguous
              ? 'gone'
              : 'not-found'
            : 'deleted',
      ),
    }
  }
}
