/**
 * Receipts of real processes that are killed, stopped, or run out of disk while they write them: in their place there is no
 * file or a whole one, and the same command goes on.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createBulkWorld, receiptsOf } from './bulk-world.ts'
import { textsOf } from '../output/opened.ts'
import { startSvc, until, withLimit, type Running } from './spawned.ts'

const world = await createBulkWorld()
const { svc, file, sandbox, fresh } = world
let outputs = 0
/** In a folder of its own. */
const output = (): string => join(world.state().replace('--state-dir ', ''), `out-${(outputs += 1)}.ndjson`)
const env = { ...world.as('read-write'), HOME: world.folder }

/** Everything in the folder of a file of receipts. */
const beside = (path: string): string[] => readdirSync(dirname(path))
const isDraft = (name: string): boolean => name.endsWith('.part')

interface Job {
  readonly ids: readonly string[]
  readonly state: string
  readonly out: string
  readonly line: string
}

/** Ids that nobody has: so many that their receipts take a while to be written. */
function job(more = '', ids: readonly string[] = world.absent(20_000)): Job {
  const state = world.state()
  const out = output()
  const line = `contacts delete --file ${file('ids', ids)} --yes --json --receipts ${out} ${more.includes('--concurrency') ? '' : '--concurrency 8'} ${more} ${state}`
  return { ids, state, out, line }
}

/** Resolves while receipts are being written; false when the process ended before that was seen. */
async function isWriting({ out }: Job, running: Running): Promise<boolean> {
  const draft = (): string | undefined => beside(out).find((name) => name !== basename(out))
  const size = (): number => {
    try {
      return statSync(join(dirname(out), draft() ?? '.none')).size
    } catch {
      return 0
    }
  }
  await until(() => size() > 0 || running.exitCode !== null || existsSync(out))
  return running.exitCode === null && !existsSync(out)
}

function expectWhole(path: string, ids: readonly string[]): void {
  expect(receiptsOf(path).map(({ id }) => id)).toEqual(ids)
}

/** Begins such jobs until one is caught while it writes; what ended before has written a whole file. */
async function caught(more: string, signal: NodeJS.Signals): Promise<Job & { ended: Awaited<Running['ended']> }> {
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const one = job(more)
    const running = startSvc(one.line, { env })
    const inTime = await isWriting(one, running)
    running.kill(signal)
    const ended = await running.ended
    if (inTime && ended.signal === signal) return { ...one, ended }
    expectWhole(one.out, one.ids)
  }
  throw new Error('every process was done before the signal came')
}

describe('a process that is killed while it writes receipts', () => {
  it('leaves no file in their place, and the same --once command writes them whole', async () => {
    const { ids, out, line } = await caught('--once killed', 'SIGKILL')
    expect(existsSync(out)).toBe(false)
    expect(beside(out).filter(isDraft)).toHaveLength(1)
    const before = sandbox.requests.length
    const again = await world.svc(line, { env })
    expect(again.code).toBe(3)
    expect(sandbox.requests.length).toBe(before)
    expectWhole(out, ids)
    // What the killed process had begun is gone.
    expect(beside(out)).toEqual([basename(out)])
  })
})

describe('a disk that is full', () => {
  it('keeps the receipts of the session before whole', async () => {
    const ids = fresh(300)
    const { out, line } = job('--once kept batches-of=100 --concurrency 1', ids)
    sandbox.setFaults('contacts.delete:2=401')
    await world.svc(line, { env })
    sandbox.setFaults()
    const written = readFileSync(out, 'utf8')
    expectWhole(out, ids)
    const ended = await withLimit(20, line, { env }).ended
    expect(ended.code).toBe(10)
    expect(readFileSync(out, 'utf8')).toBe(written)
    expect(beside(out)).toEqual([basename(out)])
    expect((await world.svc(line, { env })).code).toBe(0)
    expect(readFileSync(out, 'utf8').match(/"deleted"/g)).toHaveLength(300)
  })
})

it('a workbook has them too, for plain runs and when they are resumed', async () => {
  const [out, state, ids] = [output().replace('.ndjson', '.xlsx'), world.state(), world.absent(3)]
  const line = `--receipts ${out} ${state}`
  sandbox.setFaults('contacts.delete:1=401')
  await svc(`contacts delete --file ${file('ids', ids)} --yes ${line}`)
  sandbox.setFaults()
  for (const outcome of ['error', 'not-found']) {
    const [heading, ...rows] = textsOf(readFileSync(out))
    expect(heading).toEqual(['ID', 'LINE', 'OUTCOME', 'BATCH', 'ATTEMPTS', 'CODE', 'MESSAGE'])
    expect(rows.map(([id, number, what]) => [id, number, what])).toEqual(ids.map((id, n) => [id, `${n + 1}`, outcome]))
    await svc(`runs resume --last --yes ${line}`)
  }
})
