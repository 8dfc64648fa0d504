/** What a record says, read in a way of its own: by the lines of its parts alone, whose checksums it does not check. */
import type { Folder } from './disk.ts'

export interface Item {
  id: string
  other: string | undefined
  expected: string | undefined
  outcome: string
  isDue: boolean
  /** Who had the ticket before its last attempt. */
  assigneeBefore?: string | null | undefined
  /** Its attempt was lost, and it was tried again although somebody else had it by then. */
  isSentOver: boolean
}

export interface Facts {
  run: string
  operation: string
  target: string | undefined
  ifAssignee: string | undefined
  undoes: string | undefined
  items: Item[]
  isClosed: boolean
  isDamaged: boolean
}

interface Line {
  t: string
  /** Its checksum, in hexadecimal. */
  c: string
  /** The checksum of the last line that the writer of this part had read. */
  after?: number
  /** The batch of an attempt or a result: the index of its first item, and that behind its last one. */
  b?: [number, number]
  /** The outcome of all items of a batch, or of each. */
  o?: string | string[]
  due?: boolean
  assigneeBefore?: string | null
  closed?: boolean
  ids?: [string, number, string?, string?][]
  run?: string
  operation?: string
  target?: { id: string }
  ifAssignee?: { id: string }
  undoes?: string
}

/** The whole lines of a part; undefined for one that is no JSON. */
export function linesOf(data: Buffer): (Line | undefined)[] {
  const texts = data.toString('latin1').split('\n').slice(0, -1)
  return texts.map((text) => {
    try {
      return JSON.parse(text) as Line
    } catch {
      return undefined
    }
  })
}

/** The parts of a run in their order; undefined for one that is missing. */
export function partsOf(folder: Folder) {
  const numbers = [...folder.entries.keys()].flatMap((name) => /^\d+(?=\.ndjson$)/.exec(name) ?? [])
  const last = Math.max(0, ...numbers.map(Number))
  return Array.from({ length: last }, (_, at) => {
    const part = folder.entries.get(`${at + 1}.ndjson`)
    return part?.kind === 'file' ? part : undefined
  })
}

/** Whether a part got an attempt that the writer of the next part may not have read: then it was never sent. */
export function hasLateAttempt(folder: Folder): boolean {
  const parts = partsOf(folder).map((part) => (part === undefined ? [] : linesOf(part.data)))
  return parts.some((lines, at) => {
    const after = parts[at + 1]?.[0]?.after
    const read = lines.findIndex((line) => Number.parseInt(line?.c ?? '', 16) === after)
    return after !== undefined && lines.slice(read + 1).some((line) => line?.t === 'try')
  })
}

/** Returns undefined if there is no head. */
export function fold(folder: Folder): Facts | undefined {
  let facts: Facts | undefined
  for (const part of partsOf(folder))
    for (const line of part === undefined ? [undefined] : linesOf(part.data)) {
      if (line?.t === 'run') facts = headOf(line)
      if (facts === undefined) continue
      if (line === undefined) facts.isDamaged = true
      else apply(facts, line)
    }
  return facts
}

const headOf = ({ run = '', operation = '', target, ifAssignee, undoes }: Line): Facts => ({
  run,
  operation,
  target: target?.id,
  ifAssignee: ifAssignee?.id,
  undoes,
  items: [],
  isClosed: false,
  isDamaged: false,
})

function apply(facts: Facts, line: Line) {
  const { t, ids = [], b = [0, 0], due, closed, assigneeBefore } = line
  const isAssign = facts.operation === 'tickets.assign'
  for (const [id, , other, expected] of Array.isArray(ids) ? ids : [])
    facts.items.push({
      id,
      other,
      expected,
      outcome: 'not-attempted',
      isDue: true,
      isSentOver: false,
    })
  if (closed === true) facts.isClosed = true
  if (t !== 'try' && t !== 'res') return
  if (t === 'try') facts.isClosed = false
  // Damage may have changed the form of a member.
  const [from, to] = Array.isArray(b) ? b : [0, 0]
  for (const [at, item] of facts.items.slice(from, to).entries()) {
    if (t === 'try') {
      item.isSentOver =
        isAssign && item.outcome === 'unknown' && item.assigneeBefore !== assigneeBefore
      item.assigneeBefore = assigneeBefore
    }
    item.outcome = outcomeOf(line, at)
    // A merge that was tried may have been made, so it is not sent again.
    item.isDue = t === 'try' ? facts.operation !== 'contacts.merge' : due === true
  }
}

/** The outcome of an item of a batch: unknown once it was tried, until there is a result. */
function outcomeOf({ o }: Line, at: number): string {
  if (typeof o === 'string') return o
  return (Array.isArray(o) ? o[at] : undefined) ?? 'unknown'
}

/** Whether a delete or merge of an item must not begin elsewhere. */
export const isOpen = (facts: Facts, { isDue, outcome }: Item) =>
  !facts.isDamaged &&
  ((isDue && !facts.isClosed) || (facts.operation === 'contacts.merge' && outcome === 'unknown'))
