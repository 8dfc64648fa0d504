/**
 * Whether a recorded run is the job of a command: the same operation, base URL, list, new assignee, `--if-assignee` and set
 * of ids. A command resumes its unfinished run of the last hours: to resume a killed, stopped or cut-off command, just type
 * it again.
 */
import { keyEnding, type Profile } from '../../config/profile.ts'
import { SvcError, usageError } from '../../errors.ts'
import { join, say, svc, type Message } from '../../message.ts'
import { joinOr } from '../../words.ts'
import { isReserved, type RunPlace } from '../names.ts'
import type { RecordedRun, RunLog } from '../fold.ts'
import type { JobHead, Party } from '../lines.ts'
import { holderOf, isFinished, type Runs } from '../list.ts'
import { outcomesOfOperation, reopenable } from '../outcomes.ts'
import { readLog, readRunLine } from '../reading.ts'
import {
  keyFingerprint,
  type JobFacts,
  type LaterOptions,
  type ReadyJob,
  type RunTools,
} from './job.ts'

/** How long after its last line a run can be the job of a command that has no name, in milliseconds. */
const recentFor = 8 * 60 * 60_000

/** The facts in words, by their names. */
function wordsOf({ operation, baseUrl, parameters }: JobFacts) {
  const idOf = (party: Party | undefined) => party?.id.toLowerCase() ?? 'none'
  return {
    'the operation': operation,
    'the base URL': baseUrl,
    'the list': idOf(parameters.list),
    'the new assignee': idOf(parameters.to),
    '--if-assignee': idOf(parameters.ifAssignee),
  }
}

/** The differences between the job of a run and another, in words. */
export function differencesOf(then: JobFacts, now: JobFacts): string[] {
  const [before, after] = [wordsOf(then), wordsOf(now)]
  const lines = (Object.keys(before) as (keyof typeof before)[])
    .filter((what) => before[what] !== after[what])
    .map((what) => `${what}: ${before[what]} then, ${after[what]} now`)
  return then.set === now.set ? lines : [...lines, 'the set of ids is different']
}

/** A recent run that is the same job. `isInUse`: another process works on it. */
interface SameRun extends RunPlace {
  log: RunLog
  recorded: RecordedRun
  isInUse: boolean
}

/** The recent runs that are the same job. */
export interface SameRuns {
  all: readonly SameRun[]
  /** The run that the command would resume: one in use, or else the last one tried, unless that is finished. */
  unfinished: SameRun | undefined
  /** A run without a name that has sent and read nothing, and whose process is gone. */
  fresh: SameRun | undefined
}

/** Finds the runs of the last hours that are the same job. `own`: the path of this command's run, which does not count. */
export async function findSame(
  tools: RunTools,
  facts: JobFacts,
  own?: string,
): Promise<SameRuns> {
  const runs = await tools.runs()
  const all: SameRun[] = []
  for (const place of await runs.places()) {
    if (place.path === own || !isRecent(runs, place)) continue
    const same = await readSame(tools, runs, place, facts)
    if (same !== undefined) all.push(same)
  }
  return { all, unfinished: unfinishedOf(all), fresh: all.findLast(isFresh) }
}

function unfinishedOf(all: readonly SameRun[]): SameRun | undefined {
  const tried = all.filter(isTried).sort(byFirstTry)
  const deciding = tried.findLast((run) => run.isInUse) ?? tried.at(-1)
  const isUnfinished =
    deciding !== undefined && (deciding.isInUse || !isFinished(deciding.log))
  // A run in use that has sent nothing yet decides only where no other is unfinished.
  return isUnfinished ? deciding : all.find((run) => run.isInUse)
}

/** Something of it was sent, and it was not undone: an undone run is another job. */
const isTried = ({ recorded: { undone, firstTryAt } }: SameRun) =>
  undone === undefined && firstTryAt !== undefined

const byFirstTry = ({ recorded: one }: SameRun, { recorded: other }: SameRun) =>
  (one.firstTryAt ?? 0) - (other.firstTryAt ?? 0)

const isFresh = ({ isInUse, recorded: { head, undone, hasWorked } }: SameRun) =>
  !isInUse && head.name === null && undone === undefined && !hasWorked

/** The runs that began since an earlier search. */
const newSince = ({ all }: SameRuns, earlier: SameRuns | undefined) =>
  all.filter(({ path }) => !earlier?.all.some((known) => known.path === path))

/** Whether no other run that is the same is in use, unfinished, or began since the search before. */
export const isAlone = (now: SameRuns, before: SameRuns | undefined) =>
  now.unfinished === undefined && newSince(now, before).length === 0

/** The run without a name that sent this job since the first search: of two commands at the same moment only one sends. */
export const sentSince = (now: SameRuns, first: SameRuns | undefined) =>
  newSince(now, first).findLast((run) => isTried(run) && run.recorded.head.name === null)

/** The newest recent run without a name that differs only in its ids, is not finished, and that nobody works on. */
export async function findOtherIds({ runs: openRuns }: RunTools, head: JobHead) {
  const runs = await openRuns()
  const places = (await runs.places()).filter((place) => isRecent(runs, place))
  for (const place of places.sort((one, other) => (one.run < other.run ? 1 : -1))) {
    const line = readRunLine(runs.host, place)
    if (line?.name !== null || line.source?.path !== head.source?.path) continue
    if (line.set === head.set || differencesOf(line, head).length > 1) continue
    const listed = await runs.look(place)
    if (listed && !listed.isFinished && !listed.isUndone && listed.holder === undefined)
      return { ...line, run: place.run }
  }
  return undefined
}

function isRecent({ host }: Runs, { path }: RunPlace) {
  const stats = host.disk.statSync(path, { throwIfNoEntry: false })
  return stats !== undefined && host.now() - stats.mtimeMs < recentFor
}

/** Undefined for a run that is another job. Throws exit 2. */
async function readSame(
  { note }: RunTools,
  { host }: Runs,
  place: RunPlace,
  facts: JobFacts,
): Promise<SameRun | undefined> {
  // Most runs are another job, which their first lines tell.
  const first = readRunLine(host, place)
  if (first !== undefined && differencesOf(first, facts).length > 0) return undefined
  const read = await readLog(host, place)
  if (read === undefined || read.log.isPruned) return undefined
  const { log, touchedAt } = read
  if (log.isHeadDamaged) {
    const what = `run ${place.run}, from the last 8 hours, is damaged`
    // A merge cannot be sent twice.
    if (facts.operation === 'contacts.merge') {
      throw usageError(
        `${what}, and may have sent these merges; nothing was sent`,
        say`its file is ${place.path}; if it was another job, use --new-run`,
      )
    }
    note(`${what}, so it is not known whether it is the same job`)
    return undefined
  }
  const { recorded } = log
  if (recorded === undefined || differencesOf(recorded.head, facts).length > 0) {
    return undefined
  }
  const isInUse = holderOf(host, log, touchedAt) !== undefined
  return { ...place, run: recorded.run, log, recorded, isInUse }
}

/** The facts that decide whether a command resumes a run without a name: its own name, and its options. */
interface NamedCommand {
  name: string | undefined
  options: Pick<LaterOptions, 'newKey'>
}

/**
 * The run that a command resumes in place of a new one. One that has sent nothing is as good as new. Throws as
 * `checkUnfinished` does.
 */
export function runToResume(
  { unfinished, fresh }: SameRuns,
  job: NamedCommand,
  profile: Profile,
): SameRun | undefined {
  checkUnfinished({ unfinished }, job, profile)
  if (unfinished !== undefined) return unfinished
  if (fresh === undefined || job.name !== undefined) return undefined
  const difference = keyObjection(fresh.recorded, profile, job.options.newKey)
  return difference === undefined ? fresh : undefined
}

/**
 * Throws exit 2 if a command may not resume the unfinished run: one of them has a name, or the key is another. The error
 * says what to do instead.
 */
export function checkUnfinished(
  { unfinished }: Pick<SameRuns, 'unfinished'>,
  { name, options }: NamedCommand,
  profile: Profile,
) {
  if (unfinished === undefined) return
  const { recorded } = unfinished
  const { run, head } = recorded
  const key = keyObjection(recorded, profile, options.newKey)
  const isNamed = head.name !== null || name !== undefined
  if (!isNamed && key === undefined) return
  const isOfOnce = head.name !== null && !isReserved(run)
  const ways = [
    wayToResume(run, key),
    ...(isOfOnce ? [`or repeat the command with --once ${run}`] : []),
    ...(name === undefined ? ['to start a new run anyway, add --new-run'] : []),
  ]
  throw new SvcError(
    'usage',
    `run ${run} is the same job and is not finished; nothing was sent`,
    {
      lines: key === undefined ? [] : [key],
      hint: join(ways, '\n'),
      run,
    },
  )
}

/** Throws exit 2 if the run of a name is another job than the command's. It says what differs. */
export function checkNamed(recorded: RecordedRun, job: ReadyJob) {
  const { run, head } = recorded
  const key = keyObjection(recorded, job.profile, job.options.newKey)
  const differences = differencesOf(head, job.head)
  if (job.undoes !== undefined && head.undoes?.startedAt !== job.undoes.startedAt) {
    differences.push('this name now belongs to the undo of a different run')
  }
  const lines = key === undefined ? differences : [...differences, key]
  if (lines.length === 0) return
  const what = differences.length > 0 ? 'of a different job' : 'that began with another key'
  throw new SvcError(
    'usage',
    `the name "${run}" belongs to a run ${what}; nothing was sent`,
    { lines, hint: say`use another name for another job; ${wayToResume(run, key)}` },
  )
}

/**
 * Throws exit 2 if a run that a command names belongs to another service or key, because its ids are those of another
 * company.
 */
export function checkService(
  recorded: RecordedRun,
  profile: Profile,
  newKey: boolean | undefined,
) {
  const { run, head } = recorded
  const key = keyObjection(recorded, profile, newKey)
  const isOther = head.baseUrl !== profile.baseUrl
  const lines = [
    ...(isOther ? [`the base URL: ${head.baseUrl} then, ${profile.baseUrl} now`] : []),
    ...(key === undefined ? [] : [key]),
  ]
  if (lines.length === 0) return
  const hint =
    'use the profile that started it; for another key of the same company, add --new-key'
  const what = `run ${run} belongs to another service or key; nothing was sent`
  throw new SvcError('usage', what, { lines, hint })
}

/**
 * Throws exit 2 for outcomes that no id of the operation ends as, for those that the service's answer gave, and for merges
 * that may have been made.
 */
export function checkReopen({ run, head }: RecordedRun, wanted: readonly string[] = []) {
  const { operation } = head
  const isUnrepeatable = operation === 'contacts.merge'
  const possible = outcomesOfOperation(operation).filter(
    (outcome) => reopenable.includes(outcome) && !(isUnrepeatable && outcome === 'unknown'),
  )
  const others = wanted.filter((outcome) => possible.every((each) => each !== outcome))
  if (others.length === 0) return
  const ids = svc`runs export ${run} --outcome ${others.join(',')} -o ids`
  const flag = isUnrepeatable ? ' with --new-run' : ''
  throw usageError(
    `${others.join(', ')}: only ids that ended as ${joinOr(possible)} are sent again in the same run`,
    say`to send others in a new run${flag}, take their ids from:\n  ${ids}`,
  )
}

/** Why this key may not resume a run, in words; undefined if it worked on it, or `--new-key` says so. */
export function keyObjection(
  { head, keys }: Pick<RecordedRun, 'head' | 'keys'>,
  { apiKey }: Profile,
  newKey: boolean | undefined,
): string | undefined {
  if (newKey === true || keys.has(keyFingerprint(apiKey))) return undefined
  const ending = keyEnding(apiKey)
  const other = ending === head.keyEnding ? 'another one with the same ending' : ending
  return `the key: ${head.keyEnding} then, ${other} now`
}

/** How to resume a run, also with another key. */
function wayToResume(run: string, key: string | undefined): Message {
  return key === undefined
    ? say`to resume that run:\n  ${svc`runs resume ${run}`}`
    : say`to resume that run with another key of the same company:\n  ${svc`runs resume ${run} --new-key`}`
}
