/** Sessions of a run: who has it, who may take it, and what a holder finds when it was taken over. */
import type { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Claim, lastSession, type ClaimHost } from '../../src/disk/claim.ts'
import { startOf } from '../../src/disk/place.ts'
import type { SvcError } from '../../src/errors.ts'
import { buildBulk } from '../bulk/child.ts'
import { ownFolder } from '../ending.ts'
import { realHost } from '../host.ts'
import { ClaimModel } from './claim-model.ts'

const what = 'run nightly'

/** A number that no process of this machine has. */
const gone = 2 ** 22 + 1

function runFolder(): string {
  const dir = join(ownFolder('claim'), '@nightly')
  mkdirSync(dir, { mode: 0o700 })
  return dir
}

/** This machine, whose clocks run as fast as they are waited for. `during`: between two looks. */
function quick(host: ClaimHost = realHost, during: () => void = () => undefined): ClaimHost {
  let passed = 0
  return {
    ...host,
    monotonic: () => passed,
    sleep(ms) {
      passed += ms
      during()
      return Promise.resolve()
    },
  }
}

const elsewhere = (host: ClaimHost): ClaimHost => ({
  ...host,
  computer: { ...host.computer, hostname: 'host-2' },
})

const refusal = (taking: Promise<unknown>): Promise<SvcError> =>
  taking.then(
    () => Promise.reject(new Error('it was not refused')),
    (error: unknown) => error as SvcError,
  )

const take = (dir: string, host: ClaimHost = quick(), takeOver = false): Promise<Claim> =>
  Claim.take(host, dir, { what, run: 'nightly', takeOver })

const sessionsIn = (dir: string): string[] => readdirSync(dir).sort()

test('one process has a run; what ended or is gone is in nobody’s way, and the last session stays', async () => {
  const dir = runFolder()
  const first = await take(dir)
  expect([first.number, first.isTakenOver]).toEqual([1, false])
  expect(await refusal(take(dir))).toMatchObject({
    exitCode: 11,
    message: `${what} is in use by process ${realHost.pid}`,
  })
  first.release(7)
  expect(lastSession(realHost, dir)).toMatchObject({ kind: 'ended', exitCode: 7 })
  const second = await take(dir, { ...quick(), pid: gone })
  expect(lastSession(realHost, dir)).toEqual({ kind: 'free', takeOver: false })
  const third = await take(dir)
  expect([second.number, third.number, third.isTakenOver]).toEqual([2, 3, false])
  expect(sessionsIn(dir)).toEqual(['session.3'])
  expect(() => second.check()).toThrow('was taken over by another process')
  for (const claim of [second, third]) claim.release()
})

describe('a holder that may be alive', () => {
  test.each([
    ['on another host', elsewhere(realHost), `process ${realHost.pid} on "host-2"`],
    ['without a readable mark', undefined, 'an unknown process'],
  ])('%s is watched for a minute, and taken over when it stands still', async (_, host, words) => {
    const dir = runFolder()
    if (host === undefined) writeFileSync(join(dir, 'session.1'), '{"place":')
    else (await take(dir, host)).release()
    const needsOption = host !== undefined
    const refused = needsOption ? (await refusal(take(dir))).message : words
    expect(refused).toContain(words)
    const looks: number[] = []
    const claim = await take(
      dir,
      quick(realHost, () => looks.push(1)),
      needsOption,
    )
    expect([claim.isTakenOver, looks.length]).toEqual([true, 12])
    claim.release()
  })

  test('keeps its run while its file’s time or content changes', async () => {
    for (const change of [
      (path: string) => utimesSync(path, 2_000_000_000, 2_000_000_000),
      (path: string) => utimesSync(path, 1_000_000_000, 1_000_000_000),
      (path: string) => writeFileSync(path, 'something else\n'),
      (path: string) => rmSync(path),
    ]) {
      const dir = runFolder()
      const other = await take(dir, elsewhere(quick()))
      const changing = quick(realHost, () => change(join(dir, 'session.1')))
      expect(await refusal(take(dir, changing, true))).toMatchObject({ exitCode: 11 })
      other.release()
      rmSync(dir, { recursive: true })
    }
  })

  test('beats every ten seconds, whatever its clock says', async () => {
    const dir = runFolder()
    const beats: (() => void)[] = []
    const times: number[] = []
    const utimes = (_: string, __: number, time: number): Promise<void> => {
      times.push(time)
      return Promise.resolve()
    }
    const host: ClaimHost = {
      ...quick(),
      now: () => 1000 - 100 * times.length,
      every(ms, callback) {
        expect(ms).toBe(10_000)
        beats.push(callback)
        return { cancel: () => beats.pop() }
      },
      disk: {
        ...realHost.disk,
        promises: { ...realHost.disk.promises, utimes },
      } as ClaimHost['disk'],
    }
    const claim = await take(dir, host)
    beats[0]?.()
    beats[0]?.()
    expect(times).toEqual([11, 21])
    claim.release()
    expect(beats).toEqual([])
  })
})

test.each(['Z', 'X'])('a process in the state %s works on nothing', (state) => {
  const read = (path: string) =>
    path === `/proc/${gone}/stat`
      ? `${gone} (a) b) ${state} 1 1`
      : realHost.disk.readFileSync(path, 'utf8')
  const disk = { ...realHost.disk, readFileSync: read } as ClaimHost['disk']
  expect(startOf({ ...realHost, disk }, gone)).toBe('gone')
})

test('a take-over is inherited from a session that did not end, and not from one that did', async () => {
  const dir = runFolder()
  ;(await take(dir, elsewhere(quick()))).release()
  const over = await take(dir, { ...quick(), pid: gone }, true)
  over.release()
  const heir = await take(dir)
  expect([over.isTakenOver, heir.isTakenOver]).toEqual([true, true])
  heir.release(0)
  const next = await take(dir)
  expect(next.isTakenOver).toBe(false)
  next.release()
})

/** The real disk, on which something happens before a session's file is created. */
function hostBefore(create: () => Promise<void>): ClaimHost {
  const { promises } = realHost.disk
  let isFirst = true
  const open = (async (path: string, ...how: [string, number]) => {
    if (how[0] === 'wx' && isFirst) {
      isFirst = false
      await create()
    }
    return promises.open(path, ...how)
  }) as typeof promises.open
  return quick({ ...realHost, disk: { ...realHost.disk, promises: { ...promises, open } } })
}

test('one that was slow to create its file finds any higher session, not the next alone', async () => {
  const dir = runFolder()
  ;(await take(dir)).release(0)
  const others: Claim[] = []
  const slow = hostBefore(async () => {
    for (let times = 0; times < 3; times += 1) {
      others.at(-1)?.release(0)
      others.push(await take(dir))
    }
  })
  expect(await refusal(take(dir, slow))).toMatchObject({ exitCode: 11 })
  expect(others.at(-1)?.check()).toBeUndefined()
  others.at(-1)?.release()
})

test('a session number that was taken meanwhile changes nothing', async () => {
  const dir = runFolder()
  const others: Claim[] = []
  const slow = hostBefore(async () => void others.push(await take(dir)))
  const before = (): string => readFileSync(join(dir, 'session.1'), 'utf8')
  expect(await refusal(take(dir, slow))).toMatchObject({ exitCode: 11 })
  expect(before()).toContain(others[0]?.token)
  others[0]?.release()
})

test('a holder whose file changed or is gone is one for good, and says so', async () => {
  for (const change of [
    (path: string) => rmSync(path),
    (path: string) => writeFileSync(path, `${readFileSync(path, 'utf8')} `),
  ]) {
    const dir = runFolder()
    const claim = await take(dir)
    const path = join(dir, 'session.1')
    const text = readFileSync(path)
    claim.check()
    change(path)
    expect(() => claim.check()).toThrow(what)
    writeFileSync(path, text)
    expect(() => claim.check()).toThrow(what)
    claim.release(0)
    expect(readFileSync(path)).toEqual(text)
    rmSync(dir, { recursive: true })
  }
})

test('real processes: one that is killed is gone, and one that is stopped is not', async () => {
  const dir = runFolder()
  const program = buildBulk('disk/claim.ts', 'host.ts')
  const script = `import { Claim, nodeHost } from './bulk.mjs'
    const host = nodeHost(process)
    const claim = await Claim.take(host, ${JSON.stringify(dir)}, { what: 'run nightly' })
    console.log(claim.number)
    setInterval(() => claim.check(), 1000)`
  const holders: ReturnType<typeof spawn>[] = []
  for (const number of [1, 2]) {
    const child = program.start(script)
    holders.push(child)
    const [line] = (await once(child.stdout ?? process.stdin, 'data')) as [Buffer | string]
    expect(Number(line)).toBe(number)
    if (number === 1) {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
  }
  const [, second] = holders
  second?.kill('SIGSTOP')
  expect((await refusal(take(dir))).message).toBe(`${what} is in use by process ${second?.pid}`)
  second?.kill('SIGKILL')
  program.remove()
})

describe('four workers on two machines, killed and stopped at random, with old lists and late lines', () => {
  const play = async (seed: number, variant?: 'earlier sessions stay'): Promise<string[]> => {
    const model = new ClaimModel(seed, variant)
    await model.play()
    return model.violations
  }

  test('claim nothing false', async () => {
    for (let seed = 1; seed <= 120; seed += 1) expect(await play(seed), `seed ${seed}`).toEqual([])
  })

  test('send a merge twice when earlier sessions stay valid', async () => {
    expect(await play(47, 'earlier sessions stay')).toContain('merge 1 sent 2 times')
  })
})
