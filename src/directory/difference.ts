/** Two sets of contacts compared: two lists, or a list and the ids of a file. */
import { fullName } from '../api/names.ts'
import type { ListMember } from '../api/schemas.ts'
import { IdTable } from '../ids/id-table.ts'
import type { ListDifference } from '../resources/list-difference.ts'
import { LineSpool } from './line-spool.ts'
import type { ListsApi, NamedList } from './reading.ts'

export type Side = NamedList | { readonly name: string; readonly ids: IdTable }

type Counts = Readonly<Record<ListDifference['where'], number>>
export type Compared = Counts & { readonly moved: readonly string[] }

/** The wanted contacts, left side first; the counts are of all. Both sides are read before the first one comes. */
export async function* differences(
  api: ListsApi,
  left: Side,
  right: Side,
  isWanted: (where: ListDifference['where']) => boolean = () => true,
): AsyncGenerator<ListDifference, Compared> {
  const spool = new LineSpool()
  const moved: string[] = []
  /** The ids, and where their names begin in the spool; a file has none. */
  const read = async (side: Side): Promise<ReadSide> => {
    if ('ids' in side) return { ids: side.ids, names: undefined }
    const [ids, names] = [new IdTable(), spool.length]
    for await (const { contact } of membersOf(api, side, moved))
      if (ids.addText(contact.id, 0)) spool.push(fullName(contact))
    return { ids, names }
  }
  try {
    const sides = [await read(left), await read(right)] as const
    return { ...(yield* compared(sides, isWanted, (place) => spool.at(place))), moved }
  } finally {
    spool.close()
  }
}

async function* membersOf(api: ListsApi, { id, name }: NamedList, into: string[]): AsyncGenerator<ListMember, void> {
  const { moved, missing } = yield* api.lists.members(id, { limit: Infinity })
  if ((moved ?? missing) !== undefined) into.push(name)
}

interface ReadSide {
  readonly ids: IdTable
  readonly names: number | undefined
}

function* compared(
  [left, right]: readonly [ReadSide, ReadSide],
  isWanted: (where: ListDifference['where']) => boolean,
  nameAt: (place: number) => string,
): Generator<ListDifference, Counts> {
  const counts = { left: 0, right: 0, both: 0 }
  for (const [side, other, alone] of [
    [left, right, 'left'],
    [right, left, 'right'],
  ] as const) {
    for (let index = 0; index < side.ids.size; index += 1) {
      const id = side.ids.id(index)
      const where = other.ids.has(id) ? 'both' : alone
      // Those in both came with the left side.
      if (where === 'both' && alone === 'right') continue
      counts[where] += 1
      if (isWanted(where)) yield { id, name: side.names === undefined ? null : nameAt(side.names + index), where }
    }
  }
  return counts
}
