/** Recorded runs: read back, gone on with, sent again in part. Surface, section 4; reliability, section 3. */
import { SvcError, usageError } from '../errors.ts'
import type { BulkOutput, OutcomeRow } from '../output/output.ts'
import { keyEnding } from '../profiles/profile.ts'
import { cutBatches, type Batches } from './batches.ts'
import { openBook, type Book, type Items } from './book.ts'
import type { BulkTools } from './bulk.ts'
import { perform, settled, words } from './execute.ts'
import {
  createRun,
  keyFingerprint,
  listRuns,
  openJournal,
  readJournal,
  readRun,
  readRunIds,
  readRunPairs,
  type Journal,
  type RunFile,
  type RunItems,
} from './journal.ts'
import { checkMergePairs } from './pairs.ts'
import { number, pairItems, tableItems, withOther } from './plan.ts'
import { createReceipts } from './receipts.ts'
import { nextAction, type BatchEvent, type EndEvent, type JournalEvent, type Outcome } from './reconcile.ts'
import type { RunSpec } from './run.ts'
import { summaryOf, type Summary } from './summary.ts'

export interface RecordedRun {
  readonly run: RunFile
  readonly items: Items
  readonly batches: Batches
  /** Not closed yet: states are as the journal left them. */
  readonly book: Book
  readonly end: EndEvent | undefined
  /** From the first event to the last, in milliseconds. */
  readonly durationMs: number
}

async function itemsOf(dir: string, run: RunFile): Promise<Items> {
  if (run.kind === 'pairs') return pairItems(await readRunPairs(dir, run))
  const items = tableItems(await readRunIds(dir, run))
  return run.operation === 'tickets.assign' && run.target !== null ? withOther(items, run.target.id) : items
}

function batchesOf(run: RunFile): Batches {
  return cutBatches(run.items, run.options.batchSize)
}

/** A run as its journal tells it, without touching it. Throws exit 2 or 10. */
export async function readRecorded(stateDir: string, name: string): Promise<RecordedRun> {
  const { run, dir } = await readRun(stateDir, name)
  const items = await itemsOf(dir, run)
  const batches = batchesOf(run)
  const book = openBook(run.operation, items, batches)
  let end: EndEvent | undefined
  let last = Date.parse(run.startedAt)
  await readJournal(dir, name, (event) => {
    end = event.t === 'end' ? event : undefined
    last = Math.max(last, event.at)
    if (isBatchEvent(event)) book.apply(event)
  })
  return { run, items, batches, book, end, durationMs: last - Date.parse(run.startedAt) }
}

function isBatchEvent(event: JournalEvent): event is BatchEvent {
  return event.t !== 'end' && event.t !== 'resume'
}

/** The summary of a recorded run; its journal may have no ending. */
export function recordedSummary(recorded: RecordedRun): Summary {
  const { run, book, end, durationMs } = recorded
  book.closeAll()
  return summaryOf({
    operation: run.operation,
    run: run.run,
    profile: run.profile,
    input: run.input,
    book,
    // A journal without an ending: the process died; which signal it was nobody knows.
    ending: { ...endingOf(run), stop: end === undefined ? 'signal' : (end.stop ?? null) },
    isolated: run.options.isolate === true,
    durationMs,
  })
}

function endingOf(run: RunFile): { ignoreNotFound: boolean | undefined; ignoreBlocked: boolean | undefined } {
  return { ignoreNotFound: run.options.ignoreNotFound, ignoreBlocked: run.options.ignoreBlocked }
}

/** The newest run that resuming would go on with. Throws exit 2 when there is none. */
export async function newestUnfinished(tools: BulkTools): Promise<string> {
  const stateDir = (await tools.configuration()).stateDir.value
  for (const listed of await listRuns(tools.host, stateDir)) {
    if (listed.run === undefined || listed.holder !== undefined) continue
    if (listed.end?.exitCode === 0) continue
    const { book } = await readRecorded(stateDir, listed.name)
    book.closeAll()
    if (book.resumable > 0) return listed.name
  }
  throw usageError('there is no unfinished run', 'svc runs list shows all of them')
}

/** Throws exit 2 when the run belongs to another service, or to another key without `--new-key`. */
async function checkBelongs(tools: BulkTools, run: RunFile, newKey: boolean): Promise<string | undefined> {
  const profile = (await tools.configuration()).profile()
  if (new URL(profile.baseUrl).origin !== new URL(run.baseUrl).origin) {
    throw new SvcError('usage', `run ${run.run} belongs to ${new URL(run.baseUrl).host}, the profile to ${new URL(profile.baseUrl).host}`, {
      hint: run.profile === null ? 'name the profile or the environment of that service' : `svc runs resume ${run.run} -p ${run.profile}`,
      run: run.run,
    })
  }
  if (keyFingerprint(profile.apiKey) === run.key.fingerprint) return undefined
  if (!newKey) {
    throw new SvcError('usage', `run ${run.run} was begun with the key ${run.key.ending}, this is ${keyEnding(profile.apiKey)}`, {
      hint: 'ids of another company are unknown to it; when both keys belong to the same company: --new-key',
      run: run.run,
    })
  }
  return keyFingerprint(profile.apiKey)
}

export interface ResumeOptions {
  readonly newKey?: boolean
  readonly receipts?: string
}

/** Goes on with a run where it ended; with nothing left it prints the run's summary again and ends with its code. */
export async function resume(
  tools: BulkTools,
  asked: string | undefined,
  options: ResumeOptions,
): Promise<BulkOutput<OutcomeRow>> {
  const name = asked ?? (await newestUnfinished(tools))
  const started = tools.host.monotonic()
  const configuration = await tools.configuration()
  const stateDir = configuration.stateDir.value
  const recorded = await readRecorded(stateDir, name)
  const { run } = recorded
  recorded.book.closeAll()
  if (recorded.book.resumable === 0) {
    const again = recordedSummary({ ...(await readRecorded(stateDir, name)), end: recorded.end ?? ended(tools) })
    tools.note(`nothing is left to do of run ${name}`)
    return settled(again)
  }
  const key = await checkBelongs(tools, run, options.newKey === true)
  await askAgain(tools, run, recorded.book.resumable)
  const items = recorded.items
  const batches = recorded.batches
  const book = openBook(run.operation, items, batches)
  const opened = await openJournal(tools.host, stateDir, name, (event) => {
    if (isBatchEvent(event)) book.apply(event)
  })
  if (opened.torn > 0) tools.note(`the last line of the journal was cut off by the crash (${opened.torn} bytes); it counts as an attempt without an answer`)
  const receipts = options.receipts === undefined ? undefined : await createReceipts(tools, options.receipts, run.operation)
  await opened.journal.append({ t: 'resume', at: tools.host.now(), ...(key === undefined ? {} : { key }) })
  const merge = run.operation === 'contacts.merge' ? mergeOrder(items) : undefined
  const open = openForResume(run, book, batches)
  const todo = merge === undefined ? open : merge.order.filter((batch) => !book.isClosed(batch))
  return perform(tools, {
    spec: specOf(run, items, batches),
    book,
    journal: opened.journal,
    receipts,
    todo,
    after: merge?.after,
    input: run.input,
    profile: run.profile,
    ending: endingOf(run),
    started,
  })
}

/** An ending for a run whose journal has none although everything in it is settled. */
function ended(tools: BulkTools): EndEvent {
  return { t: 'end', at: tools.host.now(), status: 'complete', exitCode: 0, result: {} }
}

/** Closes what is finished or may only be listed; returns the rest in the order of sending. */
function openForResume(run: RunFile, book: Book, batches: Batches): number[] {
  const open: number[] = []
  for (let batch = 1; batch <= batches.total; batch += 1) {
    const state = book.state(batch)
    const action = nextAction(run.operation, state)
    if (action === 'finished' || action === 'list-only') {
      book.close(batch)
      continue
    }
    if (action === 'read-first') {
      // What an earlier session read may have changed since.
      const { reading: _, ...rest } = state
      book.put(batch, rest)
    }
    open.push(batch)
  }
  return open
}

function mergeOrder(items: Items): { order: number[]; after: (batch: number) => readonly number[] } {
  const pairs = Array.from({ length: items.size }, (_, position) => ({
    id: items.id(position),
    other: items.other(position) ?? '',
    line: items.line(position),
  }))
  const { order, after } = checkMergePairs(pairs)
  return {
    order: order.map((position) => position + 1),
    after: (batch) => (after[batch - 1] ?? []).map((position) => position + 1),
  }
}

function specOf(run: RunFile, items: Items, batches: Batches): RunSpec {
  return {
    operation: run.operation,
    items,
    batches,
    target: run.operation === 'lists.add-contacts' ? run.target?.id : undefined,
    isolate: run.options.isolate === true,
    ifAssignee: run.options.ifAssignee,
    concurrency: run.options.concurrency,
    maxFailures: run.options.maxFailures,
    deadline: undefined,
  }
}

/** Resume and retry ask as the run did. */
async function askAgain(tools: BulkTools, run: RunFile, batches: number): Promise<void> {
  const profile = (await tools.configuration()).profile()
  const irrevocable = run.operation === 'contacts.delete' || run.operation === 'contacts.merge'
  if (!irrevocable && !profile.protected) return
  const most = Math.min(run.items, batches * run.options.batchSize)
  const { verb, things } = words[run.operation]
  const host = new URL(profile.baseUrl).host
  const message = `${verb} up to ${number(most)} ${things} that are left of run ${run.run} (${host}, key ${keyEnding(profile.apiKey)})?`
  await tools.confirm(irrevocable && most > 1 ? { kind: 'typed', message, expected: String(most) } : { kind: 'yes-no', message })
}

/** A new run over the ids of an old one that ended in these outcomes. */
export async function retry(
  tools: BulkTools,
  name: string,
  wanted: readonly Outcome[],
  options: ResumeOptions,
): Promise<BulkOutput<OutcomeRow>> {
  const started = tools.host.monotonic()
  const stateDir = (await tools.configuration()).stateDir.value
  const old = await readRecorded(stateDir, name)
  const { run } = old
  old.book.closeAll()
  await checkBelongs(tools, run, options.newKey === true)
  const chosen = await chosenItems(old, wanted)
  const count = chosen.items.size
  if (count === 0) {
    tools.note(`no id of run ${name} ended in ${wanted.join(', ')}`)
    return settled(emptySummary(tools, run, started))
  }
  await askAgain(tools, { ...run, items: count }, count)
  const profile = (await tools.configuration()).profile()
  const input = { read: count, unique: count, duplicates: 0, invalid: 0, sha256: chosen.sha256 }
  const journal: Journal = await createRun(
    tools.host,
    stateDir,
    {
      operation: run.operation,
      target: run.target,
      baseUrl: profile.baseUrl,
      profile: profile.name ?? null,
      key: { fingerprint: keyFingerprint(profile.apiKey), ending: keyEnding(profile.apiKey) },
      options: run.options,
      input,
      version: tools.version,
    },
    chosen.recorded,
  )
  const receipts = options.receipts === undefined ? undefined : await createReceipts(tools, options.receipts, run.operation)
  const batches = cutBatches(count, run.options.batchSize)
  const merge = run.operation === 'contacts.merge' ? mergeOrder(chosen.items) : undefined
  return perform(tools, {
    spec: specOf(run, chosen.items, batches),
    book: openBook(run.operation, chosen.items, batches),
    journal,
    receipts,
    todo: merge?.order ?? Array.from({ length: batches.total }, (_, i) => i + 1),
    after: merge?.after,
    input,
    profile: profile.name ?? null,
    ending: endingOf(run),
    started,
  })
}

function emptySummary(tools: BulkTools, run: RunFile, started: number): Summary {
  const items: Items = { size: 0, id: () => '', other: () => undefined, line: () => 0 }
  return summaryOf({
    operation: run.operation,
    run: null,
    profile: run.profile,
    input: { read: 0, unique: 0, duplicates: 0, invalid: 0, sha256: '' },
    book: openBook(run.operation, items, cutBatches(0, run.options.batchSize)),
    ending: {},
    isolated: false,
    durationMs: tools.host.monotonic() - started,
  })
}

async function chosenItems(
  old: RecordedRun,
  wanted: readonly Outcome[],
): Promise<{ items: Items; recorded: RunItems; sha256: string }> {
  const { run, items } = old
  const [{ IdTable }, { pairsSha256 }] = await Promise.all([import('./id-table.ts'), import('./journal.ts')])
  const positions: number[] = []
  let position = 0
  for (let batch = 1; batch <= old.batches.total; batch += 1) {
    for (const receipt of old.book.receipts(batch)) {
      if (wanted.includes(receipt.outcome)) positions.push(position)
      position += 1
    }
  }
  if (run.kind === 'pairs') {
    const pairs = positions.map((at) => ({ id: items.id(at), other: items.other(at) ?? '', line: items.line(at) }))
    return { items: pairItems(pairs), recorded: { kind: 'pairs', pairs }, sha256: pairsSha256(pairs) }
  }
  const ids = new IdTable(positions.length)
  for (const at of positions) ids.addText(items.id(at), items.line(at))
  const table = tableItems(ids)
  const assigned = run.operation === 'tickets.assign' && run.target !== null ? withOther(table, run.target.id) : table
  return { items: assigned, recorded: { kind: 'ids', ids }, sha256: ids.sha256() }
}
