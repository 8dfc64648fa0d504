/** Applies a plan: the job that it describes, with the plan's own name. Nothing that decides what is sent comes from the command line. */
import { resolve } from 'node:path'
import { SvcError, usageError } from '../../errors.ts'
import { annotationOf } from '../../runs/files/annotate.ts'
import { checkLaterOutputs } from '../../runs/files/files.ts'
import type { Job, LaterOptions, RunTools } from '../../runs/jobs/job.ts'
import { commandOf } from '../../runs/operations/operations.ts'
import { acceptableOf } from '../../runs/outcomes.ts'
import { joinOr } from '../../words.ts'
import { expiryProblem, type Plan } from './plan-file.ts'

/** Options that change how it is sent, but not its content. */
type ApplyOptions = LaterOptions & {
  /** The digest of the only plan that may be applied. */
  readonly sha256?: string
}

/** The job of a plan. Throws exit 6 for a plan of another service or another digest, exit 2 for options that do not fit it. */
export async function jobOfPlan(
  tools: Pick<RunTools, 'host' | 'configuration' | 'readers' | 'writers'>,
  plan: Plan,
  { sha256, ...options }: ApplyOptions,
): Promise<Job> {
  const configuration = await tools.configuration()
  const { baseUrl } = configuration.profile()
  const { line, items, name } = plan
  const { operation, reason, parameters, source, kind, input } = line
  if (sha256 !== undefined && sha256 !== plan.sha256) {
    throw refusal(
      `its SHA-256 is ${plan.sha256}, and --sha256 says ${sha256}`,
      'apply the file that was reviewed, or review this one',
    )
  }
  if (line.baseUrl !== baseUrl) {
    throw refusal(`it is for ${line.baseUrl}, but the profile is for ${baseUrl}`)
  }
  const { file, annotate } = options
  checkLaterOutputs(options)
  checkAccepted(plan, options.accept)
  const known = { what: 'the plan', operation, kind, source }
  const path = file === undefined ? source?.path : resolve(file)
  return {
    operation,
    options: { ...options, file: [], ...(reason !== undefined && { reason }) },
    name,
    isOne: false,
    input,
    contents: () => Promise.resolve({ parameters, items, input }),
    source: source && { ...source, path: path ?? source.path },
    annotation: await annotationOf(tools, known, annotate, file),
    plan: plan.sha256,
    beforeStart() {
      const problem = expiryProblem(line, tools.host.now())
      if (problem !== undefined) throw refusal(problem)
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
function checkAccepted({ line }: Plan, accepted: readonly string[] = []): void {
  const outcomes: readonly string[] = acceptableOf(line.operation)
  const other = accepted.find((outcome) => !outcomes.includes(outcome))
  if (other === undefined) return
  const taken = outcomes.length === 0 ? 'nothing' : joinOr(outcomes)
  throw usageError(
    `--accept of ${commandOf(line.operation)} takes ${taken}, not "${other}"`,
    'nothing was sent',
  )
}
