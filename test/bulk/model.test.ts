/**
 * The crash and fault model: paths of two batches of two ids with up to three attempts each, through the pure rules that the
 * program runs, against a small service that knows the truth. Every claim is held against that truth: 0 may be false. Then
 * the rules are broken on purpose, one at a time, and the model must notice each.
 *
 * Batches share nothing, so the paths of one batch are walked and then combined with those of the other; paths that end
 * alike are combined once and counted as often as there are.
 */
import { describe, expect, it } from 'vitest'
import type { Batch } from '../../src/bulk/operations/operation.ts'
import type { Outcome } from '../../src/bulk/operations/outcome.ts'
import { countBatch, emptyTotals, summarize } from '../../src/bulk/outcomes/totals.ts'
import { figure, howMany } from '../figures/figure.ts'
import { addSetting, type Membership } from './model/add.ts'
import { assignSetting } from './model/assign.ts'
import { exploreChains } from './model/chain.ts'
import { deleteSetting, type Kind } from './model/delete.ts'
import { fewFaults, lies, unlike } from './model/faults.ts'
import { exploreIsolation } from './model/isolation.ts'
import { mergeSetting } from './model/merge.ts'
import { rules, type Rules } from './model/rules.ts'
import { Caught, explore, tell, type End, type Explored, type Setting, type World } from './model/walk.ts'
import { variants } from './model/variants.ts'

/**
 * 1: every fault in two attempts, and in three those that are unlike, where nobody interferes; these in two attempts with somebody who does;
 * few faults with two who do; each kind of contact in each place. 2, of `npm run figures`: every fault in all three attempts, every pair of kinds
 * is walked with somebody interfering, a batch of one with two of them.
 */
const depth = howMany('MODEL', 1)

const kinds: readonly Kind[] = ['absent', 'free', 'chats']
const memberships: readonly Membership[] = ['absent', 'new', 'member']

function pairsOf<T>(each: readonly T[]): (readonly [T, T])[] {
  return each.flatMap((one, i) =>
    each.filter((_, j) => depth > 1 || (i + j) % each.length === 0).map((other) => [one, other] as const),
  )
}

/** With interferences. */
function watched<W extends World>(setting: Setting<W>): Setting<W> {
  return depth > 1 || setting.extras === 0 ? setting : { ...setting, faults: unlike(setting.faults), attempts: 2 }
}

/** Two interferences, and only one fault of each kind. */
function deeper<W extends World>(setting: Setting<W>): Setting<W> {
  const few =
    depth > 1 ? fewFaults : fewFaults.filter(({ name }) => !/^(?:never|crash between try|crash after)/.test(name))
  return { ...setting, faults: [...few, ...lies.slice(0, 1)], extras: 2, ...(depth > 1 ? {} : { attempts: 2 }) }
}

/** Some explorations as one. */
class Whole implements Explored {
  paths = 0
  /** Pairs of paths, one of each batch. */
  pairs = 0
  readonly wrong: string[] = []
  readonly ends = new Map<string, End>()
  private readonly rules: Rules
  private readonly isHunt: boolean

  constructor(rules: Rules, isHunt: boolean) {
    this.rules = rules
    this.isHunt = isHunt
  }

  /** Most rules that are wrong are caught with few faults in two attempts: when one is hunted, that is walked first. */
  explore<W extends World>(setting: Setting<W>): Explored {
    if (this.isHunt) explore({ ...deeper(setting), attempts: 2, extras: 1 }, this.rules, true)
    const isShort = depth === 1 && setting.attempts === undefined
    if (isShort) this.walk({ ...setting, attempts: 2 })
    return this.walk(isShort ? { ...setting, faults: unlike(setting.faults) } : setting)
  }

  private walk<W extends World>(setting: Setting<W>): Explored {
    const explored = explore(setting, this.rules, this.isHunt)
    this.paths += explored.paths
    this.wrong.push(...explored.wrong)
    return explored
  }

  /** Every pair of ends: the totals add up to the ids, and the exit code says what the worst of them is. */
  combine(batch: Batch, one: Explored, other: Explored): void {
    for (const a of one.ends.values()) {
      for (const b of other.ends.values()) {
        this.pairs += a.count * b.count
        const totals = emptyTotals(2)
        countBatch(totals, a.state, a.outcome)
        countBatch(totals, b.state, b.outcome)
        const { result, exitCode } = summarize(batch.operation, totals, {})
        const sum = Object.values(result).reduce((all, count) => all + count, 0)
        const ids = 2 * batch.ids.length
        const problem = sum === ids ? wrongCode(a, b, exitCode) : `the result adds up to ${sum}, not ${ids}`
        if (problem !== undefined) tell(this.wrong, problem, this.isHunt)
      }
    }
  }
}

/** The shortest exploration first: most rules that are wrong are caught there. */
const models = {
  delete(rules: Rules, isHunt: boolean): Whole {
    const whole = new Whole(rules, isHunt)
    const second = deleteSetting(['absent', 'free'], 0, 2)
    const other = whole.explore(second)
    for (const pair of pairsOf(kinds)) whole.combine(second.batch, whole.explore(deleteSetting(pair, 0)), other)
    for (const pair of depth > 1 ? pairsOf(kinds) : [['free', 'absent'] as const])
      whole.explore(watched(deleteSetting(pair, 1)))
    whole.explore(deeper(deleteSetting(['free', 'chats'], 2)))
    return whole
  },
  add(rules: Rules, isHunt: boolean): Whole {
    const whole = new Whole(rules, isHunt)
    const second = addSetting(['new', 'absent'], 0)
    const other = whole.explore(second)
    for (const pair of pairsOf(memberships)) whole.combine(second.batch, whole.explore(addSetting(pair, 0)), other)
    for (const pair of depth > 1 ? pairsOf(memberships) : [['new', 'absent'] as const]) {
      whole.explore(watched(addSetting(pair, 1)))
    }
    whole.explore(deeper(addSetting(['new', 'member'], 2)))
    return whole
  },
  merge(rules: Rules, isHunt: boolean): Whole {
    const whole = new Whole(rules, isHunt)
    const setting = mergeSetting(depth)
    whole.explore(deeper(setting))
    const one = whole.explore(setting)
    whole.combine(setting.batch, one, one)
    return whole
  },
  assign(rules: Rules, isHunt: boolean): Whole {
    const whole = new Whole(rules, isHunt)
    // Somebody takes it, another session begins, and it is given back: three that interfere.
    const three = assignSetting('old', 3)
    whole.explore(
      watched({
        ...three,
        faults: fewFaults.filter(({ name }) => name.startsWith(depth > 1 ? 'request ' : 'request lost')),
      }),
    )
    const setting = assignSetting('old', depth - 1)
    const one = whole.explore(setting)
    whole.combine(setting.batch, one, whole.explore(assignSetting('wanted', depth - 1)))
    whole.explore(watched(assignSetting('old', 1)))
    whole.explore(deeper(setting))
    return whole
  },
  chain: ({ State }: Rules, isHunt: boolean): Explored => exploreChains(State, isHunt),
  isolate: exploreIsolation,
}

function wrongCode(a: End, b: End, exitCode: number): string | undefined {
  const outcomes = [...a.outcome.outcomes, ...b.outcome.outcomes]
  const said = `exit code ${exitCode} for ${outcomes.join(' ')}`
  if (outcomes.includes('unknown')) return exitCode === 7 ? undefined : said
  const accepted: readonly Outcome[] = ['deleted', 'gone', 'ok', 'done']
  const isGoneBySilence = [a, b].some(({ outcome, truth }) => outcome.outcomes.includes('gone') && truth.silent)
  const isSeen = outcomes.includes('deleted') || isGoneBySilence || !outcomes.includes('gone')
  return (exitCode === 0) === (isSeen && outcomes.every((outcome) => accepted.includes(outcome))) ? undefined : said
}

describe('no claim is false', () => {
  it.each(Object.keys(models) as (keyof typeof models)[])('%s', { timeout: 600_000 }, async (name) => {
    const explored = await models[name](rules, false)
    const { paths, wrong } = explored
    figure('paths of the model', paths)
    figure('pairs of paths in the model', explored instanceof Whole ? explored.pairs : 0)
    figure('false claims in the model', wrong.length)
    expect(wrong).toEqual([])
    expect(paths).toBeGreaterThan(name === 'isolate' || name === 'chain' ? 1_000 : 40_000 * depth)
  })
})

describe('rules that are wrong are caught', () => {
  it.each(variants)('%s', { timeout: 600_000 }, async (_, model, wrong) => {
    const run = async (): Promise<Explored> => models[model]({ ...rules, ...wrong }, true)
    await expect(run()).rejects.toThrow(Caught)
    figure('wrong rules caught', 1)
  })
})
