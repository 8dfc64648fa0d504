/**
 * Kills a run of many ids at each change of its disk: before it, within it and after it. Then the same command is typed again, and the judge
 * looks on: nothing may be lost, done twice or claimed falsely.
 *   npm run simulate -- --every-write 300 [--steps contacts.delete]
 */
import { parseArgs } from 'node:util'
import { bulkOperations, type BulkOperation } from '../../src/api/operations.ts'
import { operationOf } from '../../src/runs/operations/operations.ts'
import { assigneeOf } from '../sandbox/record.ts'
import type { Death } from './disk.ts'
import type { Job } from './job.ts'
import { summaryOf } from './printed.ts'
import { Stage } from './stage.ts'
import { nameOf } from './world.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    'every-write': { type: 'string' },
    steps: { type: 'string' },
  },
})
const seed = Number(values.seed)
const count = Number(values['every-write'])

/** A run that is killed: of an operation, or the undo of an assign. */
type Kind = BulkOperation | 'runs.undo'
const all: readonly Kind[] = [...bulkOperations, 'runs.undo']
const kinds = all.filter((kind) => values.steps?.split(',').includes(kind) ?? true)

/** A command on so many things, without options. */
function jobOf(stage: Stage, operation: BulkOperation): Job {
  const { free, tickets, employees, lists } = stage.stock
  // The first employee has most of the tickets.
  const [list = '', target = '', employee = ''] = [lists[0], free.at(-1), employees[1]]
  const contacts = free.slice(0, count)
  const job = (words: readonly string[], ids: readonly string[], other?: string): Job => ({
    ...{ operation, name: undefined, ids, parties: {}, wanted: () => other },
    words: [...words, '--yes', '--json'],
  })
  switch (operation) {
    case 'contacts.delete':
      return job(['contacts', 'delete', '--file', stage.file(contacts)], contacts)
    case 'lists.add-contacts': {
      const words = ['lists', 'add-contacts', list, '--file', stage.file(contacts)]
      return { ...job(words, contacts), parties: { list } }
    }
    case 'contacts.merge': {
      const lines = ['source,target', ...contacts.map((id) => `${id},${target}`)]
      return job(['contacts', 'merge', '--file', stage.file(lines, 'csv')], contacts, target)
    }
    case 'tickets.assign': {
      const { company } = stage.world.service
      const others = tickets.filter(
        (id) => ![null, employee].includes(assigneeOf(company, id) ?? null),
      )
      const own = others.slice(0, count)
      const words = ['tickets', 'assign', '--file', stage.file(own), '--to', employee]
      return job(words, own, employee)
    }
  }
}

/** Assigns tickets, and returns the job that gives them back. */
async function undoOf(stage: Stage, job: Job): Promise<Job> {
  await stage.run(job.words, { job: stage.jobLike(job) })
  const [run = ''] = stage.judge.runs
  const former = (id: string): string | undefined => {
    const writes = stage.judge.factsOf(run)?.writesOf(id) ?? []
    return writes[0]?.landed?.effects.get(id)?.before.assignee ?? undefined
  }
  return {
    ...{ operation: job.operation, name: `undo-${nameOf(run)}`, parties: {}, ids: undefined },
    words: ['runs', 'undo', nameOf(run), '--yes', '--json'],
    wanted: former,
    givenBackFrom: job.wanted,
    undoes: run,
  }
}

interface Ending {
  readonly wasKilled: boolean
  readonly violations: readonly string[]
  /** The exit code and the result of the second command. */
  readonly words: string
}

/** A world in which the command is killed there and typed again. */
async function play(kind: Kind, death: Pick<Death, 'nth' | 'where'>): Promise<Ending> {
  const stage = new Stage(seed, 5 * count + 200)
  const { world, judge } = stage
  Object.assign(world.disk, { hasLinks: true, losesAnswers: 0 })
  for (const { batch, pairs } of bulkOperations.map(operationOf))
    if (pairs === undefined) Object.assign(batch, { most: 100 })
  const story = async (): Promise<Ending> => {
    const first = jobOf(stage, kind === 'runs.undo' ? 'tickets.assign' : kind)
    const job = stage.jobLike(kind === 'runs.undo' ? await undoOf(stage, first) : first)
    const killed = stage.run(job.words, { job })
    world.disk.killAt(world.processes.length, death.nth, death.where, 0.5)
    const { end } = await killed
    const again = await stage.run(job.words, { job })
    judge.judgeRules()
    stage.judgeFiles()
    for (const judgeAgain of stage.last) judgeAgain()
    const { code = 'killed' } = again
    const violations = judge.violations.map(({ what }) => what)
    if (code !== 0 && code !== 3) violations.push(`exit ${code}: ${again.stderr}`)
    const words = `exit ${code} ${JSON.stringify(summaryOf(again)?.result)}`
    return { wasKilled: end === 'killed', violations, words }
  }
  let isOver = false
  const ended = story().finally(() => (isOver = true))
  await world.clock.run(() => isOver)
  return ended
}

let wrong = 0
for (const kind of kinds) {
  const endings = new Map<string, number>()
  for (const where of ['before', 'within', 'after'] as const) {
    for (let nth = 1; ; nth += 1) {
      const { wasKilled, violations, words } = await play(kind, { nth, where })
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
process.exitCode = wrong === 0 ? 0 : 1
