import { actorWords, type Header } from '../../bulk/record/header.ts'
import type { KeptSummary } from '../../bulk/record/read-run.ts'
import { defineVerb } from '../../cli/verb.ts'
import { schemaOf } from '../schema-of.ts'
import { document } from '../../output/result.ts'
import { futureWord } from '../../output/text/time.ts'
import { summaryView } from '../../views/bulk.ts'
import { groupDigits, pluralize } from '../../words.ts'
import {
  findRun,
  lastOption,
  otherForms,
  readRecorded,
  runArgument,
  typedRun,
} from './reading.ts'

function aboutRun(run: string, header: Header, parties: string, now: number): string {
  const { operation, input, kind, baseUrl, profile, key, startedAt, by, reason } = header
  const called = profile === null ? '' : `"${profile}", `
  const on = `${called}${new URL(baseUrl).host}, key ${key.ending}`
  const count = pluralize(input.unique, kind === 'pairs' ? 'pair' : 'id')
  const more = reason === undefined ? [] : [`reason: ${reason}`]
  const future = futureWord(Date.parse(startedAt), now)
  const to = parties === '' ? '' : `,${parties}`
  const began = `run ${run}: ${operation}${to}, ${count}, on ${on}; started ${startedAt}${future} by ${actorWords(by)}`
  return [began, ...more].join('\n  ')
}

function statusOf({ status, stopReason, left }: KeptSummary['document']): string {
  const why = stopReason === null || stopReason === 'signal' ? '' : ` (${stopReason})`
  const rest = left === 0 ? '' : `, ${groupDigits(left)} left to resume`
  return `${status}${why}${rest}`
}

export const verb = defineVerb({
  description:
    'Show the summary of a recorded run as it was printed at its end, also after the ' +
    'run was pruned.',
  examples: ['svc runs show 20260301T101500Z-7f3a', 'svc runs show --last --json'],
  notes: otherForms,
  arguments: [runArgument],
  options: lastOption,
  effect: 'reads',
  shows: { ...summaryView, schema: schemaOf('Summary') },
  run: async (context, [typed], options) => {
    const [{ toParties }, { tellTooMany }, { rowsOf }] = await Promise.all([
      import('../../bulk/telling/question.ts'),
      import('../../bulk/telling/notes.ts'),
      import('../../bulk/outcomes/summary.ts'),
    ])
    const listed = await findRun(context, typedRun(typed, options))
    const { run, header, holder, isPruned, summary: kept } = listed
    if (isPruned && kept !== undefined && header !== undefined)
      return document(kept.document, rowsOf(header, kept.document.result))
    const recorded = await readRecorded(context, listed)
    const summary = recorded.summary()
    tellTooMany(context, summary, run)
    const isWhole = holder === undefined && recorded.damage === undefined
    const shown = isWhole && kept !== undefined ? kept.document : { ...summary.document }
    if (context.print.format === 'table' && header !== undefined) {
      const status = holder === undefined ? statusOf(shown) : 'running'
      const parties = toParties(header.operation, header.parameters)
      const about = aboutRun(run, header, parties, context.host.now())
      context.note(`${about}\n  status: ${status}`)
    }
    return document(shown, rowsOf(recorded.header, shown.result))
  },
})
