/**
 * `svc contacts match`: a table of people, each row with the contact that it means. The table is read first, then the members of lists,
 * once: rows are many, and each reading of all lists takes minutes. Called by `commands/contacts/match.ts`, and by `match-file.ts` beside
 * it for `--annotate`.
 */
import { fullName } from '../api/names.ts'
import { verdicts } from '../input/row-filter.ts'
import type { ContactMatch } from '../views/documents.ts'
import { groupDigits } from '../words.ts'
import { Domains } from './domains.ts'
import type { KeptRow, RefusedRow } from './people-table.ts'
import { valueReader } from './identity.ts'
import { doNamesContradict } from './names.ts'
import { matchRow, type Accepted, type Match, type Verdict } from './match.ts'
import { readContacts, type People } from './people.ts'
import type { ReadPhones } from './phone.ts'
import { Examples, quantity, type DirectorySource } from './reading.ts'
import type { SoughtRow, SoughtTable } from './sought.ts'
import { numberWriter, whyOf, type WhyTools } from './why.ts'

interface MatchChoice {
  readonly accepted: Accepted
  readonly readPhones: ReadPhones
}

/** Reads the lists for a table; `close` must follow. Throws the error of a list that cannot be read. */
export async function matchTable(
  sought: SoughtTable,
  source: DirectorySource,
  { accepted, readPhones }: MatchChoice,
) {
  const { index, kept, rows } = sought
  const { PhoneNumber } = await import('./phone-numbers.ts')
  const domains = new Domains()
  const hasAddresses = index.has('email')
  const { people, read } = await readContacts(source, (contact, place) => {
    let isWanted = kept.has(contact.id)
    if (hasAddresses) domains.add(contact)
    index.visit(contact, (value, fit) => {
      value.add(fit, place)
      isWanted = true
    })
    return isWanted
  })
  const tools = {
    readValues: valueReader(readPhones),
    showNumber: numberWriter(PhoneNumber),
    nearDomain: (address: string) => domains.near(address),
  }
  return { matching: new Matching(rows, people, accepted, tools), read }
}

/** The rows of a table and the contacts that they may mean. `close` must follow. */
export class Matching {
  readonly #rows: SoughtTable['rows']
  readonly #accepted: Accepted
  readonly #people: People
  readonly #tools: WhyTools
  /** By the row's place: whether its name and its contact's contradict each other, once they were compared. */
  readonly #names: Uint8Array

  constructor(rows: SoughtTable['rows'], people: People, accepted: Accepted, tools: WhyTools) {
    this.#rows = rows
    this.#people = people
    this.#accepted = accepted
    this.#tools = tools
    this.#names = new Uint8Array(rows.length)
  }

  close(): void {
    this.#people.close()
  }

  *matches(): Generator<ContactMatch> {
    for (const [place, row] of this.#rows.entries()) {
      switch (row.kind) {
        case 'sought':
          yield this.#soughtMatch(row, this.#match(row, place))
          break
        case 'one':
          yield this.#keptMatch(row)
          break
        case 'no':
          yield refusedMatch(row)
      }
    }
  }

  /** Ids of the rows that are "one": the words of the others, which take most of the time, are not made. */
  *oneMatches(): Generator<ContactMatch> {
    for (const [place, row] of this.#rows.entries()) {
      if (row.kind === 'one') yield this.#keptMatch(row)
      if (row.kind !== 'sought') continue
      const match = this.#match(row, place)
      if (match.verdict === 'one') yield this.#soughtMatch(row, match)
    }
  }

  /** How many rows are what, in words; whether every row has its contact, or is `no`. */
  conclusion(): { notes: string[]; total: number; isComplete: boolean } {
    const counts = new Map<Verdict | 'kept', number>()
    const total = this.#rows.length
    const misspelled = new Examples('address', 'may be misspelled')
    for (const [place, row] of this.#rows.entries()) {
      const word = row.kind === 'sought' ? this.#match(row, place).verdict : 'kept'
      counts.set(word, (counts.get(word) ?? 0) + 1)
      if (row.kind === 'sought' && word === 'none') this.#checkSpelling(row, misspelled)
    }
    const countOf = (word: Verdict | 'kept'): number => counts.get(word) ?? 0
    const words: string[] = []
    for (const word of ['kept', ...verdicts] as const) {
      if (word === 'no' || countOf(word) === 0) continue
      words.push(`${groupDigits(countOf(word))} ${word}`)
    }
    const notes = [
      `${quantity(total, 'row')}: ${words.join(', ')}`,
      ...this.#keptWords(),
      ...misspelled.words(),
    ]
    return { notes, total, isComplete: countOf('kept') + countOf('one') === total }
  }

  #keptWords(): string[] {
    const decided = this.#rows.filter((row) => row.kind !== 'sought')
    if (decided.length === 0) return []
    const kept = decided.filter((row) => row.kind === 'one')
    const refused = decided.length - kept.length
    const words: string[] = []
    if (kept.length > 0) words.push(`rows that are "one" already${this.#goneWords(kept)}`)
    if (refused > 0) words.push(`${quantity(refused, 'row')} with "no"`)

    const others = refused === 0 ? 'all rows' : 'all rows but those with "no"'
    const again = kept.length === 0 ? '' : `; --again looks for ${others}`
    const moved = kept.filter((row) => this.#fitsOthers(row))
    const movedLines = moved.map(({ line }) => groupDigits(line))
    return [`kept: ${words.join(', and ')}${again}`, ...movedWords(movedLines)]
  }

  /** Contacts of kept rows that were on no list, behind the words for these rows. */
  #goneWords(kept: readonly KeptRow[]): string {
    const gone = kept.filter(({ contactId }) => !this.#people.ids.has(contactId))
    if (gone.length === 0) return ''
    return `, ${groupDigits(gone.length)} of them on no list that was read`
  }

  /** Whether a value of a row is another contact's and not that of its own: the table may have been sorted in part. */
  #fitsOthers({ contactId, values }: KeptRow): boolean {
    const contact = this.#people.ids.indexOf(contactId)
    return values.some(({ contacts }) => contacts.size > 0 && !contacts.has(contact))
  }

  #checkSpelling({ line, values }: SoughtRow, misspelled: Examples): void {
    for (const { kind, text } of values) {
      const near = kind === 'email' ? this.#tools.nearDomain(text) : undefined
      if (near === undefined) continue
      const domain = text.slice(text.lastIndexOf('@') + 1)
      misspelled.add(`"${domain}" in row ${groupDigits(line)}, where others have "${near}"`)
    }
  }

  #keptMatch({ line, contactId, by, ...kept }: KeptRow): ContactMatch {
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

  /** Each row is matched twice, to be counted and to be shown; its contact is read back from a file for its name, which is compared once. */
  #match(row: SoughtRow, place: number): Match {
    return matchRow(row, this.#accepted, (contact) => {
      if (this.#names[place] === notCompared) {
        const isOther = doNamesContradict(row.name, this.#people.nameAt(contact))
        this.#names[place] = isOther ? contradict : agree
      }
      return this.#names[place] === contradict
    })
  }
}

const notCompared = 0
const agree = 1
const contradict = 2

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

/** `lines`: of rows that are kept and say something of other contacts. */
function movedWords(lines: readonly string[]): string[] {
  if (lines.length === 0) return []
  const noun = lines.length === 1 ? 'row' : 'rows'
  const shown = lines.slice(0, rowsShown).join(', ')
  const left = lines.length - rowsShown
  const more = left > 0 ? ` and ${groupDigits(left)} more` : ''
  return [
    `kept, although other contacts fit and not the one of the row: ${noun} ${shown}${more}; was the table sorted in part? check NAME, or match again with --again`,
  ]
}

const namesShown = 5
const rowsShown = 20
