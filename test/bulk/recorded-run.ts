/** Recorded runs, written by the functions that svc writes them with. */
import { appendFileSync, mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Claim } from '../../src/disk/claim.ts'
import type { Header } from '../../src/bulk/record/header.ts'
import { Items } from '../../src/bulk/record/items.ts'
import { encodeLine, journalName, type JournalLine } from '../../src/bulk/record/journal.ts'
import { writeRun } from '../../src/bulk/record/write-run.ts'
import { realHost } from '../host.ts'
import { idOf, temporaryFolder } from '../input/inputs.ts'

export const host = realHost

/** A session that nobody else wants. */
export const alone = {
  number: 1,
  token: '0123456789abcdef',
  isTakenOver: false,
  check: () => undefined,
  release: () => undefined,
} as unknown as Claim

/** A run that deletes so many ids, of which nothing was sent, in a folder of its own. */
export async function recordRun(
  count: number,
  batchSize: number,
  change: Partial<Header> = {},
  folder = temporaryFolder().path,
  id = '20260301T101500Z-7f3a',
) {
  const run = change.name ?? id
  const dir = join(folder, change.name == null ? run : `@${run}`)
  mkdirSync(dir, { mode: 0o700, recursive: true })
  const ids = Array.from({ length: count }, (_, n) => idOf(n + 1))
  const items = Items.ofIds(ids, (position) => position + 2)
  const header: Header = {
    schema: 'svc.run/5',
    name: null,
    startedAt: '2026-03-01T10:15:00.000Z',
    operation: 'contacts.delete',
    parameters: {},
    baseUrl: 'https://api.example.com',
    profile: 'prod',
    key: { fingerprint: '0123456789abcdef', ending: 'cdef' },
    options: { batchSize, concurrency: 1 },
    input: { read: count, unique: count, duplicates: 0, invalid: 0, sha256: items.sha256() },
    kind: 'ids',
    by: { user: 'ana', host: 'desk' },
    version: '5.0.0',
    ...change,
  }
  await writeRun(host, { run, dir, claim: alone }, header, items)
  return { run, dir, header, items, ids }
}

/** Appends lines to the journal of a run, as a session does. */
export function writeLines(dir: string, lines: readonly JournalLine[]): void {
  appendFileSync(join(dir, journalName), lines.map(encodeLine).join(''))
}

/** The session of a process that works on a run in this folder. */
export const hold = (dir: string): Promise<Claim> =>
  Claim.take(host, dir, { what: `run ${basename(dir)}` })
