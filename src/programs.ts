/** Programs that svc starts, and files that they read: what the host does for everybody else. */
import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Program {
  /** Absolute. */
  readonly path: string
  readonly words: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly input: Uint8Array
  /** Ends it. */
  readonly signal: AbortSignal
  /** Hears each line that it says on stderr. */
  readonly onLine: (line: string) => void
}

export interface ProgramResult {
  /** Null when a signal ended it. */
  readonly code: number | null
  readonly stdout: string
}

/** Runs a program to its end. Rejects when it cannot be started, and when it is aborted. */
export function runProgram({ path, words, env, input, signal, onLine }: Program): Promise<ProgramResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(path, words, { env, signal, windowsHide: true, stdio: ['pipe', 'pipe', 'pipe'] })
    let stdout = ''
    let rest = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      const lines = `${rest}${text}`.split(/\r?\n/)
      rest = lines.pop() ?? ''
      lines.forEach(onLine)
    })
    // One that refuses its arguments does not read to the end, and its exit code says so.
    child.stdin.on('error', () => undefined).end(input)
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout }))
  })
}

/** Writes files for a program, this user's alone, and removes them when the work has ended. `pathOf`: of one of them, by its name. */
export async function withFiles<N extends string, T>(
  files: Readonly<Record<N, string>>,
  work: (pathOf: (name: N) => string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-'))
  try {
    for (const [name, text] of Object.entries<string>(files)) await writeFile(join(folder, name), text, { mode: 0o600 })
    return await work((name) => join(folder, name))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
