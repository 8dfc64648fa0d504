/**
 * A new run: names are resolved, the person is asked, and the whole run is on disk before anything is sent. `session.ts` calls it, with the session of its
 * name where it has one.
 */
import { keyEnding, type Profile } from '../config/profile.ts'
import { SvcError } from '../errors.ts'
import { continuing, say, svc } from '../message.ts'
import { capitalize } from '../words.ts'
import { UserFiles } from './files.ts'
import { batchSizeOf, newState, type Contents, type Job } from './job.ts'
import { hold, permit, sendAndConclude, type EndedRun, type OpenSession } from './open.ts'
import { acceptedBy } from './outcomes/totals.ts'
import {
  currentActor,
  headerBytes,
  keyFingerprint,
  sha256,
  type Header,
} from './record/header.ts'
import { Journal } from './record/journal.ts'
import { newRunId } from './record/names.ts'
import { readRun, RecordedRun } from './record/read-run.ts'
import type { ListedRun, Runs } from './record/runs.ts'
import { writeRun } from './record/write-run.ts'
import { goOn, resumptionOf } from './resume.ts'
import { beginNotes } from './telling/notes.ts'
import { version } from '../version.ts'
import { confirm, describeRun } from './telling/question.ts'
import { aboutPeople } from './telling/who.ts'
import type { BulkTools } from './tools.ts'

/** Runs of which so many are looked at for one with the same ids. */
const mostRuns = 50

/** A run that begins. `named`: the session of its name. */
export async function begin(
  tools: BulkTools,
  job: Job,
  named?: OpenSession,
): Promise<EndedRun> {
  const { options, operation, input, one } = job
  const profile = await tools.profile()
  await permit(tools, { operation, count: input.unique, name: job.name, ...options })
  const contents = await job.contents()
  const same = await findSame(tools, job, contents, profile)
  if (same !== undefined) {
    const other = await hold(tools, same.run, same.dir, options.takeOver)
    const session = other.place.claim.number
    const recorded = await readRun(tools.host, same.dir, same.run, { session })
    return goOn(tools, other, recorded, resumptionOf(job, false))
  }
  const files = new UserFiles(tools, {
    named: options,
    annotation: job.annotation,
    own: new Map(),
  })
  await files.check()
  for (const note of job.notes ?? []) tools.note(note)
  if (contents.items.size === 0) tools.note('the input is empty; there is nothing to do')
  const state = newState(job, contents)
  const left = [...state.batches.numbers()]
  const header = headerOf(tools, { job, contents, profile })
  const about = (columns: number) => aboutPeople(tools, { ...job, ...contents }, columns)
  if (left.length > 0) {
    const run = named?.place.run ?? ''
    await confirm(tools, { run, header, state, left, profile, isNew: true, about, one })
  }
  await job.beforeStart?.()
  const { recorded, session } = await record(tools, { header, contents, named })
  const journal = await Journal.open(tools.host, session.place, false)
  const sendOptions = { ...options, concurrency: job.concurrency }
  return sendAndConclude(tools, session, {
    recorded,
    journal,
    left,
    files,
    options: sendOptions,
    isNew: true,
    isRepeated: false,
    one,
  })
}

/** The unfinished run of the same ids, if the person at the terminal wants to resume that; else a note has the command. Throws exit 11 if busy. */
async function findSame(
  tools: BulkTools,
  job: Job,
  { parameters, input, items }: Contents,
  { baseUrl }: Profile,
): Promise<ListedRun | undefined> {
  if (job.undoes !== undefined || job.plan !== undefined || items.size === 0) return undefined
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
  const question = `${capitalize(words)}. Resume it, instead of a new run?`
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
    Object.entries(parameters)
      .map(([key, value]) => `${key} ${value === true ? 'true' : value.id.toLowerCase()}`)
      .sort(),
  )

/**
 * The header of a new run but for its start. It has everything that a resume needs when the command line is gone: what was sent to whom, with which key,
 * and the options that bear on the exit code.
 */
function headerOf(
  tools: BulkTools,
  {
    job,
    contents,
    profile,
  }: { readonly job: Job; readonly contents: Contents; readonly profile: Profile },
): Header {
  const { options, operation, concurrency, source, undoes, plan, name } = job
  const { parameters, items, input } = contents
  const { baseUrl, apiKey } = profile
  return {
    schema: 'svc.run/5',
    name: name ?? null,
    startedAt: new Date(tools.host.now()).toISOString(),
    operation,
    parameters,
    baseUrl,
    profile: profile.name ?? null,
    key: { fingerprint: keyFingerprint(apiKey), ending: keyEnding(apiKey) },
    options: {
      batchSize: batchSizeOf(job),
      concurrency,
      accept: acceptedBy(options),
      maxFailures: options.maxFailures,
      rate: options.rate,
    },
    input,
    kind: items.kind,
    by: currentActor(tools.host),
    reason: options.reason,
    version,
    job: name === undefined ? undefined : { set: job.set(), typed: { ...job.typed } },
    isOne: job.one === undefined ? undefined : true,
    undoes,
    plan,
    source,
  }
}

/** The phase `record`: all of the run is on disk when this resolves. */
async function record(
  tools: BulkTools,
  {
    header,
    contents,
    named,
  }: {
    readonly header: Header
    readonly contents: Contents
    readonly named: OpenSession | undefined
  },
): Promise<{ recorded: RecordedRun; session: OpenSession }> {
  const { host } = tools
  const runs = await tools.runs()
  const start = await runs.nextStart()
  const started = { ...header, startedAt: new Date(start).toISOString() }
  const session = named ?? (await holdNew(tools, runs, start))
  const { run, dir } = session.place
  await writeRun(host, session.place, started, contents.items)
  session.hasLine = true
  beginNotes(tools, run, started)
  const sum = sha256([headerBytes(started)])
  const recorded = new RecordedRun(run, dir, { header: started, sum }, contents.items)
  if (started.isOne === undefined) await removeOld(tools)
  return { recorded, session }
}

/** The folder and the session of a run without a name. */
async function holdNew(tools: BulkTools, runs: Runs, start: number): Promise<OpenSession> {
  const run = newRunId(start, tools.host.random())
  const dir = await runs.makeFolder(run, true)
  return hold(tools, run, dir, false)
}

/** Removes runs that ended longer ago than the configuration says that they are kept. */
async function removeOld(tools: BulkTools): Promise<void> {
  const { keepRuns } = (await tools.configuration()).settings
  if (keepRuns.value === undefined) return
  const { pruneEnded } = await import('./prune.ts')
  await pruneEnded(tools, keepRuns.value)
}
