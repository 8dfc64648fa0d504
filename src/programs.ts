/**
 * Runs a program and waits for it: the command that prints a secret. The host loads this when the first one is started; everybody else asks
 * the host.
 */
import type { ChildProcess, SpawnOptions } from 'node:child_process'

type Spawn = (file: string, words: readonly string[], options: SpawnOptions) => ChildProcess

export interface Program {
  /** Absolute. */
  readonly path: string
  readonly words: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** The folder that it runs in. */
  readonly cwd: string
  /** It is killed when it takes longer, in milliseconds, or prints more. */
  readonly limits: { readonly ms: number; readonly bytes: number }
}

export interface ProgramResult {
  /** Null when a signal ended it. */
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  /** The limit that it was killed for. */
  readonly exceeded?: 'time' | 'output'
}

/** Runs a program to its end, without a shell. Rejects when it cannot be started. */
export function runProgram(
  spawn: Spawn,
  { path, words, env, cwd, limits }: Program,
): Promise<ProgramResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(path, words, {
      env,
      cwd,
      windowsHide: true,
      // A process that the program leaves behind could keep a stream open forever, so the stream is ignored.
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const chunks: Buffer[] = []
    let exceeded: ProgramResult['exceeded']
    function stop(limit: 'time' | 'output'): void {
      exceeded ??= limit
      child.kill('SIGKILL')
      child.stdout?.destroy()
    }
    const timer = setTimeout(() => stop('time'), limits.ms)
    let length = 0
    child.stdout?.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      length += chunk.length
      if (length > limits.bytes) stop('output')
    })
    child.on('error', (error) => {
      clearTimeout(timer)
      reject(error)
    })
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      const stdout = Buffer.concat(chunks).toString('utf8')
      resolve(
        exceeded === undefined
          ? { code, signal, stdout }
          : { code, signal, stdout, exceeded },
      )
    })
  })
}
