/** Records as tests need them: their lines, the state after these, and runs on a disk. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Items, type Item } from '../../src/input/items.ts'
import { encodeLine, type Head, type Line, type NewLine } from '../../src/runs/lines.ts'
import { outcomes } from '../../src/runs/outcomes.ts'
import { State } from '../../src/runs/state.ts'
import { idOf } from './inputs.ts'

export const baseUrl = 'https://api.example.com'
export const ada = { id: idOf(0xa1), name: 'Ada Byron' }
export const robin = { id: idOf(0xa2), name: 'Robin Berg' }
const input = { read: 2, unique: 2, duplicates: 0, leftOut: 0, undecided: 0 }

/** Items with the ids 1, 2 and so on. */
export const itemsOf = (count: number, more: Partial<Item> = {}) =>
  Items.of(Array.from({ length: count }, (_, at) => ({ id: idOf(at + 1), line: at + 1, ...more })))

export function headOf(operation: Head['operation'], more: Partial<Head> = {}): Omit<Head, 'at'> {
  return {
    ...{ t: 'run', schema: 'svc.run/8', run: 'delete-20260301-101500-3f9a', operation, baseUrl },
    ...(operation === 'contacts.merge' && { isFinalIfLost: true }),
    ...{ once: null, accept: [], profile: null, key: 'f'.repeat(16), keyEnding: '…cret' },
    ...{ user: 'ana', host: 'desk', input, count: 2 },
    ...more,
  } as const
}

const open: NewLine = { t: 'open', pid: 1, host: 'desk' }

/** The lines before the first request of a run: `open`, head and ids. It has two items, unless `more` has another count. */
export function beginningOf(operation: Head['operation'], more: Partial<Head> = {}): NewLine[] {
  const head = headOf(operation, more)
  const other = { 'contacts.merge': idOf(9), 'tickets.assign': robin.id }[operation as string]
  const ids = Array.from({ length: head.count }, (_, at) =>
    other === undefined
      ? ([idOf(at + 1), at + 1] as const)
      : ([idOf(at + 1), at + 1, other] as const),
  )
  return [open, head, { t: 'ids', ids }]
}

/**
 * Lines as words: `try`, an outcome (or one for each item: `done,not-found`) with `!` if it is due, `end`, `closed`. They are about both
 * items, unless a range follows: `try@0-1`.
 */
export function linesOf(words: string): NewLine[] {
  return words.split(' ').flatMap((word): NewLine[] => {
    if (word === '') return []
    const [, name, due, from = '0', to = '2'] = /^([a-z,-]+)(!?)(?:@(\d+)-(\d+))?$/.exec(word) ?? []
    if (name === undefined) throw new Error(`"${word}" is no line`)
    const b: [number, number] = [Number(from), Number(to)]
    if (name === 'try') return [{ t: 'try', b }]
    if (name === 'end' || name === 'closed')
      return [{ t: 'end', outcomes: {}, due: 0, ...(name === 'closed' && { closed: true }) }]
    const all = name.split(',').map((each) => {
      const outcome = outcomes.find((known) => known === each)
      if (outcome === undefined) throw new Error(`"${each}" is no outcome`)
      return outcome
    })
    const [first, second] = all
    const o = second === undefined && first !== undefined ? first : all
    return [{ t: 'res', b, o, ...(due === '!' && { due: true }) }]
  })
}

/** The lines with their times, a second apart. An `end` counts what stands before it. */
function timed(lines: readonly NewLine[]): Line[] {
  const state = new State()
  return lines.map((line, at) => {
    const { counts: outcomes, due } = state
    const time = { at: 1000 * at }
    const known: Line =
      line.t === 'end'
        ? { ...line, ...time, outcomes, due: line.closed === true ? 0 : due }
        : { ...line, ...time }
    state.apply(known)
    return known
  })
}

export function stateAfter(lines: readonly NewLine[]): State {
  const state = new State()
  for (const line of timed(lines)) state.apply(line)
  return state
}

/** The state of a run of two items. */
export const stateOf = (operation: Head['operation'], words: string, more: Partial<Head> = {}) =>
  stateAfter([...beginningOf(operation, more), ...linesOf(words)])

/** The text of a part, whose first line has this checksum before it. */
export function textOf(lines: readonly NewLine[], before = 0): string {
  let c = before
  return timed(lines)
    .map((line) => {
      const encoded = encodeLine(line, c)
      c = encoded.c
      return encoded.text
    })
    .join('')
}

/** Writes a run of these lines, or a hidden folder. Returns the path of its part. */
export function writeRun(runs: string, name: string, lines: readonly NewLine[]): string {
  mkdirSync(join(runs, name), { recursive: true })
  const path = join(runs, name, '1.ndjson')
  writeFileSync(path, textOf(lines))
  return path
}
