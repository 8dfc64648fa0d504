/** The names of the contacts of a plan, in a file of their own that the plan binds: it can be destroyed, and plan and signatures still hold. */
import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { fullName } from '../api/names.ts'
import type { Items } from '../bulk/record/items.ts'
import type { DirectorySource } from '../directory/reading.ts'
import { readContacts } from '../directory/people.ts'
import type { Host } from '../host.ts'
import { inert } from '../output/text/safe.ts'
import { readBeside } from './plan-place.ts'

const Person = v.object({ id: v.string(), name: v.string(), lists: v.array(v.string()) })
export type Person = v.InferOutput<typeof Person>

export const peoplePath = (plan: string): string => `${plan}.people.ndjson`
export const sumOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** A line for each id, in its order; an id that is on no list has no name. Throws the error of a list that cannot be read. */
export async function peopleOf(source: DirectorySource, items: Items): Promise<Buffer> {
  const { people } = await readContacts(source, ({ id }) => items.indexOf(id) >= 0)
  try {
    const lines = Array.from({ length: items.size }, (_, position) => {
      const id = items.id(position)
      const contact = people.find(id)
      const name = contact === undefined ? '' : fullName(contact)
      const person: Person = { id, name, lists: contact?.lists.map((list) => list.name) ?? [] }
      return `${inert(JSON.stringify(person))}\n`
    })
    return Buffer.from(lines.join(''))
  } finally {
    people.close()
  }
}

/** Strings of Node's have half a gigabyte. */
const mostPeopleBytes = 500 << 20

/** The names of the contacts of a plan, as far as the file beside it says. */
export interface KnownPeople {
  readonly people: ReadonlyMap<string, Person>
  /** Why there is nobody, in words. */
  readonly problem?: string
}

/** People by id, of the file beside a plan. Throws exit 2 when it cannot be read. */
export function readPeople(host: Pick<Host, 'disk'>, plan: string, sha256: string | null): KnownPeople {
  const path = peoplePath(plan)
  const nobody = (problem: string): KnownPeople => ({ people: new Map(), problem })
  if (sha256 === null) return nobody('the plan was written without --who: it has ids, and no names')
  const bytes = readBeside(host, path, mostPeopleBytes, 'the file with the names of people')
  if (bytes === undefined) return nobody(`names are missing: there is no "${path}"`)
  if (sumOf(bytes) !== sha256)
    return nobody(`"${path}" is not the file that the plan was written with; its names are not shown`)
  const lines = bytes.toString('utf8').trimEnd().split('\n')
  const all = lines.map((line) => v.parse(Person, JSON.parse(line)))
  return { people: new Map(all.map((person) => [person.id, person])) }
}
