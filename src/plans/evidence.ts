/**
 * Evidence of a run: a folder that is checked without svc, with plan and signatures, receipts, journal, what is claimed in plain words, and
 * the checksums of all of it. It says what the service answered, and nothing beyond that. Called by `commands/runs/evidence.ts` alone.
 *
 * The folder is made beside its place, under the lock of the run, and gets its name when all of it is on disk: there is never half of it, and a
 * process that is killed leaves a draft that the next one removes.
 */
import { basename, dirname, join, resolve } from 'node:path'
import { actorWords } from '../bulk/record/actor.ts'
import { chunksOf } from '../bulk/record/recorded-files.ts'
import { planBytes } from '../bulk/record/items.ts'
import { journalName } from '../bulk/record/journal.ts'
import { sha256Of } from '../bulk/files/output-file.ts'
import { writeReceipts } from '../bulk/files/receipts.ts'
import { operationOf, targetOf } from '../bulk/operations/operations.ts'
import { isOutcome, outcomeFacts, outcomesOfOperation } from '../bulk/operations/outcome.ts'
import type { BulkOperation } from '../api/operations.ts'
import type { Summary } from '../bulk/outcomes/summary.ts'
import { findRun, type RunReference } from '../bulk/runs/find-run.ts'
import { recordedSummary, type RecordedRun } from '../bulk/runs/recorded.ts'
import { SessionLocks } from '../bulk/sessions/session-locks.ts'
import { describeCount, toTarget, withConditions } from '../bulk/telling/confirm.ts'
import type { Party } from '../bulk/record/run.ts'
import type { BulkTools } from '../bulk/tools.ts'
import { fileError, isLostCreation } from '../errno.ts'
import { SvcError, usageError } from '../errors.ts'
import { safe } from '../safe-text.ts'
import { Draft, isThere, syncFolder, writeNew } from '../disk/whole.ts'
import type { EvidenceFile } from '../views/plan.ts'
import { groupDigits } from '../words.ts'
import { namespaces, sign } from './ssh-keygen.ts'

/** Files of the folder; a signature has the name of its file with `.sig` behind it. */
const names = {
  plan: 'applied.plan',
  receipts: 'receipts.csv',
  claims: 'claims.txt',
  sums: 'SHA256SUMS',
}

export interface EvidenceOptions {
  readonly outDir: string
  readonly key?: string
}

/** Writes the folder, whole or not at all. Throws exit 2 when it is there already, exit 11 while a process works on the run. */
export async function writeEvidence(
  tools: BulkTools,
  reference: RunReference,
  { outDir, key }: EvidenceOptions,
) {
  const folder = resolve(outDir)
  if (isThere(tools.host, folder)) {
    throw usageError(
      `"${outDir}" exists already`,
      'evidence never replaces anything: name another folder',
    )
  }
  const store = await tools.store()
  const id = await findRun(store, tools, reference)
  const { mkdir, rename, rm } = tools.host.disk.promises
  const locks = new SessionLocks(tools)
  try {
    // A run that is not there has no lock to be taken: exit 2, not 10, on which a scheduler repeats.
    store.readHeader(id)
    // Nothing is added to its journal meanwhile.
    await locks.takeRun(store, id)
    const recorded = await store.read(id)
    if (recorded.damage !== undefined) tools.note(recorded.damage)
    tools.note(
      'the folder contains ids, the reason, and paths of files; it contains no names of people and no other cells of the input',
    )
    await removeDrafts(tools, folder, id)
    const draft = draftOf(folder, id)
    try {
      await mkdir(draft, { mode: 0o700 })
      const written = await writeFiles(tools, recorded, draft, key)
      await syncFolder(tools.host, draft)
      await locks.recheck()
      await rename(draft, folder)
      await syncFolder(tools.host, dirname(folder))
      return written
    } catch (error) {
      await rm(draft, { recursive: true, force: true })
      throw error
    }
  } catch (error) {
    const category = isLostCreation(error) ? 'local' : 'usage'
    throw fileError(category, `the folder "${outDir}" cannot be written`, error)
  } finally {
    await locks.release()
  }
}

/** Place where the folder of a run is made: only the holder of the run's lock writes there. */
const draftOf = (folder: string, run: string): string =>
  join(dirname(folder), `.${basename(folder)}.${run}.part`)

const runId = /[0-9]{8}T[0-9]{6}Z-[0-9a-f]{4,}(?=\.part$)/

/** Removes what killed processes left of this folder. The drafts of other runs that somebody works on stay. */
async function removeDrafts(tools: BulkTools, folder: string, run: string): Promise<void> {
  const { readdir, rm } = tools.host.disk.promises
  for (const name of await readdir(dirname(folder))) {
    const [other = ''] = runId.exec(name) ?? []
    const draft = draftOf(folder, other)
    if (other === '' || basename(draft) !== name) continue
    const locks = new SessionLocks(tools)
    try {
      if (other !== run) await locks.takeRun(await tools.store(), other)
      await rm(draft, { recursive: true, force: true })
    } catch (error) {
      if (!(error instanceof SvcError)) throw error
    } finally {
      await locks.release()
    }
  }
}

/** Writes the files of the folder. Returns them with their checksums, in the order in which they were written. */
async function writeFiles(
  tools: BulkTools,
  recorded: RecordedRun,
  folder: string,
  key: string | undefined,
) {
  const { run, state, dir } = recorded
  const written: EvidenceFile[] = []
  const add = async (
    name: string,
    pieces?: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  ): Promise<void> => {
    const path = join(folder, name)
    if (pieces !== undefined) await writeNew(tools.host, path, pieces)
    const sha256 = await sha256Of(tools.host, path)
    written.push({ file: name, sha256 })
  }
  const summary = recordedSummary(recorded)
  if (run.plan !== undefined) {
    await add(names.plan, [planBytes(run.plan, state.items)])
    for (const [at, text] of run.plan.signatures.entries()) {
      await add(signatureName(at), [Buffer.from(text)])
    }
  }
  const receipts = await Draft.create(tools.host, join(folder, names.receipts))
  await writeReceipts(tools.host, names.receipts, receipts, state)
  await receipts.close()
  await add(names.receipts)
  const journal = chunksOf(tools.host, join(dir, journalName), run.run)
  await add(journalName, journal)
  const claims = claimsOf(recorded, summary, key !== undefined)
  await add(names.claims, [Buffer.from(claims)])
  // As `sha256sum -c` reads them.
  const lines = written.map(({ file, sha256 }) => `${sha256}  ${file}\n`)
  const sums = Buffer.from(lines.join(''))
  await add(names.sums, [sums])
  if (key !== undefined) {
    const signature = await sign(tools, { key, namespace: namespaces.evidence, bytes: sums })
    await add(`${names.sums}.sig`, [Buffer.from(signature)])
  }
  return written
}

/** Name of a signature of the plan; they are numbered from 1. */
const signatureName = (at: number): string => `${names.plan}.${at + 1}.sig`

/** Claims that are not made: outcomes of which the change is a guess after a lost answer, or that the service answered otherwise. */
function notChanged(operation: BulkOperation): string[] {
  const { items, words } = operationOf(operation)
  const claims: string[] = []
  for (const outcome of outcomesOfOperation(operation)) {
    const { guessOf, isAcceptable, meaning } = outcomeFacts(outcome)
    const isCertain = guessOf === undefined && !isAcceptable
    if (isCertain) continue
    const thing = `a ${items.kind} with the outcome "${outcome}"`
    claims.push(`that ${thing} was ${words.done} (${meaning})`)
  }
  return claims
}

/** ` to 6400…, with --isolate`: everything beside the items that decided what was asked. By ids alone, as the folder has no names. */
function askedWith({ operation, parameters }: RecordedRun['run']): string {
  const unnamed: Record<string, Party | true> = {}
  for (const [key, value] of Object.entries(parameters)) {
    unnamed[key] = value === true ? true : { id: value.id }
  }
  const target = targetOf(operation, unnamed)
  const conditions = withConditions(operation, unnamed)
  return `${toTarget(operation, target)}${conditions}`
}

/** Names of the files with the signatures of the plan that a run applied. */
function signatureNames({ plan }: RecordedRun['run']): string[] {
  return plan?.signatures.map((_, at) => signatureName(at)) ?? []
}

/** The request in lines: what was asked of which service, by whom and when, why, and by which plan. `left`: items without a known end. */
function requestLines({ run, end }: RecordedRun, left: number): string[] {
  const { operation, items, baseUrl, key } = run
  const count = describeCount(operation, items)
  const what = `${operation} of ${count}${askedWith(run)}`
  const begun = `begun at ${run.startedAt} by ${actorWords(run.by)}`
  const endedAt = end === undefined ? undefined : new Date(end.at).toISOString()
  const ended = endedAt === undefined ? 'it has no recorded end' : `it ended at ${endedAt}`
  const rest = `${groupDigits(left)} left to send or to find out`
  // Quoted, so that no reason can look like another line.
  const reason = JSON.stringify(run.reason ?? 'none was given')
  const lines = [
    `${what} at ${baseUrl}, with the key that ends in ${key.ending}`,
    `run ${run.run}, ${begun}; ${ended}; ${rest}`,
    `reason: ${reason}`,
  ]
  if (run.plan === undefined) return lines
  const signatures = signatureNames(run)
  const signed =
    signatures.length === 0
      ? 'for which no signature was required'
      : `with the signatures ${signatures.join(', ')}`
  return [...lines, `it applied ${names.plan}, ${signed}`]
}

/** Commands by which anybody checks the folder. */
function checkCommands({ run }: RecordedRun, isSigned: boolean): string[] {
  const verify = (namespace: string, signature: string, file: string): string =>
    `ssh-keygen -Y verify -f <signers> -I <name> -n ${namespace} -s ${signature} < ${file}`
  const commands = [`sha256sum -c ${names.sums}`]
  if (isSigned) commands.push(verify(namespaces.evidence, `${names.sums}.sig`, names.sums))
  for (const signature of signatureNames(run)) {
    commands.push(verify(namespaces.plan, signature, names.plan))
  }
  return commands
}

/** Claims, and what is not claimed, for people who never saw svc. */
function claimsOf(recorded: RecordedRun, { rows, left }: Summary, isSigned: boolean): string {
  const outcomes: string[] = []
  for (const { outcome, count } of rows) {
    // The other rows count what was never part of the run.
    if (!isOutcome(outcome)) continue
    const { meaning } = outcomeFacts(outcome)
    outcomes.push(`${groupDigits(count)} ${outcome}: ${meaning}`)
  }
  const claims = [
    ...outcomes,
    `each id stands in ${names.receipts} with its outcome, and ${journalName} has every request and what was answered`,
    'these are the words of the service as svc recorded them when they came',
  ]
  const others = [
    'that copies, exports or other systems do not have this data any more',
    ...notChanged(recorded.run.operation),
    'that the ids are those of the people who were meant',
    'that the clocks of the computer or of the service were right',
    'that the service did what it answered, or anything that it did not answer',
  ]
  const commands = checkCommands(recorded, isSigned)
  const commandLines = commands.map((command) => `  ${command}\n`)
  const sections = [
    'This folder contains ids, the reason, and paths of files.\n',
    section('WHAT WAS ASKED', requestLines(recorded, left)),
    section('WHAT IS CLAIMED', claims),
    section('WHAT IS NOT CLAIMED', others),
    `HOW IT IS CHECKED, WITHOUT SVC\n${commandLines.join('')}`,
  ]
  return sections.join('\n')
}

/** A heading with lines below it, of which none can begin another one. */
function section(heading: string, lines: readonly string[]): string {
  let text = `${heading}\n`
  for (const words of lines) text += `- ${safe(words)}\n`
  return text
}
