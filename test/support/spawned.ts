/** The built program as a real process: signals, pipes, terminals, limits of the system. */
import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { spawn as spawnPty } from '@lydell/node-pty'
import { expect } from 'vitest'
import { batchesIn } from './small-batches.ts'
import { commandOf, root } from './svc.ts'

export const bin = join(root, 'bin/svc.js')
if (!existsSync(join(root, 'dist/main.js'))) throw new Error('not built: node bin/build.mjs')
const svcInShell = `svc() { "${process.execPath}" "${bin}" "$@"; }`

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export type Running = ChildProcess & { readonly ended: Promise<Ended> }

export interface SpawnOptions {
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly stdin?: string
  readonly cwd?: string
  readonly uid?: number | undefined
}

/** Starts a program in a session of its own, without a controlling terminal. */
export function start(
  command: string,
  words: readonly string[],
  options: SpawnOptions = {},
): Running {
  const { uid, stdin = '', cwd } = options
  const child = spawn(command, words, {
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], TZ: 'UTC', ...options.env },
    cwd,
    uid,
    gid: uid,
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  child.stdin.on('error', () => undefined)
  child.stdin.end(stdin)
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }))
  })
  return Object.assign(child, { ended })
}

export function startSvc(given: string, options: SpawnOptions = {}): Running {
  const { words, variables } = commandOf(given.split(' ').filter((word) => word !== ''))
  const env = batchesIn({ ...options.env, ...variables })
  return start(process.execPath, [bin, ...words], { ...options, env })
}

export function shell(given: string, options: SpawnOptions = {}): Running {
  return start('/bin/sh', ['-c', `${svcInShell}\n${given}`], options)
}

/** Behind what a line printed: a terminal that is closed at once loses the last words. */
const endOfLine = '\u001b]end\u0007'

export function onTerminal(
  given: string,
  environment: Readonly<Record<string, string | undefined>>,
  cwd: string,
) {
  const waiting = `code=$?; printf '\\033]end\\007'; read -r _; exit $code`
  const script = `${svcInShell}\n${given}\n${waiting}`
  const pty = spawnPty('/bin/sh', ['-c', script], {
    cols: 100,
    rows: 30,
    cwd,
    env: { PATH: process.env['PATH'], TERM: 'xterm-256color', TZ: 'UTC', ...environment },
  })
  let all = ''
  let isOver = false
  pty.onData((data) => {
    if (isOver) return
    all += data
    isOver = all.includes(endOfLine)
    if (!isOver) return
    all = all.slice(0, all.indexOf(endOfLine))
    pty.write('\n')
  })
  const exited = new Promise<{ exitCode: number; signal?: number }>((resolve) => {
    pty.onExit(resolve)
  })
  return {
    pty,
    text: () => all,
    /** Resolves once the text was drawn; rejects after a minute. */
    async shows(text: string) {
      await expect.poll(() => all, { interval: 10, timeout: 60_000 }).toContain(text)
    },
    exited,
  }
}
