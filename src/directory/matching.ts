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
import { firstOf, readPeople, tell, type DirectorySource, type People } from './people.ts'
import type {
  KeptRow,
  PeopleTable,
  PersonRow,
  RefusedRow,
  SoughtRow,
} from './people-table.ts'
import { coarseKey, ValueIndex } from './value-index.ts'
import { whyOf } from './why.ts'

interface MatchChoice {
  readonly accepted: Accepted
  readonly readValues: ReadValues
  readonly country?: string | undefined
}

type MatchedRow = KeptRow | RefusedRow | (SoughtRow & { readonly match: Match })

/** Reads the lists for a table. Throws the error of a list that cannot be read. */
export async function matchTable(
  table: PeopleTable,
  source: DirectorySource,
  { accepted, readValues, country }: MatchChoice,
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
  return new Matching(rows, people, { index, readValues, country })
}

function keptId(row: PersonRow): string | undefined {
  return row.kind === 'one' ? row.contactId.toLowerCase() : undefined
}

/** The index, the reader of its values, and the country of numbers that do not say it. */
interface Comparison {
  readonly index: ValueIndex
  readonly readValues: ReadValues
  readonly country: string | undefined
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

  /** Cells that were not compared as they are. */
  get cellNotes(): string[] {
    const rows = this.#ofKind('sought')
    const cells = rows.flatMap(({ match, unreadable, remarks }) => {
      const doubts = match.verdict === 'unreadable' ? match.unknown : []
      return [...unreadable, ...doubts.flatMap(({ doubt }) => doubt ?? []), ...remarks]
    })
    const phones = rows.flatMap(({ values }) => values.flatMap(({ phone }) => phone ?? []))
    const unplaced = phones.filter(({ readings }) => readings.length === 0)
    const count = pluralize(unplaced.length, 'phone number')
    const isTold = unplaced.length > 0 && this.#comparison.country === undefined
    return [
      ...(isTold
        ? [
            `${count} without + or 00 can only be a variant: name the country, as in --country DE`,
          ]
        : []),
      ...tell(cells, 'cell', 'cannot be read'),
    ]
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
    const [kept, refused] = [this.#ofKind('one'), this.#ofKind('no')]
    const count = kept.length + refused.length
    const sought = this.rows.filter(({ kind }) => kind === 'sought')
    const counts = verdicts.flatMap((verdict) => {
      const rows = sought.filter((row) => this.verdictOf(row) === verdict)
      return rows.length === 0 ? [] : [`${groupDigits(rows.length)} ${verdict}`]
    })
    if (count > 0) counts.unshift(`${groupDigits(count)} kept`)
    const total = `${pluralize(this.rows.length, 'row')}: ${counts.join(', ')}`
    if (count === 0) return [total]
    const gone = kept.filter(({ contactId }) => this.people.find(contactId) === undefined)
    const which = gone.length === 0 ? '' : `, ${gone.length} of them on no list that was read`
    const words = [
      ...(kept.length === 0 ? [] : [`rows that are "one" already${which}`]),
      ...(refused.length === 0 ? [] : [`${pluralize(refused.length, 'row')} with "no"`]),
    ]
    const again =
      kept.length === 0 ? '' : '; --again looks for all rows except those with "no"'
    return [total, `kept: ${words.join(', and ')}${again}`]
  }

  /** Kept rows of which a value is another contact's and not that of their own. */
  get warning(): string | undefined {
    const moved = this.#ofKind('one').filter((row) => this.#fitsOthers(row))
    const lines = moved.map(({ line }) => groupDigits(line))
    const [words] = tell(
      lines,
      'row',
      'kept, although other contacts fit and not the one of the row',
    )
    return (
      words &&
      `${words}; was the table sorted in part? check NAME, or match again with --again`
    )
  }

  #showSought(row: SoughtRow & { readonly match: Match }) {
    const { verdict, by, contacts } = row.match
    const [first] = contacts
    const only = contacts.length === 1 ? first : undefined
    const candidates = contacts.map((contact) => ({
      id: contact.id,
      name: fullName(contact),
    }))
    // One without a name is told by its id.
    const names = candidates.map(({ id, name }) => name || id)
    const isOne = verdict === 'one'
    return {
      contactId: isOne ? (only?.id ?? null) : null,
      name: only === undefined ? firstOf(names, namesShown).join('; ') : fullName(only),
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

  #ofKind<K extends MatchedRow['kind']>(kind: K): Extract<MatchedRow, { kind: K }>[] {
    return this.rows.filter((row) => row.kind === kind) as Extract<MatchedRow, { kind: K }>[]
  }
}

const namesShown = 5
