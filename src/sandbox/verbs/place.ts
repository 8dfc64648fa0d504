/**
 * The options of a sandbox, and a program that runs in a sandbox of its own, for `sandbox exec` and `sandbox shell`: its
 * environment, its folder, and a `svc` that is this program. The rule: whatever runs inside reaches this sandbox, and never
 * the person's own profiles and runs, not even by mistake. So the variables of svc are replaced, and its `svc` refuses any
 * other service (`SVC_SANDBOX`).
 */
import { delimiter, dirname, join, resolve } from 'node:path'
import type { Context } from '../../cli/context.ts'
import { SvcError, systemCode } from '../../errors.ts'
import type { Host } from '../../host.ts'
import { defineOptions } from '../../options.ts'
import { done } from '../../output/result.ts'
import { parseCount, parseDuration } from '../../values.ts'
import { shellWord } from '../../words.ts'
import type { Sandbox, SandboxOptions } from '../transport.ts'

export const sandboxOptions = defineOptions({
  seed: {
    value: 'n',
    summary: 'which data to generate; the same number gives the same data',
    default: '1',
    parse: (text, what) => parseCount(text, what, { max: 2 ** 31 - 1 }),
  },
  latency: {
    value: 'duration',
    summary: 'wait before every answer',
    parse: parseDuration,
  },
  faults: {
    value: 'rule',
    summary: 'fail on purpose, as in contacts.delete:2=503 (svc help faults)',
    isRepeatable: true,
  },
})

interface TypedOptions extends Pick<SandboxOptions, 'seed' | 'latency'> {
  faults: readonly string[]
}

/** The typed options as `startSandbox` takes them. */
export function startOptionsOf<T extends TypedOptions>({ faults, ...others }: T) {
  return { ...others, faults: faults.join(' ') }
}

const configFile = 'config/config.json'

/** A sandbox as a program in it sees it. */
export interface SandboxPlace {
  /** Has configuration and state; no other user can read it. */
  folder: string
  /** Folder of this `svc`, for the search path. */
  bin: string
  baseUrl: string
  /** Variables that keep svc in the sandbox. Its `svc` sets them again each time. */
  pinned: Record<string, string>
  /** All variables of the sandbox, apart from the search path. */
  variables: Record<string, string>
}

/** A program that runs in a sandbox, and what it finds there. */
export interface ChildProgram {
  program: string
  args: readonly string[]
  /** Files below the sandbox's folder, by their paths there. */
  files?: Record<string, string>
  /** Variables in addition to those that every program in a sandbox has. */
  env?: Record<string, string>
  /** A shell that somebody types into: it ignores SIGTERM. */
  isInteractive?: boolean
}

/**
 * Runs a program in a new sandbox, then deletes the sandbox. A first signal does not stop this process: the program ends
 * first. The exit code is the program's, or 128 plus the number of the signal that ended it. Throws exit 127 if there is no
 * such program, and 126 if it cannot be run. `isAnnounced`: notes say that the sandbox starts and that it has stopped.
 */
export function runInSandbox(
  context: Context,
  options: TypedOptions,
  {
    isAnnounced,
    programIn,
  }: { isAnnounced: boolean; programIn: (place: SandboxPlace) => ChildProgram },
) {
  const { host, note, signals } = context
  const { mkdir, mkdtemp, realpath, rm, writeFile } = host.disk.promises
  return signals.runCritical(async () => {
    const { startSandbox } = await import('../transport.ts')
    const prefix = join(host.computer.temporaryFolder, 'svc-sandbox-')
    const folder = await realpath(await mkdtemp(prefix))
    let sandbox: Sandbox | undefined
    let exitCode: number
    try {
      sandbox = await startSandbox(host, startOptionsOf(options))
      const { baseUrl, keys } = sandbox
      const [{ apiKey, apiSecret }] = keys
      const pinned = {
        SVC_SANDBOX: baseUrl,
        SVC_CONFIG: join(folder, configFile),
        SVC_STATE_DIR: join(folder, 'state'),
      }
      const variables = {
        ...pinned,
        SVC_BASE_URL: baseUrl,
        SVC_API_KEY: apiKey,
        SVC_API_SECRET: apiSecret,
      }
      const place = { folder, bin: join(folder, 'bin'), baseUrl, pinned, variables }
      if (isAnnounced) note(`svc uses a new sandbox at ${baseUrl} until this command ends`)
      const program = programIn(place)
      await mkdir(pinned.SVC_STATE_DIR, { mode: 0o700 })
      const files = { [configFile]: '{}', ...ownProgram(host, pinned), ...program.files }
      for (const [name, text] of Object.entries(files)) {
        const path = join(folder, name)
        await mkdir(dirname(path), { recursive: true, mode: 0o700 })
        await writeFile(path, text, { mode: 0o700 })
      }
      exitCode = await run(host, program, environmentOf(host, place, program))
    } finally {
      await rm(folder, { recursive: true, force: true })
      await sandbox?.close()
    }
    if (isAnnounced) note('the sandbox has stopped; commands go to your own service again')
    return done(exitCode)
  })
}

/**
 * This program as an executable and its first arguments, with absolute paths. The name `svc` alone would start the `svc` of
 * the sandbox, which would start itself forever.
 */
export function selfOf(host: Host): readonly string[] {
  return host.self.map((word) => resolve(host.cwd(), word))
}

/** The person's environment, in which all variables of svc are those of the sandbox. */
function environmentOf(
  host: Host,
  { variables, bin }: SandboxPlace,
  program: ChildProgram,
): NodeJS.ProcessEnv {
  const theirs = Object.entries(host.env).filter(([name]) => !/^svc_/i.test(name))
  // Windows calls it `Path` and ignores letter case: a `PATH` beside it would be the same variable twice.
  const [pathName, path = ''] = theirs.find(([name]) => /^path$/i.test(name)) ?? ['PATH']
  return {
    ...Object.fromEntries(theirs),
    ...variables,
    [pathName]: path === '' ? bin : `${bin}${delimiter}${path}`,
    ...program.env,
  }
}

/** A file with a `svc` command that runs this program and stays in the sandbox, even if the environment has changed. */
function ownProgram(host: Host, pinned: SandboxPlace['pinned']) {
  const self = selfOf(host)
  const variables = Object.entries(pinned)
  if (host.platform === 'win32') {
    const settings = variables.map(([name, value]) => `set "${name}=${forBatch(value)}"`)
    const command = self.map((word) => `"${forBatch(word)}"`).join(' ')
    // cmd shows each line without `@`, and reads the file in the code page of the console, so that becomes UTF-8.
    const lines = ['chcp 65001 >nul', 'setlocal', ...settings, `${command} %*`]
    return { 'bin/svc.cmd': lines.map((line) => `@${line}\r\n`).join('') }
  }
  const exports = variables.map(([name, value]) => `export ${name}=${shellWord(value)}`)
  const command = `exec ${self.map(shellWord).join(' ')} "$@"`
  return { 'bin/svc': ['#!/bin/sh', ...exports, command, ''].join('\n') }
}

/** In a batch file a percent sign begins a variable. */
const forBatch = (text: string) => text.replaceAll('%', '%%')

/** Runs a program on the streams of this process. Resolves to its exit code. */
function run(
  host: Host,
  { program, args, isInteractive }: ChildProgram,
  env: NodeJS.ProcessEnv,
): Promise<number> {
  return new Promise((resolveCode, reject) => {
    const child = host.spawn(program, args, { env, stdio: 'inherit' })
    const onTerminal =
      host.isTerminal.stdin || host.isTerminal.stdout || host.isTerminal.stderr
    const stopListening = host.onSignal((signal) => {
      if (signal === 'SIGTERM') child.kill(isInteractive === true ? 'SIGHUP' : signal)
      // A terminal has sent any other signal to the program too. For some programs, a second one means "stop at once".
      else if (!onTerminal) child.kill(signal)
    })
    child.once('error', (error) => {
      stopListening()
      const code = systemCode(error)
      const isMissing = code === 'ENOENT'
      const why = isMissing ? 'was not found' : `cannot be run: ${code ?? error.message}`
      const exitCode = isMissing ? 127 : 126
      const problem = `the command "${program}" ${why}`
      reject(new SvcError('usage', problem, { exitCode, cause: error }))
    })
    child.once('exit', (code, signal) => {
      stopListening()
      resolveCode(code ?? 128 + (host.computer.signals[signal ?? ''] ?? 0))
    })
  })
}
