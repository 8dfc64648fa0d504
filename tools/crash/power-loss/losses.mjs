/** Every power loss that is tried on one recording. */
import { createHash } from 'node:crypto'
import { groupBy } from '../../harness/judge.mjs'
import { Disk, kept, losses } from './disk.mjs'
import { Replay } from './replay.mjs'

/** Bytes that are lost or kept together: a page of the system's cache, a sector of a disk. */
const pages = [4096, 512]
/** Of the states that only a missing sync makes possible, so many are resumed. */
const goneOnWith = 60

/** Fails when the log does not explain what is on the disk: the recorder missed something. */
function assertExplained({ events, tree, after, begin }) {
  const explained = new Disk(events, tree, { begin }).at(events.length).tree(kept)
  for (const path of new Set([...explained.keys(), ...after.keys()])) {
    const [is, was] = [explained.get(path), after.get(path)]
    const isEqual = is === undefined || was === undefined || is === null || was === null ? is === was : is.equals(was)
    if (!isEqual) throw new Error(`the recorder missed something that was done to ${path}`)
  }
}

/** Names that differ from run to run. */
const plain = (path) => path.replaceAll(/\d{8}T\d{6}Z-[0-9a-f]{4}/g, '<run>').replaceAll(/[0-9a-f]{8,}/g, '<hex>')

function fingerprint(tree, moment) {
  const sum = createHash('sha1').update(moment)
  for (const [path, bytes] of [...tree].sort(([a], [b]) => (a < b ? -1 : 1)))
    sum.update(`\0${path}\0`).update(bytes ?? '/')
  return sum.digest('base64')
}

/** `randoms`: random losses at each point. `resumes`: about how many states are resumed. */
export class Trial {
  #world
  #options
  /** States that were looked at: an equal one is not looked at again. */
  #seen = new Set()
  points = 0
  states = 0
  resumed = 0
  problems = []

  constructor(world, options) {
    assertExplained(world.recording)
    this.#world = world
    this.#options = options
  }

  *#states({ dropped, randoms }) {
    const { events, tree, begin } = this.#world.recording
    for (const page of pages) {
      const disk = new Disk(events, tree, { page, begin, dropped })
      const replay = new Replay({ ...this.#world, disk })
      for (let cut = begin; cut <= events.length; cut += 1) {
        const moment = disk.at(cut)
        for (const [name, pick] of losses(moment.units, this.#world.random, { randoms })) {
          const found = moment.tree(pick)
          // What is shown at the very end is held against the disk.
          const isEnd = cut > events.length - 10
          const state = fingerprint(found, `${replay.sentBy(cut).length} ${isEnd ? cut : ''}`)
          if (this.#seen.has(state)) continue
          yield {
            cut,
            name,
            tree: found,
            replay,
            state,
            where: `after event ${String(cut)} of ${events.length}, ${String(name)}`,
          }
        }
      }
    }
  }

  #note(where, problems) {
    this.problems.push(...problems.map((problem) => ({ where, problem })))
  }

  /** Everything that may be found after a power loss at any point of the recording. */
  async all() {
    const { random, recording } = this.#world
    this.points = recording.events.length - recording.begin + 1
    const share = this.#options.resumes / (this.points * 4)
    for (const { cut, name, tree, replay, state, where } of this.#states(this.#options)) {
      this.#seen.add(state)
      this.states += 1
      this.#note(where, await replay.read(cut, tree, { isWhole: name === 'nothing lost' }))
      const isPlain = name.startsWith('everything') || name.startsWith('nothing')
      if (random() < (isPlain ? share * 4 : share)) {
        this.resumed += 1
        const [arriving, reboot] = [[0, 0.5, 1][Math.floor(random() * 3)], random() < 0.5]
        const how = `${where}, gone on${reboot ? ' after a reboot' : ''}`
        this.#note(how, await replay.goOn(cut, tree, { arrives: () => random() < arriving, reboot }))
      }
    }
  }

  /** The first problem with the states that are possible only without these syncs; undefined when there is none. */
  async without(dropped) {
    const tried = new Set()
    for (const { cut, tree, replay, state, where } of this.#states({ dropped, randoms: 0 })) {
      if (tried.has(state)) continue
      tried.add(state)
      const [problem] = await replay.read(cut, tree, { isWhole: false })
      if (problem !== undefined) return `${where}: ${problem.trim()}`
      if (tried.size > goneOnWith) continue
      for (const reboot of [false, true]) {
        const [later] = await replay.goOn(cut, tree, { arrives: () => true, reboot })
        if (later !== undefined) return `${where}, gone on${reboot ? ' after a reboot' : ''}: ${later.trim()}`
      }
    }
    return undefined
  }

  /** The calls that sync, by what they sync and where they are made: each with a function that knows its syncs. */
  syncs() {
    const { events, tree, begin } = this.#world.recording
    const kindOf = ({ path, site }) => `${plain(path ?? 'what is gone')} in ${site}`
    const kinds = new Set(new Disk(events, tree, { begin }).syncs.map(kindOf))
    return [...kinds].sort().map((kind) => [kind, (sync) => kindOf(sync) === kind])
  }
}

/** One line per sort of problem: the first one, and how many more there are that differ only in ids and numbers. */
export function groupedProblems(problems) {
  const groups = groupBy(problems, ({ problem }) => problem.replaceAll(/[0-9a-fA-F]{24}|\d+/g, '#'))
  return [...groups.values()].map(([{ where, problem }, ...more]) => {
    const first = `${where}: ${problem.trim()}`
    return more.length === 0 ? first : `${first} (and ${more.length} more)`
  })
}
