import { defineVerb, schemaOf } from '../../cli/verb.ts'
import { targetOf, targetParameter } from '../../bulk/operations/operations.ts'
import type { RunFile } from '../../bulk/record/run.ts'
import { actorWords } from '../../bulk/record/actor.ts'
import type { Summary } from '../../bulk/outcomes/summary.ts'
import { groupDigits, pluralize } from '../../words.ts'
import { futureWord } from '../../output/text/time.ts'
import { document } from '../../output/result.ts'
import { summaryView } from '../../views/bulk.ts'
import { lastOption, otherForms, readRun, runArgument, typedRun } from './reading.ts'

function aboutRun(
  {
    run,
    once,
    operation,
    items,
    kind,
    parameters,
    baseUrl,
    profile,
    key,
    startedAt,
    by,
    reason,
  }: RunFile,
  status: string,
  now: number,
): string {
  const named = once === undefined ? '' : ` ("${once.name}")`
  const target = targetOf(operation, parameters)
  const name = target?.name === undefined ? target?.id : `"${target.name}"`
  const to = name === undefined ? '' : `, ${targetParameter(operation)?.preposition ?? ''} ${name}`
  const called = profile === null ? '' : `"${profile}", `
  const on = `${called}${new URL(baseUrl).host}, key ${key.ending}`
  const count = pluralize(items, kind === 'pairs' ? 'pair' : 'id')
  const why = reason === undefined ? [] : [`reason: ${reason}`]
  const future = futureWord(Date.parse(startedAt), now)
  const began = `run ${run}${named}: ${operation}${to}, ${count}, on ${on}; started ${startedAt}${future} by ${actorWords(by)}`
  return [began, ...why, `status: ${status}`].join('\n  ')
}

function statusOf({ status, stopReason, left }: Summary): string {
  const why = stopReason === null || stopReason === 'signal' ? '' : ` (${stopReason})`
  const rest = left === 0 ? '' : `, ${groupDigits(left)} left to resume`
  return `${status}${why}${rest}`
}

export const show = defineVerb({
  description:
    'Show the summary of a recorded run, as it was printed when the run ended. For a --once name whose run was\n' +
    'pruned, show the summary that was kept.',
  examples: ['svc runs show 20260301T101500Z-7f3a', 'svc runs show --last --json'],
  notes: otherForms,
  arguments: [runArgument],
  options: { ...lastOption },
  effect: 'reads',
  shows: { ...summaryView, schema: schemaOf('Summary') },
  run: async (context, [typed], options) => {
    const reference = typedRun(typed, options)
    const [{ prunedName }, { recordedSummary }, { Teller }] = await Promise.all([
      import('../../bulk/runs/find-run.ts'),
      import('../../bulk/runs/recorded.ts'),
      import('../../bulk/telling/teller.ts'),
    ])
    const kept = prunedName(await context.store(), reference)
    if (kept !== undefined) return document(kept.summary, kept.rows)
    const { recorded, holder } = await readRun(context, reference)
    const summary = recordedSummary(recorded)
    new Teller(context).tooMany(summary, recorded.run.run)
    if (context.print.format === 'table') {
      const status = holder === undefined ? statusOf(summary) : 'running'
      context.note(aboutRun(recorded.run, status, context.host.now()))
    }
    return document(summary.document, summary.rows)
  },
})
