/**
 * A session that starts from an input: what it sends is found, and the run begins. `session.ts` asks for the name of a job first
 * (`holdName`), and where that is free for its session (`sessionOfJob`). Nothing here sends a change; the service is only read.
 */
import { continuing, say, svc } from '../../message.ts'
import { keyEnding, type Profile } from '../../config/profile.ts'
import { SvcError } from '../../errors.ts'
import type { ListedRun } from '../runs/store.ts'
import { keyFingerprint, type JobFacts, type RunFile } from '../record/run.ts'
import { currentActor } from '../record/actor.ts'
import { numbers } from '../record/batches.ts'
import { operationOf, targetOf } from '../operations/operations.ts'
import { labelOf, parameterRows } from '../operations/operation.ts'
import { acceptedBy } from '../outcomes/totals.ts'
import type { NameEntry } from '../runs/names.ts'
import type { RecordedRun } from '../runs/recorded.ts'
import { capitalize } from '../../words.ts'
import { describeRun } from '../telling/confirm.ts'
import { aboutPeople } from '../telling/who.ts'
import { holdRecorded, openRecorded } from './from-record.ts'
import { contentsOf, type Contents, type Job } from './job.ts'
import { Outputs } from './outputs.ts'
import type { Resumption, Session, SessionContext } from './start.ts'

/** The name of a job: free, or that of a run, which is still there or was removed. */
type HeldName =
  { readonly kind: 'free' } | { readonly kind: 'pruned'; readonly entry: NameEntry } | Resumption

/** Takes the name of a job, and the run that has it. A job without a name has a free one. */
export async function holdName(context: SessionContext, job: Job): Promise<HeldName> {
  const { locks, service, store } = context
  const { once } = job.options
  const profile = await service.profile()
  await store.prepare()
  if (once === undefined) return { kind: 'free' }
  await locks.takeName(store, once)
  const name = store.names.read(once)
  if (name === undefined) return { kind: 'free' }
  if (!store.isRecorded(name.run)) return { kind: 'pruned', entry: name }
  const recorded = await openRecorded(context, name.run)
  checkSameJob(recorded, job, profile)
  return resumptionOf(job, recorded)
}

/** A run goes on as this command line says: options that bear on how it is sent are never those of the record. */
function resumptionOf(job: Job, recorded: RecordedRun): Resumption {
  return {
    kind: 'resumption',
    recorded,
    job,
    inputPath: job.source?.path,
    options: { ...job.options, concurrency: job.concurrency },
  }
}

/** Finds what is sent, or, where a person at the terminal says so, the unfinished run of the same ids. Throws exit 5 before it reads. */
export async function sessionOfJob(
  context: SessionContext,
  job: Job,
): Promise<Session | Resumption> {
  const { tools, locks, service, store } = context
  const { operation, options, concurrency, input } = job
  const { once, rate, maxDelete } = options
  // Everything that can be known here is known before anybody is asked, and long before the first request.
  await service.askPermit({
    operation,
    input,
    name: once,
    rate,
    maxDelete,
  })
  const contents = await contentsOf(job)
  const same = await sameRun(context, job, contents)
  if (same !== undefined) return resumptionOf(job, await holdRecorded(context, same))
  const folder = await store.makeFolder()
  let isBegun = false
  locks.atEnd(async () => {
    // Another process may work on it by now, so a process that lost the lock touches nothing any more.
    if (isBegun || locks.lost.aborted) return
    // A name that cannot be freed keeps its run.
    if (once !== undefined) await store.names.forgetRun(once, folder.run)
    await store.remove(folder.run)
  })
  await locks.takeRun(store, folder.run)
  const { receipts, annotate } = options
  const named = { receipts, annotate }
  const outputs = new Outputs({
    ...context,
    ...job,
    id: folder.run,
    named,
    isSending: true,
  })
  const { state } = contents
  const run = await headerOf(context, job, contents, folder.run)
  const record = async (): Promise<RunFile> => {
    const recorded = await recordRun(context, run, contents)
    isBegun = true
    return recorded
  }
  return {
    kind: 'session',
    run,
    state,
    left: contents.chain?.order ?? [...numbers(state.batches.total)],
    options: { ...options, concurrency },
    outputs,
    profile: await service.profile(),
    about: (columns) => aboutPeople(tools, { ...job, ...contents }, columns),
    beginning: { job, record },
    one: job.one,
  }
}

/** How many runs are looked at for one with the same ids. */
const mostRuns = 50

/** The unfinished run of the same ids, if the person at the terminal wants to resume that; else a note has the command. Throws exit 11 if busy. */
async function sameRun(context: SessionContext, job: Job, { parameters, input }: Contents) {
  const { tools, service, store, teller } = context
  if (job.undoes !== undefined || input.unique === 0) return undefined
  const target = targetOf(job.operation, parameters)
  const { baseUrl } = await service.profile()
  const { once, takeOver } = job.options
  const isSame = ({ run, end }: ListedRun): boolean =>
    (end === undefined || end.left !== 0) &&
    run?.operation === job.operation &&
    run.baseUrl === baseUrl &&
    targetOf(run.operation, run.parameters)?.id === target?.id &&
    run.input.sha256 === input.sha256
  const same = (await store.last(mostRuns)).find(isSame)
  if (same?.run === undefined) return undefined
  const name = same.run.once?.name ?? same.id
  if (same.holder !== undefined && takeOver !== true) {
    throw new SvcError('busy', `run ${same.id} is working on these ids; nothing was sent`, {
      hint: say`wait until it ends; if it died:\n  ${continuing`runs resume ${name} --take-over`}`,
      run: same.id,
    })
  }
  const words = `${describeRun(tools, same.run)} has the same ids and is not finished`
  const question = `${capitalize(words)}. Resume it, instead of a new run?`
  const answer = once === undefined ? await tools.ask(question) : undefined
  if (answer === undefined) {
    teller.note(
      say`${words}; this is a new run. To resume that one instead:\n  ${svc`runs resume ${name}`}`,
    )
  }
  return answer === true ? same.run : undefined
}

/**
 * `run.json` but for its number and its time, which it gets when it begins. It has everything that a
 * resume needs when the command line is gone: what was sent to whom, with which key, and the options that bear on the exit code.
 */
async function headerOf(
  { tools, service }: SessionContext,
  job: Job,
  contents: Contents,
  run: string,
): Promise<RunFile> {
  const { options, operation, concurrency, source, undoes } = job
  const { parameters, batches, items, input } = contents
  const { baseUrl, apiKey, name = null } = await service.profile()
  return {
    schema: 'svc.run/5',
    sequence: 0,
    run,
    operation,
    parameters,
    baseUrl,
    profile: name,
    key: { fingerprint: keyFingerprint(apiKey), ending: keyEnding(apiKey) },
    options: {
      batchSize: batches.size,
      concurrency,
      accept: acceptedBy(options),
      maxFailures: options.maxFailures,
      rate: options.rate,
    },
    input,
    items: batches.to - batches.from,
    kind: items.pairs === undefined ? 'ids' : 'pairs',
    startedAt: '',
    by: currentActor(tools.host),
    reason: options.reason,
    version: tools.version,
    once: jobFacts(job),
    source,
    isOne: job.one === undefined ? undefined : true,
    undoes,
  }
}

/** The run has begun, and has its name, when this resolves. */
async function recordRun(
  { locks, store }: SessionContext,
  header: RunFile,
  contents: Contents,
): Promise<RunFile> {
  const run = await store.begin(header, contents)
  await locks.check()
  if (run.once !== undefined) await store.names.write({ name: run.once.name, run: run.run })
  return run
}

/** Facts of a command line that its run remembers. Undefined without `--once`. */
function jobFacts({ options, setSha256, typed }: Job): JobFacts | undefined {
  return options.once === undefined
    ? undefined
    : {
        name: options.once,
        set: setSha256(),
        typed: { ...typed },
      }
}

/** A fact of a run, and of a repetition of its command. `before` and `after` are undefined for what was not typed. */
interface Compared {
  readonly what: string
  readonly before: string | undefined
  readonly after: string | undefined
}

/** Throws exit 2 when a used name would be used for something else, saying what differs; nothing was sent. */
export function checkSameJob(
  { run, keys }: Pick<RecordedRun, 'run' | 'keys'>,
  job: Job,
  profile: Profile,
): void {
  const now = jobFacts(job)
  const { once } = run
  if (now === undefined || once === undefined) return
  const differing = comparedOf(run, job, profile)
    .filter(({ before, after }) => before !== after)
    .map(({ what, before, after }) => `${what}: ${before ?? 'none'} then, ${after ?? 'none'} now`)
  if (!keys.has(keyFingerprint(profile.apiKey)) && job.options.newKey !== true) {
    const ending = keyEnding(profile.apiKey)
    const other = ending === run.key.ending ? 'another one with the same ending' : ending
    differing.push(`the key: ${run.key.ending} then, ${other} now`)
  }
  if (once.set !== now.set) differing.push('the ids: they are a different set')
  if (differing.length === 0) return
  const words = `the name "${once.name}" belongs to run ${run.run}, which was a different job; nothing was sent`
  throw new SvcError('usage', words, {
    lines: differing,
    hint: say`use another name for another job; to resume that run:\n  ${svc`runs resume ${once.name}`}`,
  })
}

/** Parameters of both operations are compared, so that a name which is used for another operation says all that differs. */
function comparedOf({ once, ...run }: RunFile, job: Job, profile: Profile): readonly Compared[] {
  const parameters = [run.operation, job.operation].flatMap((name) =>
    parameterRows(operationOf(name).parameters),
  )
  const byKey = new Map(parameters.map((row) => [row.key, row]))
  return [
    {
      what: 'the operation',
      before: run.operation,
      after: job.operation,
    },
    {
      what: 'the base URL',
      before: run.baseUrl,
      after: profile.baseUrl,
    },
    ...Array.from(byKey.values(), (row): Compared => {
      const absent = row.kind === 'flag' ? 'no' : undefined
      const before = once?.typed[row.key] ?? absent
      return {
        what: labelOf(row),
        before,
        after: job.typed[row.key] ?? absent,
      }
    }),
  ]
}
