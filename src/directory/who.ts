/** Who the contacts of some ids are, and which lists they are on: read once, whatever their number. */
import type { FoundContact } from '../resources/found-contact.ts'
import { People } from './people.ts'
import { readDirectory, type DirectoryRead, type DirectorySource } from './reading.ts'

export interface Ids {
  has(id: string): boolean
}

export class Who {
  readonly read: DirectoryRead
  /** How many of them are on each list, the most first. */
  readonly lists: readonly { readonly name: string; readonly count: number }[]
  readonly #people: People

  private constructor(read: DirectoryRead, people: People, counts: ReadonlyMap<string, number>) {
    const names = new Map(read.lists.map(({ id, name }) => [id, name]))
    this.read = read
    this.#people = people
    this.lists = [...counts]
      .map(([id, count]) => ({ name: names.get(id) ?? id, count }))
      .sort((one, other) => other.count - one.count)
  }

  /** `close` must follow. Throws the error of a list that cannot be read. */
  static async of(source: DirectorySource, ids: Ids): Promise<Who> {
    const people = new People()
    const counts = new Map<string, number>()
    try {
      const read = await readDirectory(source, (contact, list) => {
        if (ids.has(contact.id) && people.add(contact, list)) counts.set(list.id, (counts.get(list.id) ?? 0) + 1)
      })
      return new Who(read, people, counts)
    } catch (error) {
      people.close()
      throw error
    }
  }

  get size(): number {
    return this.#people.size
  }

  /** Undefined for an id that is on none of the lists that were read. */
  find(id: string): FoundContact | undefined {
    const index = this.#people.ids.indexOf(id)
    return index < 0 ? undefined : this.#people.at(index)
  }

  close(): void {
    this.#people.close()
  }
}
