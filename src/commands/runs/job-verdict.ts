/** The verdict of `svc runs check` on a job: whether the run of its name is as a monitor wants it. */
import { stopWords } from '../../bulk/telling/notes.ts'
import type { KeptSummary } from '../../bulk/record/read-run.ts'
import type { ListedRun } from '../../bulk/record/runs.ts'
import type { Context } from '../../cli/context.ts'
import { lastSession } from '../../disk/claim.ts'
import { exit, messageOf, SvcError } from '../../errors.ts'
import { isFuture } from '../../output/text/time.ts'
import { formatDuration } from '../../values.ts'
import type { Check } from '../../views/documents.ts'
import { groupDigits, pluralize } from '../../words.ts'
import { rowOf } from './run-row.ts'

export interface Demands {
  /** Milliseconds. */
  readonly within: number
  /** Exit code 3 counts as done. */
  readonly acceptPartial?: true
}

type Verdict = Pick<Check, 'verdict' | 'exitCode' | 'message'>

/** The verdict on the job of a name. */
export async function judge(
  context: Context,
  name: string,
  demands: Demands,
): Promise<Check> {
  const within = formatDuration(demands.within)
  const runs = await context.runs()
  const listed = await runs.look(name)
  if (listed === undefined)
    return { name, within, ...judgeUnstarted(context, name, runs), run: null }
  const run = rowOf(listed)
  const problem = listed.problem ?? (await damageOf(context, listed))
  const verdict =
    problem === undefined
      ? judgeRun(context, listed, demands)
      : notOk(`the run of ${name} cannot be read: ${problem} (${listed.dir})`)
  return { name, within, ...verdict, run }
}

/** The damage in the journal of a run; a damaged run is not ok. */
async function damageOf({ host }: Context, { run, dir, holder, isPruned }: ListedRun) {
  if (isPruned || holder !== undefined) return undefined
  const { readRun } = await import('../../bulk/record/read-run.ts')
  try {
    return (await readRun(host, dir, run)).damage
  } catch (error) {
    if (error instanceof SvcError) return messageOf(error)
    throw error
  }
}

/** A name without a run: nothing began, or a use of it ended before it sent anything. */
function judgeUnstarted(
  { host }: Context,
  name: string,
  runs: Awaited<ReturnType<Context['runs']>>,
): Verdict {
  const dir = runs.folderOf(name)
  const session = host.disk.existsSync(dir) ? lastSession(host, dir) : undefined
  if (session?.kind === 'held') {
    return running(`${name} is about to begin: ${session.holder} has the name`)
  }
  const isEnded = session?.kind === 'ended' && session.exitCode !== undefined
  const why = isEnded
    ? `a use of it ended with ${session.exitCode} before it sent anything`
    : 'the job did not start, or has another state folder'
  return {
    verdict: 'missing',
    exitCode: exit.rejected,
    message: `there is no run of "${name}": ${why}`,
  }
}

const notOk = (message: string): Verdict => ({
  verdict: 'not ok',
  exitCode: exit.incomplete,
  message,
})

const running = (message: string): Verdict => ({
  verdict: 'running',
  exitCode: exit.busy,
  message,
})

function judgeRun({ host }: Context, listed: ListedRun, demands: Demands): Verdict {
  const { run, startedAt, holder, summary } = listed
  const now = host.now()
  const began = new Date(startedAt).toISOString()
  if (holder !== undefined) return running(`${run} has been running since ${began}`)
  const endedAt = summary?.endedAt ?? undefined
  const times = endedAt === undefined ? [startedAt] : [startedAt, endedAt]
  // A start that is ahead may be that of a run on another clock, to come after it; it counts for no period.
  const past = times.filter((time) => !isFuture(time, now))
  if (past.length === 0) {
    const when = new Date(Math.max(...times)).toISOString()
    return notOk(`${run} is dated in the future, so a clock is or was wrong (${when})`)
  }
  if (endedAt === undefined || summary === undefined) {
    const died = 'has no end on record: it was killed, or its disk was full'
    return notOk(`${run} ${[died, ...leftWords(listed)].join('; ')} (began ${began})`)
  }
  const message = `${endWords(listed, summary)} (${new Date(endedAt).toISOString()})`
  if (Math.max(...past) < now - demands.within) {
    return notOk(`${message}, which is longer ago than ${formatDuration(demands.within)}`)
  }
  const isPartial =
    demands.acceptPartial === true && summary.document.exitCode === exit.incomplete
  return summary.document.exitCode === exit.done || isPartial
    ? { verdict: 'ok', exitCode: exit.done, message }
    : notOk(message)
}

function leftWords({ summary }: ListedRun): string[] {
  const left = summary?.document.left ?? 0
  return left === 0 ? [] : [`${pluralize(left, 'id is', 'ids are')} left`]
}

/** How a run ended, how much of it is done, what is left, and why it stopped. */
function endWords(listed: ListedRun, { document }: KeptSummary): string {
  const { exitCode, stopReason } = document
  const { ids, done } = rowOf(listed)
  const isPart = ids !== null && done !== null && done < ids
  const count = isPart ? [`${groupDigits(done)} of ${pluralize(ids, 'id')} done`] : []
  const stop = Object.entries(stopWords).find(([reason]) => reason === stopReason)
  const why = stop === undefined ? [] : [stop[1]]
  const what = [...count, ...leftWords(listed), ...why]
  return `${listed.run} ended with ${exitCode}${what.length === 0 ? '' : `: ${what.join('; ')}`}`
}
