import { spawn } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { constants, tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { SvcError, systemCode, usageError } from '../../errors.ts'
import type { Host } from '../../host.ts'
import { done } from '../../output/output.ts'
import type { Sandbox } from '../../sandbox/server.ts'
import type { Verb } from '../../verb.ts'
import { examples } from '../options.ts'
import { noView, refuseFormats, sandboxOptions, settingsOf } from './settings.ts'

const help = `
The command finds SVC_BASE_URL, SVC_API_KEY and SVC_API_SECRET of the sandbox in
its environment, this svc first in its PATH, and an empty folder for
configuration and state. The exit code is the command's own.
${examples(
  'svc sandbox exec -- svc lists get VIP',
  "svc sandbox exec --faults '*:1=503' -- svc employees list -v",
  "svc sandbox exec --contacts 100000 -- sh -c 'svc lists list; svc whoami'",
)}`

export const exec: Verb = (sandbox, run) =>
  sandboxOptions(sandbox.command('exec'))
    .summary('run a command against a sandbox of its own')
    .description('Run a command against a sandbox of its own, on a free port, and stop it again.')
    .argument('[command...]', 'the command and its arguments, behind --')
    .addHelpText('after', help)
    .action(
      run(
        noView,
        async (tools, command, options) => {
          refuseFormats(tools, ['table'])
          const { host } = tools
          const [program, ...words] = commandOf(host, command)
          const { startSandbox } = await import('../../sandbox/server.ts')
          return tools.during(async () => {
            const started = await startSandbox(settingsOf(tools, options))
            if (host.isTerminal.stdin && host.isTerminal.stderr) {
              tools.note(`a sandbox of its own at ${started.baseUrl}; it ends with this command (exit, in a shell)`)
            }
            const folder = await mkdtemp(join(tmpdir(), 'svc-sandbox-'))
            try {
              return done(await runChild(host, program, words, await childEnvironment(host, started, folder)))
            } finally {
              await started.close()
              await rm(folder, { recursive: true, force: true })
            }
          })
        },
        { lenient: true },
      ),
    )

/** The words behind `--`. Commander takes the two dashes away, so they are looked for where they were typed. */
function commandOf(host: Host, command: readonly string[]): [string, ...string[]] {
  const dashes = host.argv.indexOf('--')
  const example = 'svc sandbox exec -- svc lists list'
  if (dashes < 0) throw usageError('the command to run stands behind --', `for example\n${example}`)
  const [program, ...words] = host.argv.slice(dashes + 1)
  if (program === undefined) throw usageError('there is no command behind --', `for example\n${example}`)
  if (command.length !== words.length + 1) {
    throw usageError(`"${command[0] ?? ''}" stands before --`, `the command belongs behind it, for example\n${example}`)
  }
  return [program, ...words]
}

/** The host's environment with this sandbox in it and nothing of the person's own profiles. */
async function childEnvironment(host: Host, started: Sandbox, folder: string): Promise<NodeJS.ProcessEnv> {
  const [key] = started.keys
  const config = join(folder, 'config')
  const state = join(folder, 'state')
  await mkdir(config, { mode: 0o700 })
  await mkdir(state, { mode: 0o700 })
  const env: NodeJS.ProcessEnv = {
    ...host.env,
    SVC_BASE_URL: started.baseUrl,
    SVC_API_KEY: key?.apiKey,
    SVC_API_SECRET: key?.apiSecret,
    SVC_STATE_DIR: state,
    XDG_CONFIG_HOME: config,
    XDG_STATE_HOME: state,
  }
  for (const name of ['SVC_PROFILE', 'SVC_API_SECRET_FILE', 'SVC_CONFIG']) delete env[name]
  if (host.platform === 'darwin' || host.platform === 'win32') {
    // These systems do not ask XDG_CONFIG_HOME.
    env['SVC_CONFIG'] = join(config, 'config.json')
    await writeFile(join(config, 'config.json'), '{}\n', { mode: 0o600 })
  }
  const pathName = Object.keys(env).find((name) => name.toLowerCase() === 'path') ?? 'PATH'
  const own = await shimFolder(host, folder)
  env[pathName] = [own, env[pathName]].filter((part) => part !== undefined && part !== '').join(delimiter)
  return env
}

/** A folder with a `svc` that is this program, wherever it was started from. */
async function shimFolder(host: Host, folder: string): Promise<string> {
  const bin = join(folder, 'bin')
  await mkdir(bin)
  const [node, ...rest] = host.self
  const self = [node, ...rest.map((word) => resolve(host.cwd(), word))]
  if (host.platform === 'win32') {
    await writeFile(join(bin, 'svc.cmd'), `@${self.map((word) => `"${word}"`).join(' ')} %*\r\n`)
  } else {
    const quoted = self.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
    await writeFile(join(bin, 'svc'), `#!/bin/sh\nexec ${quoted} "$@"\n`)
    await chmod(join(bin, 'svc'), 0o755)
  }
  return bin
}

/** Runs the child to its end and returns its exit code, 128 and the number when a signal ended it. */
function runChild(host: Host, program: string, words: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  return new Promise((resolveCode, reject) => {
    const child = spawn(program, words, { env, stdio: 'inherit' })
    const onTerminal = host.isTerminal.stdin || host.isTerminal.stdout || host.isTerminal.stderr
    const stopListening = host.onSignal((signal) => {
      // A terminal tells every process of the group itself; twice would mean "stop at once" to some.
      if (signal === 'SIGTERM' || !onTerminal) child.kill(signal)
    })
    child.once('error', (error) => {
      stopListening()
      const missing = systemCode(error) === 'ENOENT'
      const why = missing ? 'was not found' : `cannot be run: ${systemCode(error) ?? error.message}`
      reject(new SvcError('usage', `the command "${program}" ${why}`, { exitCode: missing ? 127 : 126, cause: error }))
    })
    child.once('exit', (code, signal) => {
      stopListening()
      resolveCode(code ?? 128 + (signal === null ? 0 : constants.signals[signal]))
    })
  })
}
