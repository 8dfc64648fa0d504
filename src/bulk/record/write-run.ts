/**
 * Writes the files of a run, `header.json`, `items`, `journal.ndjson` and `summary.json`, in the order that docs/journal-format.md gives: a crash leaves
 * a whole run or none. `begin.ts`, `resume.ts`, `conclude.ts` and `prune.ts` call it.
 */
import { basename, dirname, join } from 'node:path'
import type { Claim } from '../../disk/claim.ts'
import { syncFolder, writeNew, type DraftHost, type Pieces } from '../../disk/whole.ts'
import { fileError } from '../../errno.ts'
import type { DiskHost } from '../../world.ts'
import type { Summary } from '../outcomes/summary.ts'
import { headerBytes, sha256, type Header } from './header.ts'
import type { Items } from './items.ts'
import { encodeLine, journalName, type JournalLine } from './journal.ts'
import {
  headerName,
  itemsName,
  keptSummary,
  summaryName,
  type RecordedRun,
} from './read-run.ts'

/** Where the run of a session is, and the claim that is checked before each change. */
export interface RunPlace {
  readonly run: string
  readonly dir: string
  readonly claim: Claim
}

/** The name of a draft: `<file>.<run>-<token>.part`. */
export const draftName = (path: string, { run, claim }: RunPlace): string =>
  `${path}.${run.toLowerCase()}-${claim.token}.part`

/** Removes the drafts that earlier sessions left in a folder: of one file, or of every file of a run's own folder. */
export async function removeDrafts(
  { disk }: DiskHost,
  place: RunPlace,
  path: string = join(place.dir, ''),
): Promise<void> {
  const isOwnFolder = path === join(place.dir, '')
  const folder = isOwnFolder ? place.dir : dirname(path)
  const end = new RegExp(
    `\\.${place.run.toLowerCase().replaceAll('.', '\\.')}-[0-9a-f]{16}\\.part$`,
  )
  const names = await disk.promises.readdir(folder).catch(() => [])
  for (const name of names) {
    const isOfFile = isOwnFolder || name.startsWith(`${basename(path)}.`)
    if (!isOfFile || !end.test(name)) continue
    place.claim.check()
    await disk.promises.rm(join(folder, name), { force: true })
  }
}

/** Writes a draft of a file of the run. Returns a function that moves it to its final place, if the session still holds the claim. */
async function writeOwn(host: DraftHost, place: RunPlace, name: string, pieces: Pieces) {
  const path = join(place.dir, name)
  const draft = await writeNew(host, draftName(path, place), pieces)
  return (): Promise<void> => {
    place.claim.check()
    return draft.move(path, true)
  }
}

/** Removes a file of the run, if the session still holds the claim. A missing file is not an error. */
function removeOwn({ disk }: DiskHost, { dir, claim }: RunPlace, name: string) {
  claim.check()
  return disk.promises.rm(join(dir, name), { force: true })
}

/** Turns the system's errors into exit 10. */
async function recording<T>({ run, dir }: RunPlace, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw fileError('local', `run ${run} cannot be recorded: ${dir}`, error).with({ run })
  }
}

/** Records a new run. The run exists once this resolves, and not before. Returns the first line of its journal. Throws exit 10 and 11. */
export function writeRun(
  host: DraftHost & { now(): number },
  place: RunPlace,
  header: Header,
  items: Items,
): Promise<JournalLine> {
  return recording(place, async () => {
    await removeDrafts(host, place)
    const bytes = headerBytes(header)
    const begin: JournalLine = {
      t: 'begin',
      n: place.claim.number,
      at: host.now(),
      schema: 'svc.run/5',
      header: sha256([bytes]),
      items: sha256(items.bytes()),
    }
    const moves = [
      await writeOwn(host, place, itemsName, items.bytes()),
      await writeOwn(host, place, journalName, [Buffer.from(encodeLine(begin))]),
      // Without its header there is no run.
      await writeOwn(host, place, headerName, [bytes]),
    ]
    for (const move of moves) await move()
    await syncFolder(host, dirname(place.dir))
    return begin
  })
}

/** Writes `summary.json`. Throws exit 10 and 11. */
export function writeSummary(
  host: DraftHost,
  place: RunPlace,
  { recorded, summary }: { readonly recorded: RecordedRun; readonly summary: Summary },
): Promise<void> {
  return recording(place, async () => {
    const { size } = host.disk.statSync(join(place.dir, journalName))
    const text = `${JSON.stringify(keptSummary(recorded, summary, size))}\n`
    const move = await writeOwn(host, place, summaryName, [Buffer.from(text)])
    await move()
  })
}

/** Removes the summary when a later session begins, because it is no longer true. Throws exit 10 and 11. */
export function removeSummary(host: DiskHost, place: RunPlace): Promise<void> {
  return recording(place, async () => {
    await removeOwn(host, place, summaryName)
    await syncFolder(host, place.dir)
  })
}

/** Removes the items and the journal of a run whose last line says that it is pruned. */
export async function removeContents(host: DiskHost, place: RunPlace): Promise<void> {
  await removeOwn(host, place, itemsName)
  await removeOwn(host, place, journalName)
  await syncFolder(host, place.dir)
}
