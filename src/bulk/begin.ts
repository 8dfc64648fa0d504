/**
 * A new run: names are resolved, the person is asked, and the whole run is on disk before anything is sent. `session.ts` calls it, with the session of its
 * name where it has one.
 */
import { keyEnding, type Profile } from '../config/profile.ts'
import { UserFiles } from './files.ts'
import { batchSizeOf, newState, type Job } from './job.ts'
import { hold, sendAndConclude, type EndedRun, type OpenSession } from './open.ts'
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
import { RecordedRun } from './record/read-run.ts'
import { writeRun } from './record/write-run.ts'
import { continueRun, resumptionOf } from './resume.ts'
import { findSame } from './same.ts'
import { beginNotes } from './telling/notes.ts'
import { version } from '../version.ts'
import { confirm } from './telling/question.ts'
import { aboutPeople } from './telling/who.ts'
import type { BulkTools, Contents } from './tools.ts'

/** A run that begins. `named`: the session of its name. */
export async function begin(
  tools: BulkTools,
  job: Job,
  named?: OpenSession,
): Promise<EndedRun> {
  const { options, operation, input, one, annotation, concurrency } = job
  const profile = await tools.profile()
  await tools.permit({ operation, ids: input.unique })
  const contents = await job.contents()
  const same = await findSame(tools, job, contents, profile)
  if (same !== undefined) return continueRun(tools, same, resumptionOf(job, false))
  const files = new UserFiles(tools, { named: options, annotation })
  await files.check()
  for (const note of job.notes ?? []) tools.note(note)
  if (contents.items.size === 0) tools.note('the input is empty; there is nothing to do')
  const state = newState(job, contents)
  const left = [...state.batches.numbers()]
  const header = headerOf(tools, job, contents, profile)
  const about = (columns: number) => aboutPeople(tools, { ...job, ...contents }, columns)
  if (left.length > 0) {
    const run = named?.place.run ?? ''
    await confirm(tools, { run, header, state, left, profile, isNew: true, about, one })
  }
  await job.beforeStart?.()
  const { recorded, session } = await record(tools, header, contents, named)
  return sendAndConclude(tools, session, {
    recorded,
    journal: await Journal.open(tools.host, session.place, false, tools.messages.redactor),
    left,
    files,
    options: { ...options, concurrency },
    isNew: true,
    isRepeated: false,
    one,
  })
}

/**
 * The header of a new run, except for its start. It has everything that a resume needs without the command line: what was sent where, with which key,
 * and the options that affect the exit code.
 */
function headerOf(
  { host }: BulkTools,
  job: Job,
  { parameters, items, input }: Contents,
  { baseUrl, apiKey, name: profile }: Profile,
): Header {
  const { options, operation, concurrency, source, undoes, plan, name } = job
  const { reason } = options
  return {
    schema: 'svc.run/5',
    name: name ?? null,
    startedAt: new Date(host.now()).toISOString(),
    operation,
    parameters,
    baseUrl,
    profile: profile ?? null,
    key: { fingerprint: keyFingerprint(apiKey), ending: keyEnding(apiKey) },
    options: {
      batchSize: batchSizeOf(job),
      concurrency,
      accept: acceptedBy(options),
    },
    input,
    kind: items.kind,
    by: currentActor(host),
    reason,
    version,
    job: name === undefined ? undefined : { set: job.set(), typed: { ...job.typed } },
    isOne: job.one === undefined ? undefined : true,
    undoes,
    plan,
    source,
  }
}

/** The phase `record`: the whole run is on disk when this resolves. */
async function record(
  tools: BulkTools,
  header: Header,
  { items }: Contents,
  named: OpenSession | undefined,
): Promise<{ recorded: RecordedRun; session: OpenSession }> {
  const { host, messages } = tools
  const start = await (await tools.runs()).nextStart()
  const startedAt = new Date(start).toISOString()
  const started = messages.redactor.hideIn({ ...header, startedAt })
  const session = named ?? (await holdNew(tools, start))
  const { run, dir } = session.place
  const begin = await writeRun(host, session.place, started, items)
  session.hasLine = true
  beginNotes(tools, run, started)
  const sum = sha256([headerBytes(started)])
  const recorded = new RecordedRun(run, dir, { header: started, sum }, items)
  recorded.take(begin)
  return { recorded, session }
}

/** The folder and the session of a run without a name. */
async function holdNew(tools: BulkTools, start: number): Promise<OpenSession> {
  const run = newRunId(start, tools.host.random())
  const dir = await (await tools.runs()).makeFolder(run, true)
  return hold(tools, { run, dir })
}
