/** The exit code and the status of a run: of all that is true of it, what weighs most. */
import { describe, expect, it } from 'vitest'
import { isDone, outcomes, type Outcome } from '../../src/bulk/operations/outcome.ts'
import {
  emptyTotals,
  summarize,
  type FailureCause,
  type RunEnding,
} from '../../src/bulk/outcomes/totals.ts'

interface Fact {
  readonly name: string
  readonly code: number
  readonly outcome?: Outcome
  readonly cause?: FailureCause
  readonly ending?: RunEnding
  /** A repetition of a `--once` command finds nothing to do about it. */
  readonly isForOthers?: true
}

const stopped = (stop: RunEnding['stop'], code: number): Fact => ({
  name: `stop: ${stop}`,
  code,
  ending: { stop },
})

/** The heaviest first: a signal, another holder, then 7, 10, 4, 5, 6 and 8, 7 for what waits, 3. */
const facts: readonly Fact[] = [
  { name: 'a signal without a name', code: 130, ending: { stop: 'signal' } },
  { name: 'Ctrl-C', code: 130, ending: { stop: 'signal', signal: 'SIGINT' } },
  { name: 'SIGTERM', code: 143, ending: { stop: 'signal', signal: 'SIGTERM' } },
  { name: 'SIGHUP', code: 129, ending: { stop: 'signal', signal: 'SIGHUP' } },
  { name: 'an unknown outcome', code: 7, outcome: 'unknown', isForOthers: true },
  { name: 'unavailable', code: 7, outcome: 'error', cause: 'unavailable', isForOthers: true },
  { name: 'unreachable', code: 7, outcome: 'error', cause: 'unreachable', isForOthers: true },
  { ...stopped('retry-after', 7), isForOthers: true },
  stopped('journal', 10),
  { name: '401', code: 4, outcome: 'error', cause: 'auth' },
  stopped('auth', 4),
  { name: '403', code: 5, outcome: 'error', cause: 'forbidden' },
  stopped('forbidden', 5),
  stopped('refused', 6),
  stopped('deadline', 8),
  stopped('max-failures', 8),
  stopped('stdout-closed', 8),
  { name: 'a merge that has to wait', code: 7, outcome: 'not-attempted', ending: { left: 1 } },
  {
    name: 'missing contacts that are not found yet',
    code: 7,
    outcome: 'undetermined',
    ending: { left: 1 },
  },
  ...outcomes
    .filter((outcome) => !isDone(outcome) && outcome !== 'unknown')
    .map((outcome): Fact => ({ name: outcome, code: 3, outcome })),
]

/** How a run ends of which all of this is true, and that something was deleted. */
function ended(all: readonly Fact[], more: RunEnding = {}) {
  const totals = emptyTotals(all.length)
  totals.outcomes.deleted = 1
  for (const { outcome, cause } of all) {
    if (outcome !== undefined) totals.outcomes[outcome] += 1
    if (cause !== undefined) totals.causes[cause] += 1
  }
  return summarize(
    'contacts.delete',
    totals,
    Object.assign({}, ...all.map(({ ending }) => ending), more) as RunEnding,
  )
}

describe.each(facts)('$name', (fact) => {
  it('decides beside everything that weighs less, and for the status', () => {
    for (const other of facts.slice(facts.indexOf(fact))) {
      // A run stops once.
      if (other !== fact && other.ending?.stop !== undefined && fact.ending?.stop !== undefined)
        continue
      const { exitCode, status } = ended([other, fact])
      const stop = fact.ending?.stop ?? other.ending?.stop
      const expected =
        stop === 'signal' ? 'interrupted' : stop === undefined ? 'partial' : 'stopped'
      expect([other.name, exitCode, status]).toEqual([other.name, fact.code, expected])
    }
  })

  it('under a --once name counts as long as a repetition would do something about it', () => {
    if (fact.ending?.left !== undefined) return
    expect(ended([fact], { once: true }).exitCode).toBe(fact.code)
    expect(ended([fact], { once: true, left: 1 }).exitCode).toBe(
      fact.code === 3 && isWaiting(fact) ? 7 : fact.code,
    )
    expect(ended([fact], { once: true, left: 0 }).exitCode).toBe(
      fact.isForOthers === true ? codeOfRest(fact) : fact.code,
    )
  })
})

/** Not for being unknown or unavailable. */
const codeOfRest = ({ outcome }: Fact): number => (outcome === undefined ? 0 : 3)

/** What is left to send or to find out. */
const isWaiting = ({ outcome }: Fact): boolean =>
  outcome === 'not-attempted' || outcome === 'undetermined'

it('of a run whose process died is what its outcomes amount to, and it was interrupted', () => {
  for (const fact of facts.filter(({ ending }) => ending?.stop === undefined)) {
    expect(ended([fact], { died: true })).toMatchObject({
      exitCode: fact.code,
      status: 'interrupted',
    })
  }
  expect(ended([], { died: true }).status).toBe('interrupted')
})

it('is 0 of what is done, of what is accepted, and of a dry run', () => {
  const [blocked, absent] = ['blocked', 'not-found'].map((name) =>
    facts.filter((fact) => fact.name === name),
  )
  expect(ended([])).toMatchObject({ exitCode: 0, status: 'complete' })
  expect(
    ended([...(blocked ?? []), ...(absent ?? [])], { accept: ['blocked', 'not-found'] }).exitCode,
  ).toBe(0)
  expect(ended([...(blocked ?? []), ...(absent ?? [])], { accept: ['blocked'] }).exitCode).toBe(3)
  expect(ended(facts, { dryRun: true })).toMatchObject({ exitCode: 0, status: 'dry-run' })
})
