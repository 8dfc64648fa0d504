import { defineVerb } from '../../cli/verb.ts'
import { usageError } from '../../errors.ts'
import { runInSandbox, sandboxOptions, selfOf } from './place.ts'

const notes = `The command's SVC_BASE_URL, SVC_API_KEY and SVC_API_SECRET are those of the
sandbox; configuration and state are in an empty folder, which is deleted at the
end together with the sandbox's data. SVC_SANDBOX is the sandbox's address: svc
refuses any other service (exit code 2). Files that the command writes stay
where they are: rehearse a job in an empty folder, or the real run may find a
file with ids of the sandbox.

The exit code is the command's own; 128 plus the signal's number if a signal
ended it; 127 if there is no such command, 126 if it cannot be run.`

export const verb = defineVerb({
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
  effect: 'local',
  formats: ['table'],
  run: async (context, [command], options) => {
    const { host, line } = context
    const [program = host.env['SHELL'] || 'sh', ...args] = command
    if (command.length > 0 && !line.words.includes('--'))
      throw usageError(
        'write the command to run after --',
        `for example:\n  svc sandbox exec -- svc lists list`,
      )
    const self = program === 'svc' ? selfOf(host) : [program]
    return runInSandbox(context, options, [...self, ...args])
  },
})
