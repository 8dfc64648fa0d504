/** The run by which a plan was applied in this state folder, and how that ended. */
import * as v from 'valibot'
import { prunedRun, readName } from '../bulk/runs/names.ts'
import { lookAt, type ListedRun } from '../bulk/runs/store.ts'
import type { BulkTools } from '../bulk/tools.ts'
import { SvcError } from '../errors.ts'
import { groupDigits } from '../words.ts'
import { count, text, textOrNull } from '../views/shapes.ts'
import type { PlanFile } from './plan-file.ts'

export const ApplicationFacts = v.object({
  run: text,
  startedAt: text,
  /** Null while it is applied, and where its process died. */
  endedAt: textOrNull,
  exitCode: v.nullable(count),
  /** How many ids were left at its end. */
  left: v.nullable(count),
})

interface Application {
  /** Null where its record cannot be read. */
  readonly facts: v.InferOutput<typeof ApplicationFacts> | null
  readonly words: string
  /** Whether applying the plan again would send something: what the run has left. */
  readonly isOpen: boolean
}

/** How and when a plan was applied; undefined where this state folder knows of no run. `time` words an ISO 8601 date-time. */
export async function applicationOf(
  { host, configuration }: Pick<BulkTools, 'host' | 'configuration'>,
  plan: PlanFile,
  time: (text: string) => string,
): Promise<Application | undefined> {
  const stateDir = (await configuration()).stateDir.value
  try {
    const entry = readName(host, stateDir, plan.name)
    if (entry === undefined) return undefined
    const listed = prunedRun(stateDir, entry) ?? (await lookAt(host, stateDir, entry.run))
    return applicationBy(listed, time)
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
    return unreadable(error.message)
  }
}

const unreadable = (problem: string): Application => ({
  facts: null,
  words: `whether it was applied cannot be known: ${problem}`,
  isOpen: false,
})

function applicationBy(
  { id, run, end, holder, problem }: ListedRun,
  time: (text: string) => string,
): Application | undefined {
  if (problem !== undefined) return unreadable(problem)
  // A name is taken before its run begins.
  if (run === undefined) return undefined
  const { startedAt } = run
  const begun = { run: id, startedAt, endedAt: null, exitCode: null, left: null }
  if (holder !== undefined) {
    const words = `run ${id} is applying it since ${time(startedAt)}`
    return { facts: begun, words, isOpen: false }
  }
  if (end === undefined) {
    const words = `it was applied on ${time(startedAt)}: run ${id} has no end on record`
    return { facts: begun, words, isOpen: true }
  }
  const { exitCode, left } = end
  const endedAt = new Date(end.at).toISOString()
  const isOpen = left > 0
  const rest = left === 0 ? '' : `, with ${groupDigits(left)} left to apply`
  return {
    facts: { ...begun, endedAt, exitCode, left },
    words: `it was applied: run ${id} ended with ${exitCode} on ${time(endedAt)}${rest}`,
    isOpen,
  }
}
