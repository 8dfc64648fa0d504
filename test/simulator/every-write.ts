/**
 * Kills a run of many ids at each change of its disk: before it, within it and after it. Then the same command is typed again, and the judge
 * looks on: nothing may be lost, done twice or claimed falsely.
 */
import { bulkOperations, type BulkOperation } from '../../src/api/operations.ts'
import { commandOf, operationOf } from '../../src/runs/operations/operations.ts'
import { assigneeOf } from '../sandbox/record.ts'
import type { Death } from './disk.ts'
import type { Job } from './job.ts'
import { undoOf } from './later.ts'
import { summaryOf } from './printed.ts'
import { Stage } from './stage.ts'

/** A run that is killed: of an operation, or the undo of an assign. */
const kinds = [...bulkOperations, 'runs.undo'] as const
type Kind = (typeof kinds)[number]

/** A command on so many things, without options. */
function jobOf(stage: Stage, operation: BulkOperation, count: number): Job {
  const { free, tickets, employees, lists } = stage.stock
  const { company } = stage.world.service
  // The first employee has most of the tickets.
  const [list = '', target = '', employee = ''] = [lists[0], free.at(-1), employees[1]]
  const others = tickets.filter((id) => ![null, employee].includes(assigneeOf(company, id) ?? null))
  const ids = (operationOf(operation).item === 'ticket' ? others : free).slice(0, count)
  const isMerge = operation === 'contacts.merge'
  const file = isMerge
    ? stage.file(['source,target', ...ids.map((id) => `${id},${target}`)], 'csv')
    : stage.file(ids)
  const words = [...commandOf(operation).split(' '), '--file', file, '--yes', '--json']
  const job = { operation, name: undefined, words, ids, parties: {}, wanted: () => undefined }
  switch (operation) {
    case 'contacts.delete':
      return job
    case 'contacts.merge':
      return { ...job, wanted: () => target }
    case 'lists.add-contacts':
      return { ...job, words: [...words, list], parties: { list } }
    case 'tickets.assign':
      return { ...job, words: [...words, '--to', employee], wanted: () => employee }
  }
}

/** Assigns tickets, and returns the job that gives them back. */
async function begunUndo(stage: Stage, job: Job): Promise<Job> {
  await stage.run(job.words, { job: stage.jobLike(job) })
  return undoOf(stage, job, stage.judge.runs[0] ?? '')
}

interface Ending {
  readonly wasKilled: boolean
  readonly violations: readonly string[]
  /** The exit code and the result of the second command. */
  readonly words: string
}

/** A world in which the command is killed there and typed again. */
async function play(
  kind: Kind,
  { seed, count }: { readonly seed: number; readonly count: number },
  death: Pick<Death, 'nth' | 'where'>,
): Promise<Ending> {
  const stage = new Stage(seed, 5 * count + 200)
  const { world, judge } = stage
  Object.assign(world.disk, { hasLinks: true, losesAnswers: 0 })
  for (const { batch, pairs } of bulkOperations.map(operationOf))
    if (pairs === undefined) Object.assign(batch, { most: 100 })
  const story = async (): Promise<Ending> => {
    const first = jobOf(stage, kind === 'runs.undo' ? 'tickets.assign' : kind, count)
    const job = stage.jobLike(kind === 'runs.undo' ? await begunUndo(stage, first) : first)
    const killed = stage.run(job.words, { job })
    world.disk.killAt(world.processes.length, death.nth, death.where, 0.5)
    const { end } = await killed
    const again = await stage.run(job.words, { job })
    stage.judgeAll()
    const { code = 'killed' } = again
    const violations = judge.violations.map(({ what }) => what)
    if (code !== 0 && code !== 3) violations.push(`exit ${code}: ${again.stderr}`)
    const words = `exit ${code} ${JSON.stringify(summaryOf(again)?.result)}`
    return { wasKilled: end === 'killed', violations, words }
  }
  const ending = await world.clock.until(story())
  if (ending === undefined) throw new Error(`${kind} waits for nothing`)
  return ending
}

/** Returns how many claims were false. */
export async function killAtEachWrite(
  seed: number,
  count: number,
  only: readonly string[] = kinds,
): Promise<number> {
  let wrong = 0
  for (const kind of kinds.filter((each) => only.includes(each))) {
    const endings = new Map<string, number>()
    for (const where of ['before', 'within', 'after'] as const) {
      for (let nth = 1; ; nth += 1) {
        const { wasKilled, violations, words } = await play(kind, { seed, count }, { nth, where })
        for (const what of violations) console.log(`FALSE ${kind}, ${where} change ${nth}: ${what}`)
        wrong += violations.length
        if (!wasKilled) break
        endings.set(words, (endings.get(words) ?? 0) + 1)
      }
    }
    const kills = [...endings.values()].reduce((sum, times) => sum + times, 0)
    console.log(`${kind}: killed ${kills} times`)
    for (const [words, times] of endings) console.log(`  ${times} times, then ${words}`)
  }
  console.log(`${wrong} false`)
  return wrong
}
