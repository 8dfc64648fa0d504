/** One seed from its first command to the last landing of its last request. */
import { Dice } from './dice.ts'
import type { Job } from './job.ts'
import { runsOf } from './later.ts'
import { summaryOf } from './printed.ts'
import type { SimulatedProcess } from './process.ts'
import { Stage } from './stage.ts'
import { planned, play } from './traffic.ts'
import { weather } from './wire.ts'
import { nameOf } from './world.ts'

export type Episode = Awaited<ReturnType<typeof simulate>>

/** Every fourth seed is a slow world: it lasts a day for each hour of the others, with rests of up to an hour. */
const slowness = (seed: number): number => (seed % 4 === 0 ? 24 : 1)

/** `hours`: of a world that is not slow. `only`: the kinds of steps that are planned. `keep`: numbers of those that are played. All unless given. */
export async function simulate(
  seed: number,
  hours: number,
  only?: readonly string[],
  keep?: readonly number[],
) {
  const [duration, rest] = [hours * 3_600_000 * slowness(seed), 150_000 * slowness(seed)]
  const plan = planned(new Dice(seed), { duration, rest }, only).filter(
    (_, index) => keep?.includes(index) ?? true,
  )
  const stage = new Stage(seed)
  const { clock } = stage.world
  const start = clock.now()
  const steps = plan.map(async (step) => {
    await clock.sleep(step.at)
    await play(stage, step, new Dice(step.seed))
  })
  await clock.until(Promise.all(steps))
  const played = clock.now() - start
  await settle(stage)
  stage.judgeAll()
  const { violations, claims } = stage.judge
  return {
    seed,
    plan,
    stage,
    violations,
    claims,
    commands: stage.world.processes.length,
    /** Simulated milliseconds. */
    duration: Math.max(duration, played),
  }
}

/** In good weather every request lands, every job is finished, and everything that is said then is judged once more. */
async function settle(stage: Stage): Promise<void> {
  const { world, judge } = stage
  world.weather = weather(new Dice(1), 0)
  for (const machine of world.machines) machine.offset = 0
  await world.clock.run(() => world.service.underWay === 0)
  const isOver = await world.clock.until(finish(stage).then(() => true))
  judge.claimOf(undefined)(isOver === true, 'the last commands wait for nothing')
}

/** Times between the repetitions of a scheduler: a lost request lands within minutes, or within a day for all that is known. */
const rests = [0, 0, 12 * 60_000, 25 * 3_600_000, 0]

interface End {
  readonly code: number | undefined
  /** Whether it said that a repetition may end better. */
  readonly retry: boolean
}

function endOf(process: SimulatedProcess): End {
  const { code } = process
  const mayPass = code === 11 || code === 10 || code === 7
  return { code, retry: summaryOf(process)?.retry ?? mayPass }
}

/** How a job's line ended before, where only faults that have stopped since can have ended it. */
function endBefore({ world }: Stage, job: Job): End | undefined {
  const process = world.processes.findLast((each) => each.job === job)
  if (process === undefined || process.argv[0] === 'runs') return undefined
  const end = endOf(process)
  return end.code === 7 ? end : undefined
}

/** A scheduler's line comes to its end within a few repetitions, unless it says that no repetition ends better. */
async function repeatUntilDone(stage: Stage, job: Job): Promise<void> {
  const { world, judge } = stage
  const isDamaged = runsOf(stage, job).some((run) => world.damagedAt.has(run))
  if (isDamaged || job.undoes !== undefined) return
  const isNamed = job.name !== undefined
  if (!isNamed && !isCutShort(stage, job)) return
  let claim = judge.claimOf(undefined)
  let last = endBefore(stage, job)
  const told: string[] = []
  let run: string | null | undefined
  // Hours later a command without a name is another job.
  for (const rest of isNamed ? rests : rests.slice(0, 3)) {
    await world.clock.sleep(rest)
    const process = await stage.run([...job.words, '--take-over'], { job })
    const { code, retry } = endOf(process)
    claim = judge.claimOf(process)
    claim(
      last?.retry !== false || code === last.code,
      `exit ${code}, and a repetition was said to end no better than ${last?.code}`,
    )
    // Exit 2 is for a person, as of a run that was removed before its end.
    if (code === 0 || code === 3 || code === 2) return
    // A result that is only printed again was got in earlier weather, and the next one begins anew.
    const hasSent = world.service.log.some(
      (sent) => sent.process === process && sent.operation === job.operation,
    )
    last = isNamed || hasSent ? { code, retry } : undefined
    // After clocks that jumped, two runs of one job can take turns. Each counts its own sessions.
    const resumed = summaryOf(process)?.run
    if (resumed !== run) told.length = 0
    run = resumed
    told.push(`${code}${retry ? '' : ' for good'}`)
    claim(told.length < 3 || !retry, `typed three times, it ends with ${told.join()}`)
  }
  if (isNamed) claim(last?.retry === false, `repeated, it ends with ${told.join(', ')}`)
}

/** The last command of a job did not come to its end. */
function isCutShort({ world }: Stage, job: Job): boolean {
  const process = world.processes.findLast((each) => each.job === job)
  return process !== undefined && ![0, 2, 3, 5, 6].includes(process.code ?? -1)
}

async function finish(stage: Stage): Promise<void> {
  for (const job of stage.jobs) await repeatUntilDone(stage, job)
  for (const run of stage.judge.runs) {
    const job = stage.judge.factsOf(run)?.job
    if (!stage.world.isThere(run) || job === undefined) continue
    await stage.run(['runs', 'resume', nameOf(run), '--yes', '-o', 'ndjson', '--take-over'], {
      job,
    })
    await stage.run(['runs', 'show', nameOf(run), '--json'])
    await stage.run(['runs', 'export', nameOf(run), '-o', 'ndjson'])
  }
}
