/** Receipts and annotated rows of a run that are older than what is known of it: the session after them wrote none. */
import { isAbsolute, relative, sep } from 'node:path'
import type { Host } from '../../host.ts'
import { shellWord } from '../../words.ts'
import { isThere } from '../record/disk.ts'
import type { FileEvent } from '../record/events.ts'
import { checkPlace } from '../files/output-file.ts'
import type { RecordedRun } from '../runs/recorded.ts'

type Given = Readonly<Partial<Record<FileEvent['kind'], string | undefined>>>

/**
 * A note for what a session leaves stale, with the command that writes it again; undefined when there is nothing of that kind.
 * `given`: what this session writes. A file that is gone, or that somebody else wrote since, is nobody's business here.
 */
export async function staleNote(
  host: Pick<Host, 'cwd'>,
  { run, files, places }: Pick<RecordedRun, 'run' | 'files' | 'places'>,
  given: Given,
  isSending: boolean,
): Promise<string | undefined> {
  const stale: (readonly [kind: 'receipts' | 'annotate', path: string])[] = []
  for (const kind of ['receipts', 'annotate'] as const) {
    const written = places.get(kind)
    if (written === undefined || given[kind] !== undefined || !(isSending || written.isStale)) continue
    const isOurs = await checkPlace(written.path, kind, files).then(
      () => isThere(written.path),
      () => false,
    )
    if (isOurs) stale.push([kind, fromHere(host.cwd(), written.path)])
  }
  if (stale.length === 0) return undefined
  const names = stale.map(([, path]) => `"${path}"`).join(' and ')
  const options = stale.map(([kind, path]) => ` --${kind} ${shellWord(path)}`).join('')
  const verb = stale.length === 1 ? 'was' : 'were'
  return `${names} ${verb} not written again and may be out of date; to write ${stale.length === 1 ? 'it' : 'them'} again:\n  svc runs resume ${run.run}${options}`
}

/** As it would be typed here: relative when it lies in this folder or below it. */
function fromHere(folder: string, path: string): string {
  const below = relative(folder, path)
  return isAbsolute(below) || below.startsWith('-') || below.split(sep)[0] === '..' ? path : below
}
