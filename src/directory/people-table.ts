/** A table of people: csv or a sheet of a workbook, whose heading says which columns have phone numbers, addresses and names. */
import { usageError } from '../errors.ts'
import { TableHead, type Row } from '../ids/columns.ts'
import { readCsv } from '../ids/csv.ts'
import { detectFormat, type Detected } from '../ids/detect.ts'
import { checkInputs, openInput, type OpenInput, type StreamInput } from '../ids/input.ts'
import { isPeopleHeading, peopleColumns, type PeopleChoice, type PeopleColumns } from './headings.ts'
import type { IdentityKey } from './identity.ts'

export interface PeopleOptions extends PeopleChoice {
  readonly sheet?: string | undefined
  readonly signal: AbortSignal
}

/** A row of the table. */
export interface PersonRow {
  /** Its line in a text, its row in a sheet. */
  readonly line: number
  readonly name: string
  readonly values: readonly { readonly key: IdentityKey; readonly text: string }[]
}

export interface PeopleTable {
  readonly columns: PeopleColumns
  /** What was skipped, in words. */
  readonly notes: readonly string[]
}

/** Looks at the beginning: csv unless it is a workbook. Throws exit 2 for JSON, which has no columns. */
export function detectPeople(open: OpenInput, choice: PeopleChoice): Detected {
  const isHeading = (cell: string): boolean => isPeopleHeading(cell, choice)
  const detected = detectFormat(open, { known: 'auto', isTable: true, isHeading })
  if (detected.format === 'json' || detected.format === 'ndjson')
    throw usageError(`${open.name} is JSON: people are read from csv or a workbook`)
  return detected
}

/** Reads every row below the heading. Throws exit 2 for what is no table of people. */
export async function readPeople(
  input: StreamInput,
  options: PeopleOptions,
  onRow: (row: PersonRow) => void,
): Promise<PeopleTable> {
  checkInputs([input])
  const { sheet, signal } = options
  const open = await openInput(input, signal)
  try {
    const detected = detectPeople(open, options)
    const rule = peopleColumns(open.name, options)
    const head = new TableHead(open.name, rule, (columns, row) => {
      onRow(personRow(columns, row))
    })
    const notes = detected.note === undefined ? [] : [detected.note]
    if (detected.format === 'xlsx') {
      const { readXlsx } = await import('../ids/workbook/xlsx.ts')
      const columns = (found: PeopleColumns): number[] => [...found.values.map(({ column }) => column), ...found.names]
      const between = (): Promise<void> => Promise.resolve()
      notes.push(...(await readXlsx(open, head, { sheet, isColumnNamed: true, columns, between, signal })))
    } else {
      if (sheet !== undefined) notes.push(`--sheet is not used: ${open.name} is no workbook`)
      await readCsv(open, detected, { onRow: head.take.bind(head) }, () => Promise.resolve())
      head.end()
    }
    if (head.columns === undefined)
      throw usageError(`${open.name} is empty`, 'it needs a heading and a row for each person')
    return {
      columns: head.columns,
      notes: head.note === undefined ? notes : [...notes, head.note],
    }
  } finally {
    await open.close()
  }
}

function personRow({ values, names }: PeopleColumns, { cells, line, origin }: Row): PersonRow {
  const text = (column: number): string => {
    const cell = cells[column] ?? ''
    return origin === undefined ? cell : wholeNumber(cell)
  }
  return {
    line,
    name: names.map(text).join(' ').trim(),
    values: values.flatMap(({ column, key }) =>
      text(column)
        .split(/;(?!\s*ext=)|[\r\n]+/i)
        .filter((value) => value.trim() !== '')
        .map((value) => ({ key, text: value })),
    ),
  }
}

/** A sheet has all digits of a number, which it may write as 4.91712345678E11. */
function wholeNumber(cell: string): string {
  const number = /^\d(?:\.\d+)?E\+?\d+$/i.test(cell) ? Number(cell) : NaN
  return Number.isSafeInteger(number) ? String(number) : cell
}
