/**
 * Applying a plan: the run that it describes, under its own name, and nothing else. Called by `commands/plans/apply.ts` alone; the session does the
 * rest, and asks the policy once more before it sends (`permit.ts`).
 *
 * Nothing that decides what is sent comes from the command line: items, operation, parameters and batch size are those that were signed.
 */
import { resolve } from 'node:path'
import type { BulkOperation } from '../api/operations.ts'
import { cutBatches } from '../bulk/record/batches.ts'
import { itemsSha256, pairItems } from '../bulk/record/items.ts'
import { acceptableOf } from '../bulk/operations/outcome.ts'
import { commandOf, operationOf } from '../bulk/operations/operations.ts'
import { checkPlaceOfNames } from '../bulk/runs/names.ts'
import type { Cut, JobParts } from '../bulk/sessions/job.ts'
import type { ApplyStart } from '../bulk/sessions/start.ts'
import type { BulkOptions, BulkTools } from '../bulk/tools.ts'
import { Annotation, checkOutputs } from '../bulk/files/annotate.ts'
import { usageError } from '../errors.ts'
import { joinOr } from '../words.ts'
import { refuse } from './approvals.ts'
import type { PlanFile } from './plan-file.ts'
import type { Source } from '../bulk/record/run.ts'
import type { PlanOnDisk } from './plan-place.ts'

/** Options that change how it is sent, and not what. */
export type ApplyOptions = Omit<Partial<BulkOptions>, 'file' | 'once'> & {
  /** Where the input lies by now. */
  readonly file?: string
}

/** The job of a plan, which is judged when its run begins. Throws exit 2. */
export async function applyStart(
  tools: Pick<BulkTools, 'host' | 'configuration'>,
  { plan, signatures }: PlanOnDisk,
  options: ApplyOptions,
): Promise<ApplyStart> {
  const configuration = await tools.configuration()
  const { baseUrl } = configuration.profile()
  refuse(plan.refusal(baseUrl, undefined))
  checkPlaceOfNames(configuration.stateDir)
  const { file } = options
  checkOutputs({ ...options, file: file === undefined ? [] : [file] })
  checkAccepted(plan.document.operation, options.accept)
  const source = sourceOf(plan, file)
  const { operation, sha256, reason } = plan.document
  const cut = cutOf(plan)
  const parts: JobParts = {
    operation,
    options: {
      ...options,
      file: [],
      once: plan.name,
      ...(reason !== null && { reason }),
    },
    input: cut.input,
    setSha256: () => sha256,
    cut: () => cut,
    typed: {},
    find: () => Promise.resolve(plan.parameters),
    source,
    annotation: await annotationOf(tools.host, plan, source, options),
    file: {
      ...fileOf(plan, signatures),
      checkTime: () => refuse(plan.refusal(baseUrl, tools.host.now())),
    },
  }
  return { kind: 'apply', parts }
}

/** Throws exit 2 for an outcome that the operation of the plan does not have, or that cannot count as done. */
function checkAccepted(operation: BulkOperation, accepted: readonly string[] = []): void {
  const outcomes = acceptableOf(operation)
  const other = accepted.find((word) => !outcomes.some((outcome) => outcome === word))
  if (other === undefined) return
  const command = commandOf(operation)
  if (outcomes.length === 0) {
    throw usageError(
      `--accept cannot be used: no outcome of ${command} can be accepted`,
      'nothing was sent',
    )
  }
  throw usageError(
    `--accept of ${command} takes ${joinOr(outcomes)}, not "${other}"`,
    'nothing was sent',
  )
}

/** The input of the plan, where it lies by now. */
function sourceOf(
  { document: { source } }: PlanFile,
  moved: string | undefined,
): Source | undefined {
  if (source === null) return undefined
  const path = moved === undefined ? source.path : resolve(moved)
  return { ...source, path }
}

/** The file that the input's rows are written to, with their outcomes. Throws exit 2 where the plan has no input, or it is gone. */
async function annotationOf(
  host: BulkTools['host'],
  { document }: PlanFile,
  source: Source | undefined,
  { annotate, file }: ApplyOptions,
) {
  if (annotate === undefined) {
    if (file !== undefined) throw usageError('--file goes with --annotate: the plan has its ids')
    return undefined
  }
  if (source === undefined) {
    throw usageError(
      '--annotate cannot be used: the ids of the plan did not come from one file; nothing was sent',
    )
  }
  if (file === undefined && !host.disk.existsSync(source.path)) {
    throw usageError(
      `the input "${source.path}" of the plan is not there any more; nothing was sent`,
      'say where it lies now: --annotate <file> --file <the input>',
    )
  }
  const { operation, pairs } = document
  return Annotation.read(host, annotate, source, {
    operation,
    kind: pairs === undefined ? 'ids' : 'pairs',
  })
}

/** The items of a plan in batches of the size that it names. */
function cutOf(plan: PlanFile): Cut {
  const { operation, input, options } = plan.document
  const { pairs } = plan
  const items = pairs === undefined ? plan.table() : pairItems(pairs)
  const chain = pairs && operationOf(operation).items.pairs?.check(pairs)
  const batches = cutBatches(plan.count, options.batchSize)
  const sha256 = itemsSha256(items)
  return { items, batches, input: { ...input, sha256 }, chain }
}

/** Bytes of signatures that a run keeps in its record. */
const mostKept = 256 << 10

/** The plan as it is judged and recorded: its text around the list, which the run's own ids complete again. */
function fileOf({ document, bytes }: PlanFile, files: PlanOnDisk['signatures']) {
  const signatures = files.map(({ text }) => text)
  if (signatures.join('').length > mostKept) {
    throw usageError('the signatures of the plan are too large')
  }
  const member = document.ids === undefined ? 'pairs' : 'ids'
  const key = `"${member}":`
  const text = JSON.stringify({ ...document, [member]: [] })
  const at = text.indexOf(`${key}[]`) + key.length
  const recorded = { before: text.slice(0, at), after: text.slice(at + '[]'.length) }
  return { bytes, signatures, recorded }
}
