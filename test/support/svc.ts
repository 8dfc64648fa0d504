/**
 * The whole program in this process: `svc('tickets history 64… -o ndjson')` gives what a shell would see. The transport is
 * real (the sandbox on loopback); clock, streams, signals and the terminal come in through the host.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { PassThrough, Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { Host, Signal, Terminal, Disk } from '../../src/host.ts'
import { main } from '../../src/main.ts'
import { startSandbox, type Sandbox, type SandboxOptions } from './watched-sandbox.ts'
import { atEnd, ownFolder } from './ending.ts'
import { realHost } from './real-host.ts'
import { withBatches } from './small-batches.ts'

export const root = fileURLToPath(new URL('../..', import.meta.url))

export interface Result {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface Options {
  /** The program: its sources unless said. */
  readonly program?: typeof main
  readonly stdin?: string | Buffer | Readable
  /** Added to the environment of the world. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Terminals: none unless said. */
  readonly isTerminal?: Partial<Host['isTerminal']>
  readonly columns?: number
  readonly terminal?: () => Terminal | undefined
  /** Milliseconds added to the clock. */
  readonly clockOffset?: number
  /** The disk, with its faults. */
  readonly disk?: (disk: Disk) => Disk
  /** A clock that stands still: milliseconds since 1970. */
  readonly now?: number
  /** Waits between retries take no time; or each ends, and its time has passed, when what the function returns is there. */
  readonly fast?: boolean | ((ms: number) => Promise<void>)
  readonly stdout?: Writable
  readonly stderr?: Writable
  readonly random?: () => number
  readonly randomBytes?: Host['randomBytes']
  /** Names of the user and the computer: this machine's unless said. */
  readonly by?: { readonly userName: string; readonly hostname: string }
  /** Faults of the sandbox during the command. */
  readonly faults?: string
  /** Members of the profile "prod" with the key of the sandbox, which is used in place of the environment. */
  readonly profile?: object
  /** Called with a function that delivers a signal, once the program listens. */
  readonly signals?: (deliver: (signal: Signal) => void) => void
}

const secrets = new Set<string>()

/** Until the test file ends no output of any command may hold this text, in any of its usual forms. */
export function guardSecret(secret: string): void {
  secrets.add(secret)
  atEnd(() => secrets.delete(secret))
}

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  return [
    secret,
    encodeURIComponent(secret),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('hex'),
  ]
}

export function hasSecret(text: string): boolean {
  return [...secrets].some((secret) => formsOf(secret).some((form) => text.includes(form)))
}

/** Throws when a guarded secret stands in the text. */
function assertNoSecrets(text: string, where: string): void {
  if (hasSecret(text)) throw new Error(`a secret stands in ${where}`)
}

/** Throws when a guarded secret stands in a file that a command wrote: a record of a run, receipts, a page. */
function assertWritten(folder: string): void {
  const all = readdirSync(folder, { recursive: true, withFileTypes: true })
  for (const { name, parentPath } of all.filter((entry) => entry.isFile())) {
    const path = join(parentPath, name)
    if (!path.includes(`${sep}runs${sep}`) && !/\.(?:csv|ndjson|html)$/.test(name)) continue
    assertNoSecrets(readFileSync(path, 'utf8'), path)
  }
}

/** Splits words as a shell does, with quotes and backslashes but nothing that expands. */
export function wordsOf(line: string): string[] {
  const words = line.match(/(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\])+/gs) ?? []
  return words.map((word) =>
    word.replaceAll(
      /'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)/gs,
      (_, plain?: string, quoted?: string, escaped?: string) =>
        plain ?? quoted?.replaceAll(/\\(.)/gs, '$1') ?? escaped ?? '',
    ),
  )
}

export class Collector extends Writable {
  readonly chunks: Buffer[] = []

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: () => void): void {
    this.chunks.push(Buffer.from(chunk))
    callback()
  }

  get text(): string {
    return Buffer.concat(this.chunks).toString('utf8')
  }
}

export interface World {
  /** A folder of its own: HOME, configuration and state lie in it. */
  readonly folder: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly svc: (line: string | readonly string[], options?: Options) => Promise<Result>
}

/** A world of its own for a test file: an empty home, no configuration, and the environment that is given. */
export function createWorld(env: Readonly<Record<string, string | undefined>> = {}): World {
  const folder = ownFolder('test')
  atEnd(() => assertWritten(folder))
  const base = { HOME: folder, PATH: process.env['PATH'], TZ: 'UTC', ...env }
  return {
    folder,
    env: base,
    async svc(line, options = {}) {
      const stdout = options.stdout ?? new Collector()
      const stderr = options.stderr ?? new Collector()
      const { words, variables } = commandOf(typeof line === 'string' ? wordsOf(line) : line)
      const host = fakeHost(words, { ...base, ...variables }, folder, options, stdout, stderr)
      const { program = main } = options
      const code = await withBatches(variables, () => program(host))
      const [out, err] = [stdout, stderr].map((stream) =>
        stream instanceof Collector ? stream.text : '',
      ) as [string, string]
      const result = { code, stdout: out, stderr: err }
      assertNoSecrets(result.stdout, `stdout of ${String(line)}`)
      assertNoSecrets(result.stderr, `stderr of ${String(line)}`)
      return result
    },
  }
}

/** The words of a command, and the variables before them, as a shell reads them. */
export function commandOf(all: readonly string[]) {
  const begin = all.findIndex((word) => !/^[A-Z_]+=/.test(word))
  const variables = all.slice(0, begin).map((word) => word.split(/=(.*)/s))
  return {
    words: all.slice(begin),
    variables: Object.fromEntries(variables) as Record<string, string>,
  }
}

/** A host that is this process but for its streams, clock and what else is said. */
export function fakeHost(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  folder: string,
  options: Options,
  stdout: Writable,
  stderr: Writable,
): Host {
  const input = options.stdin ?? ''
  /** Waits that were skipped, in milliseconds: the monotonic clock must show them. */
  let skipped = 0
  // Where no wait takes time and the clock stands still, nothing does.
  const passed = () => (options.fast === true && options.now !== undefined ? 0 : performance.now())
  const { lookup, isRunning, every, turn, random, randomBytes, spawn } = realHost
  const { disk: change = (same) => same } = options
  return {
    disk: change(realHost.disk),
    ...{ lookup, isRunning, every, turn, random, randomBytes, spawn },
    argv,
    // Where time stands still, nothing is late enough to be drawn.
    after: (ms, callback, isWeak) =>
      options.fast === true && isWeak === 'weak'
        ? { cancel: () => undefined }
        : realHost.after(ms, callback, isWeak),
    env: { ...env, ...options.env },
    nodeVersion: process.versions.node,
    pid: process.pid,
    self: [process.execPath, join(root, 'bin/svc.js')],
    cwd: () => folder,
    stdin:
      input instanceof Readable
        ? input
        : Readable.from(input.length === 0 ? [] : [Buffer.from(input)]),
    stdout,
    stderr,
    isTerminal: { stdin: false, stdout: false, stderr: false, ...options.isTerminal },
    columns: () => options.columns,
    terminal: options.terminal ?? (() => undefined),
    now: () => options.now ?? Date.now() + (options.clockOffset ?? 0),
    monotonic: () => passed() + skipped,
    async sleep(ms, signal) {
      const { fast = false } = options
      if (fast === false) return realHost.sleep(ms, signal)
      const due = passed() + skipped + ms
      await (fast === true ? realHost.sleep(0, signal) : fast(ms))
      // Waits of the same time pass together.
      skipped = Math.max(skipped, due - passed())
    },
    ...(options.random === undefined ? {} : { random: options.random }),
    ...(options.randomBytes === undefined ? {} : { randomBytes: options.randomBytes }),
    onSignal(callback) {
      options.signals?.(callback)
      return () => undefined
    },
    raise: () => undefined,
    computer: { ...realHost.computer, ...options.by },
    userId: process.getuid?.() ?? -1,
  }
}

/** An environment without credentials. */
export const noCredentials = {
  SVC_BASE_URL: undefined,
  SVC_API_KEY: undefined,
  SVC_API_SECRET: undefined,
}

export interface SandboxWorld extends World {
  readonly sandbox: Sandbox
  /** The same world with another of the sandbox's keys. */
  readonly as: (key: string) => Readonly<Record<string, string>>
  /** A command's result and the requests that it made; `sent`: in words. */
  readonly requestsOf: (
    ...given: Parameters<World['svc']>
  ) => Promise<{ result: Result; requests: Sandbox['requests']; sent: string[] }>
}

/** A sandbox on a free port and a world whose environment points at it. */
export async function createSandboxWorld(options: SandboxOptions = {}): Promise<SandboxWorld> {
  // Tests compare what svc claims with all that was done.
  const sandbox = await startSandbox(options)
  for (const { apiSecret } of sandbox.keys) guardSecret(apiSecret)
  const as = (name: string): Record<string, string> => {
    const { apiKey, apiSecret } = sandbox.key(name)
    return { SVC_BASE_URL: sandbox.baseUrl, SVC_API_KEY: apiKey, SVC_API_SECRET: apiSecret }
  }
  const world = createWorld(as('read-write'))
  const svc: World['svc'] = async (line, options = {}) => {
    const env = { ...environmentOf(options.profile), ...options.env }
    if (options.faults !== undefined) sandbox.setFaults(options.faults)
    try {
      return await world.svc(line, { ...options, env })
    } finally {
      if (options.faults !== undefined) sandbox.setFaults()
    }
  }
  const environmentOf = (members: object | undefined): NonNullable<Options['env']> => {
    if (members === undefined) return {}
    const { SVC_API_KEY: apiKey, SVC_API_SECRET: apiSecret } = world.env
    const prod = { baseUrl: sandbox.baseUrl, apiKey, apiSecret, ...members }
    const path = join(world.folder, 'profile.json')
    writeFileSync(path, JSON.stringify({ current: 'prod', profiles: { prod } }), { mode: 0o600 })
    return { ...noCredentials, SVC_CONFIG: path }
  }
  const requestsOf: SandboxWorld['requestsOf'] = async (...given) => {
    const before = sandbox.requests.length
    const result = await svc(...given)
    const requests = sandbox.requests.slice(before)
    return { result, requests, sent: requests.map(({ method, url }) => `${method} ${url}`) }
  }
  return { ...world, svc, sandbox, as, requestsOf }
}

/** A terminal on which `answers` are typed, each followed by Enter, and Enter alone when a wrong one was told; what was shown is collected. */
export function typing(...answers: readonly string[]) {
  const shown = new Collector()
  return {
    terminal: (): Terminal => {
      const input = new PassThrough()
      for (const answer of answers) input.write(`${answer}\n`)
      return { input, output: shown, columns: 80, close: () => input.destroy() }
    },
    shown: () => shown.text,
  }
}
