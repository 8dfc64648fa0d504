import { defineVerb } from '../../cli/verb.ts'
import type { Context } from '../../cli/context.ts'
import { recordRows } from '../../cli/recorded-runs.ts'
import { exit, mostUrgent } from '../../errors.ts'
import { text } from '../../output/result.ts'
import { isFuture } from '../../output/text/time.ts'
import type { ListedRun } from '../../runs/list.ts'
import { readLog } from '../../runs/reading.ts'
import { parseDuration } from '../../values.ts'
/** The verdict on one job. */
interface JobCheck {
  name: string
  exitCode: number
  message: string
}

export const verb = defineVerb({
  description:
    'Check that each named job ended with 0 less than --within ago. The exit code is 0 if all did, 3 if one did not, 6 if one has\n' +
    'no run, and 11 if one is still running; 11 wins over 6, and 6 over 3. svc prints a line for each job that is not fine. It\n' +
    'reads the state folder and needs no network.',
  usage: '[options] --within <duration> <name...>',
  examples: [
    'svc runs check nightly-2026-03-01 --within 26h',
    'svc runs check big-part-1 big-part-2 big-part-3 --within 1d --json',
  ],
  arguments: [
    {
      name: 'name',
      summary: 'the --once names of the jobs',
      isRequired: true,
      isVariadic: true,
    },
  ],
  options: {
    within: {
      value: 'duration',
      summary: 'how long ago a job may have ended, for example 26h',
      parse: parseDuration,
      isRequired: true,
    },
    acceptPartial: { summary: 'exit code 3 of the job counts as done too' },
  },
  effect: 'reads',
  columns: { NAME: 'name', 'EXIT CODE': 'exitCode', MESSAGE: 'message' },
  run: async (context, [names], demands) => {
    const checks: JobCheck[] = []
    for (const name of names)
      checks.push({ name, ...(await check(context, name, demands)) })
    const exitCode = mostUrgent(checks.map((check) => check.exitCode))
    const bad = checks.filter((check) => check.exitCode !== exit.done)
    const lines = bad.map(({ message }) => `${message}\n`).join('')
    if (context.print.format === 'table') return text(lines, exitCode)
    return recordRows(context, checks, { ending: { exitCode } })
  },
})

/** `within`: milliseconds. */
interface Demands {
  within: number
  acceptPartial?: true
}

/** Judges the newest run of a name. */
async function check({ host, runs: openRuns }: Context, name: string, demands: Demands) {
  const runs = await openRuns()
  const place = runs.placeOf(name)
  const listed = await runs.look(place)
  if (listed !== undefined) return checkRun(listed, name, demands, host.now())
  const read = await readLog(host, place)
  const code = read?.log.unsentExit
  const ended = code === undefined ? 'ended' : `ended with ${code}`
  const why =
    read === undefined
      ? 'the job did not start, or uses another state folder'
      : `a command with this name ${ended} before it sent anything`
  // The code for an id that the service does not know.
  return { exitCode: exit.failed, message: `there is no run of "${name}": ${why}` }
}

function checkRun(
  listed: ListedRun,
  name: string,
  { within, acceptPartial }: Demands,
  now: number,
) {
  const { holder, problem, summary, endedAt } = listed
  if (holder !== undefined)
    return { exitCode: exit.unavailable, message: `${holder} is working on ${name}` }
  if (summary === undefined || endedAt === undefined) {
    const why = problem ?? 'it was killed, or its disk was full'
    return { exitCode: exit.incomplete, message: `${name} did not finish: ${why}` }
  }
  const { exitCode, input, result } = summary
  // An end in the future is one of a clock that is or was wrong.
  const isRecent = !isFuture(endedAt, now) && now - endedAt <= within
  const isAccepted =
    exitCode === exit.done || (acceptPartial === true && exitCode === exit.incomplete)
  const isUnsent = result['notAttempted'] === input.unique
  const what = isUnsent ? ' before it sent anything' : ''
  const message = `${name} ended with ${exitCode}${what} on ${new Date(endedAt).toISOString()}`
  if (!isRecent)
    return {
      exitCode: exit.incomplete,
      message: `${message}, longer ago than --within allows`,
    }
  return { exitCode: isAccepted ? exit.done : exit.incomplete, message }
}
