/** What became of the id of a row, and why, in the words of the person who made the list. */
import { grouped } from '../../words.ts'
import { outcomeFacts } from '../operations/outcome.ts'
import type { Receipt } from '../outcomes/ended-batches.ts'
import type { SortedRow } from './input-rows.ts'
import type { RunState } from '../outcomes/state.ts'

/** Outcome and reason. The reason is empty when the outcome says it all. */
export type RowOutcome = readonly [outcome: string, reason: string]

function joined(parts: readonly (string | null)[], separator: string): string {
  return parts.filter((part) => part !== null && part !== '').join(separator)
}

function reasonOf({ outcome, message, code }: Receipt): string {
  const { kind, reason } = outcomeFacts(outcome)
  // What is said of the batch of an id is not said of an id that has its own answer.
  if (kind === 'done' || kind === 'final') return reason
  return joined([reason, joined([message, code === null ? null : `(code ${code})`], ' ')], ': ')
}

interface RowFacts {
  readonly hasOtherShards: boolean
  /** A dry run: what would happen. */
  readonly isUnsent: boolean
  /** What a place in the input is called. */
  readonly unit: 'line' | 'row'
}

/** Undefined for a row that has none. */
export function rowOutcome(
  { items, batches, ended }: RunState,
  { hasOtherShards, isUnsent, unit }: RowFacts,
  { row: { line }, kind, text }: SortedRow,
): RowOutcome | undefined {
  if (kind === 'heading') return ['OUTCOME', 'REASON']
  if (kind === 'invalid' || kind === 'left-out') return [kind, text]
  if (kind !== 'data') return undefined
  const position = items.indexOf(text)
  if (position < batches.from || position >= batches.to) {
    // Ids that the run does not have belong to other parts of the input.
    if (hasOtherShards) return ['other-shard', 'belongs to another part of the file']
    throw new RangeError(`line ${line} of the input has an id that the run does not have`)
  }
  const first = items.line(position)
  const same = first === line ? '' : `the same id as in ${unit} ${grouped(first)}`
  if (isUnsent) return [same === '' ? 'would be sent' : 'duplicate', same]
  const receipt = ended.receipt(position)
  return [receipt.outcome, joined([same, reasonOf(receipt)], '; ')]
}
