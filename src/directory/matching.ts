/** A table of people, each row with the contact that it means: the table first, then the members of lists, once. */
import { fullName } from '../api/names.ts'
import { verdicts } from '../input/row-filter.ts'
import type { ContactMatch } from '../views/contact-match.ts'
import { groupDigits } from '../words.ts'
import { matchRow, type Accepted, type Match, type Verdict } from './match.ts'
import { readContacts, type People } from './people.ts'
import { quantity, type DirectorySource } from './reading.ts'
import type { KeptRow, SoughtRow, SoughtTable } from './sought.ts'

/** Reads the lists for a table; `close` must follow. Throws the error of a list that cannot be read. */
export async function matchTable(sought: SoughtTable, source: DirectorySource, accepted: Accepted) {
  const { index, kept } = sought
  const { people, read } = await readContacts(source, (contact, place) => {
    let isWanted = kept.has(contact.id)
    index.visit(contact, (value, fit) => {
      value.add(fit, place)
      isWanted = true
    })
    return isWanted
  })
  return { matching: new Matching(sought.rows, people, accepted), read }
}

/** The rows of a table and the contacts that they may mean. `close` must follow. */
export class Matching {
  readonly #rows: SoughtTable['rows']
  readonly #accepted: Accepted
  readonly #people: People

  constructor(rows: SoughtTable['rows'], people: People, accepted: Accepted) {
    this.#rows = rows
    this.#people = people
    this.#accepted = accepted
  }

  close(): void {
    this.#people.close()
  }

  *matches(): Generator<ContactMatch> {
    for (const row of this.#rows)
      yield 'contactId' in row ? this.#keptMatch(row) : this.#soughtMatch(row)
  }

  /** How many rows are what, in words; whether every row has its contact. */
  conclusion(): { notes: string[]; total: number; isComplete: boolean } {
    const [counts, total] = [new Map<Verdict | 'kept', number>(), this.#rows.length]
    let gone = 0
    for (const row of this.#rows) {
      const word = 'contactId' in row ? 'kept' : this.#match(row).verdict
      counts.set(word, (counts.get(word) ?? 0) + 1)
      if ('contactId' in row && !this.#people.ids.has(row.contactId)) gone += 1
    }
    const countOf = (word: Verdict | 'kept'): number => counts.get(word) ?? 0
    const each = (['kept', ...verdicts] as const).filter((word) => countOf(word) > 0)
    const where = gone === 0 ? '' : `, ${groupDigits(gone)} of them on no list that was read`
    const notes = [
      `${quantity(total, 'row')}: ${each.map((word) => `${groupDigits(countOf(word))} ${word}`).join(', ')}`,
      ...(countOf('kept') === 0
        ? []
        : [`kept were rows that are "one" already${where}; --again looks for all rows`]),
    ]
    return { notes, total, isComplete: countOf('kept') + countOf('one') === total }
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
    }
  }

  #soughtMatch(row: SoughtRow): ContactMatch {
    const { verdict, by, ...match } = this.#match(row)
    const contacts = match.contacts.map((index) => this.#people.at(index))
    const [only] = contacts.length === 1 ? contacts : []
    const isOne = verdict === 'one'
    const names = contacts.map(
      (contact) => fullName(contact) || (only === undefined ? contact.id : ''),
    )
    const shown = names.slice(0, namesShown).join('; ')
    return {
      row: row.line,
      match: verdict,
      contactId: isOne ? (only?.id ?? null) : null,
      name:
        names.length > namesShown
          ? `${shown} and ${groupDigits(names.length - namesShown)} more`
          : shown,
      by,
      lists: [...(only?.lists ?? [])],
      candidates: isOne
        ? []
        : contacts.map((contact) => ({ id: contact.id, name: fullName(contact) })),
    }
  }

  #match(row: SoughtRow): Match {
    return matchRow(row, this.#accepted, (contact) => this.#people.nameAt(contact))
  }
}

const namesShown = 5
