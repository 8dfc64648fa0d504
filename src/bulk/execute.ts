/** A planned bulk run from the question to the summary: confirm, open the journal, send, settle, report. */
import { SvcError } from '../errors.ts'
import type { BulkOutput, OutcomeRow } from '../output/output.ts'
import { keyEnding, type Profile } from '../profiles/profile.ts'
import { openBook, type Book } from './book.ts'
import type { BulkTarget, BulkTools, Named } from './bulk.ts'
import { createRun, keyFingerprint, prepareFolders, type Journal } from './journal.ts'
import { number, withOther, type Plan } from './plan.ts'
import { createReceipts, receiptStream, type ReceiptsFile } from './receipts.ts'
import type { BulkOperation, Ending } from './reconcile.ts'
import { startRun, type RunEnd, type RunSpec } from './run.ts'
import { summaryOf, type Summary } from './summary.ts'

/** What it does to each thing, for questions, notes and the bar. */
export const words: Record<BulkOperation, { verb: string; doing: string; things: string }> = {
  'contacts.delete': { verb: 'Delete', doing: 'deleting', things: 'contacts' },
  'lists.add-contacts': { verb: 'Add', doing: 'adding', things: 'contacts' },
  'contacts.merge': { verb: 'Merge', doing: 'merging', things: 'contacts' },
  'tickets.assign': { verb: 'Assign', doing: 'assigning', things: 'tickets' },
}

/** The target as it was found. */
interface Found {
  readonly target: Named | undefined
  readonly ifAssignee: Named | undefined
}

async function find(target: BulkTarget): Promise<Found> {
  return { target: await target.find?.(), ifAssignee: await target.ifAssignee?.() }
}

export async function execute(tools: BulkTools, plan: Plan, wanted: BulkTarget): Promise<BulkOutput<OutcomeRow>> {
  const { operation, options, batches } = plan
  const count = batches.to - batches.from
  const started = tools.host.monotonic()
  if (options.dryRun === true) return dryRun(tools, plan, await find(wanted), started)

  if (count === 0) {
    tools.note(plan.input.otherShards === undefined ? 'the input is empty; there is nothing to do' : 'this shard is empty; there is nothing to do')
    const profile = await profileIfAny(tools)
    return settled(
      summaryOf({
        operation,
        run: null,
        profile: profile?.name ?? null,
        input: plan.input,
        book: openBook(operation, plan.items, batches),
        ending: {},
        isolated: options.isolate === true,
        durationMs: tools.host.monotonic() - started,
      }),
    )
  }
  const configuration = await tools.configuration()
  const profile = configuration.profile()
  const stateDir = options.journal ? configuration.stateDir.value : undefined
  // Before the first request, so that nobody learns of it in the middle.
  if (stateDir !== undefined) await prepareFolders(tools.host, stateDir)
  const target = await find(wanted)
  const employee = operation === 'tickets.assign' ? target.target : undefined
  const items = employee === undefined ? plan.items : withOther(plan.items, employee.id)
  await confirm(tools, plan, target, profile)
  const receipts = options.receipts === undefined ? undefined : await createReceipts(tools, options.receipts, operation)
  const journal = stateDir === undefined ? undefined : await record(tools, plan, target, profile, stateDir)
  const book = openBook(operation, items, batches)
  return perform(tools, {
    spec: {
      operation,
      items,
      batches,
      target: operation === 'lists.add-contacts' ? target.target?.id : undefined,
      isolate: options.isolate === true,
      ifAssignee: target.ifAssignee?.id,
      concurrency: plan.concurrency,
      maxFailures: options.maxFailures,
      deadline: options.deadline,
    },
    book,
    journal,
    receipts,
    todo: plan.order ?? numbers(batches.total),
    after: plan.after,
    input: plan.input,
    profile: profile.name ?? null,
    ending: { ignoreNotFound: options.ignoreNotFound, ignoreBlocked: options.ignoreBlocked },
    started,
  })
}

function* numbers(total: number): Generator<number> {
  for (let batch = 1; batch <= total; batch += 1) yield batch
}

/** Everything that a run, new or resumed, needs to go on. */
export interface Performance {
  readonly spec: RunSpec
  readonly book: Book
  readonly journal: Journal | undefined
  readonly receipts: ReceiptsFile | undefined
  readonly todo: Iterable<number>
  readonly after: ((batch: number) => readonly number[]) | undefined
  readonly input: Plan['input']
  readonly profile: string | null
  readonly ending: Omit<Ending, 'stop' | 'signal'>
  readonly started: number
}

/** Runs what is to be done and hands out receipts and, at the end, the summary. */
export async function perform(tools: BulkTools, run: Performance): Promise<BulkOutput<OutcomeRow>> {
  const { book, journal, spec } = run
  const api = await tools.api()
  const streaming = tools.print.format === 'ndjson'
  const progress = await tools.progress(words[spec.operation].doing, spec.batches.to - spec.batches.from)
  const report = (): void => {
    const { outcomes, batches } = book.totals
    const done = Object.values(outcomes).reduce((sum, count) => sum + count, 0)
    const held = api.http.pace.held()
    progress.update({
      done,
      failed: outcomes.error + outcomes.unknown,
      retried: batches.retried,
      counts: outcomes,
      waitingUntil: held > 0 ? tools.host.now() + held : undefined,
    })
  }
  const running = startRun(spec, {
    host: tools.host,
    api,
    book,
    journal,
    soft: tools.signal,
    todo: run.todo,
    ...(run.after === undefined ? {} : { after: run.after }),
    onSettled: (batch) => {
      report()
      return streaming && book.isClosed(batch) ? stream.push(book.receipts(batch)) : undefined
    },
  })
  const stream = receiptStream(() => {
    running.stop('stdout-closed')
  })
  const ended = tools.during(async () => {
    try {
      return await finish(tools, run, await running.ended)
    } finally {
      progress.stop()
      await journal?.close()
      stream.end()
    }
  })
  ended.catch(() => undefined)
  return { kind: 'bulk', receipts: stream, summary: () => ended }
}

/** Settles what is open, writes receipts and the journal's last line, and sums up. */
async function finish(tools: BulkTools, run: Performance, end: RunEnd): Promise<Summary> {
  const { book, journal, spec } = run
  let { stop, error } = end
  book.closeAll()
  try {
    await run.receipts?.write(book, spec.batches)
  } catch (failure) {
    if (!(failure instanceof SvcError)) throw failure
    error ??= failure
    stop ??= 'journal'
  }
  const summary = summaryOf({
    operation: spec.operation,
    run: journal?.run.run ?? null,
    profile: run.profile,
    input: run.input,
    book,
    ending: { ...run.ending, stop, signal: stop === 'signal' ? tools.caught() : undefined },
    isolated: spec.isolate,
    durationMs: tools.host.monotonic() - run.started,
  })
  await close(tools, journal, summary, stop)
  if (error !== undefined) tools.messages.error(error.with({ run: journal?.run.run }), undefined)
  tell(tools, run, summary)
  return summary
}

async function close(tools: BulkTools, journal: Journal | undefined, summary: Summary, stop: RunEnd['stop']): Promise<void> {
  if (journal === undefined || journal.failure !== undefined) return
  const { status, exitCode, result } = summary
  await journal.append({ t: 'end', at: tools.host.now(), status, ...(stop === null ? {} : { stop }), exitCode, result })
  await journal.sync()
}

const stopWords: Record<NonNullable<RunEnd['stop']>, string> = {
  'max-failures': 'stopped: too many batches failed',
  deadline: 'stopped: the deadline has passed',
  auth: 'stopped: the service does not accept the credentials',
  forbidden: 'stopped: the service forbids it',
  refused: 'stopped: the service refused the first batch, so it would refuse the others too',
  'retry-after': 'stopped: the service asks to wait longer than --max-retry-wait allows',
  'stdout-closed': 'stopped: the reader of the output went away',
  signal: 'interrupted',
  journal: 'stopped: a local file could not be written',
}

/** After an unanswered merge a request may still be under way: the signature window and one minute of skew. */
const mergeWait = 6 * 60 * 1000

/** What a person should know of the ending beyond the counts. */
function tell(tools: BulkTools, run: Performance, summary: Summary): void {
  const { book, spec, journal } = run
  const { outcomes } = book.totals
  const stop = summary.stopReason
  if (stop !== null) tools.note(stopWords[stop])
  if (outcomes.gone > 0) {
    const least = outcomes.deleted
    tools.note(
      `${number(outcomes.gone)} are gone: deleted by an attempt whose answer was lost, or never there; ` +
        `between ${number(least)} and ${number(least + outcomes.gone)} were deleted by this run`,
    )
  }
  if (outcomes.undetermined > 0) {
    tools.note('some of these contacts do not exist, and the service does not say which: --isolate finds out')
  }
  if (spec.operation === 'contacts.merge' && outcomes.unknown > 0) {
    const when = new Date(tools.host.now() + mergeWait).toISOString()
    tools.note(`${number(outcomes.unknown)} merges have an unknown outcome and are not sent again; look at both contacts after ${when}`)
    for (const position of book.positions('unknown').slice(0, 20)) {
      tools.note(`unknown: ${spec.items.id(position)} into ${spec.items.other(position) ?? ''}`)
    }
  }
  if (book.resumable > 0) {
    tools.note(
      journal === undefined
        ? 'the run was not recorded (--no-journal): it cannot be resumed'
        : `go on with: svc runs resume ${journal.run.run}`,
    )
  }
}

/** The plan and nothing else. */
async function dryRun(tools: BulkTools, plan: Plan, target: Found, started: number): Promise<BulkOutput<OutcomeRow>> {
  const { operation, batches, items } = plan
  const book = openBook(operation, items, batches)
  book.closeAll()
  const profile = await profileIfAny(tools)
  const count = batches.to - batches.from
  const { doing, things } = words[operation]
  tools.note(`dry run: ${number(count)} ${things} in ${number(batches.total)} requests${onList(target)}${onProfile(profile)}; nothing is sent`)
  if (count > 0) tools.note(`first ${doing}: ${items.id(batches.from)}, last: ${items.id(batches.to - 1)}`)
  return settled(
    summaryOf({
      operation,
      run: null,
      profile: profile?.name ?? null,
      input: plan.input,
      book,
      ending: { dryRun: true },
      isolated: plan.options.isolate === true,
      durationMs: tools.host.monotonic() - started,
    }),
  )
}

/** A plan over ids alone needs no credentials; one with them says for whom it is. */
async function profileIfAny(tools: BulkTools): Promise<Profile | undefined> {
  try {
    return (await tools.configuration()).profile()
  } catch (error) {
    if (error instanceof SvcError && error.category === 'config') return undefined
    throw error
  }
}

function onList({ target }: Found): string {
  return target === undefined ? '' : ` to ${target.name === undefined ? target.id : `"${target.name}" (${target.id})`}`
}

function onProfile(profile: Profile | undefined): string {
  if (profile === undefined) return ''
  return ` on ${profile.name === undefined ? '' : `"${profile.name}" `}(${new URL(profile.baseUrl).host}, key ${keyEnding(profile.apiKey)})`
}

/** Deletes and merges cannot be undone; everything else asks on a protected profile only. */
async function confirm(tools: BulkTools, plan: Plan, target: Found, profile: Profile): Promise<void> {
  const { operation, batches } = plan
  const irrevocable = operation === 'contacts.delete' || operation === 'contacts.merge'
  if (!irrevocable && !profile.protected) return
  const count = batches.to - batches.from
  const { verb, things } = words[operation]
  const what = count === 1 ? things.replace(/s$/, '') : things
  const message = `${verb} ${number(count)} ${what}${onList(target)}${onProfile(profile)}?`
  await tools.confirm(
    irrevocable && count > 1 ? { kind: 'typed', message, expected: String(count) } : { kind: 'yes-no', message },
  )
}

function record(tools: BulkTools, plan: Plan, target: Found, profile: Profile, stateDir: string): Promise<Journal> {
  const { options } = plan
  return createRun(
    tools.host,
    stateDir,
    {
      operation: plan.operation,
      target: target.target === undefined ? null : { id: target.target.id, name: target.target.name },
      baseUrl: profile.baseUrl,
      profile: profile.name ?? null,
      key: { fingerprint: keyFingerprint(profile.apiKey), ending: keyEnding(profile.apiKey) },
      options: {
        batchSize: plan.batches.size,
        concurrency: plan.concurrency,
        isolate: options.isolate,
        ignoreNotFound: options.ignoreNotFound,
        ignoreBlocked: options.ignoreBlocked,
        maxFailures: options.maxFailures,
        shard: options.shard === undefined ? undefined : `${options.shard.index}/${options.shard.count}`,
        ifAssignee: target.ifAssignee?.id,
      },
      input: plan.input,
      version: tools.version,
    },
    plan.recorded,
  )
}

/** An output that has come to its end without a run. */
export function settled(summary: Summary): BulkOutput<OutcomeRow> {
  return {
    kind: 'bulk',
    receipts: {
      [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve({ done: true, value: undefined }) }),
    },
    summary: () => Promise.resolve(summary),
  }
}
