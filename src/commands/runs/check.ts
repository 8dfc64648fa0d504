import { defineVerb } from '../../cli/verb.ts'
import { viewOf } from '../view-of.ts'
import { exit, mostUrgent } from '../../errors.ts'
import { rows, text } from '../../output/result.ts'
import type { Check } from '../../views/documents.ts'
import { parseDuration } from '../../values.ts'

const view = viewOf('Checks', [
  'name',
  'verdict:state',
  'message',
  'run',
  'within',
  'exitCode:number',
])

/** One line per job that is not as it should be; where all are, one per job. */
function linesOf(checks: readonly Check[]): string {
  const bad = checks.filter(({ exitCode }) => exitCode !== exit.done)
  const told = bad.length === 0 ? checks : bad
  return told.map(({ message }) => `${message}\n`).join('')
}

export const verb = defineVerb({
  description:
    'Check that each job ran within this time and ended with 0. Jobs are named by ' +
    'their --once names. Exit code 0: all did. 3: one ended with another code, was ' +
    'killed, ran longer ago, is dated in the future or cannot be read. 6: one has no ' +
    'run. 11: one is still running. If several apply, the first of 11, 6 and 3 ' +
    'counts. One line per job that is not fine says when it ran and what is left. ' +
    'It reads the state folder of the jobs and needs no network.',
  examples: [
    'svc runs check nightly-2026-03-01 --within 26h',
    'svc runs check big-part-1 big-part-2 big-part-3 --within 1d --json',
  ],
  arguments: [
    {
      name: 'name',
      summary: 'the --once name of the job',
      isRequired: true,
    },
    {
      name: 'name',
      summary: 'more names',
      isVariadic: true,
    },
  ],
  options: {
    within: {
      value: 'duration',
      summary: 'the longest time since it ran, for example 26h',
      parse: (text: string, what: string) => parseDuration(text, what, { min: 1 }),
      isRequired: true,
    },
    acceptPartial: { summary: 'exit code 3 of the job counts as done too' },
  },
  effect: 'reads',
  shows: view,
  run: async (context, [first, others], options) => {
    const { judge } = await import('./job-verdict.ts')
    const checks: Check[] = []
    for (const name of [first, ...others]) checks.push(await judge(context, name, options))
    const exitCode = mostUrgent(checks.map((check) => check.exitCode))
    const data = () =>
      rows(context.messages.redactor.hideIn(checks), { ending: { exitCode } })
    return { ...text(linesOf(checks), exitCode), data }
  },
})
