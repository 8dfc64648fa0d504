import type { Context } from '../../cli/context.ts'
import { limitOption, sinceOption, defineVerb } from '../../cli/verb.ts'
import { exitCodes, SvcError } from '../../errors.ts'
import { id, number, text, rows, time, wide } from '../../output/result.ts'
import {
  describeTarget,
  recordedRuns,
  statusOf,
  tellUnfinished,
  type RunFacts,
} from '../../runs/engine.ts'
import { parseMoment } from '../../values.ts'
import { pluralize } from '../../words.ts'

export const verb = defineVerb({
  summary: 'list recorded bulk runs, newest first',
  description:
    'List recorded runs, newest first. The status is complete, partial, stopped, interrupted or closed, as in the summary of the run, or working or damaged.',
  examples: [
    'svc runs list',
    'svc runs list --unfinished',
    'svc runs list --since yesterday --json',
  ],
  options: {
    unfinished: { summary: 'only runs in which something is still due' },
    ...limitOption,
    ...sinceOption('runs that began'),
  },
  isRead: true,
  columns: {
    RUN: id('run'),
    STARTED: time('startedAt'),
    IDS: number('ids'),
    DONE: number('done'),
    STATUS: text('status'),
    OPERATION: wide(text('operation')),
    TARGET: wide(text('target')),
    BY: wide(text('by')),
  },
  ids: 'run',
  act: async (context, _args, { unfinished = false, since }) => {
    const from =
      since === undefined ? -Infinity : parseMoment(since, context.host.now(), '--since')
    const recorded = recordedRuns(context)
    const listed = await recorded.list()
    const { runs, unreadable } = listed
    const profile = await profileIfAny(context)
    if (!unfinished && profile !== undefined) tellUnfinished(context, listed, profile)
    const isWanted = ({ state: { head, due } }: RunFacts) =>
      head.at >= from && (!unfinished || due > 0)
    const damaged = unfinished
      ? []
      : unreadable.map(({ run }) => ({ run, status: 'damaged' }))
    const unknownFiles = recorded.countUnknownFiles(listed)
    if (unknownFiles > 0)
      context.note(
        `${pluralize(unknownFiles, 'unknown file is', 'unknown files are')} in ${recorded.folder}`,
      )
    return rows([...damaged, ...runs.filter(isWanted).map(rowOf)], {
      what: 'runs',
      empty: unfinished ? 'no unfinished runs' : 'no recorded runs',
    })
  },
})

/** Returns the profile; undefined without credentials, which a list of runs does not need. */
async function profileIfAny({ profile }: Context) {
  try {
    return await profile()
  } catch (error) {
    if (error instanceof SvcError && error.exitCode === exitCodes.auth) return undefined
    throw error
  }
}

function rowOf(facts: RunFacts) {
  const { run, state } = facts
  const { head, counts, due, end } = state
  return {
    run,
    startedAt: timeText(head.at),
    endedAt: timeText(end?.at),
    ids: head.count,
    // Contacts that were gone count as done, too.
    done: (counts.done ?? 0) + (counts.gone ?? 0),
    status: statusOf(facts),
    operation: head.operation,
    target: describeTarget(head),
    profile: head.profile,
    by: `${head.user}@${head.host}`,
    once: head.once,
    outcomes: counts,
    due,
  }
}

const timeText = (at?: number) => (at === undefined ? null : new Date(at).toISOString())
