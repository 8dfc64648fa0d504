/** The work of `lists diff`, which no other verb of lists needs. */
import type { Api } from '../../api/client.ts'
import { findList, parseReference } from '../../api/names.ts'
import { exit, usageError } from '../../errors.ts'
import type { Context } from '../../cli/verb.ts'
import { differences, type Compared } from '../../directory/difference.ts'
import type { NamedList } from '../../directory/reading.ts'
import { rows, type Rows } from '../../output/result.ts'
import type { ListDifference } from '../../resources/list-difference.ts'
import { grouped } from '../../words.ts'
import { readTable, type ReadingOptions } from '../id-reading.ts'
import { noteNear } from '../near-names.ts'

interface DiffOptions extends ReadingOptions {
  readonly file: readonly string[]
  readonly only?: ListDifference['where'] | undefined
  readonly allowEmpty?: true | undefined
}

/** A list with another one, or with the ids of files. Throws exit 2 for neither or both, and for files without ids. */
export async function compared(
  context: Context,
  [list, other]: readonly [string, string | undefined],
  { file, only, allowEmpty, ...reading }: DiffOptions,
): Promise<Rows<ListDifference>> {
  if ((other === undefined) === (file.length === 0))
    throw usageError('name the list to compare with, or a file with --file', 'svc lists diff <list> <list>')
  for (const text of [list, other]) if (text !== undefined) parseReference(text, 'list')
  const ids = other === undefined ? await readTable(context, file, reading) : undefined
  if (ids?.size === 0 && allowEmpty !== true)
    throw usageError('the file has no ids', 'if that is intended, add --allow-empty')
  const api = await context.api()
  const left = await namedList(context, api, list)
  const right = ids === undefined ? await namedList(context, api, other ?? '') : { name: file.join(', '), ids }
  const isShown = (where: ListDifference['where']) => (only === undefined ? where !== 'both' : where === only)
  const all = differences(api, left, right, isShown)
  return rows(counted(all, [left.name, right.name]), {
    what: 'contacts',
    empty: only === undefined ? 'no differences' : 'no such contacts',
  })
}

async function namedList(context: Context, api: Api, text: string): Promise<NamedList> {
  const { id, name, list } = await findList(api, text, noteNear(context))
  return { id, name: list?.name ?? name ?? id }
}

async function* counted(all: AsyncGenerator<ListDifference, Compared>, [left, right]: readonly [string, string]) {
  const { moved, ...counts } = yield* all
  const said = `${grouped(counts.left)} only in "${left}", ${grouped(counts.right)} only in "${right}"`
  return {
    notes: [
      ...moved.map((name) => `"${name}" changed while it was read: some rows may be wrong or missing`),
      `${said}, ${grouped(counts.both)} in both`,
    ],
    ...(counts.left + counts.right > 0 ? { exitCode: exit.incomplete } : {}),
  }
}
