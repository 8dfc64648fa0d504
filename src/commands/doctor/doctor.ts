import { summaries } from '../../cli/summaries.ts'
import { defineCommand } from '../../cli/command.ts'
import { findingView } from './finding.ts'

export const doctor = defineCommand({
  path: 'doctor',
  summary: summaries.doctor,
  description:
    'Check configuration, file modes, Node, policy, proxy, connection, clock, credentials, plan, state folder and completion: one\n' +
    'line per check, and how to fix what is wrong. It sends one read request and changes nothing.',
  notes: `The exit code is 0 if nothing failed, otherwise that of the first failure:
2 configuration, policy or proxy, 4 profile, credentials or clock, 5 plan, scope
or policy, 7 connection, 10 state folder.`,
  examples: ['svc doctor', 'svc doctor --check-write', 'svc doctor --json'],
  options: {
    checkWrite: {
      summary: 'also check whether the key may write: try to add contact 000...0 to list 000...0 (neither exists)',
    },
  },
  effect: 'reads',
  shows: findingView,
  lenient: true,
  run: async (context, options) => {
    const { doctorOutput } = await import('./report.ts')
    return doctorOutput(context, options.checkWrite === true)
  },
})
