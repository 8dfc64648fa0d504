/** The journal's files and system calls one by one: what is synced when, what is said when one fails, how runs are listed. */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import type * as Fs from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, it, vi, type MockInstance } from 'vitest'
import { IdTable } from '../../src/ids/id-table.ts'
import {
  createRun,
  decodeEvent,
  encodeEvent,
  isRunName,
  listRuns,
  openJournal,
  pairsSha256,
  prepareFolders,
  readJournal,
  readRun,
  readRunIds,
  readRunPairs,
  removeRun,
  type Journal,
  type JournalHost,
} from '../../src/bulk/journal.ts'
import type { Pair } from '../../src/ids/pairs.ts'
import type { JournalEvent } from '../../src/bulk/reconcile.ts'
import { SvcError } from '../../src/errors.ts'
import { sleep } from '../../src/host.ts'
import { idOf, refusal, temporaryFolder } from '../ids/inputs.ts'

/** What the disk does with the next line: how many bytes it takes at once, and whether it fails. */
const disk = vi.hoisted(() => ({ takes: Infinity, fails: undefined as Error | undefined }))
vi.mock('node:fs', async (load) => {
  const fs = await load<typeof Fs>()
  return {
    ...fs,
    writeSync(fd: number, bytes: Uint8Array, at = 0, length = bytes.length - at): number {
      const { fails } = disk
      disk.fails = undefined
      if (fails !== undefined) throw fails
      return fs.writeSync(fd, bytes, at, Math.min(length, disk.takes))
    },
  }
})

const folder = temporaryFolder()
afterAll(() => {
  folder.remove()
})

let states = 0
let stateDir: string
/** What is drawn for names, in turn; then always the last. */
let random: number[]
let now: number
beforeEach(() => {
  states += 1
  stateDir = join(folder.path, `state-${states}`)
  random = []
  now = Date.parse('2026-12-31T23:59:58.100Z')
})
afterEach(() => {
  vi.restoreAllMocks()
  Object.assign(disk, { takes: Infinity, fails: undefined })
  const open = openFiles()
  if (open.length > 0) throw new Error(`left open: ${open.join(', ')}`)
})

/** The files of the test folder that this process has open; nothing where the system does not tell. */
function openFiles(): string[] {
  if (!existsSync('/proc/self/fd')) return []
  return readdirSync('/proc/self/fd').flatMap((number) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${number}`)
      return path.startsWith(folder.path) ? [path] : []
    } catch {
      // The one that listed them is closed again.
      return []
    }
  })
}

const host: JournalHost = {
  pid: process.pid,
  now: () => now,
  random: () => (random.length > 1 ? random.shift() : random[0]) ?? Math.random(),
  userId: process.getuid?.(),
  isRunning: () => true,
  platform: process.platform,
  monotonic: () => performance.now(),
  sleep,
}

function description(input: { unique: number; sha256: string }, operation: 'contacts.delete' | 'contacts.merge') {
  return {
    operation,
    target: null,
    baseUrl: 'https://api.example.com',
    profile: null,
    key: { fingerprint: 'f', ending: 'e' },
    options: { batchSize: 1, concurrency: 1 },
    input: { read: input.unique, duplicates: 0, invalid: 0, ...input },
    version: '1.0.0',
  }
}

function create(count = 2): Promise<Journal> {
  const ids = new IdTable()
  for (let n = 1; n <= count; n += 1) ids.addText(idOf(n), n)
  const what = description({ unique: count, sha256: ids.sha256() }, 'contacts.delete')
  return createRun(host, stateDir, what, { kind: 'ids', ids })
}

async function closed(count?: number): Promise<Journal> {
  const journal = await create(count)
  await journal.close()
  return journal
}

function createPairs(pairs: readonly Pair[]): Promise<Journal> {
  const what = description({ unique: pairs.length, sha256: pairsSha256(pairs) }, 'contacts.merge')
  return createRun(host, stateDir, what, { kind: 'pairs', pairs })
}

const begun = (b: number, a = 1): JournalEvent & { t: 'try' } => ({ t: 'try', b, a, at: 0 })
const refused = (b: number, a = 1): JournalEvent => ({ t: 'res', b, a, at: 0, k: 'refused', s: 429 })
const end: JournalEvent = { t: 'end', at: 0, status: 'complete', exitCode: 0, result: {} }

const handle = await open(process.execPath)
const handles = Object.getPrototypeOf(handle) as FileHandle
await handle.close()

function systemError(code: string): Error {
  return Object.assign(new Error(code), { code })
}

describe('what is synced', () => {
  it('a try before it counts as written; a res not at all; several tries together', async () => {
    const journal = await create()
    const synced = vi.spyOn(handles, 'datasync')
    await journal.append({ t: 'resume', at: 1 })
    expect(synced).toHaveBeenCalledTimes(0)
    await journal.appendTry(begun(1))
    expect(synced).toHaveBeenCalledTimes(1)
    await journal.sync()
    expect(synced).toHaveBeenCalledTimes(1)
    await journal.append(refused(1))
    await journal.sync()
    await journal.sync()
    expect(synced).toHaveBeenCalledTimes(2)
    await Promise.all([
      journal.appendTry(begun(1, 2)),
      journal.append({ t: 'resume', at: 2 }),
      journal.appendTry(begun(2)),
    ])
    expect(synced).toHaveBeenCalledTimes(3)
    await journal.append(refused(1, 2))
    await journal.close()
    expect(synced).toHaveBeenCalledTimes(4)
    await journal.close()
    expect(synced).toHaveBeenCalledTimes(4)
  })

  it('closing without anything new syncs nothing', async () => {
    const synced = vi.spyOn(handles, 'datasync')
    await closed()
    expect(synced).toHaveBeenCalledTimes(0)
  })

  it('who needs no sync does not wait for that of the others', async () => {
    const journal = await create()
    const order: string[] = []
    const original = handles.datasync
    vi.spyOn(handles, 'datasync').mockImplementation(async function (this: FileHandle) {
      await new Promise((resolve) => setTimeout(resolve, 20))
      order.push('synced')
      return original.call(this)
    })
    await Promise.all([
      journal.appendTry(begun(1)).then(() => order.push('try')),
      journal.append({ t: 'resume', at: 1 }).then(() => order.push('resume')),
    ])
    expect(order).toEqual(['resume', 'synced', 'try'])
    // A sync that is asked for waits for what is under way.
    const later = journal.appendTry(begun(2)).then(() => order.push('second'))
    await journal.sync()
    expect(order.slice(3)).toEqual(['synced', 'second'])
    await later
    await journal.close()
  })

  it('a disk that takes a part of a line at a time gets the rest', async () => {
    const journal = await create()
    disk.takes = 7
    await journal.appendTry(begun(1))
    expect(readFileSync(join(journal.dir, 'journal.ndjson'), 'utf8')).toBe(encodeEvent(begun(1)))
    await journal.close()
  })
})

describe('a journal that cannot be written', () => {
  async function broken(journal: Journal, what: Promise<unknown>): Promise<void> {
    const error = await refusal(what)
    const { run } = journal.run
    expect(error).toMatchObject({
      category: 'local',
      exitCode: 10,
      message: `the journal of run ${run} cannot be written: the disk reports an error`,
      details: { hint: `free space, then\n  svc runs resume ${run}`, run },
    })
    expect(journal.failure).toBe(error)
  }

  it('a sync fails once: for good, for all that waits and all that comes', async () => {
    const journal = await create()
    const spy: MockInstance = vi.spyOn(handles, 'datasync')
    spy.mockRejectedValueOnce(systemError('EIO'))
    const [first, second] = [journal.appendTry(begun(1)), journal.appendTry(begun(2))]
    await Promise.all([broken(journal, first), broken(journal, second)])
    const calls = spy.mock.calls.length
    await broken(journal, journal.append({ t: 'resume', at: 1 }))
    await broken(journal, journal.sync())
    await journal.close()
    expect(spy.mock.calls.length).toBe(calls)
    expect(existsSync(join(journal.dir, 'lock'))).toBe(false)
  })

  it('a line fails once: nothing is written behind it', async () => {
    const journal = await create()
    disk.fails = systemError('EIO')
    await broken(journal, journal.appendTry(begun(1)))
    await broken(journal, journal.append({ t: 'resume', at: 1 }))
    await broken(journal, journal.appendTry(begun(2)))
    await broken(journal, journal.sync())
    await journal.close()
    expect(readFileSync(join(journal.dir, 'journal.ndjson'), 'utf8')).toBe('')
  })

  it('a sync that was asked for fails', async () => {
    const journal = await create()
    await journal.append({ t: 'resume', at: 1 })
    vi.spyOn(handles, 'datasync').mockRejectedValueOnce(systemError('EIO'))
    await broken(journal, journal.sync())
    await broken(journal, journal.appendTry(begun(1)))
    await journal.close()
    expect(existsSync(join(journal.dir, 'lock'))).toBe(false)
  })

  it('nothing is written after it was closed', async () => {
    const journal = await closed()
    await expect(journal.append({ t: 'resume', at: 1 })).rejects.toThrow('the journal is closed')
    expect(journal.failure).toBeUndefined()
  })

  it('an error without a name of its own is told in its words', async () => {
    const journal = await create()
    disk.fails = new Error('something new')
    expect((await refusal(journal.appendTry(begun(1)))).message).toContain('cannot be written: something new')
    await journal.close()
  })
})

describe('a new run', () => {
  it.each(['EINVAL', 'EPERM'])('a folder that cannot be synced (%s) is no obstacle', async (code) => {
    vi.spyOn(handles, 'sync').mockRejectedValueOnce(systemError(code))
    const journal = await create()
    await journal.close()
    expect(await listRuns(host, stateDir)).toHaveLength(1)
  })

  it('one whose sync fails is', async () => {
    vi.spyOn(handles, 'sync').mockRejectedValueOnce(systemError('EIO'))
    const error = await refusal(create())
    expect(error.message).toBe(`the state folder cannot be written: ${stateDir}: the disk reports an error`)
    expect(error.details.hint).toContain('--no-journal')
  })

  it('a file whose sync fails leaves nothing behind', async () => {
    await prepareFolders(host, stateDir)
    // The lock comes first.
    vi.spyOn(handles, 'sync').mockResolvedValueOnce().mockRejectedValueOnce(systemError('EIO'))
    const error = await refusal(create())
    expect(error.message).toMatch(
      /^the state folder cannot be written: .*\/runs\/20261231T235958Z-[0-9a-f]{4}: the disk/,
    )
    expect(readdirSync(join(stateDir, 'runs'))).toEqual([])
  })

  it('takes another name until there is a free one, and gives up after a hundred', async () => {
    random = [0.5]
    const first = await closed()
    expect(first.run.run).toBe('20261231T235958Z-8000')
    random = [0.5, 0.5, 0.5, 0.25]
    const second = await closed()
    expect(second.run.run).toBe('20261231T235958Z-4000')
    random = [0.5]
    const error = await refusal(create())
    expect(error.message).toContain('something else has that name')
    expect(readdirSync(join(stateDir, 'runs'))).toHaveLength(2)
  })

  it('a place that cannot be used says why and what to do', async () => {
    const hint = 'name another folder with --state-dir or SVC_STATE_DIR, or do not record the run with --no-journal'
    mkdirSync(stateDir)
    writeFileSync(join(stateDir, 'runs'), '')
    expect(await refusal(prepareFolders(host, stateDir))).toMatchObject({
      message: `not a folder: ${join(stateDir, 'runs')}`,
      details: { hint },
    })
    rmSync(join(stateDir, 'runs'))
    symlinkSync('/tmp', join(stateDir, 'runs'))
    expect(await refusal(prepareFolders(host, stateDir))).toMatchObject({
      message: `the state folder is a symbolic link: ${join(stateDir, 'runs')} -> /tmp`,
      details: { hint },
    })
    rmSync(join(stateDir, 'runs'))
    const stranger = { ...host, userId: 4_242 }
    mkdirSync(join(stateDir, 'runs'), { mode: 0o700 })
    expect(await refusal(prepareFolders(stranger, stateDir))).toMatchObject({ details: { hint } })
    // Where the system has no user ids there is nothing to compare.
    await prepareFolders({ ...host, userId: undefined }, stateDir)
  })
})

describe('what is read back', () => {
  it('pairs, however many', async () => {
    const pairs = Array.from({ length: 5_000 }, (_, n) => ({ id: idOf(2 * n), other: idOf(2 * n + 1), line: n + 2 }))
    const journal = await createPairs(pairs)
    await journal.close()
    expect(await readRunPairs(journal.dir, journal.run)).toEqual(pairs)
  })

  it('pairs that were changed', async () => {
    const pairs = [1, 2].map((n) => ({ id: idOf(n), other: idOf(n + 10), line: n }))
    const journal = await createPairs(pairs)
    await journal.close()
    const path = join(journal.dir, 'ids')
    const good = readFileSync(path, 'utf8')
    const [one = '', two = ''] = good.split('\n')
    for (const [content, why] of [
      [`${one}\n${idOf(2)}\n`, 'line 2 is not a pair'],
      [`${one}\n${idOf(2)} \n`, 'line 2 is not a pair'],
      [`${one}\n${two} ${idOf(3)}\n`, 'line 2 is not a pair'],
      [`\n${two}\n`, 'line 1 is not a pair'],
      [`${one}\n`, '1 pairs instead of 2'],
      [`${two}\n${one}\n`, 'another checksum'],
    ]) {
      writeFileSync(path, content ?? '')
      expect(await refusal(readRunPairs(journal.dir, journal.run))).toMatchObject({
        exitCode: 10,
        message: `the ids of run ${journal.run.run} are not the recorded ones: ${why}`,
        details: { hint: path, run: journal.run.run },
      })
    }
    // A last line end that is missing is none the less a line.
    writeFileSync(path, good.trimEnd())
    expect(await readRunPairs(journal.dir, journal.run)).toEqual(pairs)
    writeFileSync(join(journal.dir, 'lines'), '1\nx\n')
    expect((await refusal(readRunPairs(journal.dir, journal.run))).message).toContain('the line numbers are missing')
  })

  it.each([`x${idOf(1)}`, `${idOf(1)}x`, idOf(1).slice(1)])('%s is no id', async (text) => {
    const journal = await closed(1)
    writeFileSync(join(journal.dir, 'ids'), `${text}\n`)
    expect((await refusal(readRunIds(journal.dir, journal.run))).message).toContain(
      'line 1 is not an id, or stands twice',
    )
  })

  it('a run that is damaged names itself', async () => {
    const { dir, run } = await closed()
    const damaged = async (message: string): Promise<void> => {
      expect(await refusal(readRun(stateDir, run.run))).toMatchObject({
        category: 'local',
        message: expect.stringContaining(message) as string,
        details: { run: run.run },
      })
    }
    const path = join(dir, 'run.json')
    const good = readFileSync(path, 'utf8')
    writeFileSync(path, good.padEnd(1 << 20))
    expect((await readRun(stateDir, run.run)).run).toEqual(run)
    writeFileSync(path, good.padEnd((1 << 20) + 1))
    await damaged(`${path} has ${(1 << 20) + 1} bytes`)
    writeFileSync(path, '{')
    await damaged('is not JSON')
    writeFileSync(path, '{}')
    await damaged('is damaged')
    writeFileSync(path, good.replace(run.run, '20200101T000000Z-0000'))
    await damaged('is of run 20200101T000000Z-0000')
    rmSync(path)
    await damaged('no such file or folder')
    mkdirSync(path)
    await damaged('not a file')
    rmSync(dir, { recursive: true })
    writeFileSync(dir, '')
    await damaged('not a folder')
    rmSync(dir)
    expect(await refusal(readRun(stateDir, run.run))).toMatchObject({
      category: 'usage',
      message: `there is no run ${run.run}`,
      details: { hint: 'see them with: svc runs list' },
    })
    expect(await refusal(readRun(stateDir, 'x'))).toMatchObject({
      message: '"x" is not a run',
      details: { hint: 'see them with: svc runs list' },
    })
    expect([run.run, `x${run.run}`, `${run.run}x`].map(isRunName)).toEqual([true, false, false])
  })

  it('reading fails: the run is named, and the file is closed', async () => {
    const { run } = await closed()
    vi.spyOn(handles, 'readFile').mockRejectedValueOnce(systemError('EIO'))
    expect(await refusal(readRun(stateDir, run.run))).toMatchObject({
      message: expect.stringMatching(/cannot be read: .*run\.json: the disk reports an error$/) as string,
      details: { run: run.run },
    })
  })
})

describe('lines of a journal', () => {
  it('are as short as their checksum, or longer', () => {
    expect(decodeEvent(Buffer.from('x'.repeat(16)))).toBe('it is too short')
    expect(decodeEvent(Buffer.from('x'.repeat(17)))).toBe('its checksum is wrong')
  })

  it.each([
    ['an attempt that was not begun', [begun(1), refused(1, 2)], 'line 2', 'it ends attempt 2 of batch 1'],
    ['one that has ended', [begun(1), refused(1), refused(1)], 'line 3', 'it ends attempt 1 of batch 1'],
    ['another batch', [begun(1), refused(2)], 'line 2', 'it ends attempt 1 of batch 2'],
    ['a gap', [begun(1), begun(1, 3)], 'line 2', 'attempt 3 of batch 1 follows attempt 1'],
  ])('%s', async (_what, events, line, why) => {
    const journal = await closed()
    const path = join(journal.dir, 'journal.ndjson')
    writeFileSync(path, events.map(encodeEvent).join(''))
    expect(await refusal(readJournal(journal.dir, 'r', () => undefined))).toMatchObject({
      message: expect.stringContaining(`${line} of the journal of run r is damaged: ${why}`) as string,
      details: { run: 'r', hint: `${path}\nnothing was sent; the outcomes up to that line can be read by hand` },
    })
  })

  it('a line that does not end is damage, not a torn tail', async () => {
    const journal = await closed()
    const path = join(journal.dir, 'journal.ndjson')
    writeFileSync(path, encodeEvent(begun(1)))
    truncateSync(path, (16 << 20) + encodeEvent(begun(1)).length)
    expect((await readJournal(journal.dir, 'r', () => undefined)).torn).toBe(16 << 20)
    truncateSync(path, (16 << 20) + encodeEvent(begun(1)).length + 1)
    const error = await refusal(readJournal(journal.dir, 'r', () => undefined))
    expect(error.message).toBe('line 2 of the journal of run r is damaged: it does not end')
  })

  it('longer than what is read at once are whole', async () => {
    const journal = await create()
    const big: JournalEvent = { t: 'res', b: 1, a: 1, at: 0, k: 'ambiguous', m: 'é'.repeat(200_000) }
    await journal.appendTry(begun(1))
    await journal.append(big)
    await journal.append({ t: 'resume', at: 1 })
    await journal.close()
    const events: JournalEvent[] = []
    await readJournal(journal.dir, 'r', (event) => events.push(event))
    expect(events).toEqual([begun(1), big, { t: 'resume', at: 1 }])
  })
})

describe('going on', () => {
  it('a torn tail that cannot be cut off gives everything back', async () => {
    const { dir, run } = await closed()
    appendFileSync(join(dir, 'journal.ndjson'), 'torn')
    vi.spyOn(handles, 'truncate').mockRejectedValueOnce(systemError('EIO'))
    expect(await refusal(openJournal(host, stateDir, run.run, () => undefined))).toMatchObject({
      category: 'local',
      message: `the journal of run ${run.run} cannot be written: the disk reports an error`,
      details: { run: run.run },
    })
    expect(existsSync(join(dir, 'lock'))).toBe(false)
  })

  it('cuts it off and syncs, and does neither when there is none', async () => {
    const { dir, run } = await closed()
    const [cutting, syncing] = [vi.spyOn(handles, 'truncate'), vi.spyOn(handles, 'sync')]
    const whole = await openJournal(host, stateDir, run.run, () => undefined)
    await whole.journal.close()
    // That of the lock.
    expect([whole.torn, cutting.mock.calls.length, syncing.mock.calls.length]).toEqual([0, 0, 1])
    appendFileSync(join(dir, 'journal.ndjson'), 'torn')
    const torn = await openJournal(host, stateDir, run.run, () => undefined)
    await torn.journal.close()
    expect([torn.torn, cutting.mock.calls.length, syncing.mock.calls.length]).toEqual([4, 1, 3])
  })

  it('a damaged journal is told as such, not as one that cannot be written', async () => {
    const { dir, run } = await closed()
    writeFileSync(join(dir, 'journal.ndjson'), 'x\n')
    expect((await refusal(openJournal(host, stateDir, run.run, () => undefined))).message).toContain(
      'line 1 of the journal',
    )
  })
})

describe('the list of runs', () => {
  it('by the moment they began, damaged ones by their name', async () => {
    const begin = async (time: string, tail: number): Promise<Journal> => {
      now = Date.parse(time)
      random = [tail / 16]
      return closed()
    }
    await begin('2026-12-31T23:59:58.900Z', 1)
    await begin('2026-12-31T23:59:58.100Z', 2)
    const damaged = await begin('2025-06-07T08:09:10.500Z', 3)
    writeFileSync(join(damaged.dir, 'run.json'), '')
    await begin('2026-12-31T23:59:58.500Z', 0)
    await begin('2025-06-07T08:09:11.000Z', 0)
    await begin('2027-01-01T00:00:00.000Z', 0)
    const listed = await listRuns(host, stateDir)
    expect(listed.map(({ name, beganAt }) => [name, new Date(beganAt).toISOString()])).toEqual([
      ['20270101T000000Z-0000', '2027-01-01T00:00:00.000Z'],
      ['20261231T235958Z-1000', '2026-12-31T23:59:58.000Z'],
      ['20261231T235958Z-0000', '2026-12-31T23:59:58.000Z'],
      ['20261231T235958Z-2000', '2026-12-31T23:59:58.000Z'],
      ['20250607T080911Z-0000', '2025-06-07T08:09:11.000Z'],
      ['20250607T080910Z-3000', '2025-06-07T08:09:10.000Z'],
    ])
    expect(listed.at(-1)).toMatchObject({ run: undefined, end: undefined, holder: undefined })
    expect(listed.at(-1)?.problem).toContain('is not JSON')
  })

  it.each([
    ['an end', encodeEvent(end), true],
    ['an end behind others', `${encodeEvent(begun(1))}${encodeEvent(end)}`, true],
    ['an end that was being written', encodeEvent(end).slice(0, -1), false],
    ['something behind the end', `${encodeEvent(end)}{`, false],
    ['a line that is damaged', `${encodeEvent(begun(1))}x\n`, false],
    ['a try', encodeEvent(begun(1)), false],
    ['nothing', '', false],
  ])('a journal with %s at its end', async (_what, content, hasEnded) => {
    const { dir } = await closed()
    writeFileSync(join(dir, 'journal.ndjson'), content)
    const [listed] = await listRuns(host, stateDir)
    expect(listed).toMatchObject({ problem: undefined, end: hasEnded ? end : undefined })
  })

  it('of a place that is no folder is an error', async () => {
    mkdirSync(stateDir)
    writeFileSync(join(stateDir, 'runs'), '')
    const error = await refusal(listRuns(host, stateDir))
    expect(error.message).toBe(
      `the runs cannot be listed: ${join(stateDir, 'runs')}: a part of the path is not a folder`,
    )
    expect(error.cause).toMatchObject({ code: 'ENOTDIR' })
  })

  it('a run is removed, whoever else is asked for is not', async () => {
    const { run, dir } = await closed()
    await removeRun(host, stateDir, run.run)
    expect(existsSync(dir)).toBe(false)
    await expect(removeRun(host, stateDir, '../x')).rejects.toBeInstanceOf(SvcError)
  })
})
