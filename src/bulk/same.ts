/**
 * Whether a recorded run is that of a command: of the same service and key, for a repeated command the same job, and without a name an unfinished run of
 * the same ids. `session.ts`, `begin.ts`, `resume.ts` and `undo.ts` ask it.
 */
import { keyEnding, type Profile } from '../config/profile.ts'
import { SvcError } from '../errors.ts'
import { continuing, say, svc } from '../message.ts'
import { capitalize } from '../words.ts'
import type { Job } from './job.ts'
import { labelOf } from './operations/operation.ts'
import { slotsOfOperation } from './operations/operations.ts'
import { keyFingerprint, type Header } from './record/header.ts'
import type { ListedRun } from './record/runs.ts'
import { describeRun } from './telling/question.ts'
import type { BulkTools, Contents } from './tools.ts'

/** How many recent runs are searched for one with the same ids. */
const mostRuns = 50

/** A recorded run, and the fingerprints of the keys that worked on it. */
interface Recorded {
  readonly run: string
  readonly header: Header
  readonly keys: ReadonlySet<string>
}

/**
 * Throws exit 2 if a run belongs to another service or key, because its ids are those of another company, and if its name would be used for another
 * `job`. It says what differs; nothing was sent.
 */
export function checkSame(
  { run, header, keys }: Recorded,
  profile: Profile,
  newKey: boolean | undefined,
  job?: Job,
): void {
  const lines = job === undefined ? [] : differencesOf(header, job)
  lines.push(
    ...differing({ 'the base URL': header.baseUrl }, { 'the base URL': profile.baseUrl }),
  )
  if (!keys.has(keyFingerprint(profile.apiKey)) && newKey !== true) {
    const ending = keyEnding(profile.apiKey)
    const other = ending === header.key.ending ? 'another one with the same ending' : ending
    lines.push(`the key: ${header.key.ending} then, ${other} now`)
  }
  if (lines.length === 0) return
  const [what, hint] =
    job === undefined
      ? [
          `run ${run} belongs to another service or key`,
          'use the profile that started it; for another key of the same company, add --new-key',
        ]
      : [
          `the name "${run}" belongs to a run that was a different job`,
          say`use another name for another job; to resume that run:\n  ${svc`runs resume ${run}`}`,
        ]
  throw new SvcError('usage', `${what}; nothing was sent`, { lines, hint })
}

/** The differences between the job of a run and this one, in words. */
function differencesOf(header: Header, job: Job): string[] {
  const lines = differing(factsOf(header, header.job?.typed), factsOf(job, job.typed))
  if (job.undoes === undefined) {
    if (header.job?.set !== job.set()) lines.push('the ids are a different set')
  } else if (header.undoes?.header !== job.undoes.header) {
    lines.push('another run to undo has this name now')
  }
  return lines
}

/** Facts in words, by their names. */
type Facts = Readonly<Record<string, string | undefined>>

const differing = (before: Facts, after: Facts): string[] =>
  Object.keys({ ...before, ...after })
    .filter((what) => before[what] !== after[what])
    .map((what) => `${what}: ${before[what] ?? 'none'} then, ${after[what] ?? 'none'} now`)

/** The operation and its slots as they were typed. */
const factsOf = (
  { operation }: Pick<Header, 'operation'>,
  typed: Readonly<Record<string, string>> = {},
): Facts => ({
  'the operation': operation,
  ...Object.fromEntries(
    slotsOfOperation(operation).map((slot) => [labelOf(slot), typed[slot.key]]),
  ),
})

/** The unfinished run with the same ids, if the person at the terminal wants to resume it. Otherwise a note has the command. Throws exit 11 if busy. */
export async function findSame(
  tools: BulkTools,
  job: Job,
  { parameters, input, items }: Contents,
  { baseUrl }: Profile,
): Promise<ListedRun | undefined> {
  if (job.undoes !== undefined || job.plan !== undefined || items.size === 0)
    return undefined
  const ids = idsOf(parameters)
  const isSame = ({ run, header, summary }: ListedRun): boolean =>
    header !== undefined &&
    run.toLowerCase() !== job.name?.toLowerCase() &&
    summary?.document.left !== 0 &&
    header.operation === job.operation &&
    header.baseUrl === baseUrl &&
    idsOf(header.parameters) === ids &&
    header.input.sha256 === input.sha256
  const same = (await (await tools.runs()).list()).slice(0, mostRuns).find(isSame)
  if (same?.header === undefined) return undefined
  const { run, holder, header } = same
  if (holder !== undefined && job.options.takeOver !== true) {
    throw new SvcError('busy', `run ${run} is working on these ids; nothing was sent`, {
      hint: say`wait until it ends; if it died:\n  ${continuing`runs resume ${run} --take-over`}`,
      run,
    })
  }
  const words = `${describeRun(tools, run, header)} has the same ids and is not finished`
  const question = `${capitalize(words)}. Resume it instead of starting a new run?`
  const answer =
    job.name === undefined ? await tools.questions.ask(question, true) : undefined
  if (answer === true) return same
  if (answer === undefined) {
    tools.note(
      say`${words}; this is a new run. To resume that one instead:\n  ${svc`runs resume ${run}`}`,
    )
  }
  return undefined
}

const idsOf = (parameters: Header['parameters']): string =>
  JSON.stringify(
    Object.entries(parameters).map(([key, value]) => [
      key,
      value === true || value.id.toLowerCase(),
    ]),
  )
