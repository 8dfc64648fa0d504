/** Recorded runs: gone on with, sent again in part. Surface, section 4; reliability, section 3. */
import { SvcError, usageError } from '../errors.ts'
import { keepYoungSpaceSmall } from '../engine.ts'
import { checkStateFolder } from '../folder.ts'
import { grouped } from '../grouped.ts'
import type { BulkOutput, OutcomeRow } from '../output/output.ts'
import { keyEnding, type Profile } from '../profiles/profile.ts'
import { cutBatches, type Batches } from './batches.ts'
import { numbers, openBook, type Book, type Chain, type Items } from './book.ts'
import type { BulkTools } from './bulk.ts'
import { askToSend, counted, perform, recordEnd, settled, words } from './execute.ts'
import { IdTable } from '../ids/id-table.ts'
import {
  createRun,
  keyFingerprint,
  listRuns,
  openJournal,
  pairsSha256,
  type Journal,
  type ListedRun,
  type RunFile,
  type RunItems,
} from './journal.ts'
import { lockHolder } from './lock.ts'
import { tellUnknownMerges } from './notes.ts'
import { chainOf, pairItems, tableItems, withOther } from './plan.ts'
import { allReceipts, checkReceipts, createReceipts } from './receipts.ts'
import { optionsOf, readRecorded, recordedSummary, shapeOf, timer, type RecordedRun } from './recorded.ts'
import type { EndEvent, JournalEvent, Outcome } from './reconcile.ts'
import type { RunSpec } from './run.ts'
import { summaryOf, type Summary } from './summary.ts'

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
  keepYoungSpaceSmall(tools.host.nodeVersion)
  if (options.receipts !== undefined) await checkReceipts(options.receipts)
  const stateDir = (await tools.configuration()).stateDir.value
  checkStateFolder(tools.host, stateDir)
  const name = asked ?? (await newestUnfinished(tools, stateDir))
  const shape = await shapeOf(stateDir, name)
  const book = openBook(shape.run.operation, shape.items, shape.batches, shape)
  const time = timer(shape.run)
  const keys = new Set([shape.run.key.fingerprint])
  let end: EndEvent | undefined
  // The lock comes before everything: what is read and asked below stays true until it is given back.
  const opened = await openJournal(tools.host, stateDir, name, (event: JournalEvent) => {
    end = event.t === 'end' ? event : undefined
    time.hear(event)
    if (event.t === 'resume') keys.add(event.key ?? shape.run.key.fingerprint)
    else if (event.t !== 'end') book.apply(event)
  })
  try {
    if (opened.torn > 0) {
      tools.note(
        `the last line of the journal was cut off by a crash (${grouped(opened.torn)} bytes); it counts as not written`,
      )
    }
    const recorded = { ...shape, book, end, durationMs: time.durationMs }
    return await goOn(tools, { recorded, keys, journal: opened.journal, options })
  } catch (error) {
    await opened.journal.close()
    throw error
  }
}

interface Resumption {
  readonly recorded: RecordedRun
  /** Fingerprints of the keys that worked on it. */
  readonly keys: ReadonlySet<string>
  readonly journal: Journal
  readonly options: ResumeOptions
}

async function goOn(
  tools: BulkTools,
  { recorded, keys, journal, options }: Resumption,
): Promise<BulkOutput<OutcomeRow>> {
  const { run, book, batches, items, chain } = recorded
  const open = closeFinished(book, batches, chain)
  if (open.length === 0) return showAgain(tools, recorded, journal, options)
  const { profile, fingerprint } = await checkBelongs(tools, run, keys, options.newKey === true)
  await tools.api()
  const ids = open.reduce(
    (sum, batch) => sum + Math.min(batches.size, batches.to - batches.from - (batch - 1) * batches.size),
    0,
  )
  tools.note(
    `going on with run ${run.run}: ${counted(run.operation, ids)} left${run.target === null ? '' : `, to ${run.target.name === undefined ? run.target.id : `"${run.target.name}"`}`}`,
  )
  await askAgain(tools, run, profile, ids)
  const receipts =
    options.receipts === undefined ? undefined : await createReceipts(tools, options.receipts, run.operation)
  try {
    const key = fingerprint === run.key.fingerprint ? {} : { key: fingerprint }
    await journal.append({ t: 'resume', at: tools.host.now(), ...key })
  } catch (error) {
    await receipts?.discard()
    throw error
  }
  for (const batch of open) book.takeUp(batch)
  return perform(tools, {
    spec: specOf(run, items, batches),
    book,
    journal,
    receipts,
    todo: open,
    chain,
    input: run.input,
    profile: run.profile,
    ending: optionsOf(run),
    durationBefore: recorded.durationMs,
  })
}

/** Closes what is finished, may only be listed, or waits for what will never be done; returns the rest in order. */
function closeFinished(book: Book, batches: Batches, chain: Chain | undefined): number[] {
  const open: number[] = []
  for (const batch of chain?.order ?? numbers(batches.total)) {
    const isInVain = chain?.after(batch).some((earlier) => book.isClosed(earlier) && !book.isDone(earlier)) === true
    if (isInVain) book.close(batch, 'not sent: a merge that must come first was not done')
    else if (book.hasWorkLeft(batch)) open.push(batch)
    else book.close(batch)
  }
  return open
}

/** Nothing is left to send: the run's ending, which a killed process could not write, is written now. */
async function showAgain(
  tools: BulkTools,
  recorded: RecordedRun,
  journal: Journal,
  options: ResumeOptions,
): Promise<BulkOutput<OutcomeRow>> {
  const { run, book, batches, end } = recorded
  const receipts =
    options.receipts === undefined ? undefined : await createReceipts(tools, options.receipts, run.operation)
  await receipts?.write(book, batches)
  const summary = recordedSummary(recorded)
  if (end?.exitCode !== summary.exitCode) await recordEnd(tools, journal, summary)
  await journal.close()
  tools.note(`nothing is left to do of run ${run.run}`)
  if (run.operation === 'contacts.merge') tellUnknownMerges(tools, book, recorded)
  return settled(summary, allReceipts(book, batches))
}

/** The newest run that resuming would go on with. Throws exit 2 when there is none. */
async function newestUnfinished(tools: BulkTools, stateDir: string): Promise<string> {
  for (const listed of await listRuns(tools.host, stateDir)) {
    if (listed.problem !== undefined) tools.warn(`run ${listed.name} was passed over: ${listed.problem}`)
    if (listed.holder !== undefined)
      tools.note(`run ${listed.name} was passed over: process ${listed.holder} works on it`)
    if (listed.run === undefined || listed.holder !== undefined || isSettled(listed)) continue
    const { book, batches, chain } = await readRecorded(stateDir, listed.name)
    if (closeFinished(book, batches, chain).length > 0) return listed.name
  }
  throw usageError('there is no unfinished run', 'svc runs list shows all of them')
}

/** Whether a run's last line says already that nothing can be left: its ids need not be read. */
function isSettled({ run, end }: ListedRun): boolean {
  if (run === undefined || end === undefined) return false
  const { error = 0, unknown = 0, notAttempted = 0, failed = 0 } = end.result
  return error + unknown + notAttempted + (run.options.isolate === true ? failed : 0) === 0
}

/** Throws exit 2 when the run belongs to another service, or to another key without `--new-key`. */
async function checkBelongs(
  tools: BulkTools,
  run: RunFile,
  keys: ReadonlySet<string>,
  newKey: boolean,
): Promise<{ profile: Profile; fingerprint: string }> {
  const profile = (await tools.configuration()).profile()
  const [its, ours] = [new URL(run.baseUrl), new URL(profile.baseUrl)]
  if (ours.origin !== its.origin) {
    throw new SvcError(
      'usage',
      `run ${run.run} belongs to ${its.origin}, the profile to ${ours.origin}; nothing was sent`,
      {
        hint:
          run.profile === null
            ? 'name the profile or the environment of that service'
            : `name its profile: -p ${run.profile}`,
        run: run.run,
      },
    )
  }
  const fingerprint = keyFingerprint(profile.apiKey)
  if (!keys.has(fingerprint) && !newKey) {
    throw new SvcError(
      'usage',
      `run ${run.run} was begun with the key ${run.key.ending}, this is ${keyEnding(profile.apiKey)}; nothing was sent`,
      {
        hint: 'to another company these ids are unknown; when both keys belong to the same company: --new-key',
        run: run.run,
      },
    )
  }
  return { profile, fingerprint }
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
async function askAgain(tools: BulkTools, run: RunFile, profile: Profile, count: number): Promise<void> {
  const on = profile.name === undefined ? '' : `on "${profile.name}" `
  const place = `${on}(${new URL(profile.baseUrl).host}, key ${keyEnding(profile.apiKey)})`
  const what = `${words[run.operation].verb} ${counted(run.operation, count)}`
  await askToSend(tools, run.operation, profile, count, `${what} of run ${run.run} ${place}?`)
}

/** A new run over the ids of an old one that ended in these outcomes. */
export async function retry(
  tools: BulkTools,
  name: string,
  wanted: readonly Outcome[],
  options: ResumeOptions,
): Promise<BulkOutput<OutcomeRow>> {
  keepYoungSpaceSmall(tools.host.nodeVersion)
  if (options.receipts !== undefined) await checkReceipts(options.receipts)
  const started = tools.host.monotonic()
  const stateDir = (await tools.configuration()).stateDir.value
  checkStateFolder(tools.host, stateDir)
  const old = await readRecorded(stateDir, name)
  const { run } = old
  const holder = await lockHolder(tools.host, old.dir)
  if (holder !== undefined) {
    throw new SvcError('local', `run ${name} is being worked on by process ${holder}`, {
      hint: 'wait until it ends, or stop it',
      run: name,
    })
  }
  old.book.closeAll()
  const { items, recorded, chain, sha256 } = chosenItems(old, wanted)
  const input = { read: items.size, unique: items.size, duplicates: 0, invalid: 0, sha256 }
  const batches = cutBatches(items.size, run.options.batchSize)
  if (items.size === 0) {
    tools.note(`no id of run ${name} ended in ${wanted.join(', ')}; there is nothing to do`)
    return settled(nothing(tools, run, input, batches, started))
  }
  const { profile, fingerprint } = await checkBelongs(
    tools,
    run,
    new Set([run.key.fingerprint]),
    options.newKey === true,
  )
  await tools.api()
  await askAgain(tools, run, profile, items.size)
  const receipts =
    options.receipts === undefined ? undefined : await createReceipts(tools, options.receipts, run.operation)
  let journal: Journal
  try {
    const description = {
      operation: run.operation,
      target: run.target,
      baseUrl: profile.baseUrl,
      profile: profile.name ?? null,
      key: { fingerprint, ending: keyEnding(profile.apiKey) },
      options: run.options,
      input,
      version: tools.version,
    }
    journal = await createRun(tools.host, stateDir, description, recorded)
  } catch (error) {
    await receipts?.discard()
    throw error
  }
  return perform(tools, {
    spec: specOf(run, items, batches),
    book: openBook(run.operation, items, batches, { chain, isolate: run.options.isolate }),
    journal,
    receipts,
    todo: chain?.order ?? numbers(batches.total),
    chain,
    input,
    profile: profile.name ?? null,
    ending: optionsOf(run),
    durationBefore: 0,
  })
}

function nothing(tools: BulkTools, run: RunFile, input: RunFile['input'], batches: Batches, started: number): Summary {
  const items: Items = { size: 0, id: () => '', ids: () => [], other: () => undefined, line: () => 0 }
  return summaryOf({
    operation: run.operation,
    run: null,
    profile: run.profile,
    input,
    book: openBook(run.operation, items, batches),
    ending: {},
    isolated: run.options.isolate === true,
    durationMs: tools.host.monotonic() - started,
  })
}

interface Chosen {
  readonly items: Items
  readonly recorded: RunItems
  readonly chain: Chain | undefined
  readonly sha256: string
}

function chosenItems(old: RecordedRun, wanted: readonly Outcome[]): Chosen {
  const { run, items, book } = old
  const positions = wanted.flatMap((outcome) => book.positions(outcome)).sort((a, b) => a - b)
  if (run.kind === 'pairs') {
    const pairs = positions.map((at) => ({ id: items.id(at), other: items.other(at) ?? '', line: items.line(at) }))
    const chain = run.operation === 'contacts.merge' ? chainOf(pairs) : undefined
    return { items: pairItems(pairs), recorded: { kind: 'pairs', pairs }, chain, sha256: pairsSha256(pairs) }
  }
  const ids = new IdTable(positions.length)
  for (const at of positions) ids.addText(items.id(at), items.line(at))
  const table = tableItems(ids)
  const isAssign = run.operation === 'tickets.assign' && run.target !== null
  const chosen = isAssign ? withOther(table, run.target.id) : table
  return { items: chosen, recorded: { kind: 'ids', ids }, chain: undefined, sha256: ids.sha256() }
}
