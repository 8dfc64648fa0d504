/** The same command is the same job: what may be sent by a run without a name, beside another one that was typed with the same line. */
import { isWrite, type RunFacts } from './facts.ts'
import type { Violation } from './judge.ts'
import type { SimulatedProcess } from './process.ts'
import type { Sent } from './service.ts'
import { entryIn, type World } from './world.ts'

/** Milliseconds after which an unfinished run is not gone on with; clocks may be this far apart. */
const recent = 8 * 3_600_000
const slack = 3_600_000

/** A run without a name that a command line began, and all that repetitions of the line have sent. */
interface Begun {
  readonly facts: RunFacts
  readonly first: Sent
  readonly last: Sent
  readonly sent: readonly Sent[]
}

/** Processes that sent what another run of the same job had to send, with the words for it. */
export function* begunTwice(all: readonly RunFacts[], world: World): Generator<Violation> {
  const begun = all
    .filter(({ run, job }) => !entryIn(run).startsWith('@') && job.undoes === undefined)
    .flatMap((facts) => begunBy(facts) ?? [])
    .sort((one, other) => one.first.at - other.first.at)
  for (const [index, later] of begun.entries()) {
    const { run, job } = later.facts
    // It goes on with a run of which the process that began it has sent nothing.
    if (world.runs.get(run) !== later.first.process) continue
    if (later.facts.processes.some(({ argv }) => argv.includes('--new-run'))) continue
    const before = begun.slice(0, index).findLast(({ facts }) => facts.job === job)
    if (before === undefined || isExcused(before, later, world)) continue
    const { process, at } = later.first
    const words = `run ${run} was begun beside ${before.facts.run}, which`
    if (isSending(before, at)) yield { process, what: `${words} was sending` }
    else if (isLeftBehind(before, begun, process, world)) {
      yield { process, what: `${words} was not finished` }
    }
  }
}

/** Undefined for a run that a resume was the first to send, because a resume names its run. */
function begunBy(facts: RunFacts): Begun | undefined {
  const isResume = ({ process }: Sent): boolean => process.argv[0] === 'runs'
  const writes = facts.requests.filter(isWrite)
  const [first] = writes
  const sent = writes.filter((each) => !isResume(each))
  const last = sent.at(-1)
  if (first === undefined || last === undefined || isResume(first)) return undefined
  return { facts, first, last, sent }
}

/** A process was in the middle of it. One that sent all before may be taken up again later, for example when its `free` was lost. */
function isSending({ sent }: Begun, at: number): boolean {
  const earlier = sent.filter((each) => each.at <= at).map(({ process }) => process)
  return sent.some((each) => each.at > at && earlier.includes(each.process))
}

/** It was not finished then, and no run was that may be newer by the clocks: another machine's, or one begun before a clock was set back. */
function isLeftBehind(
  { facts, first }: Begun,
  begun: readonly Begun[],
  { number }: SimulatedProcess,
  world: World,
): boolean {
  const open = world.unfinishedBeside.get(number)
  const begins = first.process.earliestReading
  const mayBeNewer = ({ at, process }: Sent): boolean =>
    process.machine !== first.process.machine || (at < first.at && process.latestReading > begins)
  const others = begun.filter((each) => each.facts.job === facts.job && mayBeNewer(each.first))
  const isNewest = others.every(({ facts: { run } }) => open?.has(run) !== false)
  return open?.has(facts.run) === true && isNewest
}

/** Its record was not there, or not to be read, or was too old by the clock of the later one. */
function isExcused(before: Begun, { first }: Begun, world: World): boolean {
  const { last } = before
  const { run } = before.facts
  const isLost = world.damagedAt.has(run) || world.lost.has(run) || world.goneAt.has(run)
  const readings = [last.process.latestReading, first.process.earliestReading] as const
  const isFar = first.at - last.at > recent - slack
  // A disk has the time of its own machine.
  const ahead = Math.max(
    ...[first, before.first, last].map(({ process, at }) => process.latestReading - at),
  )
  if (ahead > recent - slack) return true
  // It was begun later, on purpose, and only sent first.
  const { argv, number } = before.first.process
  if (argv.includes('--new-run') && number > first.process.number) return true
  return isLost || isFar || Math.abs(readings[1] - readings[0]) > recent - slack
}
