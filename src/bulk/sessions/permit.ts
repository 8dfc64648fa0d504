/** Asking what is allowed, by the policies and by this command's own limit, before a session sends anything. */
import { usageError } from '../../errors.ts'
import { groupDigits } from '../../words.ts'
import { endOf } from '../../api/operations.ts'
import type { InputCounts } from '../record/run.ts'
import type { BulkTools, Permit } from '../tools.ts'

export interface Limits {
  readonly rate?: number | undefined
  readonly maxDelete?: number | undefined
}

type Change = Omit<Parameters<BulkTools['permit']>[0], 'ids'> &
  Limits & { readonly input: InputCounts }

/**
 * Asks the policies about the whole input, all shards together, and sets the pace: the slower rate, which is returned and of which a
 * shard has its part. Throws exit 5 if forbidden, exit 2 for more deletions than --max-delete allows.
 */
export async function askPermit(
  tools: BulkTools,
  { input, rate, maxDelete, ...change }: Change,
): Promise<Permit> {
  const permit = await tools.permit({ ...change, ids: wholeInput(input) })
  if (endOf(change.operation) === 'deleted') checkMaxDelete(input, maxDelete)
  const slower = Math.min(rate ?? Infinity, permit.rate ?? Infinity)
  const { client } = await tools.api()
  client.pace.limit(slower / (input.shard?.count ?? 1))
  return { ...permit, rate: slower === Infinity ? undefined : slower }
}

/** How many ids all shards have together. */
export const wholeInput = ({ unique, otherShards = 0 }: InputCounts): number => unique + otherShards

/** Throws exit 2. */
export function checkMaxDelete(input: InputCounts, maxDelete: number | undefined): void {
  const all = wholeInput(input)
  if (maxDelete === undefined || all <= maxDelete) return
  const shards = input.otherShards === undefined ? '' : ' by all shards'
  throw usageError(
    `${groupDigits(all)} contacts would be deleted${shards}, --max-delete allows ${groupDigits(maxDelete)}; nothing was sent`,
  )
}
