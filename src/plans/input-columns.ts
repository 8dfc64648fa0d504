/**
 * The input of a plan beside its people: its own columns, which reviewers compare with the names that the service has. Called by
 * `commands/plans/show.ts` alone, for `plans show --file`.
 *
 * The file is checked against the checksum of the plan before it is read and after: a reviewer must not be shown rows that the plan was not made of.
 */
import { resolve } from 'node:path'
import { readRowsAgain } from '../bulk/files/annotate.ts'
import { sha256Of } from '../bulk/files/output-file.ts'
import type { Source } from '../bulk/record/run.ts'
import { fileError } from '../errno.ts'
import { usageError } from '../errors.ts'
import type { Host } from '../host.ts'
import type { FoundRows } from '../input/search.ts'
import type { Column } from '../output/result.ts'
import { safe } from '../safe-text.ts'
import type { PlannedId } from '../views/plan.ts'
import { columnName } from '../words.ts'
import type { PlanDocument } from './plan-file.ts'

/** A row of a plan with the cells of its row of the input, by their places. */
type PlannedRow = PlannedId & { readonly input?: Readonly<Record<string, string>> }

/** A plan's people, and the columns that they are shown in. */
interface PlannedTable {
  readonly rows: readonly PlannedId[]
  readonly columns: readonly Column[]
}

/** Adds the columns of the input at `path` but those of the ids. Throws exit 2 for a file that is not the plan's input, and for JSON. */
export async function addInputColumns(
  host: Pick<Host, 'disk'>,
  document: PlanDocument,
  path: string,
  people: PlannedTable,
): Promise<PlannedTable> {
  const { source, operation, pairs } = document
  if (source === null) {
    throw usageError('--file cannot be used: the ids of the plan did not come from one file')
  }
  const file = { ...source, path: resolve(path) }
  const kind = pairs === undefined ? 'ids' : 'pairs'
  const cellsById = new Map<string, readonly string[]>()
  let table: FoundRows['table'] | undefined
  await checkInput(host, file, path)
  for await (const found of readRowsAgain(host, { operation, kind }, file, tables)) {
    table = found.table
    for (const { kind: rowKind, finding, cells } of found.rows) {
      const id = rowKind === 'data' ? finding?.toLowerCase() : undefined
      // The first row of an id is the one that counted when the plan was made.
      if (id === undefined || cellsById.has(id)) continue
      cellsById.set(id, Array.from(cells))
    }
  }
  await checkInput(host, file, path)
  const places = placesOf(cellsById.values(), table?.places ?? [])
  const columns = [...people.columns]
  const titles = columns.map(({ title }) => title)
  for (const place of places) {
    const heading = table?.headings[place]
    const title = inputTitle(heading, place, titles)
    titles.push(title)
    columns.push({
      title,
      field: `input.${place}`,
      isOwn: true,
    })
  }
  const rows = people.rows.map((row): PlannedRow => {
    const cells = cellsById.get(row.id.toLowerCase())
    const input: Record<string, string> = {}
    for (const place of places) input[place] = cells?.[place] ?? ''
    return { ...row, input }
  })
  return { rows, columns }
}

/** Only tables have columns. */
const tables = {
  members(input: string): never {
    throw usageError(`--file shows the columns of csv and workbooks; ${input} is JSON`)
  },
}

/** Throws exit 2 for a file that cannot be read, or is not the one that the plan was made of. `typed`: its name, as it was given. */
async function checkInput(
  { disk }: Pick<Host, 'disk'>,
  { path, sha256 }: Source,
  typed: string,
): Promise<void> {
  const sum = await sha256Of({ disk }, path).catch((error: unknown) => {
    throw fileError('usage', `the input "${typed}" cannot be read`, error)
  })
  if (sum !== sha256) {
    throw usageError(
      `"${typed}" is not the input of the plan, or was changed since: its SHA-256 is another one`,
      `the plan was made of a file with the SHA-256 ${sha256}`,
    )
  }
}

/** Places of the columns that have any text, but those of the ids. */
function placesOf(rows: Iterable<readonly string[]>, ids: readonly number[]): number[] {
  const places = new Set<number>()
  for (const cells of rows) {
    for (const [place, cell] of cells.entries()) {
      const text = cell ?? ''
      if (text.trim() !== '') places.add(place)
    }
  }
  for (const place of ids) places.delete(place)
  return [...places].toSorted((one, other) => one - other)
}

/** The heading of a column, with its letter where another column has that heading, as NAME and Name. */
function inputTitle(heading = '', place: number, taken: readonly string[]): string {
  const name = safe(heading.trim())
  if (name === '') return columnName(place)
  const isTaken = taken.some((title) => title.toLowerCase() === name.toLowerCase())
  return isTaken ? `${name} (column ${columnName(place)})` : name
}
