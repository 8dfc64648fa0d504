/**
 * Starts a sandbox, and runs a program in it, for `sandbox exec`. The program gets variables that lead svc to
 * this sandbox, and never to the person's own profiles and runs. With `SVC_SANDBOX`, svc refuses any other service.
 */
import { join, resolve } from 'node:path'
import type { Context } from '../../cli/context.ts'
import { SvcError, systemCode } from '../../errors.ts'
import type { Host } from '../../host.ts'
import { defineOptions, type OptionValues } from '../../options.ts'
import { plainText } from '../../output/result.ts'
import { parseDuration } from '../../values.ts'
import type { Sandbox } from '../server.ts'

export const sandboxOptions = defineOptions({
  latency: {
    value: 'duration',
    summary: 'wait before every answer',
    parse: parseDuration,
  },
  faults: {
    value: 'rule',
    summary: 'fail on purpose, as in contacts.delete:2=503 (svc sandbox start --help)',
    isRepeatable: true,
  },
})

type TypedSandboxOptions = OptionValues<typeof sandboxOptions>

/** Starts a sandbox with the typed options. Throws a usage error for faults that cannot be read, and for a port that is taken. */
export async function startTyped(
  host: Host,
  { faults, latency }: TypedSandboxOptions,
  port?: number,
): Promise<Sandbox> {
  const { parseFaults } = await import('../faults.ts')
  const { startSandbox } = await import('../server.ts')
  return startSandbox(host, { port, latency, faults: parseFaults(faults) })
}

/**
 * Runs a program in a new sandbox, and then deletes the sandbox. After a first signal, waits until the program has ended. The exit
 * code of the output is the program's, or 128 plus the number of the signal that ended it. Throws an error with exit code 127 if
 * there is no such program, and with 126 if it cannot be run. Notes say where commands go, before and after.
 */
export function runInSandbox(
  context: Context,
  options: TypedSandboxOptions,
  command: readonly string[],
) {
  const { host, note, signals } = context
  const { mkdir, mkdtemp, realpath, rm, writeFile } = host.disk.promises
  return signals.runCritical(async () => {
    const prefix = join(host.computer.temporaryFolder, 'svc-sandbox-')
    const folder = await realpath(await mkdtemp(prefix))
    let sandbox: Sandbox | undefined
    let exitCode: number
    try {
      sandbox = await startTyped(host, options)
      const { baseUrl, keys } = sandbox
      const [{ apiKey, apiSecret }] = keys
      const variables = {
        SVC_SANDBOX: baseUrl,
        SVC_CONFIG: join(folder, 'config.json'),
        SVC_STATE_DIR: join(folder, 'state'),
        SVC_BASE_URL: baseUrl,
        SVC_API_KEY: apiKey,
        SVC_API_SECRET: apiSecret,
      }
      await mkdir(variables.SVC_STATE_DIR, { mode: 0o700 })
      await writeFile(variables.SVC_CONFIG, '{}', { mode: 0o600 })
      note(`commands go to a new sandbox at ${baseUrl} until this command ends`)
      const otherVariables = Object.entries(host.env).filter(
        ([name]) => !/^svc_/i.test(name),
      )
      exitCode = await runProgram(host, command, {
        ...Object.fromEntries(otherVariables),
        ...variables,
      })
    } finally {
      await rm(folder, { recursive: true, force: true })
      await sandbox?.close()
    }
    note(`the sandbox has stopped; ${await usualService(context)}`)
    return plainText('', exitCode)
  })
}

/** Says where commands go without the sandbox. */
async function usualService({ configuration }: Context) {
  try {
    const { name, baseUrl } = (await configuration()).profile()
    const { host } = new URL(baseUrl)
    return `commands go to ${name === undefined ? host : `"${name}" (${host})`} again`
  } catch (error) {
    if (error instanceof SvcError) return 'no other service is set up'
    throw error
  }
}

/** Returns the words that start svc again, such as `node` and the path of `svc.js`, with absolute paths. */
export function selfOf(host: Host): readonly string[] {
  return host.self.map((word) => resolve(host.cwd(), word))
}

/** Runs a program on the streams of this process. Resolves to its exit code. */
function runProgram(
  host: Host,
  [program = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<number> {
  return new Promise((resolveCode, reject) => {
    const child = host.spawn(program, args, { env, stdio: 'inherit' })
    const onTerminal =
      host.isTerminal.stdin || host.isTerminal.stdout || host.isTerminal.stderr
    const stopListening = host.onSignal((signal) => {
      // From a terminal, the program gets every signal but SIGTERM itself. A second Ctrl-C could tell it to stop at once.
      if (signal === 'SIGTERM' || !onTerminal) child.kill(signal)
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
