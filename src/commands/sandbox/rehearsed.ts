/** One rehearsal of a script: a sandbox, a folder and a state of its own, one fault, and what came of it. */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { copyFile, cp, lstat, opendir, readdir, readFile, rm } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { allReceipts } from '../../bulk/files/receipts.ts'
import { readRecorded } from '../../bulk/runs/recorded.ts'
import { listRuns } from '../../bulk/runs/store.ts'
import type { Context } from '../../cli/verb.ts'
import { messageOf, SvcError, systemCode, usageError } from '../../errors.ts'
import type { Host } from '../../host.ts'
import type { Sandbox, SandboxOptions } from '../../sandbox/transport.ts'
import { isFinished, namesOf, stateOf, type Rehearsed } from './judged.ts'
import { cannotStart, folderOf, furnish, selfOf } from './inside.ts'
import type { rehearsalFaults } from '../../values.ts'
import { startAsTold } from './options.ts'

type FaultKind = (typeof rehearsalFaults)[number]

/** What can happen to a request, as faults of the sandbox: each happens once. */
const faultsAt: Readonly<Record<FaultKind, (at: number) => string>> = {
  // So long that svc ends at once, and the script goes on without it.
  refused: (at) => `*:${at}=503(retry-after=86400)`,
  lost: (at) => `*:${at}=drop-after-apply`,
  throttled: (at) => `*:${at}=429(retry-after=0)`,
  killed: (at) => `*:${at}=hang-after-apply`,
  // Slow enough that two of them meet.
  together: () => 'latency=50ms',
}

/** What happens, and to which request, from 1. */
export interface Case {
  readonly kind: FaultKind
  readonly at: number
}

export interface Script {
  readonly words: readonly [string, ...string[]]
  readonly data: string | undefined
  readonly seed: number | undefined
}

const mostStarts = 6
const mostBytes = 100_000_000

/** Throws exit 2 when the files of the current folder are more than each rehearsal can have a copy of. */
export async function checkFolderSize(folder: string): Promise<void> {
  let bytes = 0
  for await (const entry of await opendir(folder, { recursive: true })) {
    if (entry.isFile()) bytes += (await lstat(join(entry.parentPath, entry.name))).size
    if (bytes <= mostBytes) continue
    throw usageError('the current folder has more than 100 MB', 'go to one that has only what the script needs')
  }
}

export async function rehearseOnce(context: Context, script: Script, happens?: Case): Promise<Rehearsed> {
  const folder = await folderOf(context.host)
  const own: { sandbox?: Sandbox } = {}
  try {
    return await inFolder({ context, script, happens, folder, own })
  } finally {
    await own.sandbox?.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

interface Rehearsal {
  readonly context: Context
  readonly script: Script
  readonly happens: Case | undefined
  readonly folder: string
  /** To be closed, whatever happens. */
  readonly own: { sandbox?: Sandbox }
}

async function inFolder({ context, script, happens, folder, own }: Rehearsal): Promise<Rehearsed> {
  const { host } = context
  const cwd = await copyOf(host, folder)
  const faults = happens && faultsAt[happens.kind](happens.at)
  const killer = new Killer(host, happens?.kind === 'killed')
  const data = script.data === undefined ? undefined : await copyOfData(host, script.data, folder)
  const sandbox = await startAsTold(context, { seed: script.seed, data, faults, record: 1_000_000 }, 0, (arrival) =>
    killer.see(arrival, sandbox),
  )
  own.sandbox = sandbox
  const names = namesOf(sandbox.store)
  const { env } = await furnish(host, folder, sandbox, killer.mark)
  const beganAt = host.now()
  const start = () => startScript(context, script.words, { cwd, env, killer })
  const first = await Promise.all(happens?.kind === 'together' ? [start(), start()] : [start()])
  const exitCodes = first.map(({ code }) => code)
  const lastCodes = [...exitCodes]
  let lastError: string | undefined
  for (const [which] of first.entries()) {
    for (let starts = 1; starts < mostStarts && !isFinished(lastCodes[which] ?? 0); starts += 1) {
      const { code, stderr } = await start()
      exitCodes.push(code)
      lastCodes[which] = code
      lastError = /^error: (.*)/m.exec(stderr)?.[1]
    }
  }
  await sandbox.settled()
  const written = await receiptsIn(cwd, beganAt)
  const sent = sandbox.record.entries.map((entry, n) => ({ ...entry, body: killer.bodies[n] ?? '' }))
  const claims = new Set([...written, ...(await claimsOfRuns(host, join(folder, 'state')))])
  const receipts = new Set(written.map((claim) => claim.split(' ')[1] ?? ''))
  const stderr = first.map((each) => each.stderr).join('')
  return { exitCodes, lastCodes, sent, state: stateOf(sandbox.store, names), claims, receipts, stderr, lastError }
}

/** Files and folders as they are, links too; not sockets, pipes and devices. */
async function copyOf(host: Host, folder: string): Promise<string> {
  const copy = join(folder, 'work')
  try {
    await cp(host.cwd(), copy, {
      recursive: true,
      verbatimSymlinks: true,
      preserveTimestamps: true,
      filter: async (path) => {
        const status = await lstat(path)
        return status.isFile() || status.isDirectory() || status.isSymbolicLink()
      },
    })
  } catch (error) {
    throw usageError(`the current folder cannot be copied: ${systemCode(error) ?? messageOf(error)}`)
  }
  return copy
}

async function copyOfData(host: Host, data: string, folder: string): Promise<string> {
  const copy = join(folder, 'data.json')
  try {
    await copyFile(resolve(host.cwd(), data), copy)
  } catch (error) {
    throw usageError(`the data file "${data}" cannot be read: ${systemCode(error) ?? messageOf(error)}`)
  }
  return copy
}

/** Sees each request, and knows which process sent it. */
class Killer {
  readonly mark = randomUUID()
  readonly bodies: string[] = []
  /** Of the script that runs. */
  group = 0
  readonly #host: Host
  readonly #senders = new Map<number, number>()
  #isOver: boolean

  constructor(host: Host, isToKill: boolean) {
    this.#host = host
    this.#isOver = !isToKill
  }

  see(arrival: Parameters<NonNullable<SandboxOptions['onRequest']>>[0], sandbox: Sandbox): void {
    this.bodies.push(arrival.body)
    const [mark, pid] = String(arrival.headers['x-svc-rehearsal']).split(' ')
    if (mark === this.mark) this.#senders.set(arrival.connection, Number(pid))
    if (!this.#isOver) void sandbox.settled().then(() => this.#kill(sandbox))
  }

  /** Once the fault has happened. Who is not svc goes with the whole script: nobody would answer it. */
  #kill({ record }: Sandbox): void {
    const hit = record.entries.find(({ fault }) => fault !== null)
    if (hit === undefined || this.#isOver) return
    this.#isOver = true
    this.#host.kill(this.#senders.get(hit.connection) ?? this.group)
  }
}

/** To its end and that of everything that it has left running. Throws when a signal ends the rehearsal. */
function startScript(
  { host, signal }: Context,
  words: Script['words'],
  { cwd, env, killer }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly killer: Killer },
): Promise<{ code: number; stderr: string }> {
  const [program, ...rest] = words[0] === 'svc' ? [...selfOf(host), ...words.slice(1)] : words
  const isGrouped = host.platform !== 'win32'
  return new Promise((resolveEnd, reject) => {
    // In a session of its own, so that no terminal can be asked.
    const child = spawn(program, rest, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'], detached: isGrouped })
    let stderr = ''
    child.stderr.on('data', (text: Buffer) => (stderr = (stderr + text.toString()).slice(-65_536)))
    killer.group = (child.pid ?? 0) * (isGrouped ? -1 : 1)
    const end = (): void => host.kill(killer.group)
    signal.addEventListener('abort', end)
    child.once('error', (error) => reject(cannotStart(host, program, error)))
    child.once('close', (code) => {
      signal.removeEventListener('abort', end)
      if (signal.aborted) reject(new SvcError('interrupted', 'interrupted'))
      else resolveEnd({ code: code ?? 137, stderr })
    })
  })
}

const rowOfReceipt = /^([0-9a-f]{24}),\d*,([a-z-]+),|"id":"([0-9a-f]{24})","line":(?:\d+|null),"outcome":"([a-z-]+)"/gim

/** What the receipts say that the script has written, as svc writes them. */
async function receiptsIn(folder: string, beganAt: number): Promise<string[]> {
  const claims: string[] = []
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (!entry.isFile() || (await lstat(path)).mtimeMs < beganAt - 1000) continue
    const text = await readFile(path, 'utf8')
    for (const [, id, outcome, other, told] of text.matchAll(rowOfReceipt))
      claims.push(`${outcome ?? told ?? ''} ${(id ?? other ?? '').toLowerCase()}`)
  }
  return claims
}

/** What the runs say of their ids, whatever state folder they are in. */
async function claimsOfRuns(host: Host, state: string): Promise<string[]> {
  const claims: string[] = []
  const inside = (await readdir(state)).filter((name) => name.startsWith('%')).map((name) => join(state, name))
  for (const folder of [state, ...inside])
    for (const { dir, run } of await listRuns(host, folder)) {
      if (run === undefined) continue
      const recorded = await readRecorded(folder, basename(dir))
      recorded.state.closeAll()
      for (const { id, outcome } of allReceipts(recorded.state)) claims.push(`${outcome} ${id.toLowerCase()}`)
    }
  return claims
}
