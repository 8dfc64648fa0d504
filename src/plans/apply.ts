/**
 * Applies a plan: makes the job that it describes, with the plan's own name, and nothing else. Called by `commands/plans/apply.ts` alone; the session
 * does the rest.
 *
 * Nothing that decides what is sent comes from the command line: items, operation and parameters are those of the plan.
 */
import { resolve } from 'node:path'
import { annotationOf } from '../bulk/annotate.ts'
import { checkLaterOutputs } from '../bulk/files.ts'
import { commandOf } from '../bulk/operations/operations.ts'
import { acceptableOf } from '../bulk/operations/outcome.ts'
import { checkPlaceOfNames } from '../bulk/read.ts'
import type { ApplyStart } from '../bulk/session.ts'
import type { BulkTools, LaterOptions } from '../bulk/tools.ts'
import { SvcError, usageError } from '../errors.ts'
import { joinOr } from '../words.ts'
import { expiryProblem, type Plan } from './plan-file.ts'

/** Options that change how it is sent, but not its content. */
type ApplyOptions = LaterOptions & {
  /** The digest of the only plan that may be applied. */
  readonly sha256?: string
}

/** The job of a plan. Throws exit 6 for a plan of another service or another digest, exit 2 for options that do not fit it. */
export async function applyStart(
  tools: Pick<BulkTools, 'host' | 'configuration'>,
  plan: Plan,
  { sha256, ...options }: ApplyOptions,
): Promise<ApplyStart> {
  const configuration = await tools.configuration()
  const { baseUrl } = configuration.profile()
  const { document, parameters, name } = plan
  const { operation, reason } = document
  if (sha256 !== undefined && sha256 !== plan.sha256) {
    throw refusal(
      `its SHA-256 is ${plan.sha256}, and --sha256 says ${sha256}`,
      'apply the file that was reviewed, or review this one',
    )
  }
  if (document.baseUrl !== baseUrl) {
    throw refusal(`it is for ${document.baseUrl}, but the profile is for ${baseUrl}`)
  }
  checkPlaceOfNames(configuration.stateDir)
  const { file, annotate } = options
  checkLaterOutputs({ ...options, file })
  checkAccepted(plan, options.accept)
  const { items } = plan
  const { source, ...counts } = document.input
  const known = { what: 'the plan', operation, kind: items.kind, source }
  const input = { ...counts, sha256: items.sha256() }
  return {
    kind: 'apply',
    parts: {
      operation,
      options: { ...options, file: [], ...(reason !== null && { reason }) },
      name,
      input,
      set: () => document.sha256,
      contents: () => Promise.resolve({ parameters, items, input }),
      typed: {},
      source: source && {
        ...source,
        path: file === undefined ? source.path : resolve(file),
      },
      annotation: await annotationOf(tools.host, known, annotate, file),
      plan: plan.sha256,
      beforeStart() {
        const problem = expiryProblem(document, tools.host.now())
        if (problem !== undefined) throw refusal(problem)
      },
    },
  }
}

function refusal(
  problem: string,
  hint = 'a plan is for one service and a limited time: write a new one with --plan',
): SvcError {
  const message = `the plan cannot be applied: ${problem}; nothing was sent`
  return new SvcError('rejected', message, { hint })
}

/** Throws exit 2 for an outcome that the operation does not have, or that cannot count as done. */
function checkAccepted({ document }: Plan, accepted: readonly string[] = []): void {
  const outcomes: readonly string[] = acceptableOf(document.operation)
  const other = accepted.find((outcome) => !outcomes.includes(outcome))
  if (other === undefined) return
  const taken = outcomes.length === 0 ? 'nothing' : joinOr(outcomes)
  throw usageError(
    `--accept of ${commandOf(document.operation)} takes ${taken}, not "${other}"`,
    'nothing was sent',
  )
}
