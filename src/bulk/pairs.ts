/**
 * Files of pairs: a contact and the contact it is merged into, a ticket and its new assignee. Csv, JSON and NDJSON; lines
 * of two ids with a comma, semicolon or tab between them are csv.
 */
import { usageError, type SvcError } from '../errors.ts'
import { collectBadLines, type BadLine, type BadLineOptions, type BadLines, type Place } from './bad-lines.ts'
import { findPairColumns, idValue, type PairColumns } from './columns.ts'
import { readCsv } from './csv.ts'
import { detectFormat, type InputFormat } from './detect.ts'
import { reasonNotId, shorten, trimBlanks, unwrapId } from './id-text.ts'
import { readDocument, readNdjson } from './json.ts'
import { checkInputs, openInput, type Input } from './source.ts'
import { grouped } from '../grouped.ts'

/** `id` is acted on (the source, the ticket), `other` is the second party (the target, the employee). */
export interface Pair {
  readonly id: string
  readonly other: string
  /** Physical line of the file, or item of a JSON document. */
  readonly line: number
}

export interface PairOptions extends BadLineOptions {
  readonly format: InputFormat | 'auto'
  /** `source,target`: two ids. `ticket,employee`: an id and an id or a name, which is left as it stands. */
  readonly columns: readonly ['source', 'target'] | readonly ['ticket', 'employee']
  readonly signal?: AbortSignal | undefined
}

export interface PairInput {
  /** In input order; a pair that stands twice is there once. */
  readonly pairs: readonly Pair[]
  /** `pairs.length + duplicates + invalid`. */
  readonly read: number
  readonly duplicates: number
  readonly invalid: number
  readonly bad: readonly BadLine[]
}

interface Sink {
  readonly pairs: Pair[]
  readonly seen: Set<string>
  duplicates: number
  readonly bad: BadLines
  readonly columns: PairOptions['columns']
}

/**
 * Reads every input. Throws exit 2 for what cannot be read or has no such columns, and, unless they are skipped, one
 * error for all bad lines.
 */
export async function readPairs(inputs: readonly Input[], options: PairOptions): Promise<PairInput> {
  checkInputs(inputs)
  const sink: Sink = {
    pairs: [],
    seen: new Set(),
    duplicates: 0,
    bad: collectBadLines(options),
    columns: options.columns,
  }
  for (const input of inputs) {
    if (input.kind === 'argument') throw usageError('pairs come from a file: --file <path>')
    const open = await openInput(input, options.signal)
    try {
      const detected = detectFormat(open.head, open.complete, { known: options.format, column: undefined })
      if (detected.format === 'ndjson') {
        await readNdjson(open, sink.bad, (value, place) => {
          takeItem(sink, place, value)
        })
      } else if (detected.format === 'json') {
        const value = await readDocument(open)
        if (value !== undefined && !Array.isArray(value)) {
          throw usageError(`${open.name} is not an array of objects with ${options.columns.join(' and ')}`)
        }
        const items: readonly unknown[] = Array.isArray(value) ? value : []
        items.forEach((item, index) => {
          takeItem(sink, { input: open.name, unit: 'item', line: index + 1 }, item)
        })
      } else {
        let places: PairColumns | undefined
        await readCsv(
          open,
          detected,
          (cells, line) => {
            if (places === undefined) {
              places = findPairColumns(open.name, cells, options.columns)
              if (places.header) return
            }
            take(sink, { input: open.name, unit: 'line', line }, cells[places.first], cells[places.second])
          },
          () => sink.bad.flush(),
        )
      }
    } finally {
      await open.close()
    }
    await sink.bad.flush()
  }
  const { pairs, duplicates, bad } = sink
  bad.refuse()
  return { pairs, read: pairs.length + duplicates + bad.total, duplicates, invalid: bad.total, bad: bad.first }
}

function takeItem(sink: Sink, place: Place, value: unknown): void {
  const [first, second] = sink.columns
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    sink.bad.add(place, JSON.stringify(value), `not an object with ${first} and ${second}`)
    return
  }
  const member = (name: string): string | undefined => {
    const picked = idValue(Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined)
    return 'text' in picked ? picked.text : undefined
  }
  take(sink, place, member(first), member(second))
}

function take(sink: Sink, place: Place, first: string | undefined, second: string | undefined): void {
  const { bad, columns } = sink
  const text = `${first ?? ''},${second ?? ''}`
  const firstReason = first === undefined ? 'there is nothing' : reasonNotId(first, true)
  if (first === undefined || firstReason !== undefined) {
    bad.add(place, text, `${columns[0]}: ${firstReason}`)
    return
  }
  const isName = columns[1] === 'employee'
  const bare = trimBlanks(second ?? '')
  const secondReason = bare === '' ? 'there is nothing' : isName ? undefined : reasonNotId(bare, true)
  if (secondReason !== undefined) {
    bad.add(place, text, `${columns[1]}: ${secondReason}`)
    return
  }
  const pair = { id: unwrapId(first), other: isName ? bare : unwrapId(bare), line: place.line }
  const mark = `${pair.id.toLowerCase()} ${isName ? pair.other : pair.other.toLowerCase()}`
  if (sink.seen.has(mark)) {
    sink.duplicates += 1
    return
  }
  sink.seen.add(mark)
  sink.pairs.push(pair)
}

/** In which order merges run, as positions from 0, and what each waits for. */
export interface MergeOrder {
  /** Every position once: a contact's own incoming merges come before it is merged away. Else in input order. */
  readonly order: readonly number[]
  /** By position: the merges that must be done before; when one of them is not, this one must not run. */
  readonly after: readonly (readonly number[])[]
}

const mostNamed = 20

function contradiction(what: string, problems: readonly string[]): SvcError {
  const named = problems.slice(0, mostNamed)
  if (problems.length > named.length) named.push(`and ${grouped(problems.length - named.length)} more`)
  return usageError(`${what}; nothing was sent\n${named.map((problem) => `  ${problem}`).join('\n')}`)
}

const lineOf = (pair: Pair): string => `line ${grouped(pair.line)}`

/**
 * Checks the pairs of a merge and orders them: when A goes into B and B into C, A comes first. Throws exit 2, naming the
 * lines, when a contact is merged into itself, into two, or in a circle.
 */
export function checkMergePairs(pairs: readonly Pair[]): MergeOrder {
  const bySource = new Map<string, number>()
  const problems: string[] = []
  pairs.forEach((pair, position) => {
    const source = pair.id.toLowerCase()
    if (source === pair.other.toLowerCase()) problems.push(`${lineOf(pair)}: ${pair.id} would be merged into itself`)
    const before = bySource.get(source)
    const other = before === undefined ? undefined : pairs[before]
    if (other !== undefined) {
      problems.push(`${lineOf(pair)}: ${pair.id} is merged away already in ${lineOf(other)}`)
      return
    }
    bySource.set(source, position)
  })
  if (problems.length > 0) throw contradiction('the pairs contradict each other', problems)

  const after: number[][] = pairs.map(() => [])
  pairs.forEach((pair, position) => {
    const next = bySource.get(pair.other.toLowerCase())
    if (next !== undefined) after[next]?.push(position)
  })
  refuseCircles(pairs, bySource)

  // Depth first over what each waits for, in input order; a list instead of recursion, for long chains.
  const order: number[] = []
  const isPlaced = new Uint8Array(pairs.length)
  pairs.forEach((_, start) => {
    const waiting = [start]
    while (waiting.length > 0) {
      const position = waiting.at(-1) ?? start
      const open = isPlaced[position] === 1 ? [] : (after[position] ?? []).filter((before) => isPlaced[before] === 0)
      if (open.length > 0) {
        for (const before of open.toReversed()) waiting.push(before)
        continue
      }
      waiting.pop()
      if (isPlaced[position] === 0) order.push(position)
      isPlaced[position] = 1
    }
  })
  return { order, after }
}

/** Each contact goes into one other, so a walk from any pair ends, or comes back to where it was. */
function refuseCircles(pairs: readonly Pair[], bySource: ReadonlyMap<string, number>): void {
  const walkOf = new Int32Array(pairs.length).fill(-1)
  const problems: string[] = []
  pairs.forEach((_, start) => {
    let position: number | undefined = start
    while (position !== undefined && walkOf[position] === -1) {
      walkOf[position] = start
      position = bySource.get(pairs[position]?.other.toLowerCase() ?? '')
    }
    if (position === undefined || walkOf[position] !== start) return
    const circle: string[] = []
    let at: number | undefined = position
    do {
      const pair: Pair | undefined = at === undefined ? undefined : pairs[at]
      if (pair === undefined) break
      circle.push(`${lineOf(pair)} (${pair.id} into ${pair.other})`)
      at = bySource.get(pair.other.toLowerCase())
    } while (at !== position && circle.length < mostNamed)
    problems.push(`a circle: ${circle.join(', ')}`)
  })
  if (problems.length > 0) throw contradiction('the pairs contradict each other', problems)
}

/** Checks the pairs of an assign. Throws exit 2, naming the lines, when a ticket has two different assignees. */
export function checkAssignPairs(pairs: readonly Pair[]): void {
  const byTicket = new Map<string, Pair>()
  const problems: string[] = []
  for (const pair of pairs) {
    const before = byTicket.get(pair.id.toLowerCase())
    if (before === undefined) byTicket.set(pair.id.toLowerCase(), pair)
    else {
      const [one, other] = [shorten(before.other), shorten(pair.other)]
      problems.push(`${lineOf(pair)}: ticket ${pair.id} goes to "${other}", in ${lineOf(before)} to "${one}"`)
    }
  }
  if (problems.length > 0) throw contradiction('the pairs contradict each other', problems)
}
