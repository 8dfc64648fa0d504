/** Closes a run, so that nothing more of it is sent, and removes one, so that svc forgets it. */
import { SvcError, usageError } from '../errors.ts'
import { groupDigits, pluralize } from '../words.ts'
import { recordedRuns, type RunFacts } from './find.ts'
import type { Head } from './lines.ts'
import { describeRun } from './question.ts'
import { busyError, type RunRecord } from './record.ts'
import { lostMerges } from './state.ts'
import { waysOn } from './telling.ts'
import type { RunTools } from './job.ts'

/** Closes a run, after a question. Looks at neither base URL nor key, because it sends nothing. */
export async function closeRun(tools: RunTools, record: RunRecord): Promise<void> {
  const { run, state } = record
  const { due, damage } = state
  if (due === 0 && damage === undefined)
    return tools.note(`nothing is left to be sent in run ${run}; it needs no closing`)
  // A damaged run sends nothing more. Closing it stops a process that may still work on it.
  if (damage === undefined && record.isHeld) throw busyError(run)
  // A merge whose answer was lost would not be sent anyway.
  const isFinalIfLost = state.knownHead?.isFinalIfLost === true
  const outcomes = isFinalIfLost ? 'not-attempted' : 'not-attempted,unknown'
  if (due > 0)
    tools.note(
      `to list the ids that would not be sent:\n  svc runs export ${run} --outcome ${outcomes} -o ids`,
    )
  const what = state.hasAllIds ? describeRun(run, state.head) : `run ${run}`
  const count = pluralize(due, 'id is', 'ids are')
  const { unknown = 0 } = isFinalIfLost ? {} : state.counts
  const lost =
    unknown === 0 ? '' : ` The answer about ${groupDigits(unknown)} of them was lost.`
  const left = `${count} not sent then.${lost}`
  const message = `Close ${what}? ${damage === undefined ? left : `${damage}.`}`
  await (await tools.questions()).confirm({ message })
  await tools.signals.shield(async () => {
    try {
      await record.addPart()
      await record.endClosed()
    } catch (error) {
      if (!(error instanceof SvcError) || error.category !== 'busy') throw error
      throw busyError(run).with({
        hint: `the run is not closed; try again in 20s:\n  svc runs close ${run}`,
      })
    } finally {
      record.closeFile()
    }
  })
  tools.note(`run ${run} is closed; ${pluralize(due, 'id was', 'ids were')} left`)
}

/** Throws exit 2 for a run that is not to be removed: something is due in it. */
export function refuseUnfinished({ run, state }: RunRecord) {
  if (state.due === 0) return
  throw usageError(
    `${pluralize(state.due, 'id is', 'ids are')} still due in run ${run}; nothing was removed`,
    `go on with it, or close it first:\n  ${waysOn(run)}`,
  )
}

/** Forgets a run in which nothing is due, or a damaged one, after a question. */
export async function removeRun(tools: RunTools, record: RunRecord): Promise<void> {
  const { run, state } = record
  refuseUnfinished(record)
  const receipts = pluralize(state.items.size, 'receipt')
  const lost = lostMerges(state.knownHead, state.counts)
  const merges =
    lost === 0 ? '' : `, and that ${pluralize(lost, 'merge')} may have been made`
  const message = `Remove run ${run}? svc then forgets ${receipts}${merges}.`
  await (await tools.questions()).confirm({ message })
  const runs = recordedRuns(tools)
  // Meanwhile another command may have removed the run, and a third one begun another of its name.
  const isMeant = (head: Head | undefined) => head?.at === state.knownHead?.at
  const now = (await runs.read(run))?.state
  const isChanged =
    now !== undefined && (!isMeant(now.knownHead) || now.lastAt !== state.lastAt)
  if (isChanged) throw busyError(run)
  runs.takeAway(run, isMeant)
  tools.note(`run ${run} is removed`)
}

/** Forgets all runs that ended before a time, after a question; not those with something due, an unknown merge or damage. */
export async function removeOlderRuns(tools: RunTools, before: number): Promise<void> {
  const runs = recordedRuns(tools)
  const isOld = ({ state, isHeld }: RunFacts) => {
    const { head, counts, due, damage, lastAt } = state
    const isFinished = due === 0 && damage === undefined && !isHeld
    return isFinished && lostMerges(head, counts) === 0 && lastAt < before
  }
  const old = (await runs.list()).runs.filter(isOld)
  if (old.length === 0) return tools.note('there is no run that old to remove')
  const message = `Remove ${pluralize(old.length, 'run')}? svc then forgets their receipts.`
  await (await tools.questions()).confirm({ message })
  for (const { run } of old) {
    const facts = await runs.factsOf(run)
    if (facts === undefined || !isOld(facts)) continue
    runs.takeAway(run, (there) => there?.at === facts.state.head.at)
  }
  tools.note(`${pluralize(old.length, 'run is', 'runs are')} removed`)
}
