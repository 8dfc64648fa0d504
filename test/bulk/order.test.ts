/** The order of runs is a number in their records: no clock decides which one is the last. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { RunStore } from '../../src/bulk/runs/store.ts'
import { createBulkWorld } from './bulk-world.ts'
import { hostAt, makeRun, stateFolders } from './recorded.ts'

const world = await createBulkWorld()
const { svc, bulk, file, fresh, sandbox } = world
const folders = stateFolders()
const hours = 3_600_000

/** Who may be given any ticket. */
const employees = sandbox.store.employees
  .filter(({ status, channels }) => status === 'active' && channels.length === 5)
  .map(({ id }) => id)

const idsOf = async (words: string): Promise<string[]> =>
  (await svc(`runs list -o ids ${words}`)).stdout.split('\n').filter((id) => id !== '')

describe('a clock that had been ahead', () => {
  it('undo --last takes back the run that began last', async () => {
    const [ticket = '', other = ''] = sandbox.examples.assignableTickets
    const state = world.state()
    const assign = (id: string, offset: number) => {
      const taker = employees.find((each) => each !== sandbox.store.tickets.assigneeOf(id)) ?? ''
      return bulk(`tickets assign --file ${file('t', [id])} --to ${taker} ${state}`, {
        clockOffset: offset,
      })
    }
    const before = sandbox.store.tickets.assigneeOf(other)
    const ahead = await assign(ticket, 4 * 60_000)
    const last = await assign(other, 0)
    expect(await idsOf(state)).toEqual([last.summary.run, ahead.summary.run])
    expect((await bulk(`runs undo --last ${state}`)).summary.result).toMatchObject({ done: 1 })
    expect(sandbox.store.tickets.assigneeOf(other)).toBe(before)
  })

  it('show, export and resume --last agree with it', async () => {
    const state = world.state()
    await svc(`contacts delete ${fresh(1)[0]} --yes ${state}`, { clockOffset: 4 * 60_000 })
    const last = await bulk(`contacts delete ${fresh(1)[0]} --yes ${state}`)
    for (const command of ['show --last --fields run --json', 'export --last -o ids']) {
      const { stdout } = await svc(`runs ${command} ${state}`)
      expect([command, stdout]).toEqual([
        command,
        expect.stringContaining(command.startsWith('show') ? (last.summary.run ?? '') : '64'),
      ])
    }
    const { stderr } = await svc(`runs resume --last ${state}`)
    expect(stderr).toContain(`nothing is left to do in run ${last.summary.run ?? ''}, the newest`)
  })
})

describe('the number of a run', () => {
  it('is one more than the largest, that of a run included of which only its name is left', async () => {
    const state = world.state()
    const stateDir = state.replace('--state-dir ', '')
    const store = new RunStore(hostAt(), () => stateDir)
    expect(await store.nextSequence()).toBe(1)
    await bulk(`contacts delete ${fresh(1)[0]} --yes ${state}`)
    await bulk(`contacts delete ${fresh(1)[0]} --yes --once night-1 ${state}`)
    expect((await store.list()).map(({ run }) => run?.sequence)).toEqual([2, 1])
    expect((await svc(`runs prune --older-than 0s --yes ${state}`)).code).toBe(0)
    expect(await store.nextSequence()).toBe(3)
  })

  it('does not come from a description that cannot be read', async () => {
    const stateDir = folders.next()
    const store = new RunStore(hostAt(), () => stateDir)
    const { dir } = await makeRun(stateDir)
    writeFileSync(join(dir, 'run.json'), '{"sequence": 9')
    expect(await store.nextSequence()).toBe(1)
    writeFileSync(join(dir, 'run.json'), '{"sequence": 1e300}')
    expect(await store.nextSequence()).toBe(1)
  })

  it('may be that of another: the larger id is the later, and undo --last names both', async () => {
    const state = world.state()
    const stateDir = state.replace('--state-dir ', '')
    const { baseUrl } = sandbox
    const change = { baseUrl, sequence: 5 }
    const one = await makeRun(stateDir, { change, host: hostAt(undefined, [0.25]) })
    const two = await makeRun(stateDir, { change, host: hostAt(undefined, [0.75]) })
    await makeRun(stateDir, { change: { ...change, sequence: 4 }, host: hostAt(undefined, [0.9]) })
    const { stdout } = await svc(`runs show --last --json ${state}`)
    expect(JSON.parse(stdout)).toMatchObject({ run: two.id })
    expect(await svc(`runs undo --last ${state}`)).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: runs ${one.id} and ${two.id} on ${new URL(baseUrl).host} began at the same moment, so which is the newest is not known; nothing was sent
  give the id of the run instead of --last; see them with: svc runs list ${state}
`,
    })
  })
})

it('a damaged run may be the last one: --last is exit 2, whatever its id says', async () => {
  const state = world.state()
  const stateDir = state.replace('--state-dir ', '')
  const { id, dir } = await makeRun(stateDir)
  writeFileSync(join(dir, 'run.json'), '{')
  await bulk(`contacts delete ${fresh(1)[0]} --yes ${state}`)
  expect(await svc(`runs show --last ${state}`)).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining(`run ${id} cannot be read`) as string,
  })
})

describe('a time that lies in the future', () => {
  it('is shown with that word, and belongs to no span of time', async () => {
    const state = world.state()
    const dir = state.replace('--state-dir ', '')
    const ahead = await makeRun(dir, { host: hostAt(Date.now() + 30 * hours) })
    const { baseUrl } = sandbox
    const now = await makeRun(dir, { change: { baseUrl }, host: hostAt(Date.now() - 1000) })
    const table = await svc(`runs list --fields run,startedAt ${state}`)
    expect(table.stdout.split('\n').slice(1, 3)).toEqual([
      expect.stringMatching(new RegExp(`^${now.id}.*\\+00:00$`)),
      expect.stringMatching(new RegExp(`^${ahead.id}.*\\+00:00 \\(future\\)$`)),
    ])
    const { stderr } = await svc(`runs show ${ahead.id} ${state}`)
    expect(stderr).toContain(`; started ${ahead.run.startedAt} (future) by ana@desk`)
    for (const span of ['--since 1d', '--until 0s', '--since 2020-01-01'])
      expect([span, await idsOf(`${span} ${state}`)]).toEqual([span, [now.id]])
    expect(await idsOf(state)).toEqual([now.id, ahead.id])
    const text = readFileSync(join(now.dir, 'run.json'), 'utf8')
    expect(text).toContain('"schema": "svc.run/5",\n  "sequence": 2,')
  })
})
