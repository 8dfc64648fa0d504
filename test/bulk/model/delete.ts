/** Deleting two contacts: what the service knows of them, and which claims about them are true. */
import type { BatchOutcome, Outcome } from '../../../src/bulk/operations/outcome.ts'
import { idOf } from '../../ids/inputs.ts'
import { repeatableAction, wrongAction, wrongOutcome } from './expected.ts'
import { faults, lies, type Lie, type Work } from './faults.ts'
import type { Setting, Situation, World } from './walk.ts'

export type Kind = 'free' | 'chats' | 'absent'

export class Contacts implements World {
  readonly ids: readonly string[]
  readonly kinds: readonly Kind[]
  /** Who deleted it; undefined while it is as it was. */
  private readonly deletedBy: ('us' | 'another' | undefined)[]

  constructor(ids: readonly string[], kinds: readonly Kind[], deletedBy: ('us' | 'another' | undefined)[] = []) {
    this.ids = ids
    this.kinds = kinds
    this.deletedBy = [...deletedBy]
  }

  copy(): Contacts {
    return new Contacts(this.ids, this.kinds, this.deletedBy)
  }

  key(): string {
    return this.deletedBy.join()
  }

  isOurs(index: number): boolean {
    return this.deletedBy[index] === 'us'
  }

  isAbsent(index: number): boolean {
    return this.kinds[index] === 'absent' || this.deletedBy[index] !== undefined
  }

  arrive(work: Work): unknown {
    const answer = { deletedCount: 0, notFoundIds: [] as string[], blockedIds: [] as string[] }
    this.ids.forEach((id, index) => {
      if (this.isAbsent(index)) answer.notFoundIds.push(id)
      else if (this.kinds[index] === 'chats') answer.blockedIds.push(id)
      else {
        answer.deletedCount += 1
        if (work === 'all' || (work === 'first' && index === 0)) this.deletedBy[index] = 'us'
      }
    })
    return answer
  }

  lie(lie: Lie): unknown {
    this.arrive('first')
    const [, second = ''] = this.ids
    return {
      sum: { deletedCount: 1, notFoundIds: [], blockedIds: [] },
      foreign: { deletedCount: 1, notFoundIds: [idOf(999)], blockedIds: [] },
      overlap: { deletedCount: 0, notFoundIds: [second], blockedIds: [second] },
      twice: { deletedCount: 0, notFoundIds: [second, second], blockedIds: [] },
    }[lie]
  }

  others(): readonly string[] {
    return this.ids.flatMap((_, index) => (this.isAbsent(index) ? [] : [`another deletes ${index}`]))
  }

  other(name: string): void {
    this.deletedBy[Number(name.at(-1))] = 'another'
  }
}

/** `first`: so that two batches have other ids. */
export function deleteSetting(kinds: readonly Kind[], extras: number, first = 1): Setting<Contacts> {
  // One of the ids is written in capitals in the file.
  const ids = [idOf(0xa0 + first), idOf(0xb0 + first).toUpperCase()]
  return {
    batch: { operation: 'contacts.delete', ids },
    faults: [...faults, ...lies],
    world: () => new Contacts(ids, kinds),
    extras,
    judge: judgeDelete,
  }
}

function judgeDelete(situation: Situation<Contacts>, outcome: BatchOutcome, action: string): string | undefined {
  const { world, truth } = situation
  return (
    outcome.outcomes.map((claim, index) => falseClaim(situation, claim, index)).find((found) => found !== undefined) ??
    wrongOutcome(situation, outcome, (honest) => world.ids.map((id) => told(honest, id, truth.doubt))) ??
    wrongAction(repeatableAction(situation), action)
  )
}

interface DeleteAnswer {
  readonly notFoundIds: readonly string[]
  readonly blockedIds: readonly string[]
}

function told(honest: unknown, id: string, doubt: boolean): Outcome {
  const { notFoundIds, blockedIds } = honest as DeleteAnswer
  if (blockedIds.includes(id)) return 'blocked'
  if (notFoundIds.includes(id)) return doubt ? 'gone' : 'not-found'
  return 'deleted'
}

function falseClaim({ world, truth }: Situation<Contacts>, claim: Outcome, index: number): string | undefined {
  const claims: Partial<Record<Outcome, boolean>> = {
    deleted: world.isOurs(index),
    'not-found': world.isAbsent(index) && !world.isOurs(index),
    gone: world.isAbsent(index),
    blocked: world.kinds[index] === 'chats',
    error: !world.isOurs(index),
    'not-attempted': !truth.sent,
    unknown: true,
  }
  return claims[claim] === true ? undefined : `${claim} is not true of an id that was ${world.kinds[index]}`
}
