/** One episode: a few commands that a seed decides, with faults, kills and suspensions, until nothing is left; then the judge. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Item } from '../../src/input/ids.ts'
import { Runs } from '../../src/runs/record.ts'
import { start, type Command, type Kind, type Started } from './commands.ts'
import { judge, judgeDeparture } from './judge.ts'
import { Service } from './service.ts'
import { World, type Trouble } from './world.ts'

const idOf = (kind: string, n: number) => `${kind}${String(n).padStart(24 - kind.length, '0')}`
const contacts = Array.from({ length: 12 }, (_, n) => idOf('c', n))
const tickets = Array.from({ length: 5 }, (_, n) => idOf('a', n))
const employees = Array.from({ length: 3 }, (_, n) => idOf('e', n))

/** Plays the episode of a seed. Returns the false claims. */
export async function playEpisode(seed: number): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'steps-'))
  try {
    return await new Episode(seed, folder).play()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

class Episode {
  readonly #world: World
  readonly #service: Service
  readonly #started: Started[] = []
  readonly #wrong: string[] = []

  constructor(seed: number, folder: string) {
    this.#world = new World(seed, folder)
    this.#service = new Service(this.#world)
    mkdirSync(join(folder, 'state'), { mode: 0o700 })
  }

  async play() {
    const { dice } = this.#world
    const service = this.#service
    this.#seed()
    // The record is there from the beginning, so that each run is known by its id.
    await (await this.#record()).writable()
    const chance = () => (dice.isLucky(0.5) ? dice.random() * 0.3 : 0)
    service.faults = {
      neverSent: chance(),
      refused: chance() / 2,
      lost: chance(),
      broken: chance(),
    }
    for (let round = 1 + dice.below(3); round > 0; round -= 1) {
      for (let count = 1 + dice.below(3); count > 0; count -= 1) await this.#type()
      if (dice.isLucky(0.3)) this.#somebodyElse()
      await this.#world.play()
    }
    service.faults = { neverSent: 0, refused: 0, lost: 0, broken: 0 }
    await this.#finish()
    const runs = await this.#record()
    this.#wrong.push(...judge(runs, service, this.#started))
    this.#world.close()
    return this.#wrong
  }

  #seed() {
    const { dice } = this.#world
    const service = this.#service
    for (const id of contacts) {
      const kind = dice.pick(['there', 'there', 'there', 'blocked', 'absent'] as const)
      if (kind === 'absent') service.wereAbsent.add(id)
      else service.contacts.set(id, kind)
      if (kind === 'blocked') service.wereBlocked.add(id)
    }
    for (const id of tickets) service.setHolder(id, dice.isLucky(0.9) ? dice.pick(employees) : null)
    service.idOfRun = (name) => this.#view?.read(name)?.id
    service.onDeparture = ({ process, path, body }) => this.#checkDeparture(process, path + body)
  }

  #checkDeparture(process: Started['process'], text: string) {
    const started = this.#started.find((each) => each.process === process)
    const runs = this.#view
    if (started === undefined || runs === undefined) return
    const ids = text.match(/[ca][0-9]{23}/g) ?? []
    for (const id of judgeDeparture(runs, started, ids))
      this.#wrong.push(`${id} left, and its attempt is not recorded`)
  }

  /** The record as somebody reads it who does not change it. */
  #view: Runs | undefined

  #record() {
    const nobody = this.#world.begin({})
    return Runs.open(this.#world.hostOf(nobody, this.#service))
  }

  /** Types a command that fits what is recorded. */
  async #type() {
    const { dice, folder } = this.#world
    this.#view = await this.#record()
    const known = this.#view.list()
    const command = known.length > 0 && dice.isLucky(0.6) ? this.#about(known) : this.#begin()
    const trouble: Trouble = {
      ...(dice.isLucky(0.4) && { killAt: 1 + dice.below(120) }),
      ...(dice.isLucky(0.3) && { suspendAt: 1 + dice.below(100) }),
      ...(dice.isLucky(0.08) && {
        failAt: 1 + dice.below(90),
        failsWith: dice.pick([5, 10, 11, 13]),
      }),
    }
    const options = {
      trouble,
      receipts: dice.isLucky(0.3) ? join(folder, `receipts-${dice.below(4)}.csv`) : undefined,
      interruptAfter: dice.isLucky(0.1) ? dice.below(300) : undefined,
    }
    this.#started.push(start(this.#world, this.#service, command, options))
  }

  #begin(): Command {
    const { dice } = this.#world
    const kind = dice.pick<Kind>(['delete', 'delete', 'add', 'merge', 'assign'])
    const once = dice.isLucky(0.5) ? { once: `job-${kind}-${dice.below(2)}` } : {}
    if (kind === 'assign') {
      const items = this.#some(tickets).map((id): Item => ({ id, line: 0 }))
      const expected = dice.isLucky(0.3) ? { expected: dice.pick(employees) } : {}
      return { verb: 'begin', kind, items, target: dice.pick(employees), ...expected, ...once }
    }
    if (kind === 'merge') {
      const half = contacts.length / 2
      const items = this.#some(contacts.slice(0, half)).map((id): Item => ({
        id,
        line: 0,
        target: contacts[half + dice.below(half)] ?? '',
      }))
      return { verb: 'begin', kind, items, ...once }
    }
    const items = this.#some(contacts).map((id): Item => ({ id, line: 0 }))
    const list = kind === 'add' ? { target: idOf('b', 1) } : {}
    return { verb: 'begin', kind, items, ...list, ...once }
  }

  #some(all: readonly string[]) {
    const { dice } = this.#world
    const from = dice.below(all.length)
    return all.slice(from, from + 1 + dice.below(8))
  }

  /** A command about a recorded run; often the same --once again. */
  #about(known: readonly { id: string; once: string | null }[]): Command {
    const { dice } = this.#world
    const { id, once } = dice.pick(known)
    const same = this.#started.find(
      ({ command }) => command.verb === 'begin' && once !== null && command.once === once,
    )
    if (same !== undefined && dice.isLucky(0.5)) return same.command
    const verb = dice.pick(['resume', 'resume', 'resume', 'close', 'remove', 'undo'] as const)
    return { verb, run: once ?? id }
  }

  /** Others use the service, too. */
  #somebodyElse() {
    const { dice } = this.#world
    const service = this.#service
    this.#world.later(dice.below(300), undefined, () => {
      if (dice.isLucky(0.5)) service.setHolder(dice.pick(tickets), dice.pick(employees))
      else service.remove(dice.pick(contacts))
    })
  }

  /** Resumes everything until nothing is due. */
  async #finish() {
    for (let round = 0; round < 6; round += 1) {
      const runs = await this.#record()
      const due = runs.list().filter((each) => each.due > 0)
      runs.close()
      if (due.length === 0) return
      for (const { id, once } of due)
        this.#started.push(
          start(this.#world, this.#service, { verb: 'resume', run: once ?? id }, {}),
        )
      await this.#world.play()
    }
    const errors = this.#started.slice(-3).map(({ error, isOver }) => error?.message ?? isOver)
    this.#wrong.push(`something is due for ever: ${errors.join(', ')}`)
  }
}
