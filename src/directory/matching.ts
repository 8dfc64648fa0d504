/** A table of people, each row with the contact that it means: the table first, then the members of lists, once. */
import type { StreamInput } from '../ids/input.ts'
import { verdicts } from '../ids/row-filter.ts'
import type { ContactMatch } from '../resources/contact-match.ts'
import { grouped } from '../words.ts'
import { columnsInWords } from './headings.ts'
import { matchRow, type acceptable, type Accepted, type Hits, type Match, type Verdict } from './match.ts'
import { readPeople, type PeopleOptions, type PeopleTable } from './people-table.ts'
import type { ReadPhone } from './phone.ts'
import { counted, readDirectory, type DirectoryRead, type DirectorySource } from './reading.ts'
import { Sought, type Person } from './sought.ts'
import { usageError } from '../errors.ts'

interface MatchOptions extends PeopleOptions {
  readonly accept?: readonly (typeof acceptable)[number][] | undefined
}

interface SoughtRow {
  readonly line: number
  readonly name: string
  readonly values: readonly Hits<Person>[]
}

/** `+49 …`, `(0049) …`. */
const hasCountry = /^[^\p{N}+]*(?:\+|00)/u

/** The rows of a table, to be matched once the lists are read. */
export class Matching {
  readonly table: PeopleTable
  readonly #sought: Sought
  readonly #rows: readonly SoughtRow[]
  readonly #accepted: Accepted
  #unplaced = 0
  /** Which of the table were taken for what, in words. */
  columns: readonly string[] = []

  private constructor(table: PeopleTable, sought: Sought, rows: readonly SoughtRow[], accepted: Accepted) {
    this.table = table
    this.#sought = sought
    this.#rows = rows
    this.#accepted = accepted
  }

  /** Collects what is sought. Throws exit 2 for what is no table of people. */
  static async of(input: StreamInput, options: MatchOptions, readPhone: ReadPhone): Promise<Matching> {
    const sought = new Sought(readPhone)
    const rows: SoughtRow[] = []
    const filled = new Set<number>()
    let unplaced = 0
    const table = await readPeople(input, options, ({ line, name, values }) => {
      const hits = values.flatMap(({ column, key, text }) => {
        const value = sought.add(key, text)
        if (value === undefined) return []
        filled.add(column)
        if (key === 'phone' && !hasCountry.test(text.normalize('NFKC'))) unplaced += 1
        return [value]
      })
      // As long as it is: V8 keeps room for sixteen more in an array that grew, as those of flatMap and `...` do.
      rows.push({ line, name, values: hits.slice() })
    })
    if (rows.length === 0) throw usageError('the table has no rows below its heading')
    const matching = new Matching(table, sought, rows, new Set(options.accept))
    matching.#unplaced = unplaced
    matching.columns = columnsInWords(table.columns, filled)
    return matching
  }

  /** Throws the error of a list that cannot be read. */
  read(source: DirectorySource): Promise<DirectoryRead> {
    return readDirectory(source, this.#sought.visit)
  }

  *matches(): Generator<ContactMatch> {
    for (const row of this.#rows) {
      const { verdict, by, contacts } = this.#match(row)
      const [only] = contacts.length === 1 ? contacts : []
      const isOne = verdict === 'one'
      const names = contacts.map(({ name, id }) => (only === undefined ? name || id : name))
      const shown = names.slice(0, namesShown).join('; ')
      yield {
        row: row.line,
        match: verdict,
        contactId: isOne ? (only?.id ?? null) : null,
        name: names.length > namesShown ? `${shown} and ${grouped(names.length - namesShown)} more` : shown,
        by,
        lists: only?.lists.map(named) ?? [],
        candidates: isOne ? [] : contacts.map(named),
      }
    }
  }

  /** Of numbers whose country is not written, in words; for a command without one. */
  unplaced(): string[] {
    const count = this.#unplaced
    if (count === 0) return []
    return [
      `${counted(count, 'phone number')} without + or 00 can only be a variant: name the country, as in --country DE`,
    ]
  }

  /** `300 rows: 280 one, 12 differs, 8 none`, and whether every row has its contact. */
  counted(): { words: string; total: number; isComplete: boolean } {
    const counts = new Map<Verdict, number>()
    for (const row of this.#rows) {
      const { verdict } = this.#match(row)
      counts.set(verdict, (counts.get(verdict) ?? 0) + 1)
    }
    const each = verdicts.flatMap((verdict) => {
      const count = counts.get(verdict)
      return count === undefined ? [] : [`${grouped(count)} ${verdict}`]
    })
    const total = this.#rows.length
    return { words: `${counted(total, 'row')}: ${each.join(', ')}`, total, isComplete: counts.get('one') === total }
  }

  #match({ name, values }: SoughtRow): Match<Person> {
    return matchRow(name, values, this.#accepted)
  }
}

const named = ({ id, name }: { readonly id: string; readonly name: string }) => ({ id, name })

const namesShown = 5
