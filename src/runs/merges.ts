/** Merges in doubt: a source whose answer was lost is not merged again, by no job of this state folder. */
import { usageError } from '../errors.ts'
import { say, svc } from '../message.ts'
import { isBegun, type BegunLog } from './log.ts'
import type { Runs } from './list.ts'
import { isAnswered, isInDoubt } from './operations/operation.ts'

/**
 * Throws exit 2 if one of these sources (in lower case) stands in doubt in another run of merges on this service. Of a run
 * that is no run of merges by its name or its head, nothing more is read.
 */
export async function checkMergesInDoubt(
  runs: Runs,
  ownRun: string,
  baseUrl: string,
  sources: ReadonlySet<string>,
): Promise<void> {
  for (const run of await runs.names()) {
    if (run === ownRun || !/^(?:merge-|@)/.test(run)) continue
    const head = await runs.headOf(run)
    // A run whose head cannot be read may be one of merges.
    const isOther = head?.operation !== 'contacts.merge' || head.baseUrl !== baseUrl
    if (head !== undefined && isOther) continue
    const log = await runs.read(run)
    if (isBegun(log)) checkSources(log, sources)
    else if (log?.isDamaged === true) throw unreadable(run)
  }
}

/** Throws exit 2 for the first of these sources that stands in doubt in a run. */
function checkSources({ run, head, queue, items }: BegunLog, sources: ReadonlySet<string>) {
  if (head.operation !== 'contacts.merge') return
  // A request of merges has one pair.
  const pairs = queue.requests
    .filter((request) => !isAnswered(request) && isInDoubt(request))
    .map(({ range: [position] }) => items.at(position))
  const doubtful = pairs.find(({ id }) => sources.has(id.toLowerCase()))
  if (doubtful === undefined) return
  const { id, other = '' } = doubtful
  throw usageError(
    `it is not known whether ${id} was merged into ${other} by run ${run}; nothing was sent`,
    say`look at both contacts (a lost request can take effect within 11 minutes):\n  ${svc`contacts get ${id} ${other}`}\nto send this merge all the same, ${anew}`,
  )
}

function unreadable(run: string) {
  return usageError(
    `the record of run ${run} is damaged, so it is not known which merges it leaves in doubt; nothing was sent`,
    `if none of these contacts can be among them, ${anew}`,
  )
}

const anew = 'add --new-run (instead of --once, or with another name)'
