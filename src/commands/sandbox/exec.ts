import { usageError } from '../../errors.ts'
import { done } from '../../output/result.ts'
import type { Verb } from '../../cli/verb.ts'
import { examples } from '../../cli/options.ts'
import { runChild } from './child.ts'
import { noView, refuseFormats, sandboxOptions, startAsTold } from './settings.ts'
import { shellOf } from './shells.ts'
import { inSurroundings, selfOf } from './surroundings.ts'

const help = `
The command finds SVC_BASE_URL, SVC_API_KEY and SVC_API_SECRET of the sandbox in
its environment, this svc first in its PATH, and an empty folder for
configuration and state. SVC_SANDBOX holds the sandbox's address: svc refuses
any other service (exit code 4). For a shell to work in, use svc sandbox shell,
whose start-up files cannot change any of that.

The exit code is the command's own; 128 plus the signal's number when a signal
ended it; 127 when there is no such command, 126 when it cannot be run.
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
          const [program, ...words] = commandOf(tools.behindDashes, command)
          return tools.criticalSection.run(async () => {
            const started = await startAsTold(tools, options)
            try {
              if (words.length === 0 && shellOf(program) !== undefined) {
                tools.note(
                  'start-up files can override the sandbox in this shell; svc sandbox shell sets it after them',
                )
              }
              if (host.isTerminal.stdin && host.isTerminal.stderr) {
                tools.note(`a sandbox of its own at ${started.baseUrl}; it ends with this command (exit, in a shell)`)
              }
              return await inSurroundings(host, started, async ({ env }) => {
                const [first, ...rest] = program === 'svc' ? selfOf(host) : [program]
                return done(await runChild(host, { program: first, words: [...rest, ...words], env }))
              })
            } finally {
              await started.close()
            }
          })
        },
        { lenient: true },
      ),
    )

/** The words behind `--`: there must be one at least, and none before. */
function commandOf(behindDashes: readonly string[] | undefined, command: readonly string[]): [string, ...string[]] {
  const example = 'svc sandbox exec -- svc lists list'
  if (behindDashes === undefined) throw usageError('the command to run stands behind --', `for example\n${example}`)
  const [program, ...words] = behindDashes
  if (program === undefined) throw usageError('there is no command behind --', `for example\n${example}`)
  if (command.length !== behindDashes.length) {
    throw usageError(`"${command[0] ?? ''}" stands before --`, `the command belongs behind it, for example\n${example}`)
  }
  return [program, ...words]
}
