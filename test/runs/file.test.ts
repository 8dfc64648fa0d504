/** An open run file: made exclusively, claimed, checked before every step, synced together (docs/run-file.md, "Taking a run"). */
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SvcError } from '../../src/errors.ts'
import { RunFile, type FileHost } from '../../src/runs/file.ts'
import { createRun } from '../../src/runs/take.ts'
import { temporaryFolder } from '../input/inputs.ts'
import { createBulkWorld, recordedRuns, runFile } from './bulk-world.ts'
import { countedCalls, opening, syncing, unsyncedAt } from './disks.ts'
import {
  firstSession,
  headOf,
  hold,
  host,
  idLinesOf,
  recordRun,
  someIds,
  takeAt,
  toolsOf,
} from './recorded-run.ts'
import { linesIn, rewrite, sessionOf, textOf, writeOf, type FileLine } from './run-files.ts'

const run = '20260301T101500Z-7f3a'
const ids = someIds(4)

const newPath = (): string => join(temporaryFolder().path, `${run}.ndjson`)

/** A run that this process holds: its file, the session, how many lines that wrote, and each write. */
async function heldRun(own: Partial<FileHost> = {}) {
  const path = newPath()
  const writes: string[] = []
  const disk = {
    ...host.disk,
    ...own.disk,
    writeSync: ((file: number, bytes: Buffer) => {
      writes.push(bytes.toString())
      return (own.disk ?? host.disk).writeSync(file, bytes)
    }) as FileHost['disk']['writeSync'],
  }
  const head = [headOf(ids, 2), ...idLinesOf(ids, 2)]
  const tools = toolsOf({ ...host, ...own, disk })
  const file = await createRun(tools, { run, path }, head as never)
  if (file === undefined) throw new Error(`there is a run ${run}`)
  return { path, file, session: file.session, count: 1 + head.length, writes }
}

const failureOf = (work: () => void): SvcError | undefined => {
  try {
    work()
    return undefined
  } catch (error) {
    if (error instanceof SvcError) return error
    throw error
  }
}

describe('the file of a run', () => {
  it('is made exclusively, for this user alone', async () => {
    const path = newPath()
    const first = await RunFile.open(toolsOf(host), { run, path }, 'new')
    expect(await RunFile.open(toolsOf(host), { run, path }, 'new')).toBeUndefined()
    expect(statSync(path).mode & 0o777).toBe(0o600)
    await first?.close()
  })

  it('that is not there is not opened, and not made', async () => {
    const path = newPath()
    expect(await RunFile.open(toolsOf(host), { run, path })).toBeUndefined()
    expect(await takeAt(path)).toBeUndefined()
    expect(statSync(path, { throwIfNoEntry: false })).toBeUndefined()
  })

  it('that another process makes after a look is taken as that file', async () => {
    const path = newPath()
    const { promises } = host.disk
    const open: typeof promises.open = (...asked) => {
      const isNew = (Number(asked[1]) & constants.O_EXCL) !== 0
      if (isNew) writeFileSync(path, '', { mode: 0o600 })
      return promises.open(...asked)
    }
    const disk = { ...host.disk, promises: { ...promises, open } }
    const taken = await takeAt(path, { ...host, disk }, { canCreate: true })
    expect([taken?.isHeld, linesIn(path).map(({ t }) => t)]).toEqual([true, ['session']])
    await taken?.file.close()
  })

  it.each<[string, (path: string) => void]>([
    ['a link', (path) => (writeFileSync(`${path}.x`, ''), symlinkSync(`${path}.x`, path))],
    ['a link to nothing', (path) => symlinkSync(`${path}.x`, path)],
    ['a folder', (path) => mkdirSync(path)],
    ['a pipe', (path) => void execFileSync('mkfifo', [path])],
  ])('that is %s is refused, and nothing is written through it', async (_, make) => {
    const path = newPath()
    make(path)
    await expect(takeAt(path, host, { canCreate: true })).rejects.toBeInstanceOf(SvcError)
    expect(await createRun(toolsOf(host), { run, path }, [])).toBeUndefined()
    expect(statSync(`${path}.x`, { throwIfNoEntry: false })?.size ?? 0).toBe(0)
  })
})

/** Deeds of another process on the file, and how the check of the holder ends: undefined if it still holds the run. */
type Deed = (held: { path: string; session: string; count: number }) => void

const foreign = (lines: readonly FileLine[], s = 'ffffffff'): string => writeOf(s, lines)
const adds =
  (linesOf: (session: string, count: number) => FileLine[]): Deed =>
  ({ path, session, count }) =>
    appendFileSync(path, foreign(linesOf(session, count)))
/** Another file of the same content, or a link, comes to its place. */
const replaces =
  (make: (path: string, old: string) => void): Deed =>
  ({ path }) => {
    renameSync(path, `${path}.old`)
    make(path, `${path}.old`)
  }
const appends =
  (text: string): Deed =>
  ({ path }) =>
    appendFileSync(path, text)
const overBeginning = adds(() => [sessionOf(null, 0)])
const overNobody = adds(() => [sessionOf('eeeeeeee', 3), { t: 'free' }])
const stranger = textOf({ s: 'ffffffff', i: 3, t: 'try', b: 1, a: 1, at: 1 })
const steps: readonly (readonly [what: string, deed: Deed, code: number | undefined])[] = [
  ['nothing', () => undefined, undefined],
  ['a session over it', adds((session, count) => [sessionOf(session, count)]), 7],
  ['a session over it that counted more lines', adds((session) => [sessionOf(session, 99)]), 7],
  ['a session over the beginning of the file, which is not valid', overBeginning, undefined],
  ['a session over one of which there is no line: readers take it for valid', overNobody, 7],
  ['a line of a session that nobody knows', appends(`\n${stranger}`), 7],
  ['bytes that are no line', appends('\n{"s":"ffff\n\0\0\0\n\n'), undefined],
  ['its name is gone', ({ path }) => rmSync(path), 1],
  ['its name leads to a copy', replaces((path, old) => copyFileSync(old, path)), 1],
  ['its name leads to it through a link', replaces((path, old) => symlinkSync(old, path)), 1],
  ['its folder is gone', ({ path }) => rmSync(dirname(path), { recursive: true }), 1],
]

describe('the check, before each line, request, move and print', () => {
  it.each(steps)('%s: exit %s', async (_, deed, code) => {
    const held = await heldRun()
    deed(held)
    const error = failureOf(() => held.file.checkHeld())
    expect([error?.exitCode, held.file.loss.aborted]).toEqual([code, code !== undefined])
    const before = held.writes.length
    const again = failureOf(() => held.file.append({ t: 'try', b: 1, a: 1 }))
    expect(again?.exitCode).toBe(code)
    expect(held.writes.length).toBe(code === undefined ? before + 1 : before)
    await held.file.close()
  })

  it('a claim that comes in two pieces is seen once its line is whole', async () => {
    const { path, file, session, count } = await heldRun()
    const claim = foreign([sessionOf(session, count)])
    appendFileSync(path, claim.slice(0, 40))
    file.checkHeld()
    file.checkHeld()
    appendFileSync(path, claim.slice(40))
    expect(failureOf(() => file.checkHeld())?.exitCode).toBe(7)
    await file.close()
  })

  it('late lines of the session before change nothing', async () => {
    const { path, append, count } = recordRun(4, 2)
    const { file, release } = await hold(path)
    append([{ t: 'try', b: 1, a: 1 }])
    file.checkHeld()
    expect(file.log.recorded?.state.stateOf(1).attempts).toBe(0)
    const [, claim] = linesIn(path).filter(({ t }) => t === 'session')
    expect(claim).toMatchObject({ over: firstSession, after: count, i: 0 })
    await release()
  })
})

describe('a claim', () => {
  it('lines of the session before that came while this one claimed count', async () => {
    const { path, append } = recordRun(4, 2)
    const disk = {
      ...host.disk,
      writeSync: ((file: number, bytes: Buffer) => {
        if (bytes.includes('"t":"session"')) append([{ t: 'try', b: 1, a: 1 }])
        return host.disk.writeSync(file, bytes)
      }) as FileHost['disk']['writeSync'],
    }
    const taken = await takeAt(path, { ...host, disk })
    expect(taken?.file.log.recorded?.state.stateOf(1)).toMatchObject({
      attempts: 1,
      doubts: new Set(['silence']),
    })
    await taken?.file.close()
  })

  it('a claim that the disk has lost is exit 10', async () => {
    const { path } = recordRun(4, 2)
    const before = readFileSync(path)
    // Just before the file is opened anew, behind the claim.
    const openSync: FileHost['disk']['openSync'] = (...asked) => {
      if (asked[0] === path) writeFileSync(path, before)
      return host.disk.openSync(...asked)
    }
    const taking = takeAt(path, { ...host, disk: { ...host.disk, openSync } })
    await expect(taking).rejects.toMatchObject({ exitCode: 1 })
  })

  it.each([
    ['without', 2],
    ['with', 1],
  ])('a file %s a head: so many syncs until it is claimed: %i', async (kind, syncs) => {
    const { path } = recordRun(4, 2)
    if (kind === 'without') rewrite(path, (lines) => lines.slice(0, 2))
    const { calls, change } = countedCalls()
    const taken = await takeAt(path, { ...host, disk: change(host.disk) })
    expect(calls.filter((call) => call === 'sync file')).toHaveLength(syncs)
    await taken?.file.close()
  })
})

describe('writes and syncs', () => {
  it('lines of workers that wait at the same moment share a sync', async () => {
    let syncs = 0
    const disk = opening((opened) => syncing(opened, { before: () => void (syncs += 1) }))
    const { file, writes } = await heldRun({ disk: disk(host.disk) })
    const before = syncs
    const attempts = Array.from({ length: 32 }, (_, n) => n + 1)
    await Promise.all(attempts.map((a) => file.appendSynced({ t: 'try', b: 1, a })))
    // One that had begun, and one behind all lines.
    expect(syncs - before).toBeLessThanOrEqual(2)
    expect(writes.length).toBe(1 + 32)
    await file.close()
  })

  it.each<[string, () => number]>([
    [
      'fails',
      () => {
        throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' })
      },
    ],
    ['is short', () => 3],
  ])('a write that %s is exit 10, for good', async (_, broken) => {
    let isBroken = false
    const writeSync = ((...words: Parameters<FileHost['disk']['writeSync']>) =>
      isBroken ? broken() : host.disk.writeSync(...words)) as FileHost['disk']['writeSync']
    const { file, writes } = await heldRun({ disk: { ...host.disk, writeSync } })
    isBroken = true
    const write = () => file.append({ t: 'try', b: 1, a: 1 })
    expect(failureOf(write)?.exitCode).toBe(1)
    isBroken = false
    const before = writes.length
    expect(failureOf(write)?.exitCode).toBe(1)
    await expect(file.sync()).rejects.toMatchObject({ exitCode: 1 })
    file.free()
    expect(writes.length).toBe(before)
    await file.close()
  })

  it('a folder in which nothing can be made any more is exit 10: a sync may have lied', async () => {
    let isReadOnly = false
    const openSync: FileHost['disk']['openSync'] = (path, flags, mode) => {
      const isCreation =
        typeof flags === 'number' && (flags & host.disk.constants.O_DIRECTORY) !== 0
      if (isReadOnly && isCreation) throw Object.assign(new Error('EROFS'), { code: 'EROFS' })
      return host.disk.openSync(path, flags, mode)
    }
    const { file } = await heldRun({ disk: { ...host.disk, openSync } })
    isReadOnly = true
    const writing = file.appendSynced({ t: 'try', b: 1, a: 1 })
    await expect(writing).rejects.toMatchObject({ exitCode: 1 })
    await file.close()
  })
})

it('a file that is removed says so in its last line, to whoever has it open', async () => {
  const { path, file } = await heldRun()
  const opened = openSync(path, 'r')
  await file.remove()
  expect(existsSync(path)).toBe(false)
  expect(readFileSync(opened, 'utf8')).toMatch(/"t":"pruned".*\n$/)
  closeSync(opened)
  await file.close()
})

it('the sign of life is the time of the file, set every ten seconds, and by nobody who lost the run', async () => {
  const touches: (() => void)[] = []
  const every: FileHost['every'] = (ms, callback) => {
    expect(ms).toBe(10_000)
    touches.push(callback)
    return { cancel: () => undefined }
  }
  const { path, file, session, count } = await heldRun({ every })
  const touch = touches[0] ?? (() => undefined)
  utimesSync(path, 1, 1)
  touch()
  expect(statSync(path).mtimeMs).toBeGreaterThan(Date.now())
  appendFileSync(path, foreign([sessionOf(session, count)]))
  utimesSync(path, 1, 1)
  touch()
  expect(statSync(path).mtimeMs).toBe(1000)
  await file.close()
})

const world = await createBulkWorld({ contacts: 200 })
const { assignableTickets, employee } = world.sandbox.examples

it.each([
  ['contacts delete', () => `contacts delete ${world.fresh(1)[0]} --yes`],
  ['contacts merge', () => `contacts merge ${world.fresh(2).join(' --into ')} --yes`],
  ['tickets assign', () => `tickets assign ${assignableTickets[0]} --to ${employee}`],
])('svc %s of one, in a state folder that is there: four syncs and no rename', async (_, line) => {
  const state = world.state()
  expect((await world.svc(`contacts delete ${world.absent(1)[0]} --yes ${state}`)).code).toBe(3)
  const { calls, change } = countedCalls()
  expect((await world.svc(`${line()} ${state}`, { disk: change })).code).toBe(0)
  // The head with its session, the name, the `try`, the end.
  expect(calls).toEqual(['sync file', 'sync folder', 'sync file', 'sync file'])
  const [, run = ''] = recordedRuns(state).sort()
  const kinds = linesIn(runFile(state, run)).map(({ t }) => t)
  const work = kinds.filter((kind) => kind !== 'read')
  expect(work).toEqual(['session', 'run', 'ids', 'try', 'res', 'end', 'free'])
})

it('the claim of a run that is resumed is synced by itself, before its first `try`', async () => {
  const line = `contacts delete ${world.absent(1)[0]} --yes ${world.state()}`
  expect((await world.svc(line, { faults: 'contacts.delete:1=401' })).code).toBe(4)
  const { calls, change } = countedCalls()
  expect((await world.svc(line, { disk: change })).code).toBe(3)
  // The claim, the name, the `try`, the end.
  expect(calls).toEqual(['sync file', 'sync folder', 'sync file', 'sync file'])
})

describe('on disk is', () => {
  it('a `file` line before its draft', async () => {
    const line = `contacts delete ${world.absent(1)[0]} --yes --receipts ${world.folder}/synced.csv`
    const { unsynced, change } = unsyncedAt((path) => path.endsWith('.part'))
    expect((await world.svc(`${line} ${world.state()}`, { disk: change })).code).toBe(3)
    expect(unsynced).not.toContain('file')
  })

  it('each line of a long head before the name of its file', async () => {
    const ids = world.file('many', world.absent(110))
    const line = `contacts delete --file ${ids} --yes batches-of=1 ${world.state()}`
    const { unsynced, change } = unsyncedAt((path) => path.endsWith('/runs'))
    expect((await world.svc(line, { disk: change })).code).toBe(3)
    expect(unsynced).toEqual([])
  })

  it('that a run was undone before the undo begins', async () => {
    const state = world.state()
    const line = `tickets assign ${assignableTickets[1]} --to ${employee} ${state}`
    expect((await world.svc(line)).code).toBe(0)
    const { unsynced, change } = unsyncedAt((path) => path.includes('@undo-'))
    const undone = await world.svc(`runs undo --last --yes ${state}`, { disk: change })
    expect(undone.code).toBe(0)
    expect(unsynced).not.toContain('undone')
  })
})

it('nothing lies in the state folder but the files of runs', async () => {
  const state = world.state()
  await world.svc(`contacts delete ${world.absent(1)[0]} --yes --once Night-1 ${state}`)
  await world.svc(`contacts delete ${world.absent(1)[0]} --yes ${state}`)
  const folder = state.replace('--state-dir ', '')
  expect(readdirSync(folder)).toEqual(['runs'])
  expect(readdirSync(join(folder, 'runs')).sort()).toEqual([
    expect.stringMatching(/^\d{8}T\d{6}Z-[0-9a-f]{4}\.ndjson$/),
    '@night-1.ndjson',
  ])
  expect(statSync(join(folder, 'runs')).mode & 0o777).toBe(0o700)
})
