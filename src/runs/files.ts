/**
 * The user's files: receipts, and the input with outcomes. Each is computed from the record and written whole when the
 * command ends. A command that begins a run refuses a file that is there; any other command replaces it.
 */
import { resolve } from 'node:path'
import { SvcError, usageError } from '../errors.ts'
import type { AnnotatedTable } from '../input/annotated.ts'
import { plainPrint } from '../output/result.ts'
import { checkPlace, writeWhole } from '../output/whole.ts'
import { groupDigits } from '../words.ts'
import type { DiskHost } from '../world.ts'
import type { BulkOptions, Job } from './jobs/job.ts'
import { meanings } from './outcomes.ts'
import { receiptColumns, type Receipt } from './receipts.ts'
import type { RunTools } from './tools.ts'

const formats = ['csv', 'xlsx', 'ndjson'] as const
/** The noun of these files in errors. */
const what = 'the file'

const formatOf = (path: string) =>
  formats.find((each) => path.toLowerCase().endsWith(`.${each}`))

/** Throws exit 2 if a path has the wrong extension, is an input too, or is given to both options. */
export function checkOutputs(
  { disk }: DiskHost,
  { receipts, annotate, file = [], except = [] }: Partial<BulkOptions>,
) {
  if (receipts !== undefined && formatOf(receipts) === undefined)
    throw usageError(
      `--receipts takes a file that ends in .csv, .xlsx or .ndjson, not "${receipts}"`,
    )
  if (annotate !== undefined && !/\.(?:csv|xlsx)$/i.test(annotate))
    throw usageError(
      `--annotate takes a file that ends in .csv or .xlsx, not "${annotate}"`,
    )
  /** What two paths of one file have in common. */
  const identityOf = (path: string) => {
    try {
      const { dev, ino } = disk.statSync(path)
      return `${dev} ${ino}`
    } catch {
      // A file that is not there yet has its absolute path. Where it cannot be used, opening it says why.
      return resolve(path)
    }
  }
  const inputs = [...file, ...except].filter((path) => path !== '-')
  const seen = new Map(inputs.map((path) => [identityOf(path), 'an input']))
  for (const [option, path] of Object.entries({ receipts, annotate })) {
    if (path === undefined) continue
    const other = seen.get(identityOf(path))
    if (other !== undefined)
      throw usageError(`"${path}" is named for both ${other} and --${option}`)
    seen.set(identityOf(path), `--${option}`)
  }
}

const pathsOf = ({ options: { receipts, annotate } }: Job) =>
  [receipts, annotate].filter((path) => path !== undefined)

/** Throws exit 2 if a file cannot be written, and if `isNew` also if it is there. Called before anything is sent. */
export async function checkFiles(
  { host }: RunTools,
  job: Job,
  { isNew }: { isNew: boolean },
) {
  for (const path of pathsOf(job)) {
    try {
      await checkPlace(host, { path, what, isReplacing: !isNew })
    } catch (error) {
      if (!(error instanceof SvcError)) throw error
      throw usageError(`${error.message}; nothing was sent`, error.details.hint)
    }
  }
}

/** Writes each file whole. `check` throws if a file may not take its place. */
export async function writeFiles(
  { host, note }: RunTools,
  job: Job,
  allReceipts: () => Iterable<Receipt>,
  check?: () => Promise<void>,
) {
  const { receipts } = job.options
  const { annotation } = job
  const write = (
    path: string,
    pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  ) => {
    async function* checked() {
      yield* pieces
      // Behind the last piece, the file is renamed.
      await check?.()
    }
    return writeWhole(host, { path, what, isReplacing: true }, checked())
  }
  if (receipts !== undefined)
    await write(receipts, await receiptBytes(receipts, job, allReceipts()))
  if (annotation !== undefined)
    await write(annotation.path, annotatedBytes(annotation, [...allReceipts()]))
  const written = pathsOf(job).map((path) => `"${path}"`)
  if (written.length > 0)
    note(`wrote ${written.join(' and ')}${annotation?.noteSuffix ?? ''}`)
}

/** The receipts in the format that the extension of the path names. */
async function receiptBytes(path: string, { operation }: Job, rows: Iterable<Receipt>) {
  const { render } = await import('../output/render.ts')
  // The extension was checked with the options.
  const print = { ...plainPrint, format: formatOf(path) ?? 'csv' }
  const columns = receiptColumns(operation)
  return (await render({ kind: 'rows', rows }, { columns }, print)).bytes
}

/** The shown rows of the input, each with the outcome of its id and the reason. */
function annotatedBytes(table: AnnotatedTable, receipts: readonly Receipt[]) {
  const byId = new Map(receipts.map((receipt) => [receipt.id.toLowerCase(), receipt]))
  const firstLines = new Map<string, number>()
  return table.bytes(({ line }, finding) => {
    if (finding.kind === 'invalid') return ['invalid', finding.reason]
    if (finding.kind === 'left-out') return ['left-out', finding.reason]
    if (finding.kind !== 'found') return undefined
    const id = finding.id.toLowerCase()
    const receipt = byId.get(id)
    if (receipt === undefined)
      throw new RangeError(`line ${line} has an id that the run does not have`)
    const { outcome, message } = receipt
    const first = firstLines.get(id)
    if (first === undefined) firstLines.set(id, line)
    const same = first === undefined ? '' : `the same id as in line ${groupDigits(first)}`
    const reasons = [same, meanings[outcome], message ?? '']
    return [outcome, reasons.filter((each) => each !== '').join('; ')]
  })
}
