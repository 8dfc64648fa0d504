/**
 * Effects of requests, read off the service: the state of each thing before and after, and the service's own answer, held against
 * what the operation says of its outcomes. The program's judgement of answers has no part in it.
 */
import type { BulkOperation } from '../../src/api/operations.ts'
import {
  countsOfOk,
  outcomeFacts,
  outcomesOfOperation,
  type Outcome,
} from '../../src/runs/outcomes.ts'
import type { Company } from '../../src/sandbox/company.ts'
import { contactData } from '../../src/sandbox/contacts.ts'
import type { SeedEmployee } from '../../src/sandbox/seed.ts'
import type { SeedTicket } from '../../src/sandbox/tickets.ts'
import type { Change } from '../sandbox/record.ts'

/** Whether an employee can get a ticket. */
export const isAble = ({ status, channels }: SeedEmployee): boolean =>
  status === 'active' && channels.length === 5

/** Whether a ticket can be assigned. */
export const isOpen = ({ status, current }: SeedTicket): boolean => status === 'active' && current

/** A contact or a ticket at one moment. */
export interface ThingState {
  readonly assignee: string | null | undefined
  /** All that requests can change of it. */
  readonly text: string
}

/** One thing of a request that landed. */
export interface Effect {
  /** The outcome of its operation under which the service's answer has it; none for a request that was refused, or that reads. */
  readonly outcome: string | undefined
  /** Names of the answer's counts that may have counted it. */
  readonly counts: readonly string[]
  readonly before: ThingState
  readonly after: ThingState
  readonly isChanged: boolean
}

export function stateOf({ contacts, lists, tickets }: Company, id: string): ThingState {
  const ticket = tickets.get(id)
  if (ticket !== undefined) return { assignee: ticket.assigneeId, text: JSON.stringify(ticket) }
  const found = contacts.find(id)
  if (found === undefined) return { assignee: undefined, text: 'absent' }
  const contact = { ...contactData(found), updatedAt: undefined }
  const memberships = [...lists.values()].filter(({ members }) => members.has(found.id))
  const text = JSON.stringify([contact, memberships.map((list) => list.id)])
  return { assignee: undefined, text }
}

type Data = Readonly<Record<string, unknown>>

const hasId = (value: unknown, id: string): boolean =>
  Array.isArray(value) && value.some((each) => String(each).toLowerCase() === id)

/** The outcome that an answer without an error gives to a thing, and the counts that may have counted it. */
export function answered(
  name: BulkOperation,
  { data, change }: { readonly data: Data; readonly change: Partial<Change> },
  id: string,
): Pick<Effect, 'outcome' | 'counts'> {
  const named = Object.keys(data).filter((member) => hasId(data[member], id))
  const array = ownOutcomes(name).find((outcome) => {
    return named.includes(outcomeFacts(outcome).idArray ?? '')
  })
  if (array !== undefined) return { outcome: array, counts: [] }
  // An array of the answer that belongs to no outcome: nothing may be claimed of what it names.
  if (named.length > 0) return { outcome: named.join(), counts: [] }
  const counts = countsOf(name)
  const logged: Data = { ...change }
  const counted = counts.filter((count) => hasId(logged[count], id))
  const isElsewhere = Object.keys(logged).some((member) => hasId(logged[member], id))
  // The answer counts those that it names nowhere: what it did with this one is on no count of what was asked.
  if (counts.length > 0 && counted.length === 0 && isElsewhere)
    return { outcome: otherwise(name), counts: [] }
  const possible = counted.length > 0 ? counted : counts.filter((count) => Number(data[count]) > 0)
  const [count] = possible
  if (count !== undefined)
    return {
      outcome: possible.length === 1 || counted.length > 0 ? 'ok' : undefined,
      counts: possible,
    }
  return { outcome: askedOutcome(name), counts: [] }
}

const isCommon = (outcome: Outcome): boolean =>
  outcome === 'not-attempted' || outcome === 'unknown' || outcome === 'error'

/** The outcomes of an operation that not every other one has. */
export const ownOutcomes = (name: BulkOperation): readonly Outcome[] =>
  outcomesOfOperation(name).filter((outcome) => !isCommon(outcome))

/** The counts in the answers of an operation. */
const countsOf = (name: BulkOperation) => (ownOutcomes(name).includes('ok') ? countsOfOk : [])

/** The outcome of what an answer counts and did not do as asked. */
const otherwise = (name: BulkOperation): Outcome | undefined =>
  ownOutcomes(name).find((outcome) => {
    const { isDone, isReopenable } = outcomeFacts(outcome)
    return !isDone && !isReopenable
  })

/** The outcome of what was done as asked. */
export const askedOutcome = (name: BulkOperation): Outcome | undefined =>
  ownOutcomes(name).find((outcome) => {
    const { isDone, guessOf } = outcomeFacts(outcome)
    return isDone && guessOf === undefined
  })

/** The outcome under which the service has a thing that it has changed as asked, when it is asked again. */
export const outcomeAgain: Readonly<Record<BulkOperation, Outcome | undefined>> = {
  'contacts.delete': 'not-found',
  'lists.add-contacts': 'ok',
  'contacts.merge': undefined,
  'tickets.assign': undefined,
}
