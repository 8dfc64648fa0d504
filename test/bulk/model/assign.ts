/** Assigning a ticket, while other people do so too. */
import { requestCanLand } from '../../../src/api/limits.ts'
import type { BatchOutcome } from '../../../src/bulk/operations/outcome.ts'
import { idOf } from '../../ids/inputs.ts'
import { assignAction, wrongAction } from './expected.ts'
import { faultsOfOne, type Work } from './faults.ts'
import type { Setting, Situation, World } from './walk.ts'

const [ticket, old, wanted, other] = [1, 2, 3, 4].map(idOf) as [string, string, string, string]
const deeds: Readonly<Record<string, string>> = {
  'someone else takes it': other,
  'someone else gives it to the wanted one': wanted,
  'someone else gives it back': old,
}

export class Ticket implements World {
  now: string
  /** Requests of this run that were carried out. */
  changes: number
  wasWanted: boolean

  constructor(now: string, changes = 0, wasWanted = now === wanted) {
    this.now = now
    this.changes = changes
    this.wasWanted = wasWanted
  }

  copy(): Ticket {
    return new Ticket(this.now, this.changes, this.wasWanted)
  }

  key(): string {
    return `${this.now} ${Math.min(this.changes, 1)} ${this.wasWanted}`
  }

  assignee(): string {
    return this.now
  }

  arrive(work: Work): unknown {
    const previousAssigneeId = this.now
    if (work !== 'nothing') {
      this.give(wanted)
      this.changes += 1
    }
    return { ticketId: ticket, chatId: idOf(9), previousAssigneeId, newAssigneeId: wanted }
  }

  lie(): unknown {
    return { ticketId: ticket, chatId: null, previousAssigneeId: old, newAssigneeId: other }
  }

  others(): readonly string[] {
    return Object.keys(deeds).filter((name) => deeds[name] !== this.now)
  }

  other(name: string): void {
    this.give(deeds[name] ?? '')
  }

  private give(assignee: string): void {
    this.now = assignee
    this.wasWanted ||= assignee === wanted
  }
}

/** `start`: who has the ticket at first. */
export function assignSetting(start: 'old' | 'wanted', extras: number): Setting<Ticket> {
  return {
    batch: { operation: 'tickets.assign', ids: [ticket], other: wanted },
    faults: faultsOfOne,
    world: () => new Ticket({ old, wanted }[start]),
    extras,
    judge: judgeAssign,
    judgeUndo,
  }
}

/** Everything happened at time 0. */
function judgeUndo({ world, truth, late }: Situation<Ticket>, from: number | undefined): string | undefined {
  if (from === undefined) return truth.ending === 'answered' ? 'it can be undone' : undefined
  if (world.changes === 0) return 'undone, and it is somebody else’s change'
  if (late.length > 0 && from < requestCanLand) return 'undone, and a request can still be carried out'
  return from > 0 && !truth.doubt ? 'it can be undone at once' : undefined
}

function judgeAssign(situation: Situation<Ticket>, outcome: BatchOutcome, action: string): string | undefined {
  const { world, truth, disk } = situation
  const [claim] = outcome.outcomes
  const isReadAsWanted = disk.reading?.id === wanted
  if (claim === 'done' && !world.wasWanted) return 'done is not true'
  if (claim === 'error' && world.changes > 0) return 'error is not true'
  if (claim === 'not-attempted' && truth.sent) return 'not-attempted is not true'
  const isDone = truth.ending === 'answered' || (truth.ending !== 'nonsense' && isReadAsWanted)
  const isOpen = truth.ending === 'nonsense' || truth.doubt
  const expected = isDone ? 'done' : isOpen ? 'unknown' : truth.ending === undefined ? 'not-attempted' : 'error'
  if (claim !== expected) return `${expected} can be claimed`
  return wrongAction(assignAction(situation, isReadAsWanted), action)
}
