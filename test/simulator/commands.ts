/** Commands of a world: the jobs that are typed, and a process that runs one with the engine as it is. */
import { createApi } from '../../src/api/client.ts'
import type { BulkOperation } from '../../src/api/operations.ts'
import { SvcError } from '../../src/errors.ts'
import { Client } from '../../src/http/client.ts'
import { Redactor } from '../../src/safe-text.ts'
import { Items } from '../../src/input/items.ts'
import type { Job } from '../../src/runs/jobs/job.ts'
import type { RunTools } from '../../src/runs/tools.ts'
import { onceRun, Runs } from '../../src/runs/list.ts'
import { addContacts } from '../../src/runs/operations/add.ts'
import { deleteContacts } from '../../src/runs/operations/delete.ts'
import { receiptsOf, type Receipt } from '../../src/runs/receipts.ts'
import { runJob, type EndedRun } from '../../src/runs/run.ts'
import { undoRun } from '../../src/runs/undo.ts'
import { below } from './dice.ts'
import { falseClaims } from './judge.ts'
import type { Process, World } from './world.ts'

// Requests of a few ids, so that a run has several.
deleteContacts.maxPerRequest = 2
addContacts.maxPerRequest = 4

export const idOf = (n: number) => n.toString(16).padStart(24, '0')
export const employees = { old: idOf(0xa1), fresh: idOf(0xa2), other: idOf(0xa3) }
const list = { id: idOf(0xb1), name: 'VIP' }

export const operations: readonly BulkOperation[] = [
  'contacts.delete',
  'lists.add-contacts',
  'contacts.merge',
  'tickets.assign',
]

/** Receipts that a process printed, with its exit code. */
export interface Printed {
  process: Process
  run: string
  receipts: readonly Receipt[]
  exitCode: number
  due: number
  wrong: string[]
}

/** A job of so many items, of which some do not exist, are blocked, or are with somebody else. */
export function jobOf(world: World, operation: BulkOperation, count: number): Job {
  const { service, roll } = world
  const items = new Items()
  for (let n = 0; n < count; n += 1) {
    // With letters, which an answer may have in the other case.
    const id = idOf(0xabc01 + n)
    const other = operation === 'contacts.merge' ? idOf(0x1000 + n) : undefined
    items.add({ id, line: n + 1, other })
  }
  for (const { id, other } of items) {
    const fate = roll()
    if (operation === 'tickets.assign')
      service.setHolder(
        id,
        fate < 0.7 ? employees.old : fate < 0.85 ? employees.other : employees.fresh,
      )
    else if (fate < 0.6) service.contacts.set(id, 'there')
    else if (fate < 0.8)
      service.contacts.set(id, operation === 'contacts.delete' ? 'blocked' : 'there')
    if (other !== undefined) service.contacts.set(other, 'there')
  }
  const isAssign = operation === 'tickets.assign'
  const target = isAssign ? { id: employees.fresh } : list
  return {
    operation,
    target: operation === 'lists.add-contacts' || isAssign ? target : undefined,
    ifAssignee: isAssign && roll() < 0.4 ? { id: employees.old } : undefined,
    items,
    input: { read: count, unique: count, duplicates: 0, invalid: 0, leftOut: 0 },
    options: {},
  }
}

/** The same job under a name. */
export const named = (job: Job, once: string): Job => ({
  ...job,
  options: { ...job.options, once },
  run: onceRun(once),
})

interface Typed {
  host?: string | undefined
  killAt?: number | undefined
  concurrency?: number
}

export class Commands {
  readonly world: World
  readonly printed: Printed[] = []

  constructor(world: World) {
    this.world = world
  }

  start(job: Job, { host = 'a', killAt, concurrency = 2 }: Typed = {}) {
    const options = { ...job.options, concurrency }
    return this.world.begin(host, killAt, (process) =>
      this.#toEnd(process, job, (tools) => runJob(tools, { ...job, options })),
    )
  }

  undo(run: string, { host = 'a', killAt }: Typed = {}) {
    return this.world.begin(host, killAt, (process) =>
      this.#toEnd(process, undefined, (tools) => undoRun(tools, { run }, {})),
    )
  }

  /** Types a job again until it is finished. Returns the last words. */
  async untilDone(job: Job, most = 8): Promise<string> {
    let end = ''
    for (let n = 0; n < most; n += 1) {
      const process = this.start(job)
      await this.world.play()
      end = process.end ?? 'killed'
      if (!/^exit 7|^exit 4/.test(end)) break
    }
    return end
  }

  async #toEnd(
    process: Process,
    job: Job | undefined,
    run: (tools: RunTools) => Promise<EndedRun>,
  ): Promise<string> {
    const { world } = this
    const last: ((isPrinted: boolean) => Promise<void>)[] = []
    const checks: (() => Promise<void>)[] = []
    const tools = this.#tools(process, checks, last)
    try {
      const ended = await run(tools)
      const { log, summary } = ended
      const receipts = [...receiptsOf(log)]
      if (world.faults.suspend > 0 && below(world.roll, 8) === 0) {
        process.isSuspended = true
        world.later(40_000, () => (process.isSuspended = false))
      }
      await world.step(process)
      for (const check of checks) await check()
      // Judged at the end of the world too; here it is what the person sees at that moment.
      const wrong = falseClaims(world, log.run, receipts, log)
      if (job !== undefined && String(log.items.ids) !== String(job.items.ids))
        wrong.push(`run ${log.run}: the result of another job`)
      const { exitCode, due } = summary
      this.printed.push({ process, run: log.run, receipts, exitCode, due, wrong })
      for (const work of last) await work(true)
      return `exit ${exitCode}`
    } catch (error) {
      if (!(error instanceof SvcError)) throw error
      return `exit ${error.exitCode}: ${error.message}`
    }
  }

  #tools(
    process: Process,
    checks: (() => Promise<void>)[],
    last: ((isPrinted: boolean) => Promise<void>)[],
  ): RunTools {
    const { world } = this
    const host = world.hostOf(process)
    const profile = {
      name: 'prod',
      baseUrl: 'http://127.0.0.1',
      apiKey: 'key-1',
      protected: false,
    } as unknown as Awaited<ReturnType<RunTools['profile']>>
    const never = new AbortController().signal
    const runCritical = <T>(work: () => Promise<T>) => work()
    const signals = { caught: undefined, cancelled: never, aborted: never, runCritical }
    const quiet = () => undefined
    const api = createApi(
      new Client({
        profile,
        secret: 'not-a-secret',
        host,
        timeout: 30_000,
        wait: 5_000,
        retries: 2,
        maxRetryWait: 5_000,
        messages: { redactor: new Redactor(), verbose: 0, log: quiet, warn: quiet, note: quiet },
        signals,
        assertPermitted: quiet,
      } as unknown as ConstructorParameters<typeof Client>[0]),
    )
    return {
      host,
      profile: () => Promise.resolve(profile),
      runs: () => Promise.resolve(new Runs(host, world.folderOf(process))),
      api: () => Promise.resolve(api),
      employees: () => Promise.resolve([]),
      permit: () => Promise.resolve(),
      note: quiet,
      warn: quiet,
      // People think, or go away.
      questions: () =>
        Promise.resolve({
          confirm: () =>
            world.step(process, below(world.roll, 10) === 0 ? below(world.roll, 30_000) : 0),
          choose: () => Promise.resolve(undefined),
        }),
      nameOptions: {},
      signals,
      messages: { error: quiet, textOf: () => '' },
      progress: () => Promise.resolve({ stop: quiet }),
      beforePrint: (check) => void checks.push(check),
      atEnd: (work) => void last.unshift(work),
    }
  }
}
