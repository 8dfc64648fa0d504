/**
 * Pairs that depend on each other: contradictions are refused, chains of merges are put in order. Pure. `sessions/job.ts` orders the pairs
 * that were read by it, and `outcomes/state.ts` follows the chains while they are sent.
 */
import { SvcError } from '../../errors.ts'
import { groupDigits } from '../../words.ts'
import { IdTable } from '../../input/id-table.ts'
import type { Pair } from '../../input/pairs.ts'
import { numbers } from '../record/batches.ts'
import { shorten } from '../../safe-text.ts'

/** Pairs that depend on each other, by the numbers of their batches: in which order they are sent, and what comes before. */
export interface Chain {
  /** Every batch once: a contact's own incoming merges come before it is merged away. Else in input order. */
  readonly order: readonly number[]
  /** The batches that must be done before; when one of them is not, this one must not be sent. */
  readonly after: (batch: number) => readonly number[]
}

const mostNamed = 20

/** The first of so many problems, each for a line of its own. */
function firstOf(problems: readonly string[], total = problems.length): readonly string[] {
  const named = problems.slice(0, mostNamed)
  const more = total - named.length
  if (more > 0) named.push(`and ${groupDigits(more)} more`)
  return named
}

function contradiction(problems: readonly string[]): SvcError {
  const message = 'the pairs contradict each other; nothing was sent'
  return new SvcError('usage', message, { lines: firstOf(problems) })
}

const atLine = (line: number): string => `line ${groupDigits(line)}`

/**
 * Checks the pairs of a merge and orders them: when A goes into B and B into C, A comes first. Throws exit 2, naming the
 * lines, when a contact is merged into itself, into two, or in a circle.
 */
export function chainOf(pairs: readonly Pair[]): Chain {
  const sources = new IdTable()
  const problems: string[] = []
  for (const { id, other, line } of pairs) {
    if (id.toLowerCase() === other.toLowerCase()) {
      problems.push(`${atLine(line)}: ${id} would be merged into itself`)
    }
    if (sources.addText(id, line)) continue
    const before = sources.line(sources.indexOf(id))
    problems.push(`${atLine(line)}: ${id} is already merged in ${atLine(before)}`)
  }
  if (problems.length > 0) throw contradiction(problems)

  const after = new Map<number, number[]>()
  pairs.forEach((pair, position) => {
    const next = sources.indexOf(pair.other) + 1
    const before = after.get(next)
    if (before !== undefined) before.push(position + 1)
    else if (next > 0) after.set(next, [position + 1])
  })
  refuseCircles(pairs, sources)

  // Depth first over what each waits for, in input order; a list instead of recursion, for long chains.
  const order: number[] = []
  const isPlaced = new Uint8Array(pairs.length + 1)
  for (const start of numbers(pairs.length)) {
    const waiting = [start]
    while (waiting.length > 0) {
      const batch = waiting.at(-1) ?? start
      const before = isPlaced[batch] === 1 ? [] : (after.get(batch) ?? [])
      const open = before.filter((earlier) => isPlaced[earlier] === 0)
      if (open.length > 0) {
        open.toReversed().forEach((earlier) => waiting.push(earlier))
        continue
      }
      waiting.pop()
      if (isPlaced[batch] === 0) order.push(batch)
      isPlaced[batch] = 1
    }
  }
  return { order, after: (batch) => after.get(batch) ?? [] }
}

/** Each contact goes into one other: a walk ends, or comes back to where it was. `sources`: by position, as `pairs`. */
function refuseCircles(pairs: readonly Pair[], sources: IdTable): void {
  const nextOf = (position: number): number => sources.indexOf(pairs[position]?.other ?? '')
  const walkOf = new Int32Array(pairs.length).fill(-1)
  const problems: string[] = []
  pairs.forEach((_, start) => {
    let position = start
    while (walkOf[position] === -1) {
      walkOf[position] = start
      position = nextOf(position)
    }
    if (walkOf[position] !== start) return
    const circle: string[] = []
    let at = position
    do {
      const pair = pairs[at]
      if (pair === undefined) break
      circle.push(`${atLine(pair.line)} (${pair.id} into ${pair.other})`)
      at = nextOf(at)
    } while (at !== position && circle.length < mostNamed)
    problems.push(`these merges form a circle: ${circle.join(', ')}`)
  })
  if (problems.length > 0) throw contradiction(problems)
}

/** Checks the pairs of an assign. Throws exit 2, naming the lines, when a ticket has two different assignees. */
export function checkAssignPairs(pairs: readonly Pair[]): undefined {
  const byTicket = new Map<string, Pair>()
  const problems: string[] = []
  for (const pair of pairs) {
    const ticket = pair.id.toLowerCase()
    const before = byTicket.get(ticket)
    if (before === undefined) {
      byTicket.set(ticket, pair)
    } else {
      const one = shorten(before.other)
      const other = shorten(pair.other)
      problems.push(
        `${atLine(pair.line)}: ticket ${pair.id} goes to "${other}", in ${atLine(before.line)} to "${one}"`,
      )
    }
  }
  if (problems.length > 0) throw contradiction(problems)
}
