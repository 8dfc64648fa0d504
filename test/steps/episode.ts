/** One episode: a few commands that a seed decides, with faults, kills and suspensions, until nothing is left to do. Then the judge compares what svc says with what happened. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SvcError } from '../../src/errors.ts'
import type { Item } from '../../src/input/ids.ts'
import { openRuns, type Runs, type RunTools } from '../../src/runs/engine.ts'
import { realHost } from '../support/real-host.ts'
import { start, type Command, type Kind, type Started } from './commands.ts'
import { Judge } from './judge.ts'
import { Service } from './service.ts'
import { World } from './world.ts'

const idsOf = (letter: string, count: number) =>
  Array.from({ length: count }, (_, n) => `${letter}${String(n).padStart(23, '0')}`)
const [contacts, tickets, employees] = [idsOf('c', 12), idsOf('a', 5), idsOf('e', 3)]
const [list = ''] = idsOf('b', 1)

/** How likely things are. */
const odds = {
  /** Each kind of fault of the service can happen in this episode at all. */
  fault: 0.5,
  /** A ticket has an assignee at the beginning. */
  assigned: 0.9,
  /** Somebody else changes the service during a round. */
  otherUser: 0.3,
  /** Another program locks the record for a while during a round. */
  locked: 0.1,
  /** A command is about a recorded run, if there is one. */
  onRecordedRun: 0.6,
  /** A command about a recorded run with --once is the one that began it. */
  sameOnce: 0.5,
  once: 0.5,
  expected: 0.3,
  receipts: 0.3,
  killed: 0.4,
  suspended: 0.3,
  /** Ctrl-C is pressed. */
  interrupted: 0.1,
  /** Statements of the database fail. */
  failing: 0.08,
}

/** Plays the episode of a seed. Returns the false claims. */
export async function playEpisode(seed: number): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'steps-'))
  try {
    return await new Episode(new World(seed, folder)).play()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

class Episode {
  readonly #world: World
  readonly #service: Service
  readonly #judge: Judge
  readonly #started: Started[] = []

  constructor(world: World) {
    this.#world = world
    this.#service = new Service(world)
    this.#judge = new Judge(world, this.#service)
    world.watcher = this.#judge
  }

  async play() {
    const { dice } = this.#world
    const service = this.#service
    this.#fillService()
    const chance = () => (dice.isLucky(odds.fault) ? dice.random() * dice.pick([0.2, 0.5]) : 0)
    const [neverSent, refused, lost, broken] = [chance(), chance(), chance(), chance()]
    service.faults = { neverSent, refused, lost, broken }
    for (let round = 1 + dice.below(3); round > 0; round -= 1) {
      for (let count = 1 + dice.below(3); count > 0; count -= 1) await this.#startCommand()
      if (dice.isLucky(odds.otherUser)) this.#changeAsOtherUser()
      if (dice.isLucky(odds.locked)) await this.#lockRecordForAWhile()
      await this.#world.play()
    }
    service.faults = { neverSent: 0, refused: 0, lost: 0, broken: 0 }
    await this.#finish()
    await this.#look((runs) => this.#judge.end(runs, this.#started))
    this.#world.end()
    return this.#judge.wrong
  }

  #fillService() {
    const { dice } = this.#world
    const service = this.#service
    for (const id of contacts) {
      const kind = dice.pick(['there', 'there', 'there', 'blocked', 'absent'] as const)
      if (kind === 'absent') service.wereAbsent.add(id)
      else service.contacts.set(id, kind)
      if (kind === 'blocked') service.wereBlocked.add(id)
    }
    for (const id of tickets)
      service.setHolder(id, dice.isLucky(odds.assigned) ? dice.pick(employees) : null)
  }

  /** Reads the record as somebody who does not change it. */
  async #look<T>(work: (runs: Runs) => T): Promise<T> {
    const closing: (() => void)[] = []
    const host = this.#world.hostOf(this.#world.begin({}))
    const tools = { host, atClose: (task: () => void) => closing.push(task) }
    const { runs } = await openRuns(tools as unknown as RunTools & typeof tools)
    const result = work(runs)
    for (const close of closing) close()
    return result
  }

  /** Starts a command that fits what is recorded, perhaps with trouble ahead. */
  async #startCommand() {
    const { dice, folder } = this.#world
    const known = await this.#look((runs) => runs.list())
    const isOnRecorded = known.length > 0 && dice.isLucky(odds.onRecordedRun)
    const command = isOnRecorded ? this.#commandOnRecordedRun(known) : this.#newRun()
    const isFailing = dice.isLucky(odds.failing)
    const trouble = {
      killAt: dice.isLucky(odds.killed) ? 1 + dice.below(120) : undefined,
      suspendAt: dice.isLucky(odds.suspended) ? 1 + dice.below(100) : undefined,
      failAt: isFailing ? 1 + dice.below(60) : undefined,
      failsWith: dice.pick([10, 11, 13]),
      // Once, or for ever.
      failures: dice.pick([1, 1000]),
    }
    const receipts = dice.isLucky(odds.receipts) ? join(folder, `${dice.below(4)}.csv`) : undefined
    const interruptAt = dice.isLucky(odds.interrupted) ? dice.below(300) : undefined
    this.#started.push(start(this.#world, { ...command, receipts }, trouble, interruptAt))
  }

  #newRun(): Command {
    const { dice } = this.#world
    const kind = dice.pick<Kind>(['delete', 'delete', 'add', 'merge', 'assign'])
    const once = dice.isLucky(odds.once) ? { once: `job-${kind}-${dice.below(2)}` } : {}
    const some = (all: readonly string[], other?: () => string) => {
      const from = dice.below(all.length)
      const ids = all.slice(from, from + 1 + dice.below(8))
      return ids.map((id): Item => ({ id, line: 0, ...(other && { target: other() }) }))
    }
    if (kind === 'assign') {
      const expected = dice.isLucky(odds.expected) ? { expected: dice.pick(employees) } : {}
      const target = dice.pick(employees)
      return { verb: 'begin', kind, items: some(tickets), target, ...expected, ...once }
    }
    if (kind === 'merge') {
      const [sources, targets] = [contacts.slice(0, 6), contacts.slice(6)]
      return { verb: 'begin', kind, items: some(sources, () => dice.pick(targets)), ...once }
    }
    const target = kind === 'add' ? { target: list } : {}
    return { verb: 'begin', kind, items: some(contacts), ...target, ...once }
  }

  /** A command about a recorded run, or the one with --once that began it, once more. */
  #commandOnRecordedRun(known: readonly { id: string; once: string | null }[]): Command {
    const { dice } = this.#world
    const { id, once } = dice.pick(known)
    const same = this.#started.find(
      ({ command }) => command.verb === 'begin' && once !== null && command.once === once,
    )
    if (same !== undefined && dice.isLucky(odds.sameOnce)) return same.command
    const verb = dice.pick(['resume', 'resume', 'resume', 'close', 'remove', 'undo'] as const)
    return { verb, run: once ?? id }
  }

  /** Somebody else assigns a ticket or deletes a contact. */
  #changeAsOtherUser() {
    const { dice } = this.#world
    const service = this.#service
    this.#world.later(dice.below(300), undefined, () => {
      if (dice.isLucky(0.5)) service.setHolder(dice.pick(tickets), dice.pick(employees))
      else service.remove(dice.pick(contacts))
    })
  }

  async #lockRecordForAWhile() {
    const { dice, folder } = this.#world
    const path = join(folder, 'state/runs.db')
    if (!existsSync(path)) return
    const database = await realHost.openDatabase(path)
    this.#world.later(dice.below(300), undefined, () => {
      database.exec('BEGIN IMMEDIATE')
      this.#world.later(dice.below(3000), undefined, () => {
        database.exec('ROLLBACK')
        database.close()
      })
    })
  }

  /** Resumes everything until nothing is due. */
  async #finish() {
    for (let round = 0; round < 6; round += 1) {
      const due = await this.#look((runs) => runs.list().filter((each) => each.due > 0))
      if (due.length === 0) return
      for (const { id, once } of due)
        this.#started.push(start(this.#world, { verb: 'resume', run: once ?? id }))
      await this.#world.play()
    }
    const last = this.#started.slice(-3).map(({ ended }) => ended)
    const words = last.map((ended) => (ended instanceof SvcError ? ended.message : typeof ended))
    this.#judge.wrong.push(`something stays due: ${words.join(', ')}`)
  }
}
