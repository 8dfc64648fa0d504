/**
 * The names of the contacts of a plan, in a file of their own that the plan binds by its checksum: it can be destroyed, as the law may want it,
 * and plan and signatures still hold. `write-plan.ts` makes it, `describe.ts` and `plans show` read it.
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
  const ids = new IdTable()
  for (const id of items.slice(0, items.size)) ids.addText(id, 0)
  for (const { other } of items.pairs ?? []) ids.addText(other, 0)
  const { people } = await readContacts(source, ({ id }) => ids.has(id))
  try {
    const lines = Array.from(ids, (id) => {
      const contact = people.find(id)
      const name = contact === undefined ? '' : fullName(contact)
      const lists = contact?.lists.map((list) => list.name) ?? []
      const person: Person = { id, name, lists }
      return `${inert(JSON.stringify(person))}\n`
    })
    return Buffer.from(lines.join(''))
  } finally {
    people.close()
  }
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
    const { name = '', lists = [] } = people.get(id) ?? {}
    const second = other === null ? undefined : people.get(other)
    const otherName = second?.name ?? ''
    return { id, name, other, otherName, lists }
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
  const path = peoplePath(plan)
  const nobody = (problem: string): KnownPeople => ({ people: new Map(), problem })
  if (sha256 === null) return nobody('the plan was written without --who: it has ids, and no names')
  const bytes = readBeside(host, path, mostPeopleBytes, 'the file with the names of people')
  if (bytes === undefined) return nobody(`names are missing: there is no "${path}"`)
  if (sumOf(bytes) !== sha256) {
    return nobody(
      `"${path}" is not the file that the plan was written with; its names are not shown`,
    )
  }
  const people = new Map<string, Person>()
  const lines = bytes.toString('utf8').trimEnd().split('\n')
  for (const line of lines) {
    const person = v.parse(Person, JSON.parse(line))
    people.set(person.id, person)
  }
  return { people }
}
