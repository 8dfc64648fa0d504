/**
 * `svc contacts match`: a table of people, each row with the contact that it means. The table is read first, then the members of lists,
 * once: rows are many, and each reading of all lists takes minutes. Called by `commands/contacts/match.ts`, and by `match-file.ts` beside
 * it for `--annotate`.
 */
import { fullName } from '../api/names.ts'
import { verdicts } from '../input/row-filter.ts'
import type { ContactMatch } from '../views/documents.ts'
import { groupDigits } from '../words.ts'
import type { RefusedRow } from './people-table.ts'
import { valueReader } from './identity.ts'
import { doNamesContradict } from './names.ts'
import { matchRow, type Accepted, type Match, type SoughtRow, type Verdict } from './match.ts'
import { readContacts, type People } from './people.ts'
import type { ReadPhones } from './phone.ts'
import { quantity, type DirectorySource } from './reading.ts'
import type { KeptTableRow, SoughtTable, TableRows } from './sought.ts'
import { numberWriter, whyOf, type WhyTools } from './why.ts'

interface MatchChoice {
  readonly accepted: Accepted
  readonly readPhones: ReadPhones
}

/** Reads the lists for a table, whose rows are closed with them; `close` must follow. Throws the error of a list that cannot be read. */
export async function matchTable(
  sought: SoughtTable,
  source: DirectorySource,
  { accepted, readPhones }: MatchChoice,
) {
  const { index, kept, rows } = sought
  const { PhoneNumber } = await import('./phone-numbers.ts')
  const { people, read } = await readContacts(source, (contact, place) => {
    let isWanted = kept.has(contact.id)
    index.visit(contact, (value, fit) => {
      index.addFit(value, fit, place)
      isWanted = true
    })
    return isWanted
  })
  const tools = {
    readValues: valueReader(readPhones),
    showNumber: numberWriter(PhoneNumber),
  }
  return { matching: new Matching(rows, people, accepted, tools), read }
}

interface Conclusion {
  /** How many rows are what, and what a person has to look at. */
  readonly notes: readonly string[]
  readonly total: number
  /** Whether every row has its contact, or is `no`. */
  readonly isComplete: boolean
}

/** The rows of a table and the contacts that they may mean. `close` must follow. */
export class Matching {
  readonly #rows: TableRows
  readonly #accepted: Accepted
  readonly #people: People
  readonly #tools: WhyTools

  constructor(rows: TableRows, people: People, accepted: Accepted, tools: WhyTools) {
    this.#rows = rows
    this.#people = people
    this.#accepted = accepted
    this.#tools = tools
  }

  close(): void {
    this.#rows.close()
    this.#people.close()
  }

  /**
   * Each row that `isShown` wants, by its verdict, and at the end what is to be said of all of them. Words are made for no other: half of a
   * table may be rows that nobody fits.
   */
  *matches(isShown: (verdict: Verdict | 'no') => boolean): Generator<ContactMatch, Conclusion> {
    const counts = new Map<Verdict, number>()
    const decided = new DecidedRows(this.#people)
    for (const row of this.#rows) {
      if (row.kind !== 'sought') {
        decided.add(row)
        if (isShown(row.kind)) yield row.kind === 'no' ? refusedMatch(row) : this.#keptMatch(row)
        continue
      }
      const match = this.#match(row)
      const { verdict } = match
      counts.set(verdict, (counts.get(verdict) ?? 0) + 1)
      if (isShown(verdict)) yield this.#soughtMatch(row, match)
    }
    const total = this.#rows.size
    return {
      notes: [
        `${quantity(total, 'row')}: ${countsInWords(counts, decided.size)}`,
        ...decided.words(),
      ],
      total,
      isComplete: decided.size + (counts.get('one') ?? 0) === total,
    }
  }

  #keptMatch({ line, contactId, by, ...kept }: KeptTableRow): ContactMatch {
    const contact = this.#people.find(contactId)
    const name = contact === undefined ? kept.name : fullName(contact)
    return {
      row: line,
      match: 'one',
      contactId,
      name,
      by,
      lists: [...(contact?.lists ?? [])],
      candidates: [],
      why: '',
    }
  }

  #soughtMatch(row: SoughtRow, match: Match): ContactMatch {
    const { verdict, by } = match
    const contacts = match.contacts.map((index) => this.#people.at(index))
    const only = contacts.length === 1 ? contacts[0] : undefined
    const isOne = verdict === 'one'
    const candidates = contacts.map((contact) => ({ id: contact.id, name: fullName(contact) }))
    return {
      row: row.line,
      match: verdict,
      contactId: isOne ? (only?.id ?? null) : null,
      name: only === undefined ? someNames(candidates) : fullName(only),
      by,
      lists: [...(only?.lists ?? [])],
      candidates: isOne ? [] : candidates,
      why: whyOf(row, match, contacts, this.#tools),
    }
  }

  #match(row: SoughtRow): Match {
    return matchRow(row, this.#accepted, (contact) =>
      doNamesContradict(row.name, this.#people.nameAt(contact)),
    )
  }
}

/** `3 kept, 12 one, 1 none`. */
function countsInWords(counts: ReadonlyMap<Verdict, number>, decided: number): string {
  const words = decided === 0 ? [] : [`${groupDigits(decided)} kept`]
  for (const verdict of verdicts) {
    const count = verdict === 'no' ? undefined : counts.get(verdict)
    if (count !== undefined) words.push(`${groupDigits(count)} ${verdict}`)
  }
  return words.join(', ')
}

/** Rows that an earlier match, or a person, decided, and the words for them. */
class DecidedRows {
  readonly #people: People
  #kept = 0
  #refused = 0
  /** Kept rows whose contacts were on no list. */
  #gone = 0
  /** Kept rows that say something of other contacts, and the lines of the first of them. */
  #moved = 0
  readonly #movedLines: number[] = []

  constructor(people: People) {
    this.#people = people
  }

  get size(): number {
    return this.#kept + this.#refused
  }

  add(row: KeptTableRow | RefusedRow): void {
    if (row.kind === 'no') {
      this.#refused += 1
      return
    }
    this.#kept += 1
    if (!this.#people.ids.has(row.contactId)) this.#gone += 1
    if (!this.#fitsOthers(row)) return
    this.#moved += 1
    if (this.#moved <= rowsShown) this.#movedLines.push(row.line)
  }

  words(): string[] {
    if (this.size === 0) return []
    const words: string[] = []
    const gone =
      this.#gone === 0 ? '' : `, ${groupDigits(this.#gone)} of them on no list that was read`
    if (this.#kept > 0) words.push(`rows that are "one" already${gone}`)
    if (this.#refused > 0) words.push(`${quantity(this.#refused, 'row')} with "no"`)

    const others = this.#refused === 0 ? 'all rows' : 'all rows but those with "no"'
    const again = this.#kept === 0 ? '' : `; --again looks for ${others}`
    return [`kept: ${words.join(', and ')}${again}`, ...this.#movedWords()]
  }

  /** Whether a value of a row is another contact's and not that of its own: the table may have been sorted in part. */
  #fitsOthers({ contactId, values }: KeptTableRow): boolean {
    const contact = this.#people.ids.indexOf(contactId)
    return values.some(({ fit, contacts }) => fit !== undefined && !contacts.has(contact))
  }

  #movedWords(): string[] {
    if (this.#moved === 0) return []
    const noun = this.#moved === 1 ? 'row' : 'rows'
    const shown = this.#movedLines.map(groupDigits).join(', ')
    const left = this.#moved - this.#movedLines.length
    const more = left > 0 ? ` and ${groupDigits(left)} more` : ''
    return [
      `kept, although other contacts fit and not the one of the row: ${noun} ${shown}${more}; was the table sorted in part? check NAME, or match again with --again`,
    ]
  }
}

/** Names of several contacts; one without a name is told by its id. */
function someNames(contacts: readonly { readonly id: string; readonly name: string }[]): string {
  const shown = contacts.slice(0, namesShown).map(({ id, name }) => name || id)
  const left = contacts.length - shown.length
  const names = shown.join('; ')
  return left === 0 ? names : `${names} and ${groupDigits(left)} more`
}

function refusedMatch({ line, name, by }: RefusedRow): ContactMatch {
  return {
    row: line,
    match: 'no',
    contactId: null,
    name,
    by,
    lists: [],
    candidates: [],
    why: '',
  }
}

const namesShown = 5
const rowsShown = 20
