/** A new run whose ids are those of an unfinished one: resuming that one sends only what is left. */
import { SvcError } from '../../errors.ts'
import { describeRun } from '../telling/confirm.ts'
import { listRuns, type ListedRun } from '../runs/store.ts'
import type { RunFile } from '../record/run.ts'
import type { Profile } from '../../config/profile.ts'
import type { Cut, Plan } from './plan.ts'
import type { BulkTools, Named, RunOutput } from '../tools.ts'

const mostRuns = 50

export type Resume = (stateDir: string, run: RunFile) => Promise<RunOutput>

interface Beginning {
  readonly tools: BulkTools
  readonly plan: Plan
  readonly profile: Profile
  readonly stateDir: string | undefined
  readonly cut: Cut
  readonly target: Named | undefined
}

/**
 * Resumes the unfinished run instead, when the person at the terminal says so; elsewhere a note has the command. Throws exit 11 while
 * that run is worked on.
 */
export async function resumeInstead(
  { tools, plan, profile, stateDir, cut, target }: Beginning,
  resume: Resume,
): Promise<RunOutput | undefined> {
  if (plan.undoes !== undefined || stateDir === undefined) return undefined
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
  return answer === true ? resume(stateDir, same.run) : undefined
}
