/** Isolating a batch of five while contacts come and go: any two of them, before any calls. */
import { applyEvent, unsent } from '../../../src/bulk/record/batch-state.ts'
import type { Batch } from '../../../src/bulk/operations/operation.ts'
import type { BatchEvent } from '../../../src/bulk/record/events.ts'
import type { SendHalf } from '../../../src/bulk/operations/isolate.ts'
import { idOf } from '../../ids/inputs.ts'
import type { Rules } from './rules.ts'
import { tell, type Explored } from './walk.ts'

const ids = [1, 2, 3, 4, 5].map(idOf)
const mostChanges = 2
const batch: Batch = { operation: 'lists.add-contacts', ids, isolate: true }

/** Which contact comes or goes before each call, as far as it is decided: 0 for none, else the n-th. */
class Script {
  private readonly choices: { at: number; of: number }[] = []
  private next = 0

  choose(): number {
    const isSpent = this.choices.slice(0, this.next).filter(({ at }) => at > 0).length >= mostChanges
    const options = isSpent ? 1 : ids.length + 1
    const choice = this.choices[this.next] ?? { at: 0, of: options }
    this.choices[this.next] = choice
    this.next += 1
    return choice.at
  }

  get isQuiet(): boolean {
    return this.choices.every(({ at }) => at === 0)
  }

  /** Moves on to the next of all scripts; false when there is none. */
  advance(): boolean {
    this.choices.length = this.next
    this.next = 0
    while (this.choices.length > 0) {
      const last = this.choices.pop()
      if (last === undefined || last.at + 1 >= last.of) continue
      this.choices.push({ at: last.at + 1, of: last.of })
      return true
    }
    return false
  }
}

class List {
  readonly existing: Set<string>
  readonly members = new Set<string>()
  readonly everAbsent: Set<string>

  constructor(existing: Iterable<string>) {
    this.existing = new Set(existing)
    this.everAbsent = new Set(ids.filter((id) => !this.existing.has(id)))
  }

  change(id: string): void {
    if (this.existing.delete(id)) this.everAbsent.add(id)
    else this.existing.add(id)
    this.members.delete(id)
  }

  add(part: readonly string[]): { added: number; skipped: number; failed: number } {
    const answer = { added: 0, skipped: 0, failed: 0 }
    for (const id of part) {
      if (!this.existing.has(id)) answer.failed += 1
      else if (this.members.has(id)) answer.skipped += 1
      else {
        answer.added += 1
        this.members.add(id)
      }
    }
    return answer
  }
}

export async function exploreIsolation(rules: Rules, isHunt: boolean): Promise<Explored> {
  const explored: Explored = { paths: 0, wrong: [], ends: new Map() }
  for (let bits = 1; bits < 2 ** ids.length - 1; bits += 1) {
    const first = ids.filter((_, index) => (bits & (1 << index)) !== 0)
    const script = new Script()
    do {
      const problem = await episode(rules, first, script)
      explored.paths += 1
      if (problem !== undefined) tell(explored.wrong, problem, isHunt)
    } while (script.advance())
  }
  return explored
}

/** What is wrong after one run of it. */
async function episode(rules: Rules, first: readonly string[], script: Script): Promise<string | undefined> {
  const list = new List(first)
  const answer = list.add(ids)
  const send: SendHalf = (part) => {
    const changed = ids[script.choose() - 1]
    if (changed !== undefined) list.change(changed)
    return Promise.resolve(list.add(part))
  }
  const { missing, proven, calls } = await rules.isolate(ids, answer.failed, send)
  const place = { b: 1, at: 0 }
  const events: BatchEvent[] = [
    { t: 'try', a: 1, ...place },
    { t: 'res', a: 1, k: 'answered', s: 200, d: answer, ...place },
    { t: 'isolated', missing: [...missing], proven, calls, ...place },
  ]
  const state = events.reduce(applyEvent, unsent)
  const { outcomes, counts } = rules.outcomesOf(batch, state)
  for (const [index, id] of ids.entries()) {
    const claim = outcomes[index]
    if (claim === 'ok' && !list.members.has(id)) return `${id} is no member, and is claimed to be ok`
    if (claim === 'missing' && !list.everAbsent.has(id)) return `${id} was never missing`
  }
  if (counts?.['added'] !== first.length || counts['addedOrSkipped'] !== 0) return 'isolating changed the counts'
  if (script.isQuiet && outcomes.includes('undetermined')) return 'nobody interfered, and it is not known'
  const left = rules.next(batch, state)
  return left === (outcomes.includes('undetermined') ? 'isolate' : 'finished') ? undefined : `${left} is left`
}
