import type { Command } from '@commander-js/extra-typings'
import { defineCommand, examples, type Run } from '../../cli/verb.ts'
import { findingView } from './finding.ts'

export function doctor(program: Command, run: Run): void {
  defineCommand(program, 'doctor', 'check everything that svc needs, and say how to fix what is wrong')
    .description(
      'Check configuration, file modes, Node, policy, proxy, connection, clock, credentials, plan, state folder and completion: one\n' +
        'line per check, and how to fix what is wrong. It sends one read request and changes nothing.',
    )
    .option(
      '--check-write',
      'also check whether the key may write: try to add contact 000...0 to list 000...0 (neither exists)',
    )
    .addHelpText(
      'after',
      `
The exit code is 0 if nothing failed, otherwise that of the first failure:
2 configuration, policy or proxy, 4 profile, credentials or clock, 5 plan, scope
or policy, 7 connection, 10 state folder.
${examples('svc doctor', 'svc doctor --check-write', 'svc doctor --json')}`,
    )
    .action(
      run(
        findingView,
        async (context, options) => {
          const { doctorOutput } = await import('./report.ts')
          return doctorOutput(context, options.checkWrite === true)
        },
        { lenient: true },
      ),
    )
}
