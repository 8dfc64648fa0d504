/** What a policy keeps from being deleted: read before anything is sent, named, and taken out of the batches. */
import { grouped } from '../../words.ts'
import type { KeptEvent } from '../record/events.ts'
import type { InputCounts } from '../record/run.ts'
import type { RunState } from '../outcomes/state.ts'
import type { BulkTools, Permit, Protected } from '../tools.ts'
import { counted } from '../telling/confirm.ts'

/** Of a line of the journal. */
const mostPlaces = 1000
const mostNamed = 20

type Change = Omit<Parameters<BulkTools['permit']>[0], 'ids'> & { input: InputCounts; rate: number | undefined }

/** Asks the policies, and sets the pace: the slower rate, of which a shard has its part. Throws exit 5 if forbidden. */
export async function askPermit(tools: BulkTools, { input, rate, ...change }: Change): Promise<Permit> {
  const { unique, otherShards = 0, shard } = input
  const permit = await tools.permit({ ...change, ids: unique + otherShards })
  const slower = Math.min(rate ?? Infinity, permit.rate ?? Infinity)
  const { client } = await tools.api()
  client.pace.limit(slower / (shard?.count ?? 1))
  return { ...permit, rate: slower === Infinity ? undefined : slower }
}

/**
 * What is left to send of `all`, how many ids that is, the position of the first one, and what the journal must have before it
 * is sent. Throws what keeps the lists from being read; nothing was sent.
 */
export async function keepOut(tools: BulkTools, { protectedIds }: Permit, state: RunState, all: readonly number[]) {
  const events = protectedIds === undefined ? [] : kept(tools, await protectedIds(), state)
  for (const event of events) state.keepOut(event)
  const todo = events.length === 0 ? all : state.withoutKept(all)
  const [next] = todo
  return {
    todo,
    events,
    count: todo.reduce((sum, batch) => sum + state.kept.size(batch), 0),
    first: next === undefined ? 0 : state.items.indexOf(state.kept.ids(next)[0] ?? ''),
  }
}

function kept({ host, note }: BulkTools, isOn: Protected, state: RunState) {
  const { items, batches, operation } = state
  const places = new Map<string, number[]>()
  for (let position = batches.from; position < batches.to; position += 1) {
    const list = isOn(items.id(position))
    if (list === undefined) continue
    const known = places.get(list)
    if (known === undefined) places.set(list, [position - batches.from])
    else known.push(position - batches.from)
  }
  const events: KeptEvent[] = [{ t: 'kept', at: host.now(), first: true, list: '', i: [] }]
  for (const [list, found] of places) {
    for (let from = 0; from < found.length; from += mostPlaces)
      events.push({ t: 'kept', at: host.now(), list, i: found.slice(from, from + mostPlaces) })
    const named = found.slice(0, mostNamed).map((place) => `  ${items.id(batches.from + place)}`)
    const more =
      found.length > mostNamed ? `\n  and ${grouped(found.length - mostNamed)} more (--receipts names them all)` : ''
    note(`not sent: ${counted(operation, found.length)} on the list ${list}\n${named.join('\n')}${more}`)
  }
  return events
}
