/**
 * `--annotate`: the input again, row for row with all its columns, and behind them what became of the id of the row and why. The
 * input is read again for that when a session ends, so that no copy of it is kept; its checksum tells that it is the same.
 */
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseChoice } from '../../values.ts'
import { fileError } from '../../errno.ts'
import { SvcError, usageError } from '../../errors.ts'
import { describeBadLine, type BadLine } from '../../ids/bad-lines.ts'
import { inputFormats } from '../../ids/formats.ts'
import { readPairs } from '../../ids/pairs.ts'
import { readIds, type ReadOptions } from '../../ids/reader.ts'
import { csvRecord, guardCell } from '../../output/formats/csv.ts'
import { safe } from '../../output/text/safe.ts'
import { longestCell, mostColumns } from '../../output/workbook/workbook.ts'
import { columnName, grouped } from '../../words.ts'
import { annotatedRows, csvBytes, workbookBytes } from './annotated-rows.ts'
import { operationOf } from '../operations/operations.ts'
import type { BulkOperation } from '../record/events.ts'
import { formOf, sortedRows, type InputForm } from './input-rows.ts'
import { checkDistinct, sha256Of, type OutputFile } from './output-file.ts'
import { checkReceiptsPath } from './receipts.ts'
import { rowOutcome, type RowFacts } from './row-outcomes.ts'
import type { RunFile, Source } from '../record/run.ts'
import type { RunState } from '../outcomes/state.ts'
import type { BulkOptions } from '../tools.ts'

type Paths = Pick<BulkOptions, 'annotate' | 'receipts' | 'rejects'> & Partial<Pick<BulkOptions, 'file'>>

/** Throws exit 2 for files that cannot be what they are named for, and for one that is named for two things. */
export function checkOutputs({ annotate, receipts, rejects, file = [] }: Paths): void {
  if (receipts !== undefined) checkReceiptsPath(receipts)
  if (annotate !== undefined && !isWorkbook(annotate) && !/\.csv$/i.test(annotate)) {
    throw usageError(`--annotate takes a file that ends in .csv or .xlsx, not "${annotate}"`)
  }
  checkDistinct({ '--receipts': receipts, '--annotate': annotate, '--rejects': rejects }, file)
}

function isWorkbook(path: string): boolean {
  return /\.xlsx$/i.test(path)
}

/**
 * The file that the ids come from; undefined when it is not one file that can be read again. Throws exit 2 when it has to be.
 */
export async function sourceOf(words: readonly string[], options: BulkOptions): Promise<Source | undefined> {
  const { file, column, sheet, where, inputFormat, annotate } = options
  const [path = '-'] = file
  const isOne = path !== '-' && file.length === 1 && words.length === 0
  // What is wrong with a file is said where its ids are read.
  const found = isOne ? await stat(path).catch(() => undefined) : undefined
  const sha256 = found?.isFile() === true ? await sha256Of(path).catch(() => undefined) : undefined
  if (sha256 !== undefined) {
    const format = inputFormat === undefined ? undefined : parseChoice(inputFormat, '--input-format', inputFormats)
    return { path: resolve(path), sha256, column, sheet, format, ...(where === undefined ? {} : { where: [...where] }) }
  }
  if (annotate === undefined || (isOne && found?.isFile() !== false)) return undefined
  throw usageError('--annotate needs the ids from exactly one file', 'give it with --file <path>, and no other ids')
}

/** A bad line as a record of csv, under a comment that says where it came from and what is wrong; the id reader skips comments. */
export function rejectedLine(bad: BadLine): string {
  // A line that came out of a quoted csv cell may have line ends of its own.
  const comment = safe(describeBadLine({ ...bad, text: '' }))
  return `# ${guardCell(comment)}\n${csvRecord([bad.text.replace(/[\r\n]+/g, ' ')], false)}`
}

/** The second is that of a file of pairs. */
function sidesOf(operation: BulkOperation, kind: RunFile['kind']) {
  return kind === 'ids' ? undefined : operationOf(operation).pairs?.columns
}

export class Annotation {
  /** Where it is written. */
  readonly path: string
  readonly #source: Source
  readonly #sides: ReturnType<typeof sidesOf>
  /** Why a row has no id, by its line. */
  readonly #invalid = new Map<number, string>()
  readonly #widths: number[] = []
  #rowsAbove = 0
  #form: InputForm | undefined

  constructor(path: string, source: Source, job: Pick<RunFile, 'operation' | 'kind'>) {
    this.path = path
    this.#source = source
    this.#sides = sidesOf(job.operation, job.kind)
  }

  /** That of a recorded run, whose input is read again. Throws exit 2 when it is not what it was, or not what is `typed`. */
  static async ofRun(run: RunFile, path: string, signal: AbortSignal, typed?: Source): Promise<Annotation> {
    const { source } = run
    if (source === undefined) {
      throw usageError(
        `--annotate cannot be used: the ids of run ${run.run} did not come from one file; nothing was sent`,
        `what became of each id:\n  svc runs export ${run.run} -o xlsx > outcomes.xlsx`,
      )
    }
    if (typed !== undefined && typed.path !== source.path) {
      throw usageError(`--annotate: the ids of run ${run.run} came from "${source.path}"; nothing was sent`)
    }
    const annotation = new Annotation(path, source, run)
    await checkSource(source, '--annotate', 'usage')
    await readInvalid(run, source, signal, (bad) => annotation.reject(bad))
    await annotation.measure()
    return annotation
  }

  /** A row without an id. */
  reject({ line, reason }: BadLine): void {
    this.#invalid.set(line, reason)
  }

  /** Finds out how wide the rows are. Throws exit 2 when they do not fit into the file that is to be written. */
  async measure(): Promise<void> {
    const form = await formOf(this.#source, this.#sides)
    this.#form = form
    let rows = 0
    for await (const some of sortedRows(this.#source, this.#sides, form)) {
      for (const { row, kind } of some) {
        if (row.line !== form.separatorLine) rows += 1
        if (kind === 'heading') this.#rowsAbove = rows
        row.cells.forEach(({ length }, column) => {
          this.#widths[column] = Math.max(this.#widths[column] ?? 0, length)
          if (length > longestCell && isWorkbook(this.path)) throw tooLong(form, row.line, column, length)
        })
      }
    }
    const columns = this.#widths.length + 2
    if (columns <= mostColumns || !isWorkbook(this.path)) return
    throw usageError(
      `a workbook takes ${grouped(mostColumns)} columns, and it would have ${grouped(columns)}`,
      'write csv instead: --annotate <file>.csv',
    )
  }

  /** Writes the rows with the outcomes of this state, or with what would happen to them. Throws exit 10, also when the input is not what it was. */
  async write(file: OutputFile, state: RunState, hasOtherShards: boolean, isUnsent = false): Promise<void> {
    await checkSource(this.#source, '--annotate', 'local')
    try {
      for await (const piece of this.#bytes(state, { hasOtherShards, isUnsent })) await file.write(piece)
    } catch (error) {
      await checkSource(this.#source, '--annotate', 'local')
      throw error
    }
    await checkSource(this.#source, '--annotate', 'local')
  }

  #bytes(state: RunState, run: Pick<RowFacts, 'hasOtherShards' | 'isUnsent'>): AsyncGenerator<Buffer> {
    const form = this.#form
    if (form === undefined) throw new TypeError('the input was not measured')
    const facts = { invalid: this.#invalid, ...run, unit: unitOf(form) }
    const rows = annotatedRows(sortedRows(this.#source, this.#sides, form), (row) => rowOutcome(state, facts, row))
    const layout = { form, widths: this.#widths, rowsAbove: this.#rowsAbove }
    return isWorkbook(this.path) ? workbookBytes(layout, rows) : csvBytes(layout, rows)
  }
}

/** Writes the bad lines of a recorded run's input again. Throws exit 2 when that is not what it was. */
export async function writeRejects(run: RunFile, file: OutputFile, signal: AbortSignal): Promise<void> {
  const { source } = run
  if (source === undefined) throw usageError(`--rejects: the ids of run ${run.run} did not come from one file`)
  await checkSource(source, '--rejects', 'usage')
  await readInvalid(run, source, signal, (bad) => file.write(rejectedLine(bad)))
}

/** Reads the input again for its bad lines. */
async function readInvalid(
  { operation, kind }: RunFile,
  { path, format = 'auto', column, sheet, where }: Source,
  signal: AbortSignal,
  onReject: NonNullable<ReadOptions['onReject']>,
): Promise<void> {
  const how = { format, column, sheet, where, signal, skipInvalid: true, onReject }
  const inputs = [{ kind: 'file', path }] as const
  const sides = sidesOf(operation, kind)
  if (sides === undefined) await readIds(inputs, how)
  else await readPairs(inputs, { ...how, columns: sides })
}

/** Throws when the input is not what it was when its ids were read. */
async function checkSource({ path, sha256 }: Source, option: string, category: 'usage' | 'local'): Promise<void> {
  const sent = category === 'usage' ? 'nothing was sent' : 'svc runs export writes what became of each id'
  const sum = await sha256Of(path).catch((error: unknown) => {
    throw fileError(category, `the input "${path}" cannot be read again for ${option}`, error, sent)
  })
  if (sum === sha256) return
  throw new SvcError(category, `${option}: the input "${path}" was changed since its ids were read; ${sent}`)
}

function unitOf({ format }: InputForm): 'line' | 'row' {
  return format === 'xlsx' ? 'row' : 'line'
}

function tooLong(form: InputForm, line: number, column: number, length: number): SvcError {
  const place = `${form.name} ${unitOf(form)} ${grouped(line)}, column ${columnName(column)}`
  return usageError(
    `${place}: ${grouped(length)} characters, and a cell of a workbook takes ${grouped(longestCell)}`,
    'write csv instead: --annotate <file>.csv',
  )
}
