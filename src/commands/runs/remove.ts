import { defineVerb } from '../../cli/verb.ts'
import { usageError } from '../../errors.ts'
import { plainText } from '../../output/result.ts'
import { removeOlderRuns, removeRun } from '../../runs/engine.ts'
import { parseMoment } from '../../values.ts'
import { findRun, runArgument } from '../../cli/runs.ts'

export const verb = defineVerb({
  summary: 'forget runs in which nothing is due',
  description:
    'Forget a run in which nothing is due, or one whose record is damaged. svc asks first, and says what it would forget. ' +
    'With --older-than, it forgets all runs that ended earlier, of every service, except those with something due or a merge ' +
    'that may have been made.',
  examples: [
    'svc runs remove delete-20260301-101500-3f9a',
    'svc runs remove --older-than 90d',
  ],
  arguments: [runArgument],
  options: {
    olderThan: { value: 'age', summary: 'all runs that ended longer ago: 30d, 12h' },
  },
  formats: ['table'],
  act: async (context, [run], { olderThan }) => {
    if ((run === undefined) === (olderThan === undefined))
      throw usageError('give a run, or --older-than <age>')
    if (olderThan === undefined) await removeRun(context, await findRun(context, run))
    else
      await removeOlderRuns(
        context,
        parseMoment(olderThan, context.host.now(), '--older-than'),
      )
    return plainText('')
  },
})
