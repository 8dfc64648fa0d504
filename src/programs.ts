/**
 * Programs that svc starts and waits for (the command that prints a secret, ssh-keygen), and files that they read. The host loads it
 * when the first one is started; everybody else asks the host.
 */
import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Program {
  /** Absolute. */
  readonly path: string
  readonly words: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** The folder that it runs in; the current one unless this says otherwise. */
  readonly cwd?: string
  /** Nothing when absent. */
  readonly input?: Uint8Array
  /** Ends it. */
  readonly signal?: AbortSignal
  /** Hears each line that it says on stderr, the last one too; which is otherwise thrown away unread. */
  readonly onLine?: (line: string) => void
  /** It is killed when it takes longer, in milliseconds, or prints more. */
  readonly limits?: { readonly ms: number; readonly bytes: number }
}

export interface ProgramResult {
  /** Null when a signal ended it. */
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  /** The limit that it was killed for. */
  readonly exceeded?: 'time' | 'output'
}

/** Runs a program to its end, without a shell. Rejects when it cannot be started, and when it is aborted. */
export function runProgram({
  path,
  words,
  env,
  cwd,
  input,
  signal,
  onLine,
  limits,
}: Program): Promise<ProgramResult> {
  return new Promise((resolve, reject) => {
    // A stream that is not ignored may be kept open for ever by a process that the program started and left behind.
    const stdio = [
      input === undefined ? 'ignore' : 'pipe',
      'pipe',
      onLine === undefined ? 'ignore' : 'pipe',
    ] as const
    const child = spawn(path, words, {
      env,
      cwd,
      signal,
      windowsHide: true,
      stdio: [...stdio],
    })
    const chunks: Buffer[] = []
    let exceeded: ProgramResult['exceeded']
    function stop(limit: 'time' | 'output'): void {
      exceeded ??= limit
      child.kill('SIGKILL')
      // A process that it started may hold them open.
      child.stdout?.destroy()
      child.stderr?.destroy()
    }
    const timer = limits && setTimeout(() => stop('time'), limits.ms)
    let length = 0
    let rest = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      length += chunk.length
      if (length > (limits?.bytes ?? Infinity)) stop('output')
    })
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      const lines = `${rest}${text}`.split(/\r?\n/)
      rest = lines.pop() ?? ''
      for (const line of lines) onLine?.(line)
    })
    // One that refuses its arguments does not read to the end, and its exit code says so.
    child.stdin?.on('error', () => undefined).end(input)
    child.on('error', (error) => {
      clearTimeout(timer)
      reject(error)
    })
    child.on('close', (code, ending) => {
      clearTimeout(timer)
      if (rest !== '') onLine?.(rest)
      const stdout = Buffer.concat(chunks).toString('utf8')
      const result = { code, signal: ending, stdout }
      resolve(exceeded ? { ...result, exceeded } : result)
    })
  })
}

/** Writes files for a program, this user's alone, and removes them when the work has ended. `pathOf`: of one of them, by its name. */
export async function withFiles<N extends string, T>(
  files: Readonly<Record<N, string>>,
  work: (pathOf: (name: N) => string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-'))
  try {
    for (const [name, text] of Object.entries<string>(files))
      await writeFile(join(folder, name), text, { mode: 0o600 })
    return await work((name) => join(folder, name))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
