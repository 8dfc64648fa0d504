/** `svc sandbox exec`: runs a command against a sandbox that lives as long as the command. */
import { join, resolve } from 'node:path'
import type { Context } from '../../cli/context.ts'
import { defineVerb } from '../../cli/verb.ts'
import { SvcError, usageError, systemCode } from '../../errors.ts'
import type { Host } from '../../host.ts'
import { plainText } from '../../output/result.ts'
import type { Sandbox } from '../../sandbox/server.ts'
import { sandboxOptions, startTyped, type TypedSandboxOptions } from './start.ts'

const notes = `The command's SVC_BASE_URL, SVC_API_KEY and SVC_API_SECRET are those of the
sandbox; configuration and state are in an empty folder, which is deleted at the
end together with the sandbox's data. SVC_SANDBOX is the sandbox's address: svc
refuses any other service (exit code 2). Files that the command writes stay
where they are: rehearse a job in an empty folder, or the real run may find a
file with ids of the sandbox.

The exit code is the command's own; 128 plus the signal's number if a signal
ended it; 127 if there is no such command, 126 if it cannot be run.`

export const verb = defineVerb({
  summary: 'run a command, or your shell, against a new sandbox',
  description:
    'Start a sandbox on a free port, run a command against it (without one, your shell), and stop the sandbox.',
  usage: '[options] [-- <command...>]',
  notes,
  examples: [
    'svc sandbox exec -- svc lists get VIP',
    "svc sandbox exec --faults '*:1=503' -- svc employees list -v",
    'svc sandbox exec --faults contacts.delete:2=503 -- sh nightly.sh',
  ],
  arguments: [
    {
      name: 'command',
      takes: 'file',
      summary: 'the command and its arguments, after --; without one, $SHELL or sh',
      isVariadic: true,
    },
  ],
  options: sandboxOptions,
  formats: ['table'],
  act: async (context, [command], options) => {
    const { host, line } = context
    const [program = host.env['SHELL'] || 'sh', ...args] = command
    if (command.length > 0 && !line.words.includes('--'))
      throw usageError(
        'write the command to run after --',
        'for example:\n  svc sandbox exec -- svc lists list',
      )
    const self = host.self.map((word) => resolve(host.cwd(), word))
    const words = program === 'svc' ? self : [program]
    const exitCode = await context.signals.shield(() =>
      startInSandbox(context, options, [...words, ...args]),
    )
    context.note(`the sandbox has stopped; ${await usualService(context)}`)
    return plainText('', exitCode)
  },
})

/**
 * Starts a program in a new sandbox, and then deletes the sandbox. Returns its exit code, or 128 plus the number of the signal that
 * ended it.
 */
async function startInSandbox(
  { host, note }: Context,
  options: TypedSandboxOptions,
  command: readonly string[],
) {
  const { mkdtemp, realpath, rm } = host.disk.promises
  const prefix = join(host.computer.temporaryFolder, 'svc-sandbox-')
  const folder = await realpath(await mkdtemp(prefix))
  let sandbox: Sandbox | undefined
  try {
    sandbox = await startTyped(host, options)
    const variables = await prepareFolder(host, folder, sandbox)
    note(`commands go to a new sandbox at ${sandbox.baseUrl} until this command ends`)
    return await startProgram(host, command, { ...variablesOfOthers(host), ...variables })
  } finally {
    await rm(folder, { recursive: true, force: true })
    await sandbox?.close()
  }
}

/** Makes an empty configuration and state. Returns variables that lead svc to them and to the sandbox, never to a person's own. */
async function prepareFolder(
  { disk }: Host,
  folder: string,
  { baseUrl, keys: [{ apiKey, apiSecret }] }: Sandbox,
) {
  const { mkdir, writeFile } = disk.promises
  const config = join(folder, 'config.json')
  const state = join(folder, 'state')
  await mkdir(state, { mode: 0o700 })
  await writeFile(config, '{}', { mode: 0o600 })
  return {
    SVC_SANDBOX: baseUrl,
    SVC_CONFIG: config,
    SVC_STATE_DIR: state,
    SVC_BASE_URL: baseUrl,
    SVC_API_KEY: apiKey,
    SVC_API_SECRET: apiSecret,
  }
}

/** Returns the variables that are not about svc. */
function variablesOfOthers({ env }: Host) {
  const others = Object.entries(env).filter(([name]) => !/^svc_/i.test(name))
  return Object.fromEntries(others)
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

/**
 * Starts a program on the streams of this process. Resolves to its exit code, or 128 plus the number of the signal that ended it. Rejects with exit code 127 if there
 * is no such program, and with 126 if it cannot be run.
 */
function startProgram(
  host: Host,
  [program = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<number> {
  return new Promise((resolveCode, reject) => {
    const child = host.spawn(program, args, { env, stdio: 'inherit' })
    const onTerminal = Object.values(host.isTerminal).includes(true)
    const stopListening = host.onSignal((signal) => {
      // From a terminal, the program gets every signal but SIGTERM itself. A second Ctrl-C could tell it to stop at once.
      if (signal === 'SIGTERM' || !onTerminal) child.kill(signal)
    })
    child.once('error', (error) => {
      stopListening()
      reject(startError(program, error))
    })
    child.once('exit', (code, signal) => {
      stopListening()
      resolveCode(code ?? 128 + (host.computer.signals[signal ?? ''] ?? 0))
    })
  })
}

/** The error for a program that did not start, with the exit code of a shell. */
function startError(program: string, error: Error) {
  const code = systemCode(error)
  const isMissing = code === 'ENOENT'
  const problem = isMissing ? 'was not found' : `cannot be run: ${code ?? error.message}`
  const exitCode = isMissing ? 127 : 126
  return new SvcError('usage', `the command "${program}" ${problem}`, {
    exitCode,
    cause: error,
  })
}
