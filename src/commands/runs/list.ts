import { defineCommand } from '../../cli/command.ts'
import { limitOption } from '../../cli/paging.ts'
import { groupDigits } from '../../words.ts'
import { rows } from '../../output/result.ts'
import { schemaOf } from '../../cli/verb.ts'
import { runView } from '../../resources/run.ts'
import { rowsOf } from './reading.ts'

export const list = defineCommand({
  path: 'runs list',
  summary: 'list recorded bulk runs, newest first',
  examples: ['svc runs list', 'svc runs list --json'],
  options: limitOption,
  effect: 'reads',
  shows: { ...runView, schema: schemaOf('Runs') },
  run: async (context) => {
    const { listRuns } = await import('../../bulk/runs/store.ts')
    const { stateDir } = await context.configuration()
    const all = await listRuns(context.host, stateDir.value)
    const readable = all.filter(({ isEarlier }) => isEarlier !== true)
    const begun = readable.filter(({ run: recorded, problem }) => recorded !== undefined || problem !== undefined)
    const listed = begun.slice(0, context.print.rowLimit)
    for (const { id, problem } of listed) if (problem !== undefined) context.warn(`run ${id}: ${problem}`)
    const cut = `Showing ${listed.length} of ${begun.length} runs. Use --limit all for all of them.`
    const notes = listed.length < begun.length && context.print.isLimited !== true ? [cut] : []
    const earlier = all.length - readable.length
    if (earlier > 0) {
      const which =
        earlier === 1
          ? '1 run of an earlier version of svc is'
          : `${groupDigits(earlier)} runs of earlier versions of svc are`
      notes.push(`${which} not shown: this version does not read their format`)
    }
    return rows(context.hide(await rowsOf(context, listed)), { empty: 'no recorded runs', ending: { notes } })
  },
})
