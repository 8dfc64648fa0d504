/** What became of the id of a row, and why, in the words of the person who made the list. */
import { grouped } from '../../words.ts'
import type { Outcome } from '../outcomes/claims.ts'
import type { Receipt } from '../outcomes/ended-batches.ts'
import type { SortedRow } from './input-rows.ts'
import type { RunState } from '../outcomes/state.ts'

/** Outcome and reason. The reason is empty when the outcome says it all. */
export type RowOutcome = readonly [outcome: string, reason: string]

const reasons: Readonly<Record<Outcome, string>> = {
  done: '',
  deleted: '',
  ok: '',
  'not-found': 'there is no contact with this id',
  missing: 'there is no contact with this id',
  blocked: 'not deleted: the contact has chats',
  gone: 'the contact is gone: deleted by this run, or never there',
  undetermined: 'not known: some contacts of its request do not exist',
  error: 'not done',
  unknown: 'not known whether it was done',
  'not-attempted': 'not sent',
}

function joined(parts: readonly (string | null)[], separator: string): string {
  return parts.filter((part) => part !== null && part !== '').join(separator)
}

/** What is said of the batch of an id is not said of an id that has its own answer. */
const open: ReadonlySet<Outcome> = new Set(['error', 'unknown', 'undetermined', 'not-attempted'])

function reasonOf({ outcome, message, code }: Receipt): string {
  if (!open.has(outcome)) return reasons[outcome]
  return joined([reasons[outcome], joined([message, code === null ? null : `(code ${code})`], ' ')], ': ')
}

interface RowFacts {
  /** Why a row has no id, by its line. */
  readonly invalid: ReadonlyMap<number, string>
  /** Whether ids that the run does not have belong to other parts of the input. */
  readonly hasOtherShards: boolean
  /** What a place in the input is called. */
  readonly unit: 'line' | 'row'
}

/** Undefined for a row that has none. */
export function rowOutcome(
  { items, batches, ended }: RunState,
  { invalid, hasOtherShards, unit }: RowFacts,
  { row: { line }, kind, id }: SortedRow,
): RowOutcome | undefined {
  const why = invalid.get(line)
  if (why !== undefined) return ['invalid', why]
  if (kind !== 'data') return undefined
  const position = items.indexOf(id)
  if (position < batches.from || position >= batches.to) {
    if (hasOtherShards) return ['other-shard', 'belongs to another part of the file']
    throw new RangeError(`line ${line} of the input has an id that the run does not have`)
  }
  const receipt = ended.receipt(position)
  const first = items.line(position)
  const same = first === line ? '' : `the same id as in ${unit} ${grouped(first)}`
  return [receipt.outcome, joined([same, reasonOf(receipt)], '; ')]
}
