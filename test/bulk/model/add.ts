/** Adding two contacts to a list. */
import type { BatchOutcome, Outcome } from '../../../src/bulk/operations/outcome.ts'
import { idOf } from '../../ids/inputs.ts'
import { repeatableAction, wrongAction, wrongOutcome } from './expected.ts'
import { faults, lies, type Work } from './faults.ts'
import type { Setting, Situation, World } from './walk.ts'

export type Membership = 'new' | 'member' | 'absent'

interface AddAnswer {
  readonly added: number
  readonly skipped: number
  readonly failed: number
}

export class Members implements World {
  readonly kinds: readonly Membership[]
  /** Added by this run, by position. */
  readonly added: Set<number>

  constructor(kinds: readonly Membership[], added: Iterable<number> = []) {
    this.kinds = kinds
    this.added = new Set(added)
  }

  copy(): Members {
    return new Members(this.kinds, this.added)
  }

  key(): string {
    return [...this.added].join()
  }

  isMember(index: number): boolean {
    return this.kinds[index] === 'member' || this.added.has(index)
  }

  arrive(work: Work): AddAnswer {
    const reached = { all: this.kinds.length, first: 1, nothing: 0 }[work]
    const answer = { added: 0, skipped: 0, failed: 0 }
    this.kinds.forEach((kind, index) => {
      if (kind === 'absent') answer.failed += 1
      else if (this.isMember(index)) answer.skipped += 1
      else {
        answer.added += 1
        if (index < reached) this.added.add(index)
      }
    })
    return answer
  }

  lie(): AddAnswer {
    this.arrive('first')
    return { added: 2, skipped: 1, failed: 0 }
  }

  /** Whether a contact still exists is what isolating has to do with; that has a model of its own. */
  others(): readonly string[] {
    return []
  }

  other(): void {}
}

export function addSetting(kinds: readonly Membership[], extras: number): Setting<Members> {
  return {
    batch: { operation: 'lists.add-contacts', ids: [idOf(1), idOf(2)] },
    faults: [...faults, ...lies.slice(0, 1)],
    world: () => new Members(kinds),
    extras,
    judge: judgeAdd,
  }
}

function judgeAdd(situation: Situation<Members>, outcome: BatchOutcome, action: string): string | undefined {
  return (
    outcome.outcomes.map((claim, index) => falseClaim(situation, claim, index)).find((found) => found !== undefined) ??
    falseCounts(situation, outcome) ??
    wrongOutcome(situation, outcome, (honest) => told(honest as AddAnswer)) ??
    wrongCounts(situation, outcome) ??
    wrongAction(repeatableAction(situation), action)
  )
}

function falseClaim({ world, truth }: Situation<Members>, claim: Outcome, index: number): string | undefined {
  const claims: Partial<Record<Outcome, boolean>> = {
    ok: world.isMember(index),
    missing: world.kinds[index] === 'absent',
    undetermined: true,
    unknown: true,
    error: world.added.size === 0,
    'not-attempted': !truth.sent,
  }
  return claims[claim] === true ? undefined : `${claim} is not true of a contact that was ${world.kinds[index]}`
}

function falseCounts({ world }: Situation<Members>, { outcomes, counts }: BatchOutcome): string | undefined {
  if (counts === undefined) return undefined
  const { added = 0, skipped = 0, addedOrSkipped = 0, failed = 0 } = counts
  const members = world.kinds.filter((_, index) => world.isMember(index)).length
  if (members !== outcomes.length - failed) return `${members} are members, ${failed} failed`
  const ours = world.added.size
  if (added > ours) return `${added} claimed as added, ${ours} were`
  if (added + addedOrSkipped < ours) return 'fewer claimed as added than were'
  const before = world.kinds.filter((kind) => kind === 'member').length
  return skipped > before ? `${skipped} claimed as members before, ${before} were` : undefined
}

function told({ failed }: AddAnswer): readonly Outcome[] {
  const outcome = (['ok', 'undetermined', 'missing'] as const)[failed] ?? 'unknown'
  return [outcome, outcome]
}

/** Without a lost answer, what the service says is what is claimed. */
function wrongCounts({ truth }: Situation<Members>, { counts: found }: BatchOutcome): string | undefined {
  if (truth.ending !== 'answered') return found === undefined ? undefined : 'counts without an answer'
  const { skipped, ...honest } = truth.honest as AddAnswer
  const counts = truth.doubt ? { skipped: 0, addedOrSkipped: skipped } : { skipped, addedOrSkipped: 0 }
  const expected = Object.entries({ ...honest, ...counts })
  const isSame = expected.every(([name, count]) =>
    Object.entries(found ?? {}).some(([n, c]) => n === name && c === count),
  )
  return isSame ? undefined : 'other counts can be claimed'
}
