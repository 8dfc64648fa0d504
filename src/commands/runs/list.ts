import { limitOption, sinceOption, defineVerb } from '../../cli/verb.ts'
import { firstRows, id, number, text, time, wide } from '../../output/result.ts'
import type { Head } from '../../runs/lines.ts'
import type { ListedRun } from '../../runs/list.ts'
import { targetOf } from '../../runs/summary.ts'
import { parseTime } from '../../values.ts'

export const verb = defineVerb({
  description: 'List recorded runs, newest first.',
  examples: ['svc runs list', 'svc runs list --since yesterday --json'],
  options: { ...limitOption, ...sinceOption('runs that began') },
  effect: 'reads',
  columns: {
    RUN: id('run'),
    STARTED: time('startedAt'),
    IDS: number('ids'),
    STATUS: text('status'),
    OPERATION: wide(text('operation')),
    TARGET: wide(text('target')),
    BY: wide(text('by')),
  },
  ids: 'run',
  run: async (context, _args, { since: typed }) => {
    const since =
      typed === undefined ? -Infinity : parseTime(typed, context.host.now(), '--since')
    const all = await (await context.runs()).list()
    // A damaged run that does not say when it began is shown.
    const chosen = all.filter(({ head }) => head === undefined || head.at >= since)
    const { messages, print } = context
    const rows = messages.redactor.hide(chosen.map(rowOf))
    return firstRows(rows, print.rowLimit, { what: 'runs', empty: 'no recorded runs' })
  },
})

/** A run as a row. A damaged run may have only its name. */
function rowOf({ run, status, head, host, end }: ListedRun) {
  return {
    run,
    ...(head === undefined ? unknownFacts : factsOf(head)),
    by: head === undefined ? null : `${head.user}@${host ?? ''}`,
    startedAt: timeText(head?.at),
    endedAt: timeText(end?.at),
    status,
    exitCode: end?.exit ?? null,
  }
}

const unknownFacts = {
  once: null,
  operation: null,
  target: null,
  profile: null,
  ids: null,
}

function factsOf(head: Head) {
  const { once, operation, profile, input } = head
  return { once, operation, target: targetOf(head), profile, ids: input.unique }
}

const timeText = (at?: number) => (at === undefined ? null : new Date(at).toISOString())
