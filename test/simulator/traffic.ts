/** The commands that people and schedulers type: each step by its own seed, so that it is the same whatever was left out before it. */
import type { Dice } from './dice.ts'
import type { Job } from './job.ts'
import type { Stage } from './stage.ts'
import { begin, goOn, laters, runsOf } from './later.ts'
import { singles } from './single.ts'
import { weather } from './wire.ts'

type Step = (stage: Stage, dice: Dice) => Promise<unknown> | void

const lower = (id: string): string => id.toLowerCase()

/** Options that any bulk command may have. */
function someOptions(stage: Stage, dice: Dice): string[] {
  return [
    ...(dice.chance(0.5) ? ['--json'] : ['-o', 'ndjson']),
    ...(dice.chance(0.6) ? ['--concurrency', String(dice.whole(1, 4))] : []),
    ...(dice.chance(0.25) ? ['--receipts', stage.place(dice.pick(['csv', 'ndjson']))] : []),
    ...(dice.chance(0.3) ? ['--timeout', dice.pick(['2s', '10s'])] : []),
    ...(dice.chance(0.4) ? ['--max-retry-wait', dice.pick(['10ms', '2s'])] : []),
    ...(dice.chance(0.1) ? ['--deadline', '20s'] : []),
    '--yes',
  ]
}

const nameOf = (stage: Stage, dice: Dice): string | undefined =>
  dice.chance(0.6) ? `job-${stage.jobs.length + 1}` : undefined

async function bulk(
  stage: Stage,
  dice: Dice,
  words: readonly string[],
  about: Pick<Job, 'kind' | 'ids' | 'wanted'> & Partial<Job>,
) {
  const name = nameOf(stage, dice)
  const once = name === undefined ? [] : ['--once', name]
  const annotate = dice.chance(0.3) ? ['--annotate', stage.place('csv')] : []
  const job = {
    name,
    ...about,
    words: [...words, ...once, ...annotate, ...someOptions(stage, dice)],
  }
  await begin(stage, dice, job)
  if (!dice.chance(0.3) || job.kind === 'delete' || job.kind === 'add') return
  // People take back or try again what they have just done, while lost requests can still land.
  await stage.world.clock.sleep(dice.skewed(500, 420_000))
  if (job.kind === 'assign') await laters.undo(stage, dice)
  else await goOn(stage, dice, ['retry', '--outcome', 'unknown,error'], job)
}

const nobody = (): undefined => undefined

/** Ids in any letter case, some of them twice, as lines or as a column of a table. */
function idFile(stage: Stage, dice: Dice, ids: readonly string[]): string[] {
  const typed = ids.map((id) => (dice.chance(0.1) ? id.toUpperCase() : id))
  const lines = [...typed, ...dice.some(typed, 2)]
  if (dice.chance(0.6)) return ['--file', stage.file(lines)]
  const rows = lines.map((id, n) => `Müller ${n};${id};"王; ""${n}"""`)
  const table = ['"Kunden, März"', 'Name;Contact ID;Note', ...rows, 'Nobody;no id;']
  return ['--file', stage.file(table, 'csv'), '--skip-invalid']
}

/** The ids in any order. */
const shuffled = (dice: Dice, ids: readonly string[]): string[] => dice.some(ids, ids.length)

const steps = {
  ...singles,
  ...laters,
  delete(stage, dice) {
    const { free, busy } = stage.stock
    const there = [...free.splice(0, dice.whole(1, 14)), ...dice.some(busy, dice.whole(0, 2))]
    const ids = [...there, ...Array.from({ length: dice.whole(0, 3) }, () => dice.hex(24))]
    // Some that another command has too.
    if (dice.chance(0.2)) ids.push(...free.slice(0, 3))
    const words = ['contacts', 'delete', ...idFile(stage, dice, shuffled(dice, ids))]
    return bulk(stage, dice, words, { kind: 'delete', ids, wanted: nobody })
  },
  /** A file that is too long for one command, cut into parts that run at the same time. */
  async shards(stage, dice) {
    const absent = Array.from({ length: dice.whole(90, 320) }, () => dice.hex(24))
    const ids = shuffled(dice, [...absent, ...stage.stock.free.splice(0, dice.whole(1, 20))])
    const file = idFile(stage, dice, ids)
    const count = dice.whole(2, 4)
    const edge = (part: number): number =>
      Math.floor((Math.ceil(ids.length / 100) * part) / count) * 100
    const parts = Array.from({ length: count }, (_, n) => {
      const about = {
        kind: 'delete',
        ids: ids.slice(edge(n), edge(n + 1)),
        wanted: nobody,
      } as const
      return bulk(
        stage,
        dice.fork(),
        ['contacts', 'delete', ...file, '--shard', `${n + 1}/${count}`],
        about,
      )
    })
    await Promise.all(parts)
  },
  add(stage, dice) {
    const { free, busy, lists } = stage.stock
    const list = dice.pick(lists)
    const ids = [...dice.some(free, dice.whole(1, 12)), ...dice.some(busy, 2)]
    for (let n = dice.whole(0, 2); n > 0; n -= 1) ids.push(dice.hex(24))
    const words = ['lists', 'add-contacts', list, ...idFile(stage, dice, shuffled(dice, ids))]
    const about = { kind: 'add', ids, list, wanted: nobody } as const
    return bulk(stage, dice, dice.chance(0.5) ? [...words, '--isolate'] : words, about)
  },
  assign(stage, dice) {
    const { tickets, employees } = stage.stock
    const ids = dice.some(tickets, dice.whole(1, 6))
    const pairs = new Map(ids.map((id) => [id, dice.pick(employees)]))
    const file = stage.file(['ticket,employee', ...[...pairs].map((pair) => pair.join(','))], 'csv')
    const wanted = (id: string): string | undefined => pairs.get(id)
    if (dice.chance(0.25)) {
      const [to, ifAssignee] = [dice.pick(employees), dice.pick(employees)]
      const words = [
        'tickets',
        'assign',
        '--file',
        stage.file(ids),
        '--to',
        to,
        '--if-assignee',
        ifAssignee,
      ]
      return bulk(stage, dice, words, { kind: 'assign', ids, wanted: () => to, ifAssignee })
    }
    return bulk(stage, dice, ['tickets', 'assign', '--file', file], { kind: 'assign', ids, wanted })
  },
  merge(stage, dice) {
    const contacts = stage.stock.free.splice(0, dice.whole(2, 7))
    const pairs = new Map<string, string>()
    for (const [n, source] of contacts.slice(0, -1).entries())
      // Now and then a chain: what was merged into goes into the next one.
      if (n % 2 === 0 || dice.chance(0.3)) pairs.set(source, contacts[n + 1] ?? source)
    const file = stage.file(['source,target', ...[...pairs].map((pair) => pair.join(','))], 'csv')
    const about = {
      kind: 'merge',
      ids: [...pairs.keys()],
      wanted: (id: string) => pairs.get(id),
    } as const
    return bulk(stage, dice, ['contacts', 'merge', '--file', file], about)
  },
  plan(stage, dice) {
    const ids = stage.stock.free.splice(0, dice.whole(1, 8)).map(lower)
    const plan = stage.place('plan')
    const job: Job = {
      kind: 'delete',
      ids,
      name: undefined,
      wanted: nobody,
      words: ['plans', 'apply', plan, ...someOptions(stage, dice)],
    }
    const write = ['contacts', 'delete', ...idFile(stage, dice, ids), '--plan', plan]
    return stage.disturbed(dice, write).then(() => begin(stage, dice, job))
  },
  /** A prune dies at one of its writes, what a job could not do is tried again by its run's id, and a scheduler repeats the job. */
  async halfPrune(stage, dice) {
    stage.world.weather = weather(dice, 70)
    await steps[dice.pick(['delete', 'add', 'merge'] as const)](stage, dice)
    stage.world.weather = weather(dice, 0)
    const { job, machine } = stage.world.processes.at(-1) ?? {}
    const run = job?.name === undefined ? undefined : runsOf(stage, job).at(-1)
    if (job === undefined || run === undefined) return
    // At the 16th the record of the first run's name knows the summary, at the 20th the run is gone.
    await stage.run(['runs', 'prune', '--older-than', '0s', '--yes'], {
      machine,
      killedAt: dice.whole(13, 23),
    })
    const retry = [
      'runs',
      'retry',
      run,
      '--outcome',
      'error,unknown,not-attempted',
      '--yes',
      '--json',
    ]
    await stage.run(retry, { job, machine })
    await stage.run(job.words, { job, machine })
  },
  /** Others want to go on with a job while somebody works on it. */
  async crowd(stage, dice) {
    const begun = steps[dice.pick(['delete', 'add', 'merge'] as const)](stage, dice)
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
  },
  weather(stage, dice) {
    stage.world.weather = weather(dice, dice.pick([0, 0, 4, 12, 30, 70]))
  },
  /** A clock is set wrong, or right again. */
  clock(stage, dice) {
    // More than a day ahead, what has ended is old enough for `SVC_KEEP_RUNS`.
    const minutes = dice.pick([0, 0, 2, -2, 6, -6, 10, -10, 61, -1199, 1500])
    const machine = dice.pick(stage.world.machines)
    machine.offset = minutes * 60_000
  },
  power(stage) {
    stage.world.losePower()
  },
  /** A byte of a journal goes bad that was on disk when a later line was written, while nobody works on the run. */
  rot({ world, judge }, dice) {
    const idle = judge.runs.filter((run) =>
      judge.factsOf(run)?.processes.every(({ end }) => end !== undefined),
    )
    const run = idle.length === 0 ? '' : dice.pick(idle.slice(-4))
    const journal = world.disk.readFile(world.journalOf(run))?.toString('latin1') ?? ''
    const [, synced = '0'] = [...journal.matchAll(/^\{[^\0\n]*"d":(\d+)[^\0\n]*\}$/gm)].at(-1) ?? []
    if (synced === '0') return
    world.disk.spoil(world.journalOf(run), dice.whole(0, Number(synced) - 1))
    world.damagedAt.set(run, world.clock.now())
  },
  /** The disk is full, broken or read-only for a while. */
  async disk(stage, dice) {
    const { world } = stage
    const broken = (): void => {
      for (const process of world.processes)
        if (process.end === undefined) process.isDisturbed = process.hasBrokenDisk = true
    }
    if (dice.chance(0.5)) world.disk.fill(dice.skewed(1, 20_000))
    else world.disk.failWrites(dice.pick(['EIO', 'EROFS']))
    world.isDiskBroken = true
    broken()
    await world.clock.sleep(dice.skewed(100, 60_000))
    world.disk.fill(undefined)
    world.disk.failWrites(undefined)
    world.isDiskBroken = false
  },
} satisfies Record<string, Step>

export type StepName = keyof typeof steps

const weights: Readonly<Record<StepName, number>> = {
  delete: 12,
  shards: 1,
  add: 10,
  assign: 12,
  merge: 8,
  plan: 3,
  crowd: 4,
  halfPrune: 3,
  repeat: 16,
  resume: 12,
  retry: 6,
  together: 8,
  undo: 8,
  prune: 4,
  show: 6,
  assignOne: 4,
  mergeOne: 3,
  create: 4,
  update: 2,
  members: 6,
  rival: 6,
  weather: 10,
  clock: 3,
  power: 2,
  rot: 2,
  disk: 3,
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
