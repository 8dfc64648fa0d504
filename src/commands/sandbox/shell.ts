import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { usageError } from '../../errors.ts'
import type { Host } from '../../host.ts'
import { shellWord } from '../../words.ts'
import { done } from '../../output/result.ts'
import type { Verb } from '../../cli/verb.ts'
import { examples } from '../../cli/options.ts'
import { runChild } from './child.ts'
import { noView, refuseFormats, sandboxOptions, startAsTold } from './settings.ts'
import { shellNames, shellOf, startOf } from './shells.ts'
import { inSurroundings } from './surroundings.ts'

const help = `
It is your own shell, with your own start-up files, and its prompt begins with
(sandbox). The sandbox is set after those files, so nothing in them can send svc
to another service. SVC_SANDBOX holds the sandbox's address, and svc refuses any
other one (exit code 4), whatever options, files and variables say.
Configuration and state are the sandbox's own and are deleted with it.

Known shells: ${shellNames.join(', ')}. exit stops the shell and the sandbox;
the exit code is the shell's.
${examples('svc sandbox shell', 'svc sandbox shell --shell bash --contacts 100000', "svc sandbox shell --faults '*:20%=503'")}`

export const shell: Verb = (sandbox, run) =>
  sandboxOptions(sandbox.command('shell'))
    .summary('open a shell in which svc uses a sandbox of its own')
    .description('Open a shell in which svc uses a sandbox of its own and can reach no other service.')
    .option('--shell <program>', 'which shell (default: yours, from SHELL)')
    .addHelpText('after', help)
    .action(
      run(
        noView,
        async (tools, options) => {
          refuseFormats(tools, ['table'])
          const { host } = tools
          const program = programOf(host, options.shell)
          const kind = shellOf(program)
          if (kind === undefined) {
            throw usageError(
              `svc cannot start "${program}" as a sandbox shell`,
              `known shells: ${shellNames.join(', ')}; choose one with --shell, or run any program:\nsvc sandbox exec -- ${shellWord(program)}`,
            )
          }
          return tools.criticalSection.run(async () => {
            const started = await startAsTold(tools, options)
            try {
              tools.note(`svc in this shell uses a sandbox at ${started.baseUrl}; exit stops both`)
              return await inSurroundings(host, started, async (surroundings) => {
                const { words, files, env } = startOf(kind, host, surroundings)
                for (const [name, text] of Object.entries(files)) {
                  const path = join(surroundings.folder, name)
                  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
                  await writeFile(path, text, { mode: 0o600 })
                }
                return done(
                  await runChild(host, { program, words, env: { ...surroundings.env, ...env }, isInteractive: true }),
                )
              })
            } finally {
              await started.close()
            }
          })
        },
        { lenient: true },
      ),
    )

function programOf({ env, platform }: Host, asked: string | undefined): string {
  const program = asked ?? env['SHELL'] ?? ''
  if (program !== '') return program
  if (platform === 'win32') return 'powershell'
  throw usageError(
    'SHELL is not set, so svc cannot tell which shell to start',
    'choose one, for example\nsvc sandbox shell --shell bash',
  )
}
