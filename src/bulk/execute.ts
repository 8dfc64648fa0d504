/** A planned bulk run from the question to the summary: confirm, open the journal, send, settle, report. */
import { SvcError } from '../errors.ts'
import { grouped } from '../grouped.ts'
import type { BulkOutput, OutcomeRow } from '../output/output.ts'
import { keyEnding, type Profile } from '../profiles/profile.ts'
import { numbers, openBook, type Book, type Chain, type Items, type Receipt } from './book.ts'
import type { BulkTarget, BulkTools, Named } from './bulk.ts'
import { createRun, keyFingerprint, prepareFolders, type Journal } from './journal.ts'
import { tellEnding } from './notes.ts'
import { withOther, type Plan } from './plan.ts'
import { createReceipts, receiptStream, type ReceiptsFile, type ReceiptStream } from './receipts.ts'
import type { BulkOperation, Ending, Outcome } from './reconcile.ts'
import { startRun, type RunEnd, type Running, type RunSpec } from './run.ts'
import { summaryOf, type Summary } from './summary.ts'

/** What it does to each thing, for questions, notes and the bar. */
export const words: Record<BulkOperation, { verb: string; doing: string; things: string }> = {
  'contacts.delete': { verb: 'Delete', doing: 'deleting', things: 'contacts' },
  'lists.add-contacts': { verb: 'Add', doing: 'adding', things: 'contacts' },
  'contacts.merge': { verb: 'Merge', doing: 'merging', things: 'contacts' },
  'tickets.assign': { verb: 'Assign', doing: 'assigning', things: 'tickets' },
}

/** `1 contact`, `1,234 tickets`. */
export function counted(operation: BulkOperation, count: number): string {
  const { things } = words[operation]
  return `${grouped(count)} ${count === 1 ? things.replace(/s$/, '') : things}`
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
  const started = tools.host.monotonic()
  if (options.dryRun === true) return dryRun(tools, plan, await find(wanted), started)
  if (batches.from === batches.to) return nothingToDo(tools, plan, started)

  // Everything that can be known here is known before anybody is asked, and long before the first request.
  const configuration = await tools.configuration()
  const profile = configuration.profile()
  await tools.api()
  const stateDir = options.journal ? configuration.stateDir.value : undefined
  if (stateDir !== undefined) await prepareFolders(tools.host, stateDir)
  const target = await find(wanted)
  const items = itemsFor(plan, target)
  await confirm(tools, plan, target, profile)
  const receipts = options.receipts === undefined ? undefined : await createReceipts(tools, options.receipts, operation)
  let journal: Journal | undefined
  try {
    if (stateDir !== undefined) journal = await record(tools, plan, target, profile, stateDir)
  } catch (error) {
    await receipts?.discard()
    throw error
  }
  const isolate = options.isolate === true
  return perform(tools, {
    spec: {
      operation,
      items,
      batches,
      target: operation === 'lists.add-contacts' ? target.target?.id : undefined,
      isolate,
      ifAssignee: target.ifAssignee?.id,
      concurrency: plan.concurrency,
      maxFailures: options.maxFailures,
      deadline: options.deadline,
    },
    book: openBook(operation, items, batches, { chain: plan.chain, isolate }),
    journal,
    receipts,
    todo: plan.chain?.order ?? numbers(batches.total),
    chain: plan.chain,
    input: plan.input,
    profile: profile.name ?? null,
    ending: { ignoreNotFound: options.ignoreNotFound, ignoreBlocked: options.ignoreBlocked },
    durationBefore: 0,
  })
}

/** With `--to` every ticket has the same second party. */
function itemsFor({ operation, items }: Plan, { target }: Found): Items {
  return operation === 'tickets.assign' && target !== undefined ? withOther(items, target.id) : items
}

/** Everything that a run, new or resumed, needs to go on. */
export interface Performance {
  readonly spec: RunSpec
  /** Closed batches are those of earlier sessions. */
  readonly book: Book
  readonly journal: Journal | undefined
  readonly receipts: ReceiptsFile | undefined
  readonly todo: Iterable<number>
  readonly chain: Chain | undefined
  readonly input: Plan['input']
  readonly profile: string | null
  readonly ending: Omit<Ending, 'stop' | 'signal'>
  /** Milliseconds of earlier sessions. */
  readonly durationBefore: number
}

/** Runs what is to be done and hands out receipts and, at the end, the summary. */
export async function perform(tools: BulkTools, run: Performance): Promise<BulkOutput<OutcomeRow>> {
  const started = tools.host.monotonic()
  const api = await tools.api()
  const display = await showProgress(tools, run, () => api.http.pace.held())
  let running: Running | undefined
  let hasReaderLeft = false
  const stream = receiptStream(() => {
    hasReaderLeft = true
    running?.stop('stdout-closed')
  })
  const hand = handOut(tools, run, stream)
  const onSoft = (): void => {
    tools.note('stopping: nothing new is sent, what is under way may end; once more breaks it off')
  }
  // The end of patience: whoever reads the receipts slowly is not waited for any more.
  const onHard = (): void => {
    stream.abandon()
  }
  const ended = tools.during(async () => {
    tools.signal.addEventListener('abort', onSoft, { once: true })
    tools.hardSignal.addEventListener('abort', onHard, { once: true })
    try {
      // A resumed run's stream is as whole as its summary.
      for (const batch of numbers(run.spec.batches.total)) if (run.book.isClosed(batch)) await hand(batch)
      running = startRun(run.spec, {
        host: tools.host,
        api,
        book: run.book,
        journal: run.journal,
        soft: tools.signal,
        todo: run.todo,
        chain: run.chain,
        onSettled: async (batch) => {
          display.update()
          if (run.book.isClosed(batch)) await hand(batch)
        },
      })
      if (hasReaderLeft) running.stop('stdout-closed')
      const end = await running.ended
      display.stop()
      const summary = await conclude(tools, run, end, started)
      for (const batch of numbers(run.spec.batches.total)) await hand(batch)
      return summary
    } finally {
      display.stop()
      tools.signal.removeEventListener('abort', onSoft)
      tools.hardSignal.removeEventListener('abort', onHard)
      await run.journal?.close()
      stream.end()
    }
  })
  // Thrown where the summary is asked for.
  ended.catch(() => undefined)
  return { kind: 'bulk', receipts: stream, summary: () => ended }
}

/** Puts a batch's receipts into the stream, once, when anybody reads one. */
function handOut(
  { print }: BulkTools,
  { book, spec }: Performance,
  stream: ReceiptStream,
): (batch: number) => Promise<void> {
  if (print.format !== 'ndjson') return () => Promise.resolve()
  const isOut = new Uint8Array(spec.batches.total + 1)
  return async (batch) => {
    if (isOut[batch] === 1) return
    isOut[batch] = 1
    await stream.push(book.receipts(batch))
  }
}

const redraw = 250

/** The bar or the events. Counts are those of this session, so that the rate and the remaining time are right. */
async function showProgress(
  tools: BulkTools,
  { book, spec }: Performance,
  held: () => number,
): Promise<{ update(): void; stop(): void }> {
  const { outcomes, batches } = book.totals
  const settled = (): number => Object.values(outcomes).reduce((sum, count) => sum + count, 0)
  const before = settled()
  const earlier = { ...outcomes }
  const retriedBefore = batches.retried
  const progress = await tools.progress(words[spec.operation].doing, spec.batches.to - spec.batches.from - before)
  const update = (): void => {
    const { error, unknown, ...counts } = Object.fromEntries(
      Object.entries(outcomes).map(([outcome, count]) => [outcome, count - earlier[outcome as Outcome]]),
    ) as Record<Outcome, number>
    const wait = held()
    progress.update({
      done: settled() - before,
      failed: error + unknown,
      retried: batches.retried - retriedBefore,
      counts,
      waitingUntil: wait > 0 ? tools.host.now() + wait : undefined,
    })
  }
  // While everybody waits for a Retry-After nothing is settled, and that is worth showing.
  const timer = setInterval(() => {
    if (held() > 0) update()
  }, redraw)
  timer.unref()
  return {
    update,
    stop() {
      clearInterval(timer)
      progress.stop()
    },
  }
}

/** Settles what is open, writes receipts and the journal's last line, and sums up. */
async function conclude(tools: BulkTools, run: Performance, end: RunEnd, started: number): Promise<Summary> {
  const { book, journal, spec } = run
  const errors = end.error === undefined ? [] : [end.error]
  let { stop } = end
  book.closeAll()
  try {
    await run.receipts?.write(book, spec.batches)
  } catch (failure) {
    if (!(failure instanceof SvcError)) throw failure
    errors.push(failure)
    stop ??= 'journal'
  }
  const sumUp = (): Summary =>
    summaryOf({
      operation: spec.operation,
      run: journal?.run.run ?? null,
      profile: run.profile,
      input: run.input,
      book,
      ending: { ...run.ending, stop, signal: stop === 'signal' ? tools.caught() : undefined },
      isolated: spec.isolate,
      durationMs: run.durationBefore + tools.host.monotonic() - started,
    })
  let summary = sumUp()
  try {
    if (journal !== undefined && journal.failure === undefined) await recordEnd(tools, journal, summary)
  } catch (failure) {
    // The last line of all: what was done is known, but nobody may take the run for well recorded.
    if (!(failure instanceof SvcError)) throw failure
    errors.push(failure)
    stop ??= 'journal'
    summary = sumUp()
  }
  for (const error of errors) tools.messages.error(error.with({ run: journal?.run.run }), undefined)
  tellEnding(tools, {
    ...run,
    stop: summary.stopReason,
    unread: end.unread,
    isExplained: errors.length > 0,
    hasReceipts: run.receipts !== undefined || ['ndjson', 'json'].includes(tools.print.format),
  })
  return summary
}

/** The line that `runs list` reads. Throws exit 10. */
export async function recordEnd(tools: BulkTools, journal: Journal, summary: Summary): Promise<void> {
  const { status, exitCode, result, stopReason } = summary
  await journal.append({
    t: 'end',
    at: tools.host.now(),
    status,
    ...(stopReason === null ? {} : { stop: stopReason }),
    exitCode,
    result,
  })
  await journal.sync()
}

/** No ids: a summary of zeros, and a receipts file with nothing but a header. */
async function nothingToDo(tools: BulkTools, plan: Plan, started: number): Promise<BulkOutput<OutcomeRow>> {
  const { operation, options, batches } = plan
  const isShard = plan.input.otherShards !== undefined
  tools.note(`${isShard ? 'this shard' : 'the input'} is empty; there is nothing to do`)
  const profile = await profileIfAny(tools)
  const book = openBook(operation, plan.items, batches)
  const receipts = options.receipts === undefined ? undefined : await createReceipts(tools, options.receipts, operation)
  await receipts?.write(book, batches)
  return settled(
    summaryOf({
      operation,
      run: null,
      profile: profile?.name ?? null,
      input: plan.input,
      book,
      ending: {},
      isolated: options.isolate === true,
      durationMs: tools.host.monotonic() - started,
    }),
  )
}

/** The plan and nothing else. */
async function dryRun(tools: BulkTools, plan: Plan, target: Found, started: number): Promise<BulkOutput<OutcomeRow>> {
  const { operation, batches } = plan
  const items = itemsFor(plan, target)
  const book = openBook(operation, items, batches)
  book.closeAll()
  const profile = await profileIfAny(tools)
  const count = batches.to - batches.from
  const requests = `${grouped(batches.total)} ${batches.total === 1 ? 'request' : 'requests'}`
  tools.note(
    `dry run: ${counted(operation, count)} in ${requests}${onList(target)}${onProfile(profile)}; nothing is sent`,
  )
  if (count > 0) tools.note(`first ${items.id(batches.from)}, last ${items.id(batches.to - 1)}`)
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
  const { host } = new URL(profile.baseUrl)
  const key = `key ${keyEnding(profile.apiKey)}`
  return profile.name === undefined ? ` on ${host} (${key})` : ` on "${profile.name}" (${host}, ${key})`
}

/** Deletes and merges cannot be undone; everything else asks on a protected profile only. */
async function confirm(tools: BulkTools, plan: Plan, target: Found, profile: Profile): Promise<void> {
  const count = plan.batches.to - plan.batches.from
  const question = `${words[plan.operation].verb} ${counted(plan.operation, count)}${onList(target)}${onProfile(profile)}?`
  await askToSend(tools, plan.operation, profile, count, question)
}

/** Surface, section 3: one delete is answered with y, more of them and pairs of a file with their number. */
export async function askToSend(
  tools: BulkTools,
  operation: BulkOperation,
  profile: Profile,
  count: number,
  message: string,
): Promise<void> {
  const isIrrevocable = operation === 'contacts.delete' || operation === 'contacts.merge'
  if (!isIrrevocable && !profile.protected) return
  const isTyped = operation === 'contacts.merge' || (isIrrevocable && count > 1)
  await tools.confirm(isTyped ? { kind: 'typed', message, expected: String(count) } : { kind: 'yes-no', message })
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

/** An output that has come to its end. */
export function settled(summary: Summary, receipts: Iterable<Receipt> = []): BulkOutput<OutcomeRow> {
  return {
    kind: 'bulk',
    receipts: {
      async *[Symbol.asyncIterator]() {
        yield* receipts
      },
    },
    summary: () => Promise.resolve(summary),
  }
}
