/** What befalls the record of a run while it is worked on: taken over, removed, not printed. The simulator stops a disk after any of its writes. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { expect, it } from 'vitest'
import { createBulkWorld, recordedRuns, runFile } from './bulk-world.ts'
import { afterEachSync, opening, syncing } from './disks.ts'
import { bury, linesIn, sessionOf, writeOf } from './run-files.ts'

const world = await createBulkWorld({ contacts: 200 })
const { svc, bulk, fresh, sandbox } = world

/** Another process takes the run over, as after a minute in which it saw no sign of life. */
function takeOver(path: string): void {
  const [first] = linesIn(path)
  const own = linesIn(path).filter(({ s }) => s === first?.s).length
  appendFileSync(path, writeOf('ffffffff', [sessionOf(first?.s, own, { unsure: true })]))
}

/** The run of this folder was not free when its process ended: the same command prints its result, and sends nothing. */
async function expectPrintedAgain(line: string, state: string): Promise<void> {
  const [run = ''] = recordedRuns(state)
  bury(runFile(state, run))
  const again = await world.since(() => bulk(line))
  expect(again).toMatchObject({ sent: 0, ended: { code: 0, summary: { run, resumed: true } } })
}

/** Events that befall the file of a run between the sync of its `try` and the request. */
const losses = [
  ['taken over', takeOver, 7, /run \S+ was taken over by another process/],
  ['removed', (path: string) => rmSync(path), 1, /the record of run \S+ is gone: \S+/],
] as const

it.each(losses)(
  'a run whose file is %s when its `try` is synced sends nothing, and sums nothing up',
  async (_, lose, code, words) => {
    const line = `contacts delete ${fresh(2).join(' ')} --yes ${world.state()}`
    let tries = 0
    const disk = afterEachSync((path) => {
      if (!linesIn(path).some(({ t }) => t === 'try')) return
      tries += 1
      if (tries === 1) lose(path)
    })
    const { ended, sent } = await world.since(() => svc(line, { disk }))
    expect([ended.code, ended.stdout, sent, tries]).toEqual([code, '', 0, 1])
    expect(ended.stderr).toMatch(words)
  },
)

it('a run that is taken over when a receipt is written leaves the file of its user alone', async () => {
  const [state, receipts] = [world.state(), world.output('csv')]
  const line = `contacts delete ${fresh(2).join(' ')} --yes --receipts ${receipts} ${state}`
  const disk = opening((opened, path) => {
    if (!path.includes('.part')) return
    const after = (): void => {
      for (const run of recordedRuns(state)) takeOver(runFile(state, run))
    }
    syncing(opened, { after })
  })
  const ended = await svc(line, { disk })
  expect([ended.code, ended.stdout, existsSync(receipts)]).toEqual([7, '', false])
})

it('a run that is taken over cuts off its requests in flight', async () => {
  const state = world.state()
  const line = `contacts delete ${fresh(3).join(' ')} --yes batches-of=1 --concurrency 2 ${state}`
  const disk = afterEachSync((path) => {
    // The first request waits for its answer, and the second has it.
    if (linesIn(path).filter(({ t }) => t === 'try').length === 3) takeOver(path)
  })
  const begun = performance.now()
  const { code } = await svc(line, { faults: 'contacts.delete:1=delay,before=20s', disk })
  expect([code, performance.now() - begun < 10_000]).toEqual([7, true])
})

it('a run whose results could not be printed is not free: the same command prints them', async () => {
  const state = world.state()
  const line = `contacts delete ${fresh(2).join(' ')} --yes ${state}`
  const full = new Writable({
    write: (_chunk, _encoding, callback) => {
      callback(Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' }))
    },
  })
  expect((await svc(line, { stdout: full })).code).toBe(1)
  const [run = ''] = recordedRuns(state)
  expect(linesIn(runFile(state, run)).at(-1)?.t).toBe('end')
  await expectPrintedAgain(line, state)
})

it('a run whose receipts could not be written is not free: the same command writes them', async () => {
  const state = world.state()
  const folder = join(world.folder, 'receipts')
  mkdirSync(folder)
  const begun = sandbox.requests.length
  const takeAway = () => {
    if (sandbox.requests.length > begun) rmSync(folder, { recursive: true, force: true })
    return Math.random()
  }
  const line = `contacts delete ${fresh(2).join(' ')} --yes --receipts ${folder}/r.csv ${state}`
  const failed = await bulk(line, { faults: 'contacts.delete:1=500', random: takeAway })
  expect(failed).toMatchObject({ code: 1, summary: { left: 0 } })
  expect(failed.stderr).toContain('note: stopped: a local file could not be written\n')
  mkdirSync(folder)
  await expectPrintedAgain(line, state)
  expect(readFileSync(join(folder, 'r.csv'), 'utf8').match(/gone|deleted/g)).toHaveLength(2)
})

it('a run that a signal ended with its last answer is not free: the same command prints its result', async () => {
  const state = world.state()
  const line = `contacts delete ${fresh(2).join(' ')} --yes ${state}`
  let deliver: (signal: 'SIGTERM') => void = () => undefined
  const begun = sandbox.requests.length
  sandbox.setFaults('contacts.delete:1=delay,after=200ms')
  const running = bulk(line, { signals: (give) => (deliver = give) })
  await expect.poll(() => sandbox.requests.length, { interval: 5 }).toBeGreaterThan(begun)
  deliver('SIGTERM')
  const ended = await running
  expect(ended).toMatchObject({ code: 143, summary: { left: 0 } })
  expect(ended.stderr).toContain('requests in flight may finish; a second signal aborts them')
  sandbox.setFaults()
  await expectPrintedAgain(line, state)
})
