/** Asking the policies before a session sends anything. */
import type { InputCounts } from '../record/run.ts'
import type { BulkTools } from '../tools.ts'

type Change = Omit<Parameters<BulkTools['permit']>[0], 'ids'> & { input: InputCounts; rate: number | undefined }

/** Asks the policies, and sets the pace: the slower rate, which is returned and of which a shard has its part. Throws exit 5 if forbidden. */
export async function askPermit(tools: BulkTools, { input, rate, ...change }: Change): Promise<number | undefined> {
  const { unique, otherShards = 0, shard } = input
  const permit = await tools.permit({ ...change, ids: unique + otherShards })
  const slower = Math.min(rate ?? Infinity, permit.rate ?? Infinity)
  const { client } = await tools.api()
  client.pace.limit(slower / (shard?.count ?? 1))
  return slower === Infinity ? undefined : slower
}
