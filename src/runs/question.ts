/** The question before anything is sent, and the words for what is changed and in which run. */
import { basename } from 'node:path'
import { describeProfile } from '../config/profile.ts'
import type { Items } from '../input/items.ts'
import { dateToMinute } from '../output/text.ts'
import { safe } from '../safe-text.ts'
import { groupDigits, pluralize } from '../words.ts'
import type { Operation, RunTools } from './job.ts'
import type { Head, Party } from './lines.ts'
import type { RunRecord } from './record.ts'

/** The parts of a job, or of a recorded one, that say what is changed. */
export interface Change {
  operation: Operation
  items: Items
  target?: Party | undefined
  ifAssignee?: Party | undefined
  undoes?: string | undefined
}

/** Returns the change of a recorded run. */
export const changeOf = (operation: Operation, { state }: RunRecord): Change => ({
  ...state.head,
  operation,
  items: state.items,
})

/** Returns `"VIP" (6400…)`, or the id alone. */
const describeParty = ({ id, name }: Party) =>
  name === undefined ? id : `"${safe(name)}" (${id})`

/** Returns `Delete 1,234 contacts` or `Assign ticket 6400… to "Ada" (6401…)`. `count` is the number to name. */
export function describeChange(change: Change, count: number) {
  const { operation, target, ifAssignee, undoes, items } = change
  const { verb, item } = operation.words
  // A single item is named.
  const single = items.size === 1 && count === 1 ? items.at(0) : undefined
  const what = single === undefined ? pluralize(count, item) : `${item} ${single.id}`
  const party = target === undefined ? single?.target : describeParty(target)
  const to = party === undefined ? '' : ` ${operation.words.preposition ?? 'to'} ${party}`
  if (undoes !== undefined) return `Give ${what} back${to}, of run ${undoes}`
  const condition =
    ifAssignee === undefined ? '' : `, with --if-assignee ${describeParty(ifAssignee)}`
  return `${verb} ${what}${to}${condition}`
}

/** Returns `run delete-20260301-101500-3f9a ("old.txt", started 2026-03-01 10:15)`. */
export function describeRun(run: string, { source, at }: Pick<Head, 'source' | 'at'>) {
  const file = source?.path === undefined ? '' : `"${safe(basename(source.path))}", `
  return `run ${run} (${file}started ${dateToMinute(at)})`
}

/**
 * Asks before a change that cannot be undone, and before every change on a protected profile. To confirm several changes that
 * cannot be undone, a person types their number. Throws exit 2 for a no. `recorded` is the run of which the rest is sent.
 */
export async function confirmChange(
  tools: RunTools,
  change: Change,
  {
    recorded,
    isAlwaysAsked = false,
  }: { recorded?: RunRecord; isAlwaysAsked?: boolean } = {},
): Promise<void> {
  const { isIrreversible = false } = change.operation
  const profile = await tools.profile()
  const count = recorded === undefined ? change.items.size : recorded.state.due
  const isAsked =
    isIrreversible || profile.protected || isAlwaysAsked || change.undoes !== undefined
  if (count === 0 || !isAsked) return
  const rest =
    recorded === undefined
      ? ''
      : `, the rest of ${describeRun(recorded.run, recorded.state.head)},`
  const warning = isIrreversible ? ' This cannot be undone.' : ''
  const message = `${describeChange(change, count)}${rest} on ${describeProfile(profile)}?${warning}`
  const expected = isIrreversible && count > 1 ? groupDigits(count) : undefined
  const questions = await tools.questions()
  await questions.confirm({ message, expected, about: whoLine(tools, change) })
}

/** Returns the line beside the question of a single delete or merge: the command that shows who the contact is. */
function whoLine(tools: RunTools, { operation, items }: Change) {
  if (items.size !== 1 || operation.words.item !== 'contact') return undefined
  const { id, target } = items.at(0)
  const command =
    target === undefined ? `svc contacts get ${id}` : `svc contacts get ${id} ${target}`
  return `to see who it is:\n${tools.messages.withProfile(`  ${command}`)}`
}
