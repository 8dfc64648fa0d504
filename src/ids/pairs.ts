/**
 * Files of pairs: a contact and the contact it is merged into, a ticket and its new assignee. Csv, JSON and NDJSON; lines
 * of two ids with a comma, semicolon or tab between them are csv.
 */
import { createHash } from 'node:crypto'
import { usageError } from '../errors.ts'
import { collectBadLines, type BadLine, type BadLineOptions, type BadLines, type Place } from './bad-lines.ts'
import { findPairColumns, idValue, type PairColumns } from './columns.ts'
import { readCsv } from './csv.ts'
import { detectFormat, type InputFormat } from './detect.ts'
import { isId, reasonNotId, trimBlanks, unwrapId } from './id.ts'
import { readDocument, readNdjson } from './json.ts'
import { checkInputs, openInput, type Input } from './input.ts'

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

/**
 * SHA-256, in hexadecimal, of the set that these pairs are: the same for every order, for every letter case of the ids, and
 * whether or not a pair stands twice. A name stays as it was typed.
 */
export function pairsSetSha256(pairs: readonly Pair[]): string {
  const lines = pairs.map(({ id, other }) =>
    JSON.stringify([id.toLowerCase(), isId(other) ? other.toLowerCase() : other]),
  )
  const sum = createHash('sha256')
  for (const line of [...new Set(lines)].sort()) sum.update(`${line}\n`)
  return sum.digest('hex')
}
