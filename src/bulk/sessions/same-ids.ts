/** A new run whose ids are those of an unfinished one: resuming that one sends only what is left. */
import { SvcError } from '../../errors.ts'
import { describeRun } from '../telling/confirm.ts'
import { listRuns, type ListedRun } from '../runs/store.ts'
import type { RunFile } from '../record/run.ts'
import type { Profile } from '../../config/profile.ts'
import type { Cut, Plan } from './plan.ts'
import type { BulkTools, Named } from '../tools.ts'

/** Runs that are looked at, the newest first. */
const mostRuns = 50

/**
 * The run to resume instead, when the person at the terminal says so; elsewhere a note has the command. Throws exit 11 while that run
 * is worked on.
 */
export async function unfinishedInstead(
  { tools, plan, profile }: { readonly tools: BulkTools; readonly plan: Plan; readonly profile: Profile },
  stateDir: string,
  cut: Cut,
  target: Named | undefined,
): Promise<RunFile | undefined> {
  if (plan.undoes !== undefined) return undefined
  const { once, takeOver } = plan.options
  const isSame = ({ run, end }: ListedRun): boolean =>
    (end === undefined || end.left !== 0) &&
    run?.operation === plan.operation &&
    run.baseUrl === profile.baseUrl &&
    run.target?.id === target?.id &&
    run.input.sha256 === cut.input.sha256
  const same = (await listRuns(tools.host, stateDir, mostRuns)).find(isSame)
  if (same?.run === undefined) return undefined
  const command = `svc runs resume ${same.run.once?.name ?? same.id}`
  if (same.holder !== undefined && takeOver !== true) {
    throw new SvcError('busy', `run ${same.id} is working on these ids; nothing was sent`, {
      hint: `wait until it ends; if it died:\n  ${command} --take-over`,
      run: same.id,
    })
  }
  const words = `${describeRun(tools, same.run)} has the same ids and is not finished`
  const question = `R${words.slice(1)}. Resume it, instead of a new run?`
  const answer = once === undefined ? await tools.ask(question) : undefined
  if (answer === undefined) tools.note(`${words}; this is a new run. To resume that one instead:\n  ${command}`)
  return answer === true ? same.run : undefined
}
