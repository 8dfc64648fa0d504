/** Who the contacts of a plan are, in a file of its own that the plan binds: it can be destroyed, and plan and signatures still hold. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import * as v from 'valibot'
import { fullName } from '../api/names.ts'
import type { Items } from '../bulk/record/items.ts'
import type { DirectorySource } from '../directory/reading.ts'
import { readWho } from '../directory/people.ts'
import { systemCode } from '../errors.ts'
import { inert } from '../output/text/safe.ts'

const Person = v.object({ id: v.string(), name: v.string(), lists: v.array(v.string()) })
export type Person = v.InferOutput<typeof Person>

export const peoplePath = (plan: string): string => `${plan}.people.ndjson`
export const sumOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** A line for each id, in its order; an id that is on no list has no name. Throws the error of a list that cannot be read. */
export async function peopleOf(source: DirectorySource, items: Items): Promise<Buffer> {
  const { people } = await readWho(source, { has: (id) => items.indexOf(id) >= 0 })
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

/** People by id, of the file beside a plan; nobody when it is not there, and why it does not count when it belongs to another plan. */
export function readPeople(plan: string, sha256: string | null): ReadonlyMap<string, Person> | string {
  let bytes: Buffer
  try {
    bytes = readFileSync(peoplePath(plan))
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return new Map()
    throw error
  }
  if (sumOf(bytes) !== sha256)
    return `"${peoplePath(plan)}" is not the file that the plan was written with; its names are not shown`
  const lines = bytes.toString('utf8').trimEnd().split('\n')
  return new Map(lines.map((line) => v.parse(Person, JSON.parse(line))).map((person) => [person.id, person]))
}
