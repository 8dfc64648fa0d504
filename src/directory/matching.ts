/**
 * `svc contacts match`: a table of people, each row with the contact that it means. The table is read first, then the members of lists,
 * once: rows are many, and each reading of all lists takes minutes. Called by `commands/contacts/match.ts`, and by `match-file.ts` beside
 * it for `--annotate`.
 */
import { fullName } from '../api/names.ts'
import { verdicts } from '../input/row-filter.ts'
import type { ContactMatch } from '../views/documents.ts'
import { groupDigits, pluralize } from '../words.ts'
import { valuesOf, type ReadValues } from './identity.ts'
import { matchRow, type Accepted, type Match, type Verdict } from './match.ts'
import { readPeople, type DirectorySource, type People } from './people.ts'
import type { KeptRow, PeopleTable, PersonRow, RefusedRow, SoughtRow } from './people-table.ts'
import { coarseKey, ValueIndex } from './value-index.ts'
import { whyOf } from './why.ts'

interface MatchChoice {
  readonly accepted: Accepted
  readonly readValues: ReadValues
}

type MatchedRow = KeptRow | RefusedRow | (SoughtRow & { readonly match: Match })

/** Reads the lists for a table. Throws the error of a list that cannot be read. */
export async function matchTable(
  table: PeopleTable,
  source: DirectorySource,
  { accepted, readValues }: MatchChoice,
): Promise<Matching> {
  const values = table.rows.flatMap((row) => (row.kind === 'no' ? [] : row.values))
  const kinds = new Set(values.map(({ kind }) => kind))
  const keys = new Set(values.map(coarseKey))
  const kept = new Set(table.rows.map((row) => keptId(row)))
  const people = await readPeople(
    source,
    (contact) =>
      kept.has(contact.id.toLowerCase()) ||
      valuesOf(contact, readValues, kinds).some((value) => keys.has(coarseKey(value))),
  )
  const index = new ValueIndex(people.all, readValues, kinds)
  const rows = table.rows.map((row) =>
    row.kind === 'sought' ? { ...row, match: matchRow(row, index, accepted) } : row,
  )
  return new Matching(rows, people, { index, readValues })
}

function keptId(row: PersonRow): string | undefined {
  return row.kind === 'one' ? row.contactId.toLowerCase() : undefined
}

/** The index, and the reader of its values. */
interface Comparison {
  readonly index: ValueIndex
  readonly readValues: ReadValues
}

/** The rows of a table, and the contacts that they may mean. */
export class Matching {
  readonly rows: readonly MatchedRow[]
  readonly people: People
  readonly #comparison: Comparison

  constructor(rows: readonly MatchedRow[], people: People, comparison: Comparison) {
    this.rows = rows
    this.people = people
    this.#comparison = comparison
  }

  verdictOf(row: MatchedRow): Verdict | 'no' {
    return row.kind === 'sought' ? row.match.verdict : row.kind
  }

  /** Whether every row has its contact, or is `no`. */
  get isComplete(): boolean {
    return this.rows.every((row) => ['one', 'no'].includes(this.verdictOf(row)))
  }

  /** Cells that make rows unreadable, or could: what is wrong with each. */
  get unreadableCells(): string[] {
    return this.rows.flatMap((row) => {
      if (row.kind !== 'sought') return []
      const doubts = row.match.verdict === 'unreadable' ? row.match.unknown : []
      return [...row.unreadable, ...doubts.flatMap(({ doubt }) => doubt ?? [])]
    })
  }

  /** A row as it is shown. Words are made for no other: half of a table may be rows that nobody fits. */
  show(row: MatchedRow): ContactMatch {
    const shown = {
      row: row.line,
      match: this.verdictOf(row),
      contactId: null,
      name: row.name,
      by: '',
      lists: [],
      candidates: [],
      why: '',
    }
    if (row.kind === 'no') return { ...shown, by: row.by }
    if (row.kind === 'sought') return { ...shown, ...this.#showSought(row) }
    const { contactId, by } = row
    const contact = this.people.find(contactId)
    const name = contact === undefined ? row.name : fullName(contact)
    return { ...shown, contactId, name, by, lists: [...(contact?.lists ?? [])] }
  }

  /** How many rows are what: `12 rows: 3 kept, 8 one, 1 none`; and what was kept. */
  get notes(): string[] {
    const counts = verdicts.flatMap((verdict) => {
      const count = this.#count((row) => row.kind === 'sought' && row.match.verdict === verdict)
      return count === 0 ? [] : [`${groupDigits(count)} ${verdict}`]
    })
    const kept = this.#count(({ kind }) => kind === 'one')
    const refused = this.#count(({ kind }) => kind === 'no')
    if (kept + refused > 0) counts.unshift(`${groupDigits(kept + refused)} kept`)
    const total = `${pluralize(this.rows.length, 'row')}: ${counts.join(', ')}`
    if (kept + refused === 0) return [total]
    const gone = this.#count(
      (row) => row.kind === 'one' && this.people.find(row.contactId) === undefined,
    )
    const words: string[] = []
    const which = gone === 0 ? '' : `, ${groupDigits(gone)} of them on no list that was read`
    if (kept > 0) words.push(`rows that are "one" already${which}`)
    if (refused > 0) words.push(`${pluralize(refused, 'row')} with "no"`)
    const others = refused === 0 ? 'all rows' : 'all rows but those with "no"'
    const again = kept === 0 ? '' : `; --again looks for ${others}`
    return [total, `kept: ${words.join(', and ')}${again}`]
  }

  /** Kept rows of which a value is another contact's and not that of their own. */
  get warning(): string | undefined {
    const moved = this.rows.filter((row) => row.kind === 'one' && this.#fitsOthers(row))
    if (moved.length === 0) return undefined
    const noun = moved.length === 1 ? 'row' : 'rows'
    const shown = moved.slice(0, rowsShown).map(({ line }) => groupDigits(line))
    const left = moved.length - shown.length
    const more = left > 0 ? ` and ${groupDigits(left)} more` : ''
    return `kept, although other contacts fit and not the one of the row: ${noun} ${shown.join(', ')}${more}; was the table sorted in part? check NAME, or match again with --again`
  }

  #showSought(row: SoughtRow & { readonly match: Match }) {
    const { verdict, by, contacts } = row.match
    const [first] = contacts
    const only = contacts.length === 1 ? first : undefined
    const candidates = contacts.map((contact) => ({ id: contact.id, name: fullName(contact) }))
    const isOne = verdict === 'one'
    return {
      contactId: isOne ? (only?.id ?? null) : null,
      name: only === undefined ? someNames(candidates) : fullName(only),
      by,
      lists: [...(only?.lists ?? [])],
      candidates: isOne ? [] : candidates,
      why: whyOf(row, row.match, this.#comparison.readValues),
    }
  }

  #fitsOthers({ contactId, values }: KeptRow): boolean {
    const own = this.people.find(contactId)
    return values.some((value) => {
      const best = this.#comparison.index.bestFit(value)
      return best !== undefined && (own === undefined || !best.people.has(own))
    })
  }

  #count(isCounted: (row: MatchedRow) => boolean): number {
    return this.rows.filter(isCounted).length
  }
}

/** Names of several contacts; one without a name is told by its id. */
function someNames(contacts: ContactMatch['candidates']): string {
  const shown = contacts.slice(0, namesShown).map(({ id, name }) => name || id)
  const left = contacts.length - shown.length
  const names = shown.join('; ')
  return left === 0 ? names : `${names} and ${groupDigits(left)} more`
}

const namesShown = 5
const rowsShown = 20
