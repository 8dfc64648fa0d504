import { defineCommand } from '../../cli/command.ts'
import { SvcError } from '../../errors.ts'
import { type Context } from '../../cli/verb.ts'
import type { ListedRun } from '../../bulk/runs/store.ts'
import { one, text } from '../../output/result.ts'
import { documentView } from '../../views/document-view.ts'
import type { Check, Run } from '../../views/documents.ts'
import { formatDuration, parseDuration } from '../../values.ts'
import { groupDigits } from '../../words.ts'
import { rowsOf } from './reading.ts'

const view = documentView('Check', [
  'name',
  'verdict:state',
  'message',
  'run',
  'within',
  'exitCode:number',
])

interface Asked {
  readonly within: number
  readonly prefix?: true
  readonly acceptPartial?: true
}

/** The runs of a name, newest first, with those of which only the name's record is left. */
async function runsOf(
  { host, configuration }: Context,
  name: string,
  isPrefix = false,
): Promise<ListedRun[]> {
  const [{ laterFirst, listRuns }, { listNames, prunedRun }] = await Promise.all([
    import('../../bulk/runs/store.ts'),
    import('../../bulk/runs/names.ts'),
  ])
  const stateDir = (await configuration()).stateDir.value
  const pruned = (await listNames(host, stateDir)).flatMap((each) => prunedRun(each) ?? [])
  const wanted = name.toLowerCase()
  const all = [...(await listRuns(host, stateDir)), ...pruned].filter(
    ({ run, problem, isEarlier }) => {
      if (isEarlier === true) return false
      const found = run?.once?.name.toLowerCase()
      // One that cannot be read may be the run that is asked for.
      if (found === undefined) return problem !== undefined
      return isPrefix ? found.startsWith(wanted) : found === wanted
    },
  )
  return all.sort(laterFirst)
}

const aboutRun = ({ name, run }: Run): string => `${name ?? ''} (run ${run})`

/** When and how it ended, why, and what is left: `ended 2026-03-01T02:00:12.000Z with exit code 7; 100 ids are left`. */
function endOf({ status, endedAt, startedAt, exitCode, left }: Run, why = ''): string {
  const rest =
    left === null || left === 0
      ? ''
      : `; ${groupDigits(left)} ${left === 1 ? 'id is' : 'ids are'} left`
  if (status === 'running') return `is running since ${startedAt}`
  if (endedAt === null)
    return `began ${startedAt} and has no end on record: it was killed, or its disk was full${rest}`
  return `ended ${endedAt} with exit code ${exitCode ?? 'unknown'}${why}${rest}`
}

async function whyEnded({ end }: ListedRun): Promise<string> {
  if (end?.stop === undefined) return ''
  const { stopWords } = await import('../../bulk/telling/ending-notes.ts')
  return ` (${stopWords[end.stop]})`
}

/** The newest of the runs that began or ended in time. Throws exit 10 when one of them cannot be read. */
async function check(
  context: Context,
  name: string,
  { within, prefix, acceptPartial }: Asked,
): Promise<Check> {
  const all = await runsOf(context, name, prefix)
  const since = context.host.now() - within
  const found = all.find(({ beganAt, end }) => Math.max(beganAt, end?.at ?? 0) >= since)
  if (found?.problem !== undefined) {
    const what = `run ${found.id} cannot be read, and may be the one that is asked for: ${found.problem}`
    throw new SvcError('local', what, { run: found.id })
  }
  const readable = found ?? all.find(({ problem }) => problem === undefined)
  const [run] = readable === undefined ? [] : await rowsOf(context, [readable])
  const asked = { name, prefix: prefix === true, within: formatDuration(within) }
  if (found === undefined || run === undefined) {
    const names = `${prefix === true ? 'a name that begins with ' : ''}"${name}"`
    const before =
      run === undefined ? 'none is known at all' : `the one before, ${aboutRun(run)}, ${endOf(run)}`
    const message = `no run of ${names} began or ended in the last ${asked.within}: the job did not start, ended before its first request, or has another state folder; ${before}`
    return { ...asked, verdict: 'missing', exitCode: 6, message, run: null }
  }
  const isOk =
    run.endedAt !== null && (run.exitCode === 0 || (acceptPartial === true && run.exitCode === 3))
  const message = `${aboutRun(run)} ${endOf(run, await whyEnded(found))}`
  return { ...asked, verdict: isOk ? 'ok' : 'not ok', exitCode: isOk ? 0 : 3, message, run }
}

export const checkRun = defineCommand({
  path: 'runs check',
  summary: 'check that a job ran, and how it ended, for monitoring',
  description:
    'Check that a job with this --once name ran: of its runs that began or ended within this time, the newest counts. Exit\n' +
    'code 0: it ended with 0. 3: it ended with another code, was killed, or is still running. 6: there is none, so the job\n' +
    'never started (or ended before its first request: no credentials, no input). One line says which run, when, and\n' +
    'what is left. It reads the state folder of the job and needs no network.',
  examples: [
    'svc runs check nightly-2026-03-01 --within 26h',
    'svc runs check nightly- --prefix --within 26h --json',
  ],
  arguments: [{ name: 'name', summary: 'the --once name of the job', isRequired: true }],
  options: {
    within: {
      value: 'duration',
      summary: 'how long ago it may have run, for example 26h',
      parse: (value: string) => parseDuration(value, '--within', { min: 1 }),
      isRequired: true,
    },
    prefix: { summary: 'all names that begin with this one, for jobs with a name for each date' },
    acceptPartial: { summary: 'exit code 3 of the job counts as done too' },
  },
  effect: 'reads',
  shows: view,
  run: async (context, name, options) => {
    const checked = await check(context, name, options)
    const { exitCode, message } = checked
    return { ...text(`${message}\n`, exitCode), data: () => one(checked, { exitCode }) }
  },
})
