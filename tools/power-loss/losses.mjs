/** Every power loss that is tried on one recording. */
import { Disk, kept, losses } from './disk.mjs'
import { Replay } from './replay.mjs'

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

/** The calls that sync, by what they sync and where they are made: each with a function that knows its syncs. */
export function syncKinds({ events, tree, begin }) {
  const kindOf = ({ path, site }) => `${plain(path ?? 'what is gone')} in ${site}`
  const kinds = new Set(new Disk(events, tree, { begin }).syncs.map(kindOf))
  return [...kinds].sort().map((kind) => [kind, (sync) => kindOf(sync) === kind])
}

/** A state that is equal to one that was looked at is not looked at again. */
function fingerprint(tree, sent) {
  const parts = [...tree]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, bytes]) => `${path}\0${bytes?.toString('latin1') ?? '/'}`)
  return `${sent}\0${parts.join('\0')}`
}

/**
 * `randoms`: random losses at each point. `resumes`: how many states are gone on with. `dropped`: syncs that are as if
 * never made. `isQuick`: only the plainest losses, and no further than the first problem.
 */
export async function tryPowerLosses(world, { randoms, resumes, dropped, isQuick = false }) {
  const { recording, random } = world
  assertExplained(recording)
  const { begin } = recording
  const disk = new Disk(recording.events, recording.tree, { dropped, begin })
  const replay = new Replay(recording, { ...world, disk })
  const seen = new Set()
  const result = { points: 0, states: 0, resumed: 0, problems: [] }
  const note = (where, problems) => result.problems.push(...problems.map((problem) => ({ where, problem })))
  const last = recording.events.length
  const share = resumes / ((last - begin) * 4)
  for (let cut = begin; cut <= last; cut += 1) {
    result.points += 1
    const moment = disk.at(cut)
    for (const [name, pick] of losses(moment.units, random, { randoms })) {
      const isPlain = name.startsWith('everything') || name.startsWith('nothing')
      if (isQuick && !isPlain) continue
      const tree = moment.tree(pick)
      const state = fingerprint(tree, `${replay.sentBy(cut).length} ${cut > last - 10 ? cut : ''}`)
      if (seen.has(state)) continue
      seen.add(state)
      result.states += 1
      const where = `after event ${cut} of ${last}, ${name}`
      note(where, await replay.read(cut, tree))
      if (isQuick && result.problems.length > 0) return result
      if (random() < (isPlain ? share * 4 : share)) {
        result.resumed += 1
        const [arriving, reboot] = [[0, 0.5, 1][Math.floor(random() * 3)], random() < 0.5]
        const how = `${where}, gone on${reboot ? ' after a reboot' : ''}`
        note(how, await replay.goOn(cut, tree, { arrives: () => random() < arriving, reboot }))
      }
      if (isQuick && result.problems.length > 0) return result
    }
  }
  return result
}

/** A line for each sort of problem: the first one, and how many more there are that differ only in ids and numbers. */
export function groupedProblems(problems) {
  const groups = new Map()
  for (const { where, problem } of problems) {
    const sort = problem.replaceAll(/[0-9a-fA-F]{24}|\d+/g, '#')
    if (!groups.has(sort)) groups.set(sort, [])
    groups.get(sort).push(`${where}: ${problem.trim()}`)
  }
  return [...groups.values()].map(([first, ...more]) =>
    more.length === 0 ? first : `${first} (and ${more.length} more)`,
  )
}
