/** Commands about what was begun before: it is repeated, resumed, tried again, taken back, removed and looked at. */
import { operationOf } from '../../src/runs/operations/operations.ts'
import { reopenable } from '../../src/runs/outcomes.ts'
import type { Dice } from './dice.ts'
import type { Job } from './job.ts'
import { giveAway } from './others.ts'
import type { Listed } from './printed.ts'
import type { SimulatedProcess } from './process.ts'
import type { Stage } from './stage.ts'
import { ownOutcomes } from './effects.ts'
import { entryIn, entryOf, nameOf } from './world.ts'

/** Begins a job, which later steps go on with. */
export function begin(
  stage: Stage,
  dice: Dice,
  job: Job,
  words: readonly string[] = job.words,
): Promise<unknown> {
  const known = stage.jobLike(job)
  const running = { job: known, machine: dice.pick(stage.world.machines) }
  return stage.disturbed(dice, words, running)
}

/** Something of each job: any, but mostly a late one. */
function someJob(stage: Stage, dice: Dice): Job | undefined {
  const recent = stage.jobs.slice(-4)
  return recent.length === 0 ? undefined : dice.pick(dice.chance(0.7) ? recent : stage.jobs)
}

export const runsOf = (stage: Stage, job: Job): string[] =>
  stage.judge.runs.filter((run) => stage.judge.factsOf(run)?.job === job)

/** A word by which people name a run. */
function called(stage: Stage, dice: Dice, job: Job): string | undefined {
  const run = runsOf(stage, job).at(-1)
  return job.name !== undefined && dice.chance(0.5) ? job.name : run && nameOf(run)
}

/** The files that the job's own command names, as a command that continues its run names them. */
function filesOf({ words }: Job): readonly string[] {
  return ['--receipts', '--annotate'].flatMap((option) => {
    const at = words.indexOf(option)
    return at < 0 ? [] : words.slice(at, at + 2)
  })
}

export async function goOn(
  stage: Stage,
  dice: Dice,
  [verb = '', ...options]: readonly string[],
  job = someJob(stage, dice),
): Promise<SimulatedProcess | undefined> {
  const run = job === undefined ? undefined : called(stage, dice, job)
  if (job === undefined || run === undefined) return undefined
  const takeOver = dice.chance(0.25) ? ['--take-over'] : []
  const shown = dice.chance(0.5) ? ['--json'] : ['-o', 'ndjson']
  const files = dice.chance(0.5) ? filesOf(job) : []
  const words = ['runs', verb, run, ...options, ...files, ...takeOver, '--yes', ...shown]
  return stage.disturbed(dice, words, { job, machine: dice.pick(stage.world.machines) })
}

/** Every run that is there all the time is listed, and none that never was. */
async function list(stage: Stage): Promise<void> {
  const before = stage.journals
  const process = await stage.run(['runs', 'list', '--json', '--limit', 'all'])
  if (process.code !== 0) return
  const claim = stage.judge.claimOf(process)
  const rows = new Set(
    (JSON.parse(process.stdout) as readonly Listed[]).map(({ run }) => entryOf(run)),
  )
  const there = new Set(stage.journals)
  const missing = before.filter((run) => there.has(run) && !rows.has(entryIn(run)))
  // One that is damaged is told apart from the others.
  const untold = missing.filter((run) => !process.stderr.includes(nameOf(run)))
  claim(untold.length === 0, `runs list has not ${untold.join()}`)
  const known = new Set(stage.judge.runs.map(entryIn))
  const unknown = [...rows].filter((run) => !known.has(run))
  claim(unknown.length === 0, `runs list has ${unknown.join()}`)
}

/** The job that takes a run of this one back. */
export function undoOf(stage: Stage, { operation, wanted }: Job, run: string): Job {
  const before = (id: string): string | undefined =>
    stage.judge
      .factsOf(run)
      ?.writesOf(id)
      .map(({ landed }) => landed?.effects.get(id))
      .find((effect) => effect?.isChanged)?.before.assignee ?? undefined
  const words = ['runs', 'undo', nameOf(run), '--yes', '--json']
  const job = { operation, name: `undo-${nameOf(run)}`, words, ids: undefined, parties: {} }
  return { ...job, wanted: before, givenBackFrom: wanted, undoes: run }
}

export const laters = {
  /** Repeats a command as a scheduler does, until it ends by itself. */
  async repeat(stage: Stage, dice: Dice) {
    const job = someJob(stage, dice)
    if (job?.name === undefined) return
    for (let times = dice.whole(1, 5); times > 0; times -= 1) {
      const { code } = await stage.disturbed(dice, job.words, {
        job,
        machine: dice.pick(stage.world.machines),
      })
      if (code === 0 || code === 3) return
      await stage.world.clock.sleep(dice.skewed(100, 120_000))
    }
  },
  /** A command without a name is typed again, as after arrow-up; now and then it is to begin anew. */
  async again(stage: Stage, dice: Dice) {
    const nameless = stage.jobs.filter((job) => job.name === undefined && job.undoes === undefined)
    if (nameless.length === 0) return
    const job = dice.pick(nameless.slice(-3))
    const anew = dice.chance(0.1) ? ['--new-run'] : dice.chance(0.2) ? ['--take-over'] : []
    await stage.disturbed(dice, [...job.words, ...anew], {
      job,
      machine: dice.pick(stage.world.machines),
    })
  },
  resume: (stage: Stage, dice: Dice) => goOn(stage, dice, ['resume']),
  reopen(stage: Stage, dice: Dice) {
    const job = someJob(stage, dice)
    const own =
      job === undefined
        ? []
        : ownOutcomes(job.operation).filter((outcome) => reopenable.includes(outcome))
    const usual = ['error', 'unknown', 'error,unknown,not-attempted']
    return goOn(
      stage,
      dice,
      ['resume', '--outcome', dice.pick([...usual, ...own.slice(0, 1)])],
      job,
    )
  },
  async together(stage: Stage, dice: Dice) {
    const job = someJob(stage, dice)
    if (job === undefined) return
    const work = async (): Promise<void> => {
      const kind = dice.pick(['resume', 'reopen', 'repeat', 'prune', 'undo'] as const)
      const rest = dice.fork()
      await stage.world.clock.sleep(dice.skewed(1, 20_000))
      await laters[kind](stage, rest)
    }
    await Promise.all([work(), work()])
  },
  /** Now and then somebody gives the tickets away, or back, before they are given back, and they are given back twice. */
  async undo(stage: Stage, dice: Dice) {
    const isUndoable = ({ operation }: Job) => typeof operationOf(operation).undo !== 'string'
    const undoable = stage.jobs.filter(isUndoable)
    if (undoable.length === 0) return
    const job = dice.pick(undoable.slice(-3))
    const run = runsOf(stage, job).at(-1)
    if (run === undefined) return
    if (dice.chance(0.2)) giveAway(stage, dice, job)
    const words = [
      'runs',
      'undo',
      nameOf(run),
      ...(dice.chance(0.5) ? ['--json'] : ['-o', 'ndjson']),
      ...(dice.chance(0.3) ? ['--receipts', stage.place('csv')] : []),
      '--yes',
    ]
    const known = stage.jobs.find(({ undoes }) => undoes === run)
    const undone = known ?? { ...undoOf(stage, job, run), words }
    await begin(stage, dice, undone, words)
    if (!dice.chance(0.3)) return
    await stage.world.clock.sleep(dice.skewed(500, 900_000))
    giveAway(stage, dice, job)
    await begin(stage, dice, undone, words)
  },
  prune: (stage: Stage, dice: Dice) =>
    stage.disturbed(dice, [
      'runs',
      'prune',
      '--older-than',
      dice.pick(['0s', '0s', '10m']),
      '--yes',
      '--json',
    ]),
  async show(stage: Stage, dice: Dice) {
    const job = someJob(stage, dice)
    const run = job === undefined ? undefined : called(stage, dice, job)
    if (run === undefined) return
    await stage.run(['runs', 'show', run, '--json'])
    await stage.run(['runs', 'export', run, '-o', 'ndjson'])
    await list(stage)
    if (job?.name !== undefined)
      await stage.run(['runs', 'check', job.name, '--within', '90d', '--json'])
  },
}
