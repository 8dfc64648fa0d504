/**
 * The whole program in this process: `svc('tickets history 64…')` gives what a shell would see. The
 * sandbox is real; clock, streams, signals and the terminal come in through the host.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { main } from '../../src/main.ts'
import { startSandbox, type SandboxOptions } from './watched-sandbox.ts'
import { atEnd, ownFolder } from './ending.ts'
import { fakeHost, type HostOptions } from './fake-host.ts'
import { Collector } from './streams.ts'
import { withBatches } from './small-batches.ts'

export const root = fileURLToPath(new URL('../..', import.meta.url))

export interface Result {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface Options extends HostOptions {
  readonly program?: typeof main
  readonly faults?: string
  /** The command uses a profile "prod" of the sandbox with these members, and no variables. */
  readonly profile?: object
}

type Environment = Readonly<Record<string, string | undefined>>

const secrets = new Set<string>()

/** Until the test file ends, no output may have this text, in any of its usual forms. */
export function guardSecret(secret: string): void {
  secrets.add(secret)
  atEnd(() => secrets.delete(secret))
}

export function hasSecret(text: string): boolean {
  return [...secrets].some((secret) => {
    const bytes = Buffer.from(secret)
    const base64 = bytes.toString('base64').replace(/=+$/, '')
    const forms = [secret, encodeURIComponent(secret), base64, bytes.toString('hex')]
    return forms.some((form) => text.includes(form))
  })
}

function assertNoSecrets(text: string, where: string): void {
  if (hasSecret(text)) throw new Error(`a secret stands in ${where}`)
}

/** Throws if a file that a command wrote has a guarded secret: a record of a run, receipts. */
function assertWritten(folder: string): void {
  const all = readdirSync(folder, { recursive: true, withFileTypes: true })
  for (const { name, parentPath } of all.filter((entry) => entry.isFile())) {
    const path = join(parentPath, name)
    if (!/(?:\.(?:csv|ndjson)|^runs\.db(?:-wal)?)$/.test(name)) continue
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

export type World = ReturnType<typeof createWorld>

/** A world of a test file: an empty home, no configuration, and this environment. */
export function createWorld(env: Environment = {}) {
  /** HOME, configuration and state lie in it. */
  const folder = ownFolder('test')
  atEnd(() => assertWritten(folder))
  const base: Environment = { HOME: folder, PATH: process.env['PATH'], TZ: 'UTC', ...env }
  return {
    folder,
    env: base,
    async svc(line: string | readonly string[], options: Options = {}): Promise<Result> {
      const { program = main, stdout = new Collector(), stderr = new Collector() } = options
      const { words, variables } = commandOf(typeof line === 'string' ? wordsOf(line) : line)
      const env = { ...base, ...options.env, ...variables }
      const host = fakeHost({ ...options, argv: words, env, folder, stdout, stderr })
      const code = await withBatches(variables, () => program(host))
      const textOf = (stream: object) => (stream instanceof Collector ? stream.text : '')
      const result = { code, stdout: textOf(stdout), stderr: textOf(stderr) }
      assertNoSecrets(result.stdout, `stdout of ${String(line)}`)
      assertNoSecrets(result.stderr, `stderr of ${String(line)}`)
      return result
    },
  }
}

/** The words of a command, and the variables before them, as a shell reads them. */
export function commandOf(all: readonly string[]) {
  const first = all.findIndex((word) => !/^[A-Za-z_]+=/.test(word))
  const begin = first === -1 ? all.length : first
  const variables = all.slice(0, begin).map((word) => word.split(/=(.*)/s))
  return {
    words: all.slice(begin),
    variables: Object.fromEntries(variables) as Record<string, string>,
  }
}

export const noCredentials = {
  SVC_BASE_URL: undefined,
  SVC_API_KEY: undefined,
  SVC_API_SECRET: undefined,
}

export type SandboxWorld = Awaited<ReturnType<typeof createSandboxWorld>>

/** A sandbox on a free port, and a world whose environment points at it. */
export async function createSandboxWorld(options: SandboxOptions = {}) {
  const sandbox = await startSandbox(options)
  for (const { apiSecret } of sandbox.keys) guardSecret(apiSecret)
  /** The environment with another of the sandbox's keys. */
  const as = (name: string): Record<string, string> => {
    const { apiKey, apiSecret } = sandbox.key(name)
    return { SVC_BASE_URL: sandbox.baseUrl, SVC_API_KEY: apiKey, SVC_API_SECRET: apiSecret }
  }
  const world = createWorld(as('read-write'))
  const svc = async (line: string | readonly string[], options: Options = {}) => {
    const env = { ...environmentOf(options.profile), ...options.env }
    if (options.faults !== undefined) sandbox.setFaults(options.faults)
    try {
      return await world.svc(line, { ...options, env })
    } finally {
      if (options.faults !== undefined) sandbox.setFaults()
    }
  }
  const environmentOf = (members: object | undefined): Environment => {
    if (members === undefined) return {}
    const { SVC_API_KEY: apiKey, SVC_API_SECRET: apiSecret } = world.env
    const prod = { baseUrl: sandbox.baseUrl, apiKey, apiSecret, ...members }
    const path = join(world.folder, 'profile.json')
    writeFileSync(path, JSON.stringify({ current: 'prod', profiles: { prod } }), { mode: 0o600 })
    return { ...noCredentials, SVC_CONFIG: path }
  }
  /** A command's result and the requests that it made; `sent`: in words. */
  const requestsOf = async (...given: Parameters<typeof svc>) => {
    const before = sandbox.requests.length
    const result = await svc(...given)
    const requests = sandbox.requests.slice(before)
    return { result, requests, sent: requests.map(({ method, url }) => `${method} ${url}`) }
  }
  return { ...world, svc, sandbox, as, requestsOf }
}
