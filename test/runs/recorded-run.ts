/** Recorded runs: files that are written by hand, and runs that this process holds as another svc would. */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { FileHost, RunFile } from '../../src/runs/file.ts'
import { Items } from '../../src/runs/items.ts'
import { fileName, runOf } from '../../src/runs/names.ts'
import { Redactor } from '../../src/redactor.ts'
import { currentIdentity, takeRun, type TakeOptions } from '../../src/runs/take.ts'
import { realHost } from '../host.ts'
import { idOf, temporaryFolder } from '../input/inputs.ts'
import { sessionOf, writeOf, writtenAt, type FileLine } from './run-files.ts'

export const host: FileHost & typeof realHost = realHost

/** What taking a run needs, on this host. */
export const toolsOf = (own: FileHost) => ({
  host: { ...own, random: () => 0 },
  note: (_text: unknown): void => undefined,
  signals: { cancelled: new AbortController().signal },
  messages: { redactor: new Redactor() },
})

/** The session that `recordRun` writes. */
export const firstSession = '0000000a'

/** The `run` line of a run that deletes these contacts, in batches of so many. */
export function headOf(ids: readonly string[], size: number, change: object = {}): FileLine {
  const items = Items.ofIds(ids, (position) => position + 2)
  return {
    t: 'run',
    schema: 'svc.run/6',
    name: null,
    startedAt: new Date(writtenAt).toISOString(),
    key: '0123456789abcdef',
    version: '5.0.0',
    operation: 'contacts.delete',
    parameters: {},
    baseUrl: 'https://api.example.com',
    profile: 'prod',
    keyEnding: '…cdef',
    accept: [],
    input: {
      read: ids.length,
      unique: ids.length,
      duplicates: 0,
      invalid: 0,
      sha256: items.sha256(),
    },
    kind: 'ids',
    set: items.setSha256(),
    batches: Math.ceil(ids.length / size),
    by: { user: 'ana', host: 'desk' },
    ...change,
  }
}

/** The `ids` lines of a run. */
export const idLinesOf = (ids: readonly string[], size: number): FileLine[] =>
  Array.from({ length: Math.ceil(ids.length / size) }, (_, n) => ({
    t: 'ids',
    b: n + 1,
    ids: ids.slice(n * size, (n + 1) * size).map((id, i) => [id, n * size + i + 2]),
  }))

export const someIds = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => idOf(n + 1))

/** The `session` line of a process of this machine that is certainly gone. */
export const deadSession = (over: string | null = null, after = 0, more: object = {}): FileLine =>
  sessionOf(over, after, { ...currentIdentity(host), pid: 4_194_303, ...more })

/** A run that deletes so many ids, of which nothing was sent, in a folder of its own. */
export function recordRun(
  count: number,
  size: number,
  change: { readonly name?: string; readonly startedAt?: string } & object = {},
  folder = temporaryFolder().path,
) {
  const { name: run = '20260301T101500Z-7f3a' } = change
  const path = join(folder, fileName(run))
  mkdirSync(folder, { mode: 0o700, recursive: true })
  const ids = someIds(count)
  const head = headOf(ids, size, change)
  const lines = [deadSession(), head, ...idLinesOf(ids, size)]
  writeFileSync(path, writeOf(firstSession, lines), { mode: 0o600 })
  let next = lines.length
  return {
    run,
    path,
    ids,
    startedAt: String(head['startedAt']),
    /** How many lines it has. */
    count: lines.length,
    /** Appends lines of the first session. */
    append(more: readonly FileLine[]): void {
      appendFileSync(path, writeOf(firstSession, more, next))
      next += more.length
    },
  }
}

/** Takes the run of this file, on this host unless another one is given. */
export const takeAt = (path: string, own = host, options: Partial<TakeOptions> = {}) =>
  takeRun(
    toolsOf(own),
    { run: runOf(basename(path)) ?? '', path },
    { decideToClaim: () => true, ...options },
  )

/** This process holds a run, as another svc would. */
export async function hold(path: string): Promise<{ file: RunFile; release(): Promise<void> }> {
  const taken = await takeAt(path)
  if (taken?.isHeld !== true) throw new Error(`${path} cannot be held`)
  const { file } = taken
  return {
    file,
    async release() {
      file.free()
      await file.close()
    },
  }
}
