/** Merging one contact into another. */
import type { BatchOutcome } from '../../../src/bulk/operations/outcome.ts'
import { idOf } from '../../ids/inputs.ts'
import { mergeAction, wrongAction, wrongOutcome } from './expected.ts'
import { faultsOfOne, type Work } from './faults.ts'
import type { Setting, Situation, World } from './walk.ts'

const [source, target, foreign] = [1, 2, 999].map(idOf) as [string, string, string]

export class Merging implements World {
  times: number

  constructor(times = 0) {
    this.times = times
  }

  copy(): Merging {
    return new Merging(this.times)
  }

  key(): string {
    return String(this.times)
  }

  arrive(work: Work): unknown {
    if (work !== 'nothing') this.times += 1
    return mergedAs(source)
  }

  lie(): unknown {
    return mergedAs(foreign)
  }

  others(): readonly string[] {
    return []
  }

  other(): void {}
}

function mergedAs(mergedContactId: string): unknown {
  const at = '2026-01-01T00:00:00.000Z'
  const contact = { id: target, firstName: 'Ann', lastName: 'Lee', identities: {}, createdAt: at, updatedAt: at }
  return { mergedContactId, contact }
}

export function mergeSetting(extras: number): Setting<Merging> {
  return {
    batch: { operation: 'contacts.merge', ids: [source], other: target },
    faults: faultsOfOne,
    world: () => new Merging(),
    extras,
    judge: judgeMerge,
  }
}

function judgeMerge(situation: Situation<Merging>, outcome: BatchOutcome, action: string): string | undefined {
  const { world, truth } = situation
  const [claim] = outcome.outcomes
  if (claim === 'done' && world.times === 0) return 'done is not true'
  if (claim === 'error' && world.times > 0) return 'error is not true'
  if (claim === 'not-attempted' && truth.sent) return 'not-attempted is not true'
  return wrongOutcome(situation, outcome, () => ['done']) ?? wrongAction(mergeAction(situation), action)
}
