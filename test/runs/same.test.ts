/** The same command is the same job: which run it begins, goes on with or prints again (docs/run-file.md, 1 to 3). */
import { existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { createBulkWorld, runFile, runsFolder } from './bulk-world.ts'

const world = await createBulkWorld()
const { bulk, begun, unsent, since, fresh, shown, svc } = world

const removal = (count: number) => `contacts delete ${fresh(count).join(' ')} --yes batches-of=1`
/** Of three requests the second is answered by a 401, which stops the run. */
const stopped = 'contacts.delete:2=401'

describe('an unfinished run', () => {
  it('is gone on with, and the summary is that of the whole run', async () => {
    const line = removal(3)
    const { state, run, summary } = await begun(stopped, line)
    expect(summary.outcomes).toEqual({ done: 1, 'not-attempted': 2 })
    const again = await since(() => bulk(`${line} ${state}`))
    expect(again).toMatchObject({
      sent: 2,
      ended: { code: 0, summary: { run, resumed: true, outcomes: { done: 3 } } },
    })
    expect(again.ended.stderr).toMatch(/note: resuming run \S+ \(.*\): 2 of 3 contacts left\n/)
  })

  it.each(['was last written more than 8 hours ago', '--new-run'])(
    'is closed when a new one begins beside it: %s',
    async (why) => {
      const line = removal(3)
      const { state, run, path } = await begun(stopped, line)
      const isTyped = why === '--new-run'
      const hoursAgo = (hours: number) => Date.now() / 1000 - hours * 3600
      if (!isTyped) utimesSync(path, hoursAgo(8.1), hoursAgo(8.1))
      const next = await bulk(`${line} ${state} ${isTyped ? why : ''}`)
      expect(next.summary).toMatchObject({ run: run.replace(/1$/, '2'), resumed: false })
      expect(next.summary.outcomes).toEqual({ done: 2, 'not-found': 1 })
      expect(readFileSync(path, 'utf8')).toMatch(
        /"t":"end",.*"superseded":true,"stop":"not-allowed","exit":4,"c":"[0-9a-f]{8}"\}\n$/,
      )
      const refused = await unsent(`runs resume ${run} --yes ${state}`, 2)
      expect(refused).toContain('because a newer run of the same job has begun')
    },
  )

  it('of another key is exit 2 once something was answered; `runs resume` goes on with the key of now', async () => {
    const line = removal(3)
    const { state, run } = await begun(stopped, line)
    const env = world.as('limited-history')
    expect(await unsent(`${line} ${state}`, 2, { env })).toMatch(/began with another key \(…/)
    const ended = await bulk(`runs resume ${run} --yes ${state}`, { env })
    expect(ended).toMatchObject({ code: 0, summary: { outcomes: { done: 3 } } })
  })
})

describe('a finished run', () => {
  it('of --once is printed again with its exit code and its files, and nothing is sent', async () => {
    const state = world.state()
    const receipts = world.output()
    const line = `contacts delete ${world.absent(1).join('')} ${fresh(1).join('')} --yes --once Twice --receipts ${receipts} ${state}`
    expect(await bulk(line)).toMatchObject({ code: 3, summary: { run: '@twice', once: 'Twice' } })
    const before = readFileSync(receipts, 'utf8')
    rmSync(receipts)
    const again = await since(() => bulk(line))
    expect(again).toMatchObject({ sent: 0, ended: { code: 3, summary: { run: '@twice' } } })
    expect(again.ended.stderr).toContain('; nothing was sent\n')
    expect(readFileSync(receipts, 'utf8')).toBe(before)
    expect(await unsent(`${line} --accept not-found`, 2)).toContain('was begun without --accept')
    expect(await unsent(`${line} --new-run`, 2)).toContain('has this name already')
    expect(await unsent(`${removal(1)} --once twice ${state}`, 2)).toContain('another job')
  })

  it('of an empty input is recorded under a name alone', async () => {
    const state = world.state()
    const line = `contacts delete --file ${world.file('none', ['id'])} --allow-empty --yes ${state}`
    expect(await bulk(line)).toMatchObject({ code: 0, summary: { run: null } })
    expect(existsSync(runsFolder(state))).toBe(false)
    for (const resumed of [false, true])
      expect(await bulk(`${line} --once none`)).toMatchObject({
        code: 0,
        summary: { run: '@none', resumed, outcomes: {} },
      })
  })
})

describe('a run whose result was not given', () => {
  const full = () =>
    new Writable({
      write: (_chunk, _encoding, callback) => {
        callback(Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' }))
      },
    })

  it('because stdout could not be written, is printed by the same command, which sends nothing', async () => {
    const state = world.state()
    const line = `${removal(2)} ${state}`
    expect((await svc(line, { stdout: full() })).code).toBe(1)
    const again = await since(() => bulk(line))
    expect(again).toMatchObject({ sent: 0, ended: { code: 0, summary: { outcomes: { done: 2 } } } })
    const { run } = again.ended.summary
    expect(readFileSync(runFile(state, run ?? ''), 'utf8')).toMatch(/"t":"end".*\n$/)
  })

  it('because a file could not be written, is exit 1, and the same command writes it', async () => {
    const state = world.state()
    const folder = join(world.folder, 'receipts')
    mkdirSync(folder)
    const line = `${removal(2)} --receipts ${folder}/r.csv ${state}`
    const failed = await bulk(line, {
      faults: 'contacts.delete:1=503',
      random: () => {
        rmSync(folder, { recursive: true })
        writeFileSync(folder, '')
        return 0.5
      },
    })
    expect(failed).toMatchObject({ code: 1, summary: { due: 0, retry: false } })
    rmSync(folder)
    mkdirSync(folder)
    const again = await since(() => bulk(line))
    expect(again).toMatchObject({ sent: 0, ended: { code: 0 } })
    expect(readFileSync(join(folder, 'r.csv'), 'utf8').match(/,done,/g)).toHaveLength(2)
  })
})

it('a run that stops writes the receipts of what is known', async () => {
  const receipts = world.output()
  const { code, stderr } = await begun(stopped, `${removal(3)} --receipts ${receipts}`)
  expect([code, stderr.includes(`wrote "${receipts}"`)]).toEqual([4, true])
  expect(readFileSync(receipts, 'utf8').match(/"outcome":"[a-z-]+"/g)).toEqual([
    '"outcome":"done"',
    '"outcome":"not-attempted"',
    '"outcome":"not-attempted"',
  ])
})

it('an undo leaves out a ticket in doubt and names it; its run cannot be resumed', async () => {
  const [one, two] = [...world.sandbox.store.tickets.all()].map(({ id }) => id)
  const line = `tickets assign --file ${world.file('t', [one ?? '', two ?? ''])} --to ${world.taker(one ?? '', world.sandbox.store.tickets.assigneeOf(two ?? '') ?? '')} --wait 0s`
  const before = world.sandbox.store.tickets.assigneeOf(one ?? '')
  const { state, run } = await begun('tickets.assign:2=drop-before', line)
  expect((await shown(run, state)).outcomes).toEqual({ done: 1, unknown: 1 })
  const undone = await bulk(`runs undo ${run} --yes ${state}`)
  expect(undone).toMatchObject({ code: 0, summary: { run: `undo-${run}`, outcomes: { done: 1 } } })
  expect(undone.stderr).toMatch(new RegExp(`1 ticket is left out, .*:\\n {2}${two}\\n`))
  expect(world.sandbox.store.tickets.assigneeOf(one ?? '')).toBe(before)
  expect(await unsent(`runs resume ${run} --yes ${state}`, 2)).toContain('an undo of it has begun')
  const again = await since(() => bulk(`runs undo ${run} --yes ${state}`), 'PATCH')
  expect(again).toMatchObject({ sent: 0, ended: { code: 0 } })
})
