/**
 * A workbook given back as it is, with more cells in one of its sheets. Every other part is copied as it lies, packed; of the
 * sheet every byte that need not change. Loaded for workbooks.
 */
import { usageError } from '../../errors.ts'
import { sheetPart } from '../../ids/workbook/sheet.ts'
import { readXml, type Attributes, type XmlEvents, type XmlPlace } from '../../ids/workbook/xml.ts'
import { recordOf } from '../../ids/workbook/zip-directory.ts'
import { Archive } from '../../ids/workbook/zip.ts'
import { mostColumns } from '../../output/workbook/workbook.ts'
import { ZipWriter } from '../../output/workbook/zip.ts'
import { ChangedSheet, type SheetPlan, type SheetTag } from './changed-sheet.ts'
import type { Addition, AnnotatedRow, InputRows, SortedRow } from './input-rows.ts'

const hint = 'write csv instead: --annotate <file>.csv'

/**
 * Finds columns that are free: those that an earlier one added, or those behind the last heading, or behind all that is used.
 * Throws exit 2 when there are none, for a workbook with macros, and for a signed one.
 */
export async function planSheet(input: InputRows, { widths, ownOf }: Addition): Promise<SheetPlan> {
  const { used, inTable, own, heading, last } = await usedColumns(input, ownOf)
  const { merged, sheet, table } = input
  if (sheet === undefined || table.path === undefined) throw new TypeError('the input is no workbook')
  await refuseSpecial(table.path, table.name)
  const isFree = (column: number): boolean =>
    column < mostColumns &&
    (own.includes(column) || !inTable.has(column)) &&
    !sheet.isColumnHidden(column) &&
    !merged.some(({ from, to }) => column >= from.column && column <= to.column && to.row >= heading)
  const furthest = merged.reduce((column, { to }) => Math.max(column, to.column), Math.max(-1, ...used))
  const behind = Array.from({ length: mostColumns - furthest - 1 }, (_, n) => furthest + 1 + n)
  const columns = [...own.slice(0, 1), ...(heading > 0 ? [last + 1] : []), ...behind]
  const column = columns.find((first) => widths.every((_, n) => isFree(first + n)))
  if (column === undefined)
    throw usageError(`${table.name} has no ${widths.length} free columns beside its table`, hint)
  const cleared = new Set(own.filter((one) => one < column || one >= column + widths.length))
  return { path: table.path, part: sheet.path, column, widths, cleared }
}

async function usedColumns(input: InputRows, ownOf: Addition['ownOf']) {
  const [used, inTable] = [new Set<number>(), new Set<number>()]
  let own: readonly number[] = []
  let [heading, last] = [0, -1]
  const look = ({ row: { cells, line, origin }, kind }: SortedRow): void => {
    if (origin === undefined) return
    if (kind === 'heading') {
      heading = line
      own = ownOf(cells)
      last = cells.findLastIndex((cell, column) => cell.trim() !== '' && !own.includes(column))
    }
    for (const [column, { isFormula }] of origin.cells) {
      used.add(column)
      if (heading > 0 || kind !== 'other') inTable.add(column)
      if (isFormula && kind !== 'other' && own.includes(column)) throw formulaIn(input, origin.cell(column))
    }
  }
  for await (const some of input.all()) some.forEach(look)
  return { used, inTable, own, heading, last }
}

function formulaIn({ table }: InputRows, cell: string): Error {
  return usageError(`${table.name}: cell ${cell} is a formula, and would be replaced`, 'paste the column as values')
}

/** Their signature would be broken, or the file that is written is of another kind. */
async function refuseSpecial(path: string, name: string): Promise<void> {
  const archive = await Archive.open({ name, from: { path } })
  try {
    const types = await archive.text('[Content_Types].xml')
    const [found] = /macroEnabled|vbaProject|digital-signature/i.exec(types) ?? []
    if (found === undefined) return
    throw usageError(
      `${name} ${/sig/i.test(found) ? 'is signed' : 'has macros'}, and cannot be given back as it is`,
      hint,
    )
  } finally {
    await archive.close()
  }
}

export async function* ownWorkbook(
  plan: SheetPlan,
  rows: AsyncIterable<readonly AnnotatedRow[]>,
): AsyncGenerator<Buffer> {
  const archive = await Archive.open({ name: `"${plan.path}"`, from: { path: plan.path } })
  const zip = new ZipWriter()
  try {
    for (const { path, entry, bytes } of archive.records()) {
      const { record } = entry
      if (path !== plan.part) yield* zip.copy((at) => recordOf(entry, at), bytes)
      else yield* zip.part(record.subarray(46, 46 + record.readUInt16LE(28)), changedSheet(archive, plan, rows))
    }
    yield zip.end()
  } finally {
    await archive.close()
  }
}

const changed = new Set(['dimension', 'col', 'cols', 'sheetData', 'row', 'c'])

async function* changedSheet(
  archive: Archive,
  plan: SheetPlan,
  rows: AsyncIterable<readonly AnnotatedRow[]>,
): AsyncGenerator<Buffer> {
  let tags: SheetTag[] = []
  const take = (name: string, { position: at }: XmlPlace, attributes?: Attributes): void => {
    if (changed.has(name)) tags.push({ name, attributes, at })
  }
  const onOpen: XmlEvents['onOpen'] = (name, attributes, place) => take(name, place, attributes)
  const added = new AddedCells(rows)
  const sheet = new ChangedSheet(plan)
  try {
    for await (const text of readXml(archive, plan.part, sheetPart, {
      onOpen,
      onText: () => undefined,
      onClose: take,
    })) {
      yield await sheet.change(text, tags, (row) => added.of(row))
      tags = []
    }
    yield sheet.ready()
  } finally {
    await added.close()
  }
}

/** What is added, by its row. Rows are asked for in their order. */
class AddedCells {
  readonly #rows: AsyncGenerator<AnnotatedRow>
  #next: IteratorResult<AnnotatedRow, unknown> | undefined

  constructor(rows: AsyncIterable<readonly AnnotatedRow[]>) {
    this.#rows = each(rows)
  }

  async close(): Promise<void> {
    await this.#rows.return(undefined)
  }

  async of(line: number): Promise<AnnotatedRow | undefined> {
    let next = this.#next
    while (next === undefined || (next.done !== true && next.value.row.line < line)) next = await this.#rows.next()
    this.#next = next
    return next.done !== true && next.value.row.line === line ? next.value : undefined
  }
}

async function* each<T>(many: AsyncIterable<readonly T[]>): AsyncGenerator<T> {
  for await (const some of many) yield* some
}
