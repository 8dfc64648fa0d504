/** The question before anything is sent, and the words for what a run does. */
import { grouped } from '../words.ts'
import { keyEnding, type Profile } from '../config/profile.ts'
import type { BulkOperation } from './events.ts'
import type { BulkTools, Named } from './tools.ts'

/** What it does to each thing, for questions, notes and the bar. */
export const words: Record<BulkOperation, { verb: string; doing: string; things: string }> = {
  'contacts.delete': { verb: 'Delete', doing: 'deleting', things: 'contacts' },
  'lists.add-contacts': { verb: 'Add', doing: 'adding', things: 'contacts' },
  'contacts.merge': { verb: 'Merge', doing: 'merging', things: 'contacts' },
  'tickets.assign': { verb: 'Assign', doing: 'assigning', things: 'tickets' },
}

/** `1 contact`, `1,234 tickets`. */
export function counted(operation: BulkOperation, count: number): string {
  const { things } = words[operation]
  return `${grouped(count)} ${count === 1 ? things.replace(/s$/, '') : things}`
}

/** ` to "VIP" (6400…)`: the list, or the employee of all tickets. */
export function toTarget(target: Named | undefined): string {
  if (target === undefined) return ''
  return ` to ${target.name === undefined ? target.id : `"${target.name}" (${target.id})`}`
}

/** ` on "prod" (api.example.com, key …a1b2)`. */
export function onProfile(profile: Profile | undefined): string {
  if (profile === undefined) return ''
  const { host } = new URL(profile.baseUrl)
  const key = `key ${keyEnding(profile.apiKey)}`
  return profile.name === undefined ? ` on ${host} (${key})` : ` on "${profile.name}" (${host}, ${key})`
}

export interface Question {
  readonly operation: BulkOperation
  readonly count: number
  readonly target: Named | undefined
  /** Of a run that is resumed. */
  readonly run: string | undefined
}

/**
 * One delete is answered with y, more of them and pairs of a file with their number; deletes and merges cannot be undone, and
 * everything else asks on a protected profile only. Returns whether anybody had to be asked. Throws exit 9.
 */
export async function confirm(tools: BulkTools, profile: Profile, question: Question): Promise<void> {
  const { operation, count, target, run } = question
  const isIrrevocable = operation === 'contacts.delete' || operation === 'contacts.merge'
  if (!isIrrevocable && !profile.protected) return
  const isTyped = operation === 'contacts.merge' || (isIrrevocable && count > 1)
  const ofRun = run === undefined ? '' : ` of run ${run}`
  const message = `${words[operation].verb} ${counted(operation, count)}${toTarget(target)}${ofRun}${onProfile(profile)}?`
  await tools.confirm(isTyped ? { kind: 'typed', message, expected: String(count) } : { kind: 'yes-no', message })
}
