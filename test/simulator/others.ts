/** Other people, who change the service as they like: between commands, and while commands run. */
import { assigneeOf, callOf } from '../sandbox/record.ts'
import type { Company } from '../../src/sandbox/company.ts'
import type { Dice } from './dice.ts'
import type { Job } from './job.ts'
import type { Stage } from './stage.ts'

/** Somebody deletes a contact, takes one off a list, or puts one on it. */
export function changeLists(stage: Stage, dice: Dice, list = dice.pick(stage.stock.lists)): void {
  const { service } = stage.world
  const now = stage.world.clock.now()
  const members = stage.membersOf(list)
  const outsiders = stage.stock.free.filter((id) => !members.includes(id))
  const change = dice.weighted({ leave: 5, join: 3, delete: 2 })
  if (change === 'join') {
    if (outsiders.length === 0) return
    const contact = dice.pick(outsiders)
    service.changeAsSomebodyElse((company) => move(company, { contact, to: list }, now))
    return
  }
  if (members.length === 0) return
  const contact = dice.pick(members)
  service.changeAsSomebodyElse((company) => {
    if (change === 'leave') move(company, { contact, from: list }, now)
    else company['contacts.delete'](callOf({ contactIds: [contact] }, now))
  })
}

/** Somebody creates a list, which comes before all others. */
export function createList({ world: { service, clock } }: Stage, dice: Dice): void {
  const name = `List ${dice.hex(6)}`
  service.changeAsSomebodyElse((company) => company.createList(name, undefined, clock.now()))
}

/** Facts by their names: keeps those that stay as they are until `end` is called. */
export function watch<T>(stage: Stage, facts: () => ReadonlyMap<string, T>) {
  const { watchers } = stage.world.service
  const stayed = new Map(facts())
  const look = (): void => {
    const now = facts()
    for (const [name, fact] of stayed)
      if (String(now.get(name)) !== String(fact)) stayed.delete(name)
  }
  watchers.add(look)
  return {
    end(): ReadonlyMap<string, T> {
      watchers.delete(look)
      return stayed
    },
  }
}

/** Changes of a list until the process that was started last ends. */
export async function changeWhile(stage: Stage, dice: Dice, list: string): Promise<void> {
  const { clock, processes } = stage.world
  const process = processes.at(-1)
  for (let times = dice.whole(1, 6); times > 0; times -= 1) {
    await clock.sleep(dice.skewed(2, 800))
    if (process?.end !== undefined) return
    changeLists(stage, dice, list)
  }
}

/** Tickets that a job gave to somebody are given to another person, and some of them back. */
export function giveAway({ world, stock }: Stage, dice: Dice, job: Job): void {
  for (const ticket of job.ids ?? []) {
    const had = assigneeOf(world.service.company, ticket)
    if (!dice.chance(0.6) || typeof had !== 'string') continue
    world.service.assignAsSomebodyElse(ticket, dice.pick(stock.employees))
    const back = dice.chance(0.5) ? had : job.wanted(ticket)
    if (dice.chance(0.6) && back !== undefined) world.service.assignAsSomebodyElse(ticket, back)
  }
}

/** A contact leaves the list `from`, or joins the list `to` as its newest member. Unknown lists and contacts are left out. */
function move(
  company: Company,
  { contact, from = '', to = '' }: { contact: string; from?: string; to?: string },
  now: number,
) {
  const found = company.contacts.find(contact)
  if (found === undefined) return
  const source = company.lists.get(from)
  const target = company.lists.get(to)
  if (source !== undefined) {
    source.members.delete(found.id)
    source.updatedAt = new Date(now).toISOString()
  }
  if (target !== undefined && !target.members.has(found.id)) {
    company.join(target, found.id, now)
    target.updatedAt = new Date(now).toISOString()
  }
}
