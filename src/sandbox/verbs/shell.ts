import { defineVerb } from '../../cli/verb.ts'
import { usageError } from '../../errors.ts'
import { runInSandbox, sandboxOptions } from './place.ts'

export const verb = defineVerb({
  description:
    'Open your shell in which svc uses a new sandbox: the same as svc sandbox exec -- $SHELL. Type exit to stop both.',
  examples: ['svc sandbox shell', "svc sandbox shell --faults '*:2=503'"],
  options: sandboxOptions,
  effect: 'local',
  formats: ['table'],
  run: async (context, _args, options) => {
    const { SHELL: shell = '' } = context.host.env
    if (shell === '')
      throw usageError(
        'SHELL is not set, so svc cannot tell which shell to start',
        'set it to the path of your shell, for example /bin/bash',
      )
    return runInSandbox(context, options, { command: [shell], isAnnounced: true })
  },
})
