/** Runs programs and keeps everything that they print, write and are called with, to be searched for secrets. */
import { spawn } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join, relative } from 'node:path'
import { findSecret } from './forms.ts'
import { ownFolder } from '../ending.ts'

export interface Place {
  readonly where: string
  readonly forms: readonly string[]
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string
  /** What a person typed is on the command line because they typed it. */
  readonly typed?: boolean
}

export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Recorder {
  /** HOME, the current folder, the state and what is temporary lie in it. */
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  run(command: string, words: readonly string[], options?: RunOptions): Promise<Ran>
  /** What a command printed that ran elsewhere. */
  ran(name: string, printed: Pick<Ran, 'stdout' | 'stderr'>): void
  /** Something else that was printed, for example on a terminal. */
  add(where: string, text: string): void
  /** Where the secrets stand: in outputs, in command lines, in files and their names. */
  search(secrets: readonly string[], except?: readonly string[]): Place[]
  readonly counts: { commands: number; files: number; commandLines: number }
}

/** A process and its children, as words; empty where the system does not tell. */
function commandLines(pid: number): string[] {
  const read = (path: string): string => {
    try {
      return readFileSync(path, 'latin1')
    } catch {
      return ''
    }
  }
  const children = read(`/proc/${pid}/task/${pid}/children`)
    .split(' ')
    .filter((word) => word !== '')
  const own = read(`/proc/${pid}/cmdline`)
  return [...(own === '' ? [] : [own]), ...children.flatMap((child) => commandLines(Number(child)))]
}

export function createRecorder(): Recorder {
  const folder = ownFolder('canary')
  for (const name of ['work', 'tmp']) mkdirSync(join(folder, name))
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    TMPDIR: join(folder, 'tmp'),
    XDG_CACHE_HOME: join(folder, 'cache'),
    TZ: 'UTC',
  }
  const outputs: { where: string; text: Buffer }[] = []
  const counts = { commands: 0, files: 0, commandLines: 0 }

  function* files(path: string): Generator<{ path: string; content: Buffer }> {
    for (const name of readdirSync(path)) {
      const one = join(path, name)
      const stat = lstatSync(one)
      if (stat.isDirectory()) yield* files(one)
      else if (stat.isSymbolicLink()) yield { path: one, content: Buffer.from(readlinkSync(one)) }
      else if (stat.isFile()) yield { path: one, content: readFileSync(one) }
    }
  }

  return {
    folder,
    env,
    counts,
    add: (where, text) => outputs.push({ where, text: Buffer.from(text) }),
    ran(name, { stdout, stderr }) {
      counts.commands += 1
      for (const [stream, text] of Object.entries({ stdout, stderr }))
        outputs.push({ where: `${stream} of ${name}`, text: Buffer.from(text) })
    },
    async run(command, words, options = {}) {
      const name = words.slice(command === process.execPath ? 1 : 0).join(' ')
      const child = spawn(command, words, {
        cwd: join(folder, 'work'),
        env: { ...env, ...options.env },
        stdio: ['pipe', 'pipe', 'pipe'],
        // No terminal to ask on, whatever the tests run on.
        detached: true,
      })
      const seen = new Set<string>()
      const look = (): void => {
        if (child.pid !== undefined) for (const line of commandLines(child.pid)) seen.add(line)
      }
      look()
      const timer = setInterval(look, 10)
      const streams: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] }
      child.stdout.on('data', (chunk: Buffer) => streams.stdout.push(chunk))
      child.stderr.on('data', (chunk: Buffer) => streams.stderr.push(chunk))
      child.stdin.on('error', () => undefined)
      child.stdin.end(options.stdin ?? '')
      const code = await new Promise<number | null>((resolve, reject) => {
        child.once('error', reject)
        child.once('close', resolve)
      })
      clearInterval(timer)
      if (options.typed !== true) {
        counts.commandLines += seen.size
        for (const line of seen)
          outputs.push({ where: `the command line of ${name}`, text: Buffer.from(line, 'latin1') })
      }
      const [stdout, stderr] = [
        Buffer.concat(streams.stdout).toString(),
        Buffer.concat(streams.stderr).toString(),
      ]
      this.ran(name, { stdout, stderr })
      return { code, stdout, stderr }
    },
    search(secrets, except = []) {
      const places: Place[] = []
      const look = (where: string, bytes: Uint8Array | string): void => {
        const forms = secrets.flatMap((secret) => findSecret(secret, bytes))
        if (forms.length > 0) places.push({ where, forms })
      }
      for (const { where, text } of outputs) look(where, text)
      counts.files = 0
      for (const { path, content } of existsSync(folder) ? files(folder) : []) {
        const name = relative(folder, path)
        counts.files += 1
        look(`the name of ${name}`, name)
        if (!except.includes(name)) look(name, content)
      }
      return places
    },
  }
}
