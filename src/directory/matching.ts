/** A table of people, each row with the contact that it means: the table first, then the members of lists, once. */
import { fullName } from '../api/names.ts'
import { usageError } from '../errors.ts'
import { IdTable } from '../ids/id-table.ts'
import { shorten } from '../ids/id.ts'
import type { StreamInput } from '../ids/input.ts'
import { verdicts } from '../ids/row-filter.ts'
import type { ContactMatch } from '../resources/contact-match.ts'
import { grouped } from '../words.ts'
import { columnsInWords } from './headings.ts'
import { kindOf, textsIn, valueReader } from './identity.ts'
import { matchRow, type acceptable, type Accepted, type Match, type RowClues, type Verdict } from './match.ts'
import { readPeople } from './people-table.ts'
import type { KeptMatch, PeopleOptions, PeopleTable, PersonCell, PersonRow } from './people-table.ts'
import { People } from './people.ts'
import type { ReadPhones } from './phone.ts'
import { counted, type DirectoryRead, type DirectorySource } from './reading.ts'
import { ValueIndex, type IndexedValue } from './value-index.ts'

interface MatchOptions extends PeopleOptions {
  readonly accept?: readonly (typeof acceptable)[number][] | undefined
}

interface SoughtRow extends RowClues {
  readonly line: number
}

/** A row that was matched before. */
interface KeptRow extends KeptMatch {
  readonly line: number
}

type MatchRow = SoughtRow | KeptRow

/** What a table asks for: values, and contacts by their ids. */
interface Wanted {
  readonly index: ValueIndex
  readonly kept: IdTable
  readonly rows: readonly MatchRow[]
  readonly cells: CellNotes
}

/** `5 cells cannot be read: "see notes" in row 5; … and 2 more`. */
class Examples {
  readonly #what: string
  readonly #why: string
  readonly #shown: string[] = []
  #count = 0

  constructor(what: string, why: string) {
    this.#what = what
    this.#why = why
  }

  add(text: string): void {
    this.#count += 1
    if (this.#count <= examplesShown) this.#shown.push(text)
  }

  words(): string[] {
    const others = this.#count - this.#shown.length
    const more = others > 0 ? ` and ${grouped(others)} more` : ''
    return this.#count === 0
      ? []
      : [`${counted(this.#count, this.#what)} ${this.#why}: ${this.#shown.join('; ')}${more}`]
  }
}

const examplesShown = 3

/** What is to be said of the cells of a table. */
class CellNotes {
  /** Columns where something was read. */
  readonly filled = new Set<number>()
  unplaced = 0
  readonly #unreadable = new Examples('cell', 'cannot be read')
  readonly #unfitNames = new Examples('name', 'not compared')

  take({ line, cells, unfitNames }: PersonRow, unreadable: readonly PersonCell[]): void {
    for (const cell of cells) if (!unreadable.includes(cell)) this.filled.add(cell.column)
    for (const text of unfitNames) this.#unfitNames.add(text)
    for (const { text, unfit } of unreadable)
      this.#unreadable.add(unfit ?? `"${shorten(text)}" in row ${grouped(line)}`)
  }

  /** `hasCountry`: numbers without + are read as those of a country. */
  words(hasCountry: boolean): string[] {
    const numbers = counted(this.unplaced, 'phone number')
    const unplaced = `${numbers} without + or 00 can only be a variant: name the country, as in --country DE`
    const isTold = this.unplaced > 0 && !hasCountry
    return [...(isTold ? [unplaced] : []), ...this.#unreadable.words(), ...this.#unfitNames.words()]
  }
}

/** The rows of a table, to be matched once the lists are read. `close` must follow. */
export class Matching {
  readonly table: PeopleTable
  readonly #wanted: Wanted
  readonly #accepted: Accepted
  readonly #people = new People()

  private constructor(table: PeopleTable, wanted: Wanted, accepted: Accepted) {
    this.table = table
    this.#wanted = wanted
    this.#accepted = accepted
  }

  /** Collects what is sought. Throws exit 2 for what is no table of people. */
  static async of(input: StreamInput, options: MatchOptions, readPhones: ReadPhones): Promise<Matching> {
    const [index, kept, cells] = [new ValueIndex(valueReader(readPhones)), new IdTable(), new CellNotes()]
    const rows: MatchRow[] = []
    const table = await readPeople(input, options, (row) => {
      const { line, name } = row
      if (row.kept !== undefined) {
        kept.addText(row.kept.contactId, 0)
        cells.take(row, [])
        rows.push({ line, ...row.kept })
        return
      }
      const values: IndexedValue[] = []
      const unreadable = row.cells.filter(({ key, text, unfit }) => {
        const texts = unfit === undefined ? textsIn(key, text) : []
        const found = texts.flatMap((one) => index.add({ kind: kindOf(key), key, text: one }))
        values.push(...found)
        return found.length === 0
      })
      cells.take(row, unreadable)
      cells.unplaced += values.filter(({ phone }) => phone?.readings.length === 0).length
      // As long as it is: V8 keeps room for sixteen more in an array that grew.
      rows.push({ line, name, values: values.slice(), isUnreadable: unreadable.length > 0 })
    })
    if (rows.length === 0) throw usageError('the table has no rows below its heading')
    return new Matching(table, { index, kept, rows, cells }, new Set(options.accept))
  }

  /** Throws the error of a list that cannot be read. */
  read(source: DirectorySource): Promise<DirectoryRead> {
    const { index, kept } = this.#wanted
    return this.#people.read(source, (contact) => {
      let isWanted = kept.has(contact.id)
      index.visit(contact, (value, fit) => {
        value.add(fit, this.#people.size)
        isWanted = true
      })
      return isWanted
    })
  }

  close(): void {
    this.#people.close()
  }

  *matches(): Generator<ContactMatch> {
    for (const row of this.#wanted.rows) yield 'contactId' in row ? this.#keptMatch(row) : this.#soughtMatch(row)
  }

  /** What to say of the table and of its rows; whether every row has its contact. */
  outcome(hasCountry: boolean): { notes: string[]; total: number; isComplete: boolean } {
    const [counts, total] = [new Map<Verdict | 'kept', number>(), this.#wanted.rows.length]
    let gone = 0
    for (const row of this.#wanted.rows) {
      const word = 'contactId' in row ? 'kept' : this.#match(row).verdict
      counts.set(word, (counts.get(word) ?? 0) + 1)
      if ('contactId' in row && !this.#people.ids.has(row.contactId)) gone += 1
    }
    const countOf = (word: Verdict | 'kept'): number => counts.get(word) ?? 0
    const each = (['kept', ...verdicts] as const).filter((word) => countOf(word) > 0)
    const where = gone === 0 ? '' : `, ${grouped(gone)} of them on no list that was read`
    const notes = [
      ...columnsInWords(this.table.columns, this.#wanted.cells.filled),
      `${counted(total, 'row')}: ${each.map((word) => `${grouped(countOf(word))} ${word}`).join(', ')}`,
      ...(countOf('kept') === 0 ? [] : [`kept were rows that are "one" already${where}; --again looks for all rows`]),
      ...this.#wanted.cells.words(hasCountry),
    ]
    return { notes, total, isComplete: countOf('kept') + countOf('one') === total }
  }

  #keptMatch({ line, contactId, by, ...kept }: KeptRow): ContactMatch {
    const contact = this.#people.find(contactId)
    const name = contact === undefined ? kept.name : fullName(contact)
    return { row: line, match: 'one', contactId, name, by, lists: [...(contact?.lists ?? [])], candidates: [] }
  }

  #soughtMatch(row: SoughtRow): ContactMatch {
    const { verdict, by, ...match } = this.#match(row)
    const contacts = match.contacts.map((index) => this.#people.at(index))
    const [only] = contacts.length === 1 ? contacts : []
    const isOne = verdict === 'one'
    const names = contacts.map((contact) => fullName(contact) || (only === undefined ? contact.id : ''))
    const shown = names.slice(0, namesShown).join('; ')
    return {
      row: row.line,
      match: verdict,
      contactId: isOne ? (only?.id ?? null) : null,
      name: names.length > namesShown ? `${shown} and ${grouped(names.length - namesShown)} more` : shown,
      by,
      lists: [...(only?.lists ?? [])],
      candidates: isOne ? [] : contacts.map((contact) => ({ id: contact.id, name: fullName(contact) })),
    }
  }

  #match(row: SoughtRow): Match {
    return matchRow(row, this.#accepted, (contact) => this.#people.nameAt(contact))
  }
}

const namesShown = 5
