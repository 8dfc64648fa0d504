/**
 * A chain of merges over sessions: every script of what the service does with each request, and of what a person does next and
 * when. Each session knows what its journal says, and nothing else.
 */
import { requestCanLand } from '../../../src/api/limits.ts'
import { cutBatches } from '../../../src/bulk/record/batches.ts'
import type { BatchEvent, ReopenEvent } from '../../../src/bulk/record/events.ts'
import { pairItems } from '../../../src/bulk/record/items.ts'
import { chainOf } from '../../../src/bulk/operations/merge-order.ts'
import type { RunState, RunStateParts } from '../../../src/bulk/outcomes/state.ts'
import { idOf } from '../../ids/inputs.ts'
import { tell, type Explored } from './walk.ts'

/** The second merge needs the first one, and stands before it in the file. */
const pairs = [
  { id: idOf(2), other: idOf(3), line: 1 },
  { id: idOf(1), other: idOf(2), line: 2 },
]
const [last, first] = [1, 2]
const parts = { items: pairItems(pairs), batches: cutBatches(pairs.length, 1), chain: chainOf(pairs) }
const ends = ['answered', 'refused', '401', 'lost', 'killed'] as const
type End = (typeof ends)[number]

const doings = (['resume', 'error', 'unknown', 'not-attempted'] as const).flatMap((what) =>
  [0, requestCanLand].map((wait) => ({ what, wait })),
)
const sessions = 3

export type StateOf = new (parts: RunStateParts) => RunState

interface Past {
  readonly journal: readonly (BatchEvent | ReopenEvent)[]
  readonly now: number
  /** By batch: how its last attempt ended, and when the latest one was in flight whose answer was lost. */
  readonly ended: ReadonlyMap<number, End>
  readonly lostAt: ReadonlyMap<number, number>
}

export function exploreChains(State: StateOf, isHunt: boolean): Explored {
  const explored: Explored = { paths: 0, wrong: [], ends: new Map() }
  const found = (problem: string | undefined): void => {
    if (problem !== undefined) tell(explored.wrong, problem, isHunt)
  }
  const walk = (past: Past, left: number): void => {
    explored.paths += 1
    if (left === 0) return
    for (const { what, wait } of left === sessions ? doings.slice(0, 1) : doings) {
      const next = { ...past, now: past.now + wait + 1000 }
      for (const after of sessionsOf(State, what === 'resume' ? next : reopened(next, what), found))
        walk(after, left - 1)
    }
  }
  walk({ journal: [], now: 0, ended: new Map(), lostAt: new Map() }, sessions)
  return explored
}

function reopened(past: Past, outcome: ReopenEvent['outcomes'][number]): Past {
  return { ...past, journal: [...past.journal, { t: 'reopen', at: past.now, outcomes: [outcome] }] }
}

function stateOf(State: StateOf, { journal }: Past): RunState {
  const state = new State({ operation: 'contacts.merge', ...parts })
  for (const event of journal) {
    if (event.t === 'reopen') state.reopen(event)
    else state.replay(event)
  }
  return state
}

/** Whatever can come of one session. */
function* sessionsOf(State: StateOf, past: Past, found: (problem: string | undefined) => void): Generator<Past> {
  const scripts: (readonly End[])[] = [[]]
  for (let script = scripts.pop(); script !== undefined; script = scripts.pop()) {
    const state = stateOf(State, past)
    let now: Past = past
    let sent = 0
    let isStopped = false
    for (const batch of state.openBatches()) {
      const why = isStopped ? 'stopped' : state.holdsBack(batch, { now: now.now, margin: 0 })
      if (why !== undefined) {
        if (!isStopped) state.close(batch, why)
        continue
      }
      const end = script[sent]
      if (end === undefined) {
        for (const each of ends) scripts.push([...script, each])
        isStopped = true
        sent = -1
        break
      }
      sent += 1
      found(batch === last ? sentTooEarly(now) : undefined)
      now = tried(state, now, batch, end)
      if (end === 'killed') isStopped = true
      else state.close(batch)
      isStopped ||= end === '401'
    }
    if (sent < 0) continue
    // A person looks at it now, and so does whoever reads the journal later.
    state.closeAll()
    found(wrongEnd(State, state, now))
    yield now
  }
}

function tried(state: RunState, past: Past, b: number, end: End): Past {
  const [a, at] = [state.of(b).attempts + 1, past.now]
  const res = {
    answered: { k: 'answered', s: 200, d: { mergedContactId: idOf(b === first ? 1 : 2) } },
    refused: { k: 'refused', s: 400 },
    '401': { k: 'refused', s: 401 },
    lost: { k: 'ambiguous' },
    killed: undefined,
  } as const
  const ending = res[end]
  const events: BatchEvent[] = [{ t: 'try', b, a, at }]
  if (ending !== undefined) events.push({ t: 'res', b, a, at, ...ending })
  for (const event of events) state.apply(event)
  const isLost = end === 'lost' || end === 'killed'
  return {
    journal: [...past.journal, ...events],
    now: at + 1,
    ended: new Map([...past.ended, [b, end]]),
    lostAt: isLost ? new Map([...past.lostAt, [b, at]]) : past.lostAt,
  }
}

function sentTooEarly({ ended, lostAt, now }: Past): string | undefined {
  if (ended.get(first) !== 'answered') return 'sent, and the one before it is not done'
  const at = lostAt.get(first)
  return at !== undefined && now < at + requestCanLand ? 'sent, and the one before it can still take effect' : undefined
}

function wrongEnd(State: StateOf, state: RunState, past: Past): string | undefined {
  const outcomes = [first, last].map((batch) => state.outcome(batch).outcomes[0])
  const isLeft = state.countLeft() > 0
  const willSend = new Set(stateOf(State, past).openBatches())
  for (const [index, batch] of [first, last].entries()) {
    const at = past.lostAt.get(batch)
    if (state.landsUntil(batch - 1) !== (at === undefined ? 0 : at + requestCanLand))
      return 'the time is not that of the attempt'
    const [outcome, ended] = [outcomes[index], past.ended.get(batch)]
    if (outcome === 'not-attempted' && !willSend.has(batch)) return 'not attempted, and no resume sends it'
    if (outcome === 'error' && ended === undefined && willSend.has(batch)) return 'an error, and a resume sends it'
    if (ended === undefined && outcome !== 'not-attempted' && outcome !== 'error') return `${outcome} is not true`
    if (willSend.has(batch) && !isLeft) return 'nothing is left, and a resume sends something'
  }
  return isLeft && willSend.size === 0 ? 'something is left, and no resume sends it' : undefined
}
