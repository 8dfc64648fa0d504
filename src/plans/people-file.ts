/**
 * The names of the contacts of a plan, in a file of their own that the plan binds by its checksum: it can be destroyed, as the law may want it,
 * and plan and signatures still hold. `write-plan.ts` makes it for `--plan --who`; `describe.ts` reads it for `plans show` and `plans approve`.
 *
 * A file that the plan was not written with is never believed: without it there are ids, and no names.
 */
import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { fullName } from '../api/names.ts'
import type { Items } from '../bulk/record/items.ts'
import type { DirectorySource } from '../directory/reading.ts'
import { readContacts } from '../directory/people.ts'
import type { Host } from '../host.ts'
import { IdTable } from '../input/id-table.ts'
import { inert } from '../safe-text.ts'
import type { FoundContact } from '../views/found-contact.ts'
import type { PlannedId } from '../views/plan.ts'
import type { PlanDocument } from './plan-file.ts'
import { readBeside } from './plan-place.ts'

const Person = v.object({ id: v.string(), name: v.string(), lists: v.array(v.string()) })
type Person = v.InferOutput<typeof Person>

export const peoplePath = (plan: string): string => `${plan}.people.ndjson`

/** SHA-256 in hexadecimal digits, as plans have it. */
export function sumOf(bytes: Uint8Array): string {
  const hash = createHash('sha256')
  return hash.update(bytes).digest('hex')
}

/** A line for each id, in its order, then for those that others are merged into; an id that is on no list has no name. Throws the error of a list that cannot be read. */
export async function peopleOf(source: DirectorySource, items: Items): Promise<Buffer> {
  const ids = idsOf(items)
  const { people } = await readContacts(source, ({ id }) => ids.has(id))
  try {
    let text = ''
    for (const id of ids) {
      const contact = people.find(id)
      const person = personOf(id, contact)
      const line = inert(JSON.stringify(person))
      text += `${line}\n`
    }
    return Buffer.from(text)
  } finally {
    people.close()
  }
}

/** All ids that a plan names: of its items, and of those that they are merged into. */
function idsOf(items: Items): IdTable {
  const { size, pairs = [] } = items
  const ids = new IdTable()
  for (const id of items.slice(0, size)) ids.addText(id, 0)
  for (const { other } of pairs) ids.addText(other, 0)
  return ids
}

/** Undefined is a contact that is on no list. */
function personOf(id: string, contact: FoundContact | undefined): Person {
  if (contact === undefined) return { id, name: '', lists: [] }
  const name = fullName(contact)
  const lists = contact.lists.map((list) => list.name)
  return { id, name, lists }
}

/** Strings of Node's have half a gigabyte. */
const mostPeopleBytes = 500 << 20

/** Rows of a plan, with names and lists as far as the file beside it has them. Throws exit 2 when that cannot be read. */
export function readRows(
  host: Pick<Host, 'disk'>,
  path: string,
  { ids, pairs = [], peopleSha256 }: PlanDocument,
) {
  const { people, problem } = readPeople(host, path, peopleSha256)
  const rowOf = (id: string, other: string | null): PlannedId => {
    const person = people.get(id)
    const second = other === null ? undefined : people.get(other)
    return {
      id,
      name: person?.name ?? '',
      other,
      otherName: second?.name ?? '',
      lists: person?.lists ?? [],
    }
  }
  if (ids !== undefined) return { rows: ids.map((id) => rowOf(id, null)), problem }
  const rows = pairs.map(([id, other]) => rowOf(id, other))
  return { rows, problem }
}

/** People by id, and why there is nobody, in words. */
interface KnownPeople {
  readonly people: ReadonlyMap<string, Person>
  readonly problem?: string
}

/** Reads the file beside a plan, which counts only when it is the one that the plan was written with. */
function readPeople(host: Pick<Host, 'disk'>, plan: string, sha256: string | null): KnownPeople {
  if (sha256 === null) return nobody('the plan was written without --who: it has ids, and no names')
  const path = peoplePath(plan)
  const bytes = readBeside(host, path, mostPeopleBytes, 'the file with the names of people')
  if (bytes === undefined) return nobody(`names are missing: there is no "${path}"`)
  if (sumOf(bytes) !== sha256) {
    return nobody(
      `"${path}" is not the file that the plan was written with; its names are not shown`,
    )
  }
  try {
    const people = peopleIn(bytes)
    return people.size === 0 ? nobody(`names are missing: "${path}" is empty`) : { people }
  } catch (error) {
    const isOfLine = error instanceof SyntaxError || v.isValiError(error)
    if (!isOfLine) throw error
    return nobody(`"${path}" has lines that svc did not write; its names are not shown`)
  }
}

const nobody = (problem: string): KnownPeople => ({
  people: new Map(),
  problem,
})

/** People by id, from a line each. */
function peopleIn(bytes: Buffer): ReadonlyMap<string, Person> {
  const people = new Map<string, Person>()
  const lines = bytes.toString('utf8').split('\n')
  for (const line of lines) {
    // Behind the last line feed there is none.
    if (line === '') continue
    const value: unknown = JSON.parse(line)
    const person = v.parse(Person, value)
    people.set(person.id, person)
  }
  return people
}
