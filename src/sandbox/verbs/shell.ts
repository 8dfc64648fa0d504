import { say, svc } from '../../message.ts'
import { defineVerb } from '../../cli/verb.ts'
import { usageError } from '../../errors.ts'
import type { Host } from '../../host.ts'
import { noView } from '../../output/result.ts'
import { shellNames, shellOf, startOf } from '../shells.ts'
import { runInSandbox, sandboxOptions } from './place.ts'

const notes = `It is your own shell with your own start-up files, and its prompt begins with
(sandbox). The sandbox is set after those files, so nothing in them can send svc
to another service. SVC_SANDBOX is the sandbox's address, and svc refuses any
other one (exit code 4), whatever options, files and variables say.
Configuration and state are the sandbox's own and are deleted with it.

The shell is yours, from SHELL: ${shellNames.join(', ')}. Type exit to stop
the shell and the sandbox; the exit code is the shell's.`

export const verb = defineVerb({
  description:
    'Open a shell in which svc uses a new sandbox and cannot reach any other service.',
  notes,
  examples: [
    'svc sandbox shell',
    'svc sandbox shell --seed 7',
    "svc sandbox shell --faults '*:20%=503'",
  ],
  options: sandboxOptions,
  effect: 'local',
  shows: { ...noView, formats: ['table'] },
  lenient: true,
  run: async (context, _args, options) => {
    const { host } = context
    const program = programOf(host)
    const kind = shellOf(program)
    if (kind === undefined) {
      throw usageError(
        `svc cannot start "${program}" as a sandbox shell`,
        say`supported shells: ${shellNames.join(', ')}; name one in SHELL, or run any program:\n${svc`sandbox exec -- ${program}`}`,
      )
    }
    return runInSandbox(context, options, {
      isAnnounced: true,
      programIn: (place) => ({
        program,
        ...startOf(kind, place, host),
        isInteractive: true,
      }),
    })
  },
})

function programOf({ env, platform }: Host) {
  const { SHELL: program = '' } = env
  if (program !== '') return program
  if (platform === 'win32') return 'powershell'
  throw usageError(
    'SHELL is not set, so svc cannot tell which shell to start',
    'set it to the path of your shell, for example /bin/bash',
  )
}
