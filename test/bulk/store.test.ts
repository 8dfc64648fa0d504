/** The folders of runs: private, refused where somebody else could write, and listed as they are found. */
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { encodeEvent } from '../../src/bulk/record/journal.ts'
import { takeLock } from '../../src/disk/take.ts'
import { prepareFolders } from '../../src/bulk/runs/folders.ts'
import { RunStore } from '../../src/bulk/runs/store.ts'
import { realHost } from '../host.ts'
import { refusal } from '../input/inputs.ts'
import { SimulatedDisk } from '../simulator/disk.ts'
import { createBulkWorld } from './bulk-world.ts'
import {
  events,
  fileHandles,
  hostAt,
  makeRun,
  stateFolders,
  systemError,
  tried,
  writeEvents,
} from './recorded.ts'
import { withLimit } from './spawned.ts'

const folders = stateFolders()
const handles = await fileHandles()
afterEach(() => {
  vi.restoreAllMocks()
})

const modeOf = (path: string): number => statSync(path).mode & 0o777

function makeFolder(path: string, mode: number): void {
  mkdirSync(path)
  chmodSync(path, mode)
}

const waysOut = 'name another folder with --state-dir or SVC_STATE_DIR'

describe('the folders', () => {
  it('are private, whatever the umask', async () => {
    for (const umask of [0o000, 0o022, 0o777 & ~0o700]) {
      const before = process.umask(umask)
      try {
        const stateDir = folders.next()
        const { dir } = await makeRun(stateDir)
        for (const path of [stateDir, join(stateDir, 'runs'), dir])
          expect([umask, path, modeOf(path)]).toEqual([umask, path, 0o700])
        for (const name of readdirSync(dir))
          expect([umask, name, modeOf(join(dir, name))]).toEqual([umask, name, 0o600])
      } finally {
        process.umask(before)
      }
    }
  })

  it.each(['EINVAL', 'EPERM'])('that cannot be synced (%s) are no obstacle', async (code) => {
    vi.spyOn(handles, 'sync').mockRejectedValueOnce(systemError(code))
    await prepareFolders(hostAt(), folders.next())
    expect(handles.sync).toHaveBeenCalled()
  })
})

it('the folders of the first run last through a power loss, whoever of two processes made them', async () => {
  // Every change that was not synced is lost.
  const loseAll = (): number => 0.2
  for (let nth = 1; nth <= 12; nth += 1) {
    const disk = new SimulatedDisk({}, loseAll)
    disk.put('/home/ana', undefined, 0o700)
    const hostOf = (id: number) => ({ ...realHost, disk: disk.as(id), userId: 0 })
    const killed = hostOf(1)
    disk.killAt(1, nth, 'after')
    await Promise.race([
      prepareFolders(killed, '/home/ana/.local/state/svc').catch(() => undefined),
      realHost.sleep(20),
    ])
    await prepareFolders(hostOf(2), '/home/ana/.local/state/svc')
    disk.losePower()
    expect(disk.tree('/home/ana'), `killed at change ${nth}`).toContain(
      '/home/ana/.local/state/svc/runs/',
    )
  }
})

describe('a state folder that is refused', () => {
  it.each<[string, (stateDir: string, runs: string) => void, RegExp]>([
    ['a file in its place', (stateDir) => writeFileSync(stateDir, ''), /not a folder|exists/],
    ['a file for its runs', (_, runs) => writeFileSync(runs, ''), /^not a folder: /],
    ['runs that others can write', (_, runs) => makeFolder(runs, 0o702), /^others can write to /],
  ])('%s', async (what, make, message) => {
    const stateDir = folders.next()
    if (what !== 'a file in its place') mkdirSync(stateDir)
    const runs = join(stateDir, 'runs')
    make(stateDir, runs)
    const error = await refusal(prepareFolders(hostAt(), stateDir))
    expect(error).toMatchObject({
      category: 'config',
      exitCode: 2,
      message: expect.stringMatching(message) as string,
    })
    const fix = message.source.includes('others') ? `chmod go-w ${runs}\nor ${waysOut}` : waysOut
    expect(error.details.hint).toContain(fix)
  })

  it('runs of another user', async () => {
    const stateDir = folders.next()
    await prepareFolders(hostAt(), stateDir)
    const host = hostAt()
    const runs = join(stateDir, 'runs')
    const lstatSync = ((path: string, options: object) => {
      const stats = host.disk.lstatSync(path, options)
      return path === runs ? Object.assign(stats ?? {}, { uid: 4343 }) : stats
    }) as typeof host.disk.lstatSync
    const disk = { ...host.disk, lstatSync }
    const error = await refusal(prepareFolders({ ...host, disk }, stateDir))
    expect([error.exitCode, error.message]).toEqual([2, `${runs} belongs to another user`])
  })

  it('a symbolic link, as the folder or as its runs', async () => {
    const elsewhere = folders.next()
    mkdirSync(elsewhere)
    const link = folders.next()
    symlinkSync(elsewhere, link)
    const error = await refusal(prepareFolders(hostAt(), link))
    expect(error.exitCode).toBe(2)
    expect(error.message).toContain('symbolic link')
    const real = folders.next()
    mkdirSync(real)
    symlinkSync(elsewhere, join(real, 'runs'))
    expect(await refusal(prepareFolders(hostAt(), real))).toMatchObject({
      message: `the state folder is a symbolic link: ${join(real, 'runs')} -> ${elsewhere}`,
      details: { hint: waysOut },
    })
    expect(readdirSync(elsewhere)).toEqual([])
  })
})

it('the folder of a run is its own user’s, whatever the umask takes away', async () => {
  const stateDir = folders.next()
  const store = new RunStore(hostAt(), () => stateDir)
  await store.prepare()
  const before = process.umask(0o277)
  const { dir } = await store.makeFolder().finally(() => process.umask(before))
  expect(statSync(dir).mode & 0o777).toBe(0o700)
})

describe('the id of a new run', () => {
  const now = Date.parse('2026-12-31T23:59:58.100Z')

  it('is another one while the first is taken; after a hundred it gives up', async () => {
    const stateDir = folders.next()
    const made = async (...random: readonly number[]): Promise<string> =>
      (await makeRun(stateDir, { host: hostAt(now, random) })).id
    expect(await made(0.5)).toBe('20261231T235958Z-8000')
    expect(await made(0.5, 0.5, 0.5, 0.25)).toBe('20261231T235958Z-4000')
    const error = await refusal(new RunStore(hostAt(now, [0.5]), () => stateDir).makeFolder())
    expect(error.exitCode).toBe(10)
    expect(error.message).toContain('that name is already in use')
    expect(readdirSync(join(stateDir, 'runs'))).toHaveLength(2)
  })
})

describe('the list of runs', () => {
  it('is in the order in which they began, the last first, behind damaged ones, whose number is not known', async () => {
    const stateDir = folders.next()
    const begin = (time: string, tail: number) =>
      makeRun(stateDir, { host: hostAt(Date.parse(time), [tail / 16]) })
    await begin('2026-12-31T23:59:58.900Z', 1)
    await begin('2026-12-31T23:59:58.100Z', 2)
    const damaged = await begin('2025-06-07T08:09:10.500Z', 3)
    writeFileSync(join(damaged.dir, 'run.json'), '')
    await begin('2026-12-31T23:59:58.500Z', 0)
    await begin('2025-06-07T08:09:11.000Z', 0)
    await begin('2027-01-01T00:00:00.000Z', 0)
    mkdirSync(join(stateDir, 'runs', 'something else'))
    const listed = await new RunStore(hostAt(), () => stateDir).list()
    expect(listed.map(({ id, beganAt }) => [id, new Date(beganAt).toISOString()])).toEqual([
      ['20250607T080910Z-3000', '2025-06-07T08:09:10.000Z'],
      ['20270101T000000Z-0000', '2027-01-01T00:00:00.000Z'],
      ['20250607T080911Z-0000', '2025-06-07T08:09:11.000Z'],
      ['20261231T235958Z-0000', '2026-12-31T23:59:58.500Z'],
      ['20261231T235958Z-2000', '2026-12-31T23:59:58.100Z'],
      ['20261231T235958Z-1000', '2026-12-31T23:59:58.900Z'],
    ])
    expect(listed[0]).toMatchObject({ run: undefined, end: undefined, holder: undefined })
    expect(listed[0]?.problem).toContain('is not JSON')
  })

  it('says how each ended, who works on it, and what is wrong', async () => {
    const stateDir = folders.next()
    const at = (second: number) => hostAt(Date.parse('2026-03-01T10:15:00Z') + second * 1000)
    const ended = await makeRun(stateDir, { host: at(0) })
    await writeEvents(ended, events)
    const died = await makeRun(stateDir, { host: at(1) })
    await writeEvents(died, events.slice(0, 4))
    const working = await makeRun(stateDir, { host: at(2) })
    const lock = await takeLock(hostAt(), working.dir, { what: 'a run', run: working.id })
    const headless = await makeRun(stateDir, { host: at(3) })
    writeFileSync(join(headless.dir, 'journal.ndjson'), `x\n${encodeEvent(tried(1))}`)
    // A crash before its journal was there: nothing was sent.
    const unbegun = await makeRun(stateDir, { host: at(4) })
    rmSync(join(unbegun.dir, 'journal.ndjson'))
    const listed = await new RunStore(hostAt(), () => stateDir).list()
    await lock.release()
    expect(
      listed.map(({ id, run, end, holder, problem }) => [
        id,
        run?.run,
        end?.exitCode,
        typeof holder === 'object' ? holder.pid : holder,
        problem,
      ]),
    ).toEqual([
      [unbegun.id, undefined, undefined, undefined, undefined],
      [
        headless.id,
        undefined,
        undefined,
        undefined,
        `line 1 of the journal of run ${headless.id} is damaged: it is too short`,
      ],
      [working.id, working.id, undefined, process.pid, undefined],
      [died.id, died.id, undefined, undefined, undefined],
      [ended.id, ended.id, 7, undefined, undefined],
    ])
  })
})

it('a disk that is full before the run begins: exit 10, nothing sent, nothing left behind', async () => {
  const world = await createBulkWorld({ contacts: 600 })
  const state = folders.next()
  const env = { ...world.as('read-write'), HOME: world.folder }
  // A file of 300 ids does not fit, nor does the description of a run.
  const ids = world.file('ids', world.free.slice(0, 300))
  const ended = await withLimit(
    1,
    `contacts delete --file ${ids} --yes --json --state-dir ${state}`,
    { env },
  ).ended
  expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code: 10, stdout: '' })
  expect(readdirSync(join(state, 'runs'))).toEqual([])
  expect(world.sandbox.record.of('contacts.delete')).toEqual([])
})
