/** The journal as it is written: what is synced when, what each line says of it, and what happens when the disk fails. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi, type MockInstance } from 'vitest'
import {
  createJournal,
  cutJournal,
  encodeEvent,
  Journal,
  type Guard,
} from '../../src/bulk/record/journal.ts'
import type { BeginEvent, JournalEvent } from '../../src/bulk/record/events.ts'
import { SvcError } from '../../src/errors.ts'
import { say, svc } from '../../src/message.ts'
import { refusal } from '../input/inputs.ts'
import {
  host,
  alone,
  fileHandles,
  makeRun,
  refused,
  stateFolders,
  systemError,
  tried,
  uptime,
  type Made,
} from './recorded.ts'

const folders = stateFolders()
const handles = await fileHandles()

afterEach(() => {
  vi.restoreAllMocks()
  const open = openFiles()
  if (open.length > 0) throw new Error(`left open: ${open.join(', ')}`)
})

/** The files of the test folder that this process has open; nothing where the system does not tell. */
function openFiles(): string[] {
  if (!existsSync('/proc/self/fd')) return []
  return readdirSync('/proc/self/fd').flatMap((number) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${number}`)
      return path.startsWith(folders.path) ? [path] : []
    } catch {
      // The one that listed them is closed again.
      return []
    }
  })
}

const resumed = (at: number): JournalEvent => ({ t: 'resume', at, ...uptime })

async function opened(lock: Guard = alone): Promise<{ made: Made; journal: Journal }> {
  const made = await makeRun(folders.next())
  return { made, journal: await Journal.open(host, made.dir, made.id, lock) }
}

const pathOf = ({ dir }: Made): string => join(dir, 'journal.ndjson')
const linesOf = (made: Made): string[] =>
  readFileSync(pathOf(made), 'utf8').split('\n').slice(0, -1)

describe('a new journal', () => {
  const begin: BeginEvent = {
    t: 'begin',
    at: 1,
    schema: 'svc.run/5',
    run: '20260301T101500Z-7f3a',
    sums: { run: 'a'.repeat(64), ids: 'b'.repeat(64), lines: 'c'.repeat(64) },
  }

  it('is there whole or not at all: written under another name, synced, renamed, and the folders synced', async () => {
    const dir = folders.next()
    mkdirSync(dir)
    const seen: string[][] = []
    const sync = handles.sync
    vi.spyOn(handles, 'sync').mockImplementation(function (this: typeof handles) {
      seen.push(readdirSync(dir))
      return sync.call(this)
    })
    await createJournal(host, dir, begin)
    // Its own bytes, the names of the files beside it, its name, and the name of its folder.
    expect(seen).toEqual([['journal.new'], ['journal.new'], ['journal.ndjson'], ['journal.ndjson']])
    expect(readFileSync(join(dir, 'journal.ndjson'), 'utf8')).toBe(encodeEvent(begin))
    expect(statSync(join(dir, 'journal.ndjson')).mode & 0o777).toBe(0o600)
  })
})

describe('what is synced', () => {
  it('what is found when it is opened: from there on damage is damage', async () => {
    const made = await makeRun(folders.next())
    const synced = vi.spyOn(handles, 'datasync')
    const journal = await Journal.open(host, made.dir, made.id, alone)
    expect(synced).toHaveBeenCalledTimes(1)
    const { size } = statSync(pathOf(made))
    await journal.appendTry(tried(1))
    await journal.close()
    expect(JSON.parse(linesOf(made).at(-1) ?? '')).toMatchObject({ t: 'try', d: size })
  })

  it('a try before it counts as written; a res not at all; several tries together', async () => {
    const { journal } = await opened()
    const synced = vi.spyOn(handles, 'datasync')
    await journal.append(resumed(1))
    expect(synced).toHaveBeenCalledTimes(0)
    await journal.appendTry(tried(1))
    expect(synced).toHaveBeenCalledTimes(1)
    await journal.sync()
    expect(synced).toHaveBeenCalledTimes(1)
    await journal.append(refused(1))
    await journal.sync()
    await journal.sync()
    expect(synced).toHaveBeenCalledTimes(2)
    await Promise.all([
      journal.appendTry(tried(1, 2)),
      journal.append(resumed(2)),
      journal.appendTry(tried(2)),
    ])
    expect(synced).toHaveBeenCalledTimes(3)
    await journal.append(refused(1, 2))
    await journal.close()
    expect(synced).toHaveBeenCalledTimes(4)
    await journal.close()
    expect(synced).toHaveBeenCalledTimes(4)
  })
})

describe('what a try says was on disk before it', () => {
  const said = (made: Made): number[] =>
    linesOf(made).flatMap((line) => {
      const { t, d } = JSON.parse(line) as { t: string; d: number }
      return t === 'try' ? [d] : []
    })

  it('the length that the last finished sync found when it began, not what was written while it ran', async () => {
    const { made, journal } = await opened()
    const sizes = [statSync(pathOf(made)).size]
    const size = (): void => {
      sizes.push(statSync(pathOf(made)).size)
    }
    const original = handles.datasync
    vi.spyOn(handles, 'datasync').mockImplementation(async function (this: typeof handles) {
      size()
      // A worker is answered while the sync is in flight.
      await journal.append(refused(9))
      return original.call(this)
    })
    for (const b of [1, 2, 3]) await journal.appendTry(tried(b))
    expect(said(made)).toEqual(sizes.slice(0, 3))
    vi.restoreAllMocks()
    await journal.close()
  })
})

describe('whoever holds the run', () => {
  it('writes nothing more once it is lost, not even what waited', async () => {
    const lost = new SvcError('local', 'the lock is gone')
    let isLost = false
    const lock = {
      ...alone,
      check: () => {
        if (isLost) throw lost
      },
    }
    const { made, journal } = await opened(lock)
    await journal.appendTry(tried(1))
    const before = readFileSync(pathOf(made))
    isLost = true
    expect((await refusal(journal.append(refused(1)))).message).toBe('the lock is gone')
    expect((await refusal(journal.appendTry(tried(2)))).message).toBe('the lock is gone')
    expect(journal.failure?.details.run).toBe(made.id)
    await journal.close()
    expect(readFileSync(pathOf(made))).toEqual(before)
  })
})

describe('a journal that cannot be written', () => {
  async function broken(journal: Journal, what: Promise<unknown>): Promise<void> {
    const error = await refusal(what)
    const { run } = journal
    expect(error).toMatchObject({
      category: 'local',
      exitCode: 10,
      message: `the journal of run ${run} cannot be written: the disk reports an error`,
      details: { hint: say`free space, then\n  ${svc`runs resume ${run}`}`, run },
    })
    expect(journal.failure).toBe(error)
  }

  it('a sync fails once: for good, for all that waits and all that comes', async () => {
    const { journal } = await opened()
    const spy: MockInstance = vi.spyOn(handles, 'datasync')
    spy.mockRejectedValueOnce(systemError('EIO'))
    const [first, second] = [journal.appendTry(tried(1)), journal.appendTry(tried(2))]
    await Promise.all([broken(journal, first), broken(journal, second)])
    const calls = spy.mock.calls.length
    await broken(journal, journal.append(resumed(1)))
    await broken(journal, journal.appendTry(tried(3)))
    await broken(journal, journal.sync())
    await journal.close()
    expect(spy.mock.calls.length).toBe(calls)
  })
})

describe('what a crash left at its end', () => {
  const torn = Buffer.from('{"t":"try","b":3,')

  const check = () => Promise.resolve()

  const cut: JournalEvent = { t: 'cut', at: 9, ...uptime, b: [1, 2] }

  it('is cut off by the present holder of the lock alone: the draft of one before it is gone, and is not moved any more', async () => {
    const made = await makeRun(folders.next())
    const whole = readFileSync(pathOf(made))
    writeFileSync(pathOf(made), Buffer.concat([whole, torn]))
    writeFileSync(join(made.dir, 'journal.new.0123456789abcdef'), 'of a process that was killed')
    const next: JournalEvent = { t: 'cut', at: 10, ...uptime, b: [7] }
    // Stopped after its look at the lock; the next holder repairs the journal and goes on before it wakes up.
    const superseded = cutJournal(host, made.dir, made.id, {
      length: whole.length,
      event: cut,
      check: () =>
        cutJournal(host, made.dir, made.id, { length: whole.length, event: next, check }),
    })
    await expect(superseded).rejects.toThrow('ENOENT')
    expect(readFileSync(pathOf(made))).toEqual(
      Buffer.concat([whole, Buffer.from(encodeEvent(next))]),
    )
    expect(readdirSync(made.dir).filter((name) => name.startsWith('journal.'))).toEqual([
      'journal.ndjson',
    ])
  })
})
