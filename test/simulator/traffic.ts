/** The commands that people and schedulers type: each step by its own seed, so that it is the same whatever was left out before it. */
import { bulkOperations, type BulkOperation } from '../../src/api/operations.ts'
import { operationOf } from '../../src/runs/operations/operations.ts'
import { goodLines } from '../../src/runs/lines.ts'
import { acceptableOf } from '../../src/runs/outcomes.ts'
import { Sessions } from '../../src/runs/sessions.ts'
import type { Dice } from './dice.ts'
import type { Job } from './job.ts'
import type { Stage } from './stage.ts'
import { changeLists, giveAway } from './others.ts'
import { begin, goOn, laters, runsOf } from './later.ts'
import { people } from './people.ts'
import { pipes } from './pipes.ts'
import { reads } from './reads.ts'
import { singles } from './single.ts'
import { typeMany, type Typed } from './typed.ts'
import { weather } from './wire.ts'
import { nameOf as typedName } from './world.ts'

type Step = (stage: Stage, dice: Dice) => Promise<unknown> | void

/** Options that any bulk command may have. */
function someOptions(stage: Stage, dice: Dice): string[] {
  return [
    ...(dice.chance(0.5) ? ['--json'] : ['-o', 'ndjson']),
    ...(dice.chance(0.6) ? ['--concurrency', String(dice.whole(1, 4))] : []),
    ...(dice.chance(0.25) ? ['--receipts', stage.place(dice.pick(['csv', 'ndjson']))] : []),
    ...(dice.chance(0.3) ? ['--timeout', dice.pick(['2s', '10s'])] : []),
    ...(dice.chance(0.4) ? ['--wait', dice.pick(['10ms', '2s'])] : []),
    '--yes',
  ]
}

const nameOf = (stage: Stage, dice: Dice): string | undefined =>
  dice.chance(0.6) ? `job-${stage.jobs.length + 1}` : undefined

/** Begins a job, and goes on with it at once now and then. */
async function bulk(stage: Stage, dice: Dice, typed: Typed): Promise<void> {
  const name = nameOf(stage, dice)
  const once = name === undefined ? [] : ['--once', name]
  const annotate = dice.chance(0.3) ? ['--annotate', stage.place('csv')] : []
  const acceptable = dice.some(acceptableOf(typed.operation), dice.whole(0, 2))
  const accept = acceptable.length === 0 ? [] : ['--accept', acceptable.join(',')]
  const words = [...typed.words, ...once, ...annotate, ...accept, ...someOptions(stage, dice)]
  const job: Job = { ...typed, name, words }
  await begin(stage, dice, job)
  if (!dice.chance(0.3) || operationOf(job.operation).pairs === undefined) return
  // People take back or try again what they have just done, while lost requests can still land.
  await stage.world.clock.sleep(dice.skewed(500, 420_000))
  if (typeof operationOf(job.operation).undo !== 'string') await laters.undo(stage, dice)
  else await goOn(stage, dice, ['resume', '--outcome', 'unknown,error'], job)
}

/** A step of each operation, by its name. */
const operationSteps: Readonly<Record<BulkOperation, Step>> = Object.fromEntries(
  bulkOperations.map((name) => [
    name,
    (stage: Stage, dice: Dice) => bulk(stage, dice, typeMany(stage, dice, name)),
  ]),
) as Record<BulkOperation, Step>

/** Operations that can be repeated as often as one likes, or that can be retried at all: all that no `undo` takes back. */
const forGood = bulkOperations.filter((name) => typeof operationOf(name).undo === 'string')

/** A disk that turned read-only is repaired and mounted again; any other goes on as it was. */
async function failDisk({ world }: Stage, dice: Dice, failure: 'full' | 'EIO' | 'EROFS') {
  if (failure === 'full') world.disk.bytesLeft = dice.skewed(1, 20_000)
  else world.disk.failure = failure
  world.isDiskBroken = true
  for (const process of world.processes)
    if (process.end === undefined) process.isDisturbed = process.hasBrokenDisk = true
  await world.clock.sleep(dice.skewed(100, 60_000))
  world.disk.bytesLeft = undefined
  world.disk.failure = undefined
  world.isDiskBroken = false
  if (failure === 'EROFS') world.remount()
}

const steps = {
  ...operationSteps,
  ...singles,
  ...laters,
  ...pipes,
  ...people,
  ...reads,
  /** Several people type the same line at the same moment. */
  async sameLine(stage, dice) {
    const typed = typeMany(stage, dice, dice.pick(bulkOperations))
    const words = [...typed.words, ...someOptions(stage, dice)]
    const job: Job = { ...typed, name: undefined, words }
    const all = Array.from({ length: dice.whole(2, 5) }, async () => {
      const rest = dice.fork()
      await stage.world.clock.sleep(rest.chance(0.5) ? 0 : rest.skewed(1, 3000))
      await begin(stage, rest, job)
    })
    await Promise.all(all)
  },
  /** A prune dies at one of its writes, what a job could not do is tried again by its run's id, and a scheduler repeats the job. */
  async halfPrune(stage, dice) {
    stage.world.weather = weather(dice, 70)
    await operationSteps[dice.pick(forGood)](stage, dice)
    stage.world.weather = weather(dice, 0)
    const { job, machine } = stage.world.processes.at(-1) ?? {}
    const run = job?.name === undefined ? undefined : runsOf(stage, job).at(-1)
    if (job === undefined || run === undefined) return
    // Its session, the summary, the last line, and the removal of what that speaks for.
    await stage.run(['runs', 'prune', '--older-than', '0s', '--yes'], {
      machine,
      killedAt: dice.whole(1, 24),
    })
    const reopen = [
      'runs',
      'resume',
      typedName(run),
      '--outcome',
      'error,unknown,not-attempted',
      '--yes',
      '--json',
    ]
    await stage.run(reopen, { job, machine })
    await stage.run(job.words, { job, machine })
  },
  /** Others want to go on with a job while somebody works on it. */
  async crowd(stage, dice) {
    const begun = operationSteps[dice.pick(forGood)](stage, dice)
    const job = stage.jobs.at(-1)
    const others = Array.from({ length: dice.whole(1, 3) }, async () => {
      const rest = dice.fork()
      await stage.world.clock.sleep(rest.skewed(20, 20_000))
      await goOn(stage, rest, ['resume'], job)
    })
    await Promise.all([begun, ...others])
  },
  /** Another person gives tickets to whom they like. */
  rival(stage, dice) {
    const { tickets, employees } = stage.stock
    for (const ticket of dice.some(tickets, dice.whole(1, 30)))
      stage.world.service.assignAsSomebodyElse(ticket, dice.pick(employees))
    for (const job of stage.jobs.slice(-3)) if (dice.chance(0.3)) giveAway(stage, dice, job)
  },
  /** Others delete contacts, and change lists, between commands. */
  others(stage, dice) {
    for (let times = dice.whole(1, 12); times > 0; times -= 1) changeLists(stage, dice)
  },
  weather(stage, dice) {
    stage.world.weather = weather(dice, dice.pick([0, 0, 4, 12, 30, 70]))
  },
  /** A clock is set wrong, or right again. */
  clock(stage, dice) {
    const minutes = dice.pick([0, 0, 2, -2, 6, -6, 10, -10, 61, -1199, 1500])
    const machine = dice.pick(stage.world.machines)
    machine.offset = minutes * 60_000
  },
  power(stage) {
    stage.world.losePower()
  },
  /** A byte of a run's record goes bad while nobody works on the run. A line that counts is left behind it: the loss of the end cannot be noticed. */
  rot({ world, judge }, dice) {
    const idle = judge.runs.filter((run) =>
      judge.factsOf(run)?.processes.every(({ end }) => end !== undefined),
    )
    const run = idle.length === 0 ? '' : dice.pick(idle.slice(-4))
    const path = world.journalOf(run)
    const last = lastLineOf(world.disk.readFile(path))
    if (last === 0 || !world.isThere(run)) return
    world.disk.spoil(path, dice.whole(0, last - 1))
    world.damagedAt.set(run, world.clock.now())
  },
  /** The disk is full, broken or read-only for a while. */
  disk: (stage, dice) => failDisk(stage, dice, dice.pick(['full', 'full', 'EIO', 'EROFS'])),
  /** A disk turns read-only under a run; when it is repaired, the same line is typed again. */
  async readOnly(stage, dice) {
    const begun = operationSteps[dice.pick(bulkOperations)](stage, dice.fork())
    const job = stage.jobs.at(-1)
    const machine = stage.world.processes.at(-1)?.machine
    await stage.world.clock.sleep(dice.skewed(50, 20_000))
    await failDisk(stage, dice, 'EROFS')
    await begun
    if (job?.name !== undefined) await stage.run(job.words, { job, machine })
  },
} satisfies Record<string, Step>

/** Where the last line that counts begins. */
function lastLineOf(bytes: Buffer | undefined): number {
  const sessions = new Sessions()
  let begin = ''
  for (const line of goodLines(bytes ?? Buffer.alloc(0)))
    if (sessions.apply(line).isValid) begin = `{"s":"${line.s}","i":${line.i},`
  return begin === '' ? 0 : (bytes?.lastIndexOf(begin) ?? 0)
}

type StepName = keyof typeof steps

export const stepNames = Object.keys(steps)

const weights: Readonly<Record<StepName, number>> = {
  ...(Object.fromEntries(bulkOperations.map((name) => [name, 11])) as Record<
    BulkOperation,
    number
  >),
  sameLine: 5,
  again: 10,
  crowd: 4,
  halfPrune: 3,
  repeat: 16,
  resume: 12,
  reopen: 6,
  together: 8,
  undo: 8,
  prune: 4,
  show: 6,
  one: 7,
  create: 4,
  update: 2,
  members: 5,
  reads: 4,
  subtract: 4,
  pipe: 4,
  people: 4,
  rival: 6,
  others: 5,
  weather: 10,
  clock: 3,
  power: 2,
  rot: 2,
  disk: 3,
  readOnly: 3,
}

/** A step as a seed has planned it: it can be left out, and those after it stay what they are. */
export interface Planned {
  /** Milliseconds after the beginning. */
  readonly at: number
  readonly step: StepName
  readonly seed: number
}

/** The steps of so much time, in their order, with rests of at most `rest` milliseconds. `only`: kinds of them; all unless given. */
export function planned(
  dice: Dice,
  { duration, rest }: { readonly duration: number; readonly rest: number },
  only: readonly string[] = Object.keys(weights),
): Planned[] {
  const chosen = Object.fromEntries(
    Object.entries(weights).filter(([step]) => only.includes(step)),
  ) as typeof weights
  const all: Planned[] = [{ at: 0, step: 'weather', seed: dice.whole(0, 2 ** 31) }]
  for (let at = 0; at < duration; at += dice.skewed(50, rest))
    all.push({ at, step: dice.weighted(chosen), seed: dice.whole(0, 2 ** 31) })
  return all
}

export async function play(stage: Stage, { step }: Planned, dice: Dice): Promise<void> {
  await steps[step](stage, dice)
}
