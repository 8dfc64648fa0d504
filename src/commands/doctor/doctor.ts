import { defineVerb } from '../../cli/verb.ts'
import { columnsFor } from '../../output/columns.ts'
import { document, text, type View } from '../../output/result.ts'
import { wrap } from '../../output/text/width.ts'
import type { Finding } from '../../views/documents.ts'

const findingView: View<Finding> = {
  columns: columnsFor('state:state', 'check', 'message as RESULT', 'remedy'),
  row: async () => (await import('../../views/documents.ts')).Finding,
  isDocument: true,
  schema: async () => (await import('../../views/documents.ts')).Doctor,
}

export const doctor = defineVerb({
  description:
    'Check configuration, file modes, Node, policy, proxy, certificates, connection, clock, credentials, plan, state folder and\n' +
    'completion: one line per check, and how to fix what is wrong. It sends one read request and changes nothing.',
  notes: `The exit code is 0 if nothing failed, otherwise that of the first failure:
2 configuration, policy, proxy or certificates, 4 profile, credentials or clock,
5 plan, scope or policy, 7 connection, 10 state folder.`,
  examples: ['svc doctor', 'svc doctor --check-write', 'svc doctor --json'],
  options: {
    checkWrite: {
      summary:
        'also check whether the key may write: try to add contact 000...0 to list 000...0 (neither exists)',
    },
  },
  effect: 'reads',
  shows: findingView,
  lenient: true,
  run: async (context, _args, options) => {
    const { findings } = await import('./findings.ts')
    const checks: Finding[] = []
    for await (const { remedy, ...finding } of findings(context, options.checkWrite === true))
      checks.push({ ...finding, remedy: remedy && context.messages.textOf(remedy) })
    const exitCode = checks.find(({ state }) => state === 'fail')?.exitCode ?? 0
    const status = exitCode === 0 ? 'ok' : 'failed'
    const lines = checks.map((finding) => lineOf(finding, context.print.width ?? 100))
    return {
      ...text(lines.join(''), exitCode),
      data: () => document({ status, exitCode, checks }, checks, exitCode),
    }
  },
})

/** `ok    clock          0s off`, with the remedy below it. A command that stands on a line of its own is not cut. */
function lineOf({ state, check, message, remedy }: Finding, width: number): string {
  const head = `${(state === 'fail' ? 'FAIL' : state).padEnd(6)}${check.padEnd(15)}`
  const lines = [message, ...(remedy ?? '').split('\n')]
    .filter((line) => line !== '')
    .flatMap((line) =>
      line.startsWith('  ') ? [line] : wrap(line, Math.max(20, width - head.length)),
    )
  return `${head}${lines.join(`\n${' '.repeat(head.length)}`)}\n`
}
