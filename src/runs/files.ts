/**
 * The user's files: receipts, and the input with outcomes. svc writes them whole when a command ends. A command that begins a
 * run refuses a file that exists; a command that resumes or repeats a run replaces it.
 */
import { resolve } from 'node:path'
import { SvcError, usageError } from '../errors.ts'
import { plainPrint } from '../output/result.ts'
import { checkPlace, writeWhole } from '../output/whole.ts'
import { groupDigits } from '../words.ts'
import type { DiskHost } from '../world.ts'
import type { AnnotatedInput, BulkOptions, Job } from './jobs/job.ts'
import { meanings } from './outcomes.ts'
import { receiptColumns, type Receipt } from './receipts.ts'
import type { RunTools } from './tools.ts'

/** The noun for these files in errors. */
const what = 'the file'

const receiptFormats = ['csv', 'xlsx', 'ndjson'] as const

/** Returns the format of receipts by the extension of their file. Throws exit 2 for another extension. */
function receiptFormatOf(path: string) {
  const format = receiptFormats.find((each) => path.toLowerCase().endsWith(`.${each}`))
  if (format !== undefined) return format
  throw usageError(
    `--receipts takes a file that ends in .csv, .xlsx or .ndjson, not "${path}"`,
  )
}

/** Throws exit 2 if an output has a wrong extension, or if a path is given for two outputs, or for an input and an output. */
export function checkOutputOptions(
  { disk }: DiskHost,
  { receipts, annotate, file, except }: Partial<BulkOptions>,
  source?: string,
) {
  if (receipts !== undefined) receiptFormatOf(receipts)
  if (annotate !== undefined && !/\.(?:csv|xlsx)$/i.test(annotate))
    throw usageError(
      `--annotate takes a file that ends in .csv or .xlsx, not "${annotate}"`,
    )
  /** Returns the same text for all paths of one file: its device and inode; its absolute path if it does not exist yet. */
  const identityOf = (path: string) => {
    try {
      const { dev, ino } = disk.statSync(path)
      return `${dev} ${ino}`
    } catch {
      return resolve(path)
    }
  }
  const inputs = [file, except, source].flatMap((path) =>
    path === undefined || path === '-' ? [] : [path],
  )
  const uses = new Map(inputs.map((path) => [identityOf(path), 'an input']))
  for (const [option, path] of Object.entries({ receipts, annotate })) {
    if (path === undefined) continue
    const identity = identityOf(path)
    const otherUse = uses.get(identity)
    if (otherUse !== undefined)
      throw usageError(`"${path}" is named for both ${otherUse} and --${option}`)
    uses.set(identity, `--${option}`)
  }
}

const outputPaths = ({ options: { receipts, annotate } }: Job) =>
  [receipts, annotate].filter((path) => path !== undefined)

/** Throws exit 2 if an output cannot be written, or if it exists and is not to be replaced. Called before anything is sent. */
export async function checkPlaces(
  { host }: RunTools,
  job: Job,
  { isReplacing }: { isReplacing: boolean },
) {
  for (const path of outputPaths(job)) {
    try {
      await checkPlace(host, { path, what, isReplacing })
    } catch (error) {
      if (!(error instanceof SvcError)) throw error
      throw usageError(`${error.message}; nothing was sent`, error.details.hint)
    }
  }
}

/** Writes the outputs. `check` is called before a file takes its final place, and throws if the file may not. */
export async function writeFiles(
  { host, note }: RunTools,
  job: Job,
  receiptsOfJob: () => Iterable<Receipt>,
  check?: () => Promise<void>,
) {
  const { annotation, options } = job
  const { receipts } = options
  const write = (
    path: string,
    pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  ) => {
    async function* checkedPieces() {
      yield* pieces
      // After the last piece, writeWhole moves the file to its place.
      await check?.()
    }
    return writeWhole(host, { path, what, isReplacing: true }, checkedPieces())
  }
  if (receipts !== undefined)
    await write(receipts, await receiptBytes(receipts, job, receiptsOfJob()))
  if (annotation !== undefined)
    await write(annotation.path, annotatedBytes(annotation, [...receiptsOfJob()]))
  const quotedPaths = outputPaths(job).map((path) => `"${path}"`)
  if (quotedPaths.length > 0) note(`wrote ${quotedPaths.join(' and ')}`)
}

async function receiptBytes(path: string, { operation }: Job, rows: Iterable<Receipt>) {
  const { render } = await import('../output/render.ts')
  const print = { ...plainPrint, format: receiptFormatOf(path) }
  const columns = receiptColumns(operation)
  return (await render({ kind: 'rows', rows }, { columns }, print)).bytes
}

/** Yields the input again. Adds to each row the outcome of its id and the reason. */
function annotatedBytes({ copy }: AnnotatedInput, receipts: readonly Receipt[]) {
  const receiptById = new Map(receipts.map((each) => [each.id.toLowerCase(), each]))
  /** The first line with each id. */
  const firstLineById = new Map<string, number>()
  return copy.bytes(({ row: { line }, finding }) => {
    if (finding.kind === 'left-out' || finding.kind === 'undecided')
      return [finding.kind, finding.reason]
    if (finding.kind !== 'found') return []
    const id = finding.id.toLowerCase()
    const receipt = receiptById.get(id)
    if (receipt === undefined)
      throw new RangeError(`line ${line} has an id that the run does not have`)
    const { outcome, message } = receipt
    const reasons = [meanings[outcome], message ?? '']
    const firstLine = firstLineById.get(id)
    if (firstLine === undefined) firstLineById.set(id, line)
    else reasons.unshift(`the same id as in line ${groupDigits(firstLine)}`)
    return [outcome, reasons.filter((reason) => reason !== '').join('; ')]
  })
}
