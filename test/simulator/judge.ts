/** Compares what a run claims with what the service really did. A claim that is false is told in words. */
import { decodeLine } from '../../src/runs/lines.ts'
import { isBegun, RunLog, type BegunLog } from '../../src/runs/log.ts'
import { receiptsOf, type Receipt } from '../../src/runs/receipts.ts'
import { isInDoubt } from '../../src/runs/operations/operation.ts'
import type { World } from './world.ts'

/** The fold of a file, as the engine reads it. */
export function logOf(data: Buffer): RunLog {
  const log = new RunLog('run')
  for (let from = 0; from < data.length;) {
    const end = data.indexOf(0x0a, from)
    if (end < 0) break
    const line = decodeLine(data.subarray(from, end))
    if (line !== undefined) log.apply(line)
    from = end + 1
  }
  return log
}

/** What is false of the receipts that a run printed, or has on record. */
export function falseClaims(
  world: World,
  run: string,
  receipts: readonly Receipt[],
  log: BegunLog,
) {
  const wrong: string[] = []
  if (receipts.length !== log.items.size)
    wrong.push(`${receipts.length} receipts of ${log.items.size} ids`)
  for (const { id, outcome } of receipts) {
    const problem = problemOf(world, run, id, outcome, log)
    if (problem !== undefined) wrong.push(`run ${run}: ${id.slice(-4)} ${outcome}: ${problem}`)
  }
  return wrong
}

/** Effects that count as a change of an item, by operation. */
const kinds = {
  'contacts.delete': 'deleted',
  'lists.add-contacts': 'added',
  'contacts.merge': 'merged',
  'tickets.assign': 'assigned',
} as const

function problemOf(
  world: World,
  run: string,
  id: string,
  outcome: Receipt['outcome'],
  log: BegunLog,
) {
  const { service } = world
  const { operation, target } = log.head
  const own = service.effects.filter(
    (effect) => effect.run === run && effect.id === id && effect.kind === kinds[operation],
  )
  if (outcome === 'unknown') return undefined
  if (outcome === 'gone') return service.contacts.has(id) ? 'it is still there' : undefined
  if (outcome === 'done') {
    if (operation === 'contacts.delete' || operation === 'contacts.merge')
      return own.length === 1 ? undefined : `${own.length} changes were made by this run`
    if (operation === 'lists.add-contacts')
      return wasMember(world, id) ? undefined : 'it was never on the list'
    const { other } = log.items.at(log.items.ids.indexOf(id))
    const wanted = other ?? target?.id
    return heldSince(world, id, log.head.at).includes(wanted ?? '')
      ? undefined
      : 'it never had that assignee'
  }
  if (own.length > 0) return 'this run has changed it'
  // A ticket whose reading was refused is an error too.
  if (outcome === 'error' && operation !== 'tickets.assign')
    return wasRefused(world, run, id) ? undefined : 'it was never refused for good'
  if (outcome === 'not-found')
    return wasThereAllAlong(world, id) ? 'it was there all along' : undefined
  if (outcome === 'blocked')
    return service.contacts.get(id) === 'blocked' ? undefined : 'it is not blocked'
  if (outcome === 'kept') {
    const expected = log.items.at(log.items.ids.indexOf(id)).expected ?? log.head.ifAssignee?.id
    const others = heldSince(world, id, log.head.at).filter((who) => who !== expected)
    return others.length > 0 ? undefined : 'nobody else ever had it'
  }
  return undefined
}

/** Refused, but not for now, and not for the key. */
const wasRefused = ({ service }: World, run: string, id: string) =>
  service.left.some(
    ({ run: by, ids, kind, status = 0 }) =>
      by === run && ids.includes(id) && kind === 'refused' && ![401, 403, 429].includes(status),
  )

const wasMember = ({ service }: World, id: string) =>
  service.members.has(id) || service.effects.some((each) => each.kind === 'added' && each.id === id)

const wasThereAllAlong = ({ service }: World, id: string) => service.contacts.has(id)

/** Everybody who had a ticket at some time since then. */
function heldSince({ service }: World, id: string, since: number) {
  const all = service.holders.get(id) ?? []
  const first = all.findLastIndex(({ at }) => at <= since)
  return all.slice(Math.max(0, first)).map(({ who }) => who ?? '')
}

/** What is false in the counts of an add. */
export function falseCounts(world: World, run: string, log: BegunLog) {
  if (log.head.operation !== 'lists.add-contacts') return []
  const made = world.service.effects.filter(
    ({ run: by, kind }) => by === run && kind === 'added',
  ).length
  const { added, requests } = log.queue
  const isExact = !log.isDamaged && !requests.some(isInDoubt)
  const isFalse = isExact ? added !== made : added > made
  return isFalse ? [`run ${run} says that ${added} were added, and ${made} were`] : []
}

/** Merges that left again after an attempt that may have been made. */
export function mergedTwice(world: World): string[] {
  const merges = world.service.left.filter(({ path }) => path.endsWith('/merge'))
  return merges.flatMap(({ ids: [id], kind }, n) => {
    if (kind !== 'ambiguous' && kind !== 'pending') return []
    const later = merges.slice(n + 1).filter(({ ids }) => ids[0] === id)
    return later.length === 0
      ? []
      : [`the merge of ${id?.slice(-4)} left ${1 + later.length} times`]
  })
}

/** Assigns of a run that took a ticket from somebody else than its condition says. */
function sentOver({ service }: World, run: string, { head, items }: BegunLog): string[] {
  return items.ids.flatMap((id, at) => {
    const expected = items.at(at).expected ?? head.ifAssignee?.id
    const holders = service.holders.get(id) ?? []
    const changes = service.effects.filter((each) => each.kind === 'assigned' && each.id === id)
    // Somebody outside took the ticket, perhaps between reading and change.
    if (expected === undefined || holders.length > 1 + changes.length) return []
    const wrong = changes.filter((each, n) => each.run === run && holders[n]?.who !== expected)
    return wrong.map(() => `run ${run}: ${id.slice(-4)} was taken from somebody else`)
  })
}

/** What is false in all files of a world. */
export function falseRecords(world: World): string[] {
  return [...world.files].flatMap(([name, { data }]) => {
    const log = logOf(data)
    const run = name.replace(/\.ndjson$/, '')
    if (!isBegun(log)) return []
    return [
      ...falseClaims(world, run, [...receiptsOf(log)], log),
      ...falseCounts(world, run, log),
      ...(log.head.operation === 'tickets.assign' ? sentOver(world, run, log) : []),
    ]
  })
}
