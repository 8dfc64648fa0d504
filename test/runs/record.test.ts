/** The parts of a run on a real disk, and what commands that work on it at the same time see of each other: docs/reliability.md. */
import * as fs from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { usageError } from '../../src/errors.ts'
import type { NewLine } from '../../src/runs/lines.ts'
import { RunRecord, type Beginning } from '../../src/runs/record.ts'
import type { Disk, Host } from '../../src/host.ts'
import { ownFolder } from '../support/ending.ts'
import { hostWith as hostLike, realHost } from '../support/real-host.ts'
import { refusal } from '../support/inputs.ts'
import { table } from '../support/table.ts'
import { countedCalls } from '../support/disks.ts'
import { beginningOf, headOf, itemsOf, linesOf, textOf, writeRun } from '../support/records.ts'

const run = 'delete-20260301-101500-3f9a'
const attempt: NewLine = { t: 'try', b: [0, 2] }
const result: NewLine = { t: 'res', b: [0, 2], o: 'done' }
const second = 1000

let runs: string
let ticks: (() => void)[]
beforeEach(() => {
  runs = ownFolder('runs')
  ticks = []
})
const pathOf = (part: number, name = run) => join(runs, name, `${part}.ndjson`)
const textIn = (part: number) => fs.readFileSync(pathOf(part), 'utf8')

/** A process of a computer. Its timers are called by the test. */
const hostOf = (more: Partial<Host> = {}): Host =>
  hostLike({
    pid: 1,
    computer: { ...realHost.computer, hostname: 'desk' },
    isRunning: () => true,
    sleep: () => Promise.resolve(),
    every: (_ms, callback) => {
      ticks.push(callback)
      return { cancel: () => void ticks.splice(ticks.indexOf(callback), 1) }
    },
    ...more,
  })
const hostWith = (disk: Partial<Disk>) => hostOf({ disk: { ...fs, ...disk } })

/** Begins a run of two contacts. */
const begin = (more: Partial<Beginning> = {}, host = hostOf()) =>
  RunRecord.begin(host, runs, {
    name: () => run,
    headFor: (name) => headOf('contacts.delete', { run: name }),
    items: itemsOf(2),
    checkOthers: () => Promise.resolve(),
    ...more,
  })

async function read(host = hostOf(), name = run): Promise<RunRecord> {
  const record = await RunRecord.read(host, runs, name)
  if (record === undefined) throw new Error('there is no such run')
  return record
}

/** Reads the run as another command, which goes on with it. */
async function goneOn(host = hostOf({ pid: 2 })) {
  const record = await read(host)
  await record.addPart()
  return record
}

const systemError = (code: string) => Object.assign(new Error(code), { code })

describe('begin', () => {
  it('has the whole head on disk before it looks, and looks before the run has its name', async () => {
    const { calls, change } = countedCalls()
    let seen: string[] = []
    const checkOthers = (own: string) => {
      seen = [...fs.readdirSync(runs), ...calls]
      const kinds = fs.readFileSync(pathOf(1, own), 'utf8').match(/"t":"\w+"/g)
      expect(kinds).toEqual(['"t":"open"', '"t":"run"', '"t":"ids"'])
      return Promise.resolve()
    }
    await begin({ checkOthers }, hostWith(change(fs)))
    expect(seen).toEqual([expect.stringMatching(/^\.new-/), 'sync file', 'sync folder'])
    expect(calls.slice(2)).toEqual(['rename', 'sync folder'])
    expect(fs.readdirSync(runs)).toEqual([run])
    const modes = [join(runs, run), pathOf(1)].map((path) => fs.statSync(path).mode & 0o777)
    expect(modes).toEqual([0o700, 0o600])
  })

  it('leaves nothing if it may not', async () => {
    await expect(begin({ checkOthers: () => Promise.reject(usageError('no')) })).rejects.toThrow(
      'no',
    )
    expect(fs.readdirSync(runs)).toEqual([])
  })

  it('takes no name that is taken: exit 7, or another one if it was not typed', async () => {
    await begin()
    const before = textIn(1)
    const headFor = (name: string) => headOf('contacts.delete', { run: name, once: 'x' })
    expect((await refusal(begin({ headFor }))).exitCode).toBe(7)
    const names = [run, `${run.slice(0, -1)}b`]
    await begin({ name: () => names.shift() ?? '' })
    expect([fs.readdirSync(runs).length, textIn(1)]).toEqual([2, before])
  })

  it('begins again if its hidden folder was taken away, three times, after up to a second', async () => {
    const waits: number[] = []
    let looks = 0
    const checkOthers = (own: string) => {
      looks += 1
      fs.rmSync(join(runs, own), { recursive: true })
      return Promise.resolve()
    }
    const host = hostOf({ random: () => 0.7, sleep: (ms) => Promise.resolve(void waits.push(ms)) })
    expect((await refusal(begin({ checkOthers }, host))).exitCode).toBe(7)
    expect([looks, waits, fs.readdirSync(runs)]).toEqual([4, [700, 700, 700], []])
  })

  it.each(['mkdirSync', 'openSync', 'writeSync', 'fsyncSync', 'renameSync'] as const)(
    'is exit 2 with the path, if %s fails, and leaves nothing',
    async (name) => {
      const fail = () => {
        throw systemError('EDQUOT')
      }
      const error = await refusal(begin({}, hostWith({ [name]: fail })))
      expect([error.exitCode, error.message]).toEqual([2, expect.stringContaining(runs)])
      expect(fs.readdirSync(runs)).toEqual([])
    },
  )
})

describe('go on', () => {
  it('makes the next part, behind the last line that was read', async () => {
    const first = await begin()
    await first.appendSynced(attempt)
    const later = await goneOn()
    later.append(result)
    const again = await read()
    expect([again.state.counts, again.state.damage]).toEqual([{ done: 2 }, undefined])
    expect([textIn(1).match(/\n/g)?.length, textIn(2).match(/\n/g)?.length]).toEqual([4, 2])
  })

  it('is exclusive: one of two commands goes on, and neither writes to what the other has made', async () => {
    await begin()
    const [one, two] = [await read(), await read(hostOf({ pid: 3 }))]
    await one.addPart()
    const made = textIn(2)
    expect((await refusal(two.addPart())).exitCode).toBe(7)
    expect([textIn(2), fs.existsSync(pathOf(3))]).toEqual([made, false])
  })

  it('sends nothing if the holder has written since a person was asked', async () => {
    const holder = await begin()
    const asked = await read()
    await holder.appendSynced(attempt)
    holder.append(result)
    expect((await refusal(asked.addPart())).exitCode).toBe(7)
    expect((await read()).state).toMatchObject({ due: 0, end: { t: 'end', due: 0 } })
  })

  it('sends nothing if as many ids are due, but others: a lost merge was turned away meanwhile', async () => {
    const path = writeRun(runs, run, [...beginningOf('contacts.merge'), ...linesOf('try@0-1')])
    fs.utimesSync(path, 0, 0)
    const asked = await read()
    writeRun(runs, run, [
      ...beginningOf('contacts.merge'),
      ...linesOf('try@0-1 not-attempted!@0-1 try@1-2 done@1-2'),
    ])
    expect((await refusal(asked.addPart())).exitCode).toBe(7)
    expect([asked.state.due, textIn(2).includes('"t":"try"')]).toEqual([1, false])
  })

  it('goes on with a run whose job fills many lines', async () => {
    await begin({
      headFor: (name) => headOf('contacts.delete', { run: name, user: 'é'.repeat(50_000) }),
    })
    expect((await goneOn()).state.due).toBe(2)
  })

  it('keeps a run closed that was closed meanwhile', async () => {
    await begin()
    const closing = await goneOn()
    const asked = await read()
    closing.append({ t: 'end', outcomes: {}, due: 0, closed: true })
    expect((await refusal(asked.addPart())).exitCode).toBe(7)
    expect(textIn(3)).toContain('"closed":true')
    expect((await read()).state.isClosed).toBe(true)
  })

  it.each(['before it is made', 'while it is made'])(
    'leaves nothing in another run that has its place by now: %s',
    async (moment) => {
      await begin()
      const swap = () => {
        fs.rmSync(join(runs, run), { recursive: true })
        writeRun(runs, run, beginningOf('contacts.delete', { user: 'somebody else' }))
      }
      const openSync = ((...words: [path: string, flags: number, mode?: number]) => {
        if (words[0] === pathOf(2) && words[1] & fs.constants.O_EXCL) swap()
        return fs.openSync(...words)
      }) as Disk['openSync']
      const asked = await read(moment.startsWith('before') ? hostOf() : hostWith({ openSync }))
      if (moment.startsWith('before')) swap()
      expect((await refusal(asked.addPart())).exitCode).toBe(7)
      expect(fs.readdirSync(join(runs, run))).toEqual(['1.ndjson'])
    },
  )

  it('syncs the parts before and their names, its own, and the parts before once more with its first attempt', async () => {
    await begin()
    ;(await goneOn()).closeFile()
    const synced: string[] = []
    const opened = new Map<number, string>()
    const openSync = ((...words: [path: string, flags: number, mode?: number]) => {
      const file = fs.openSync(...words)
      opened.set(file, words[0].replace(join(runs, run), ''))
      return file
    }) as Disk['openSync']
    const fsyncSync = (file: number) => {
      synced.push(opened.get(file) ?? '')
      fs.fsyncSync(file)
    }
    const later = await goneOn(hostWith({ openSync, fsyncSync }))
    const before = ['/1.ndjson', '/2.ndjson']
    expect(synced).toEqual([...before, '', '/3.ndjson', '', runs])
    await later.appendSynced(attempt)
    expect(synced.slice(6)).toEqual(before)
  })
})

describe('the check', () => {
  it('stops a command whose run has a next part; its result is written all the same', async () => {
    const first = await begin()
    await first.appendSynced(attempt)
    const later = await goneOn()
    expect((await refusal(first.appendSynced(attempt))).exitCode).toBe(7)
    first.append(result)
    await later.appendSynced({ ...attempt, b: [1, 2] })
    // The later part has the last word.
    expect((await read()).state.counts).toEqual({ done: 1, unknown: 1 })
  })

  it('stands between the sync of an attempt and its request', async () => {
    const fdatasync = ((file: number, done: (error: Error | null) => void) => {
      fs.writeFileSync(pathOf(2), '')
      fs.fdatasync(file, done)
    }) as Disk['fdatasync']
    const first = await begin({}, hostWith({ fdatasync }))
    expect((await refusal(first.appendSynced(attempt))).exitCode).toBe(7)
    expect(textIn(1)).toContain('"t":"try"')
  })

  it.each<[string, () => void]>([
    ['removed', () => fs.rmSync(join(runs, run), { recursive: true })],
    ['moved', () => fs.renameSync(join(runs, run), join(runs, '.removed-1'))],
    [
      'replaced',
      () => (fs.renameSync(pathOf(1), pathOf(9)), fs.copyFileSync(pathOf(9), pathOf(1))),
    ],
  ])('a part that was %s is exit 1: a repetition would know nothing', async (_, change) => {
    const first = await begin()
    change()
    const error = await refusal(first.appendSynced(attempt))
    expect([error.exitCode, error.details.hint]).toEqual([
      1,
      expect.stringContaining('a repetition would know nothing'),
    ])
  })

  it('takes any answer but "there is none" for a next part', async () => {
    const lstatSync = ((...words: [path: string, options: { throwIfNoEntry: false }]) => {
      if (words[0] === pathOf(2)) throw systemError('EACCES')
      return fs.lstatSync(...words)
    }) as Disk['lstatSync']
    const first = await begin({}, hostWith({ lstatSync }))
    expect((await refusal(first.appendSynced(attempt))).exitCode).toBe(7)
  })
})

describe('writing', () => {
  const cutWrite = (file: number, bytes: Buffer) => fs.writeSync(file, bytes.subarray(0, 9))
  const failedSync = (_: number, done: (error: Error) => void) => done(systemError('EIO'))
  it.each<[string, Partial<Disk>]>([
    ['a write that fails', { writeSync: () => { throw systemError('EIO') } }], // prettier-ignore
    ['a short write', { writeSync: cutWrite as Disk['writeSync'] }],
    ['a sync that fails', { fdatasync: failedSync as unknown as Disk['fdatasync'] }],
    ['a disk that is read-only', { openSync: () => { throw systemError('EROFS') } }], // prettier-ignore
  ])('%s ends the run: exit 1, and nothing more is written to this part', async (_, broken) => {
    const disk = { ...fs }
    const first = await begin({}, hostOf({ disk }))
    Object.assign(disk, broken)
    expect((await refusal(first.appendSynced(attempt))).exitCode).toBe(1)
    Object.assign(disk, fs)
    const before = textIn(1)
    expect((await refusal(() => first.append(result))).exitCode).toBe(1)
    expect(textIn(1)).toBe(before)
  })

  it('workers that wait at the same moment share a sync', async () => {
    const { calls, change } = countedCalls()
    const first = await begin({}, hostWith(change(fs)))
    calls.length = 0
    await Promise.all([0, 1, 2, 3].map(() => first.appendSynced(attempt)))
    expect(calls).toEqual(['sync file'])
  })

  it('a close is not told if another command goes on', async () => {
    await begin()
    const closing = await goneOn()
    const fdatasync = ((file: number, done: (error: Error | null) => void) => {
      fs.writeFileSync(pathOf(3), '')
      fs.fdatasync(file, done)
    }) as Disk['fdatasync']
    closing.closeFile()
    fs.rmSync(pathOf(2))
    const other = await goneOn(hostWith({ fdatasync }))
    expect((await refusal(other.endClosed())).exitCode).toBe(7)
  })
})

describe('a run is held', () => {
  it.each(
    table(`
    its process is there            | desk  | yes | 0     |     | yes
    its process is gone             | desk  | no  | 0     |     |
    of another computer             | other | no  | 0     |     | yes
    its last sign of life is old    | desk  | yes | 20000 |     |
    just before that                | desk  | yes | 19500 |     | yes
    its clock is ahead              | other | no  | -19500 |    | yes
    its clock is far ahead          | other | no  | -20000 |    |
    it has ended                    | desk  | yes | 0     | end |`),
  )('%s', async (_, host, isThere, age, words = '', isHeld) => {
    const lines = beginningOf('contacts.delete').map((line) => ({
      ...line,
      ...(line.t === 'open' && { host: host ?? '' }),
    }))
    const path = writeRun(runs, run, [...lines, ...linesOf(words)])
    const now = 1_700_000_000_000
    const touched = new Date(now - Number(age))
    fs.utimesSync(path, touched, touched)
    const record = await read(hostOf({ isRunning: () => isThere === 'yes', now: () => now }))
    expect(record.isHeld).toBe(isHeld === 'yes')
  })

  it('by signs of life, of which one that fails is nothing', async () => {
    const disk = { ...fs }
    const first = await begin({}, hostOf({ disk }))
    fs.utimesSync(pathOf(1), 0, 0)
    ticks[0]?.()
    expect(Date.now() - fs.statSync(pathOf(1)).mtimeMs).toBeLessThan(10 * second)
    disk.futimesSync = () => {
      throw systemError('EIO')
    }
    ticks[0]?.()
    first.closeFile()
    expect(ticks).toEqual([])
  })

  it('a part without a whole line says nothing, holds by its time, and its number is taken', async () => {
    const path = writeRun(runs, run, [...beginningOf('contacts.delete'), ...linesOf('end')])
    fs.writeFileSync(pathOf(2), '{"t":"open","pi')
    const fresh = await read(hostOf({ isRunning: () => false }))
    expect([fresh.isHeld, fresh.state.damage, fresh.state.due]).toEqual([true, undefined, 2])
    fs.utimesSync(pathOf(2), 0, 0)
    const later = await goneOn()
    expect([later.isHeld, fs.existsSync(pathOf(3))]).toEqual([true, true])
    expect(fs.readFileSync(path, 'utf8')).not.toContain('"after"')
    expect((await read()).state.damage).toBeUndefined()
  })
})

describe('reading', () => {
  const moved = () => join(runs, 'x')
  const unreadable = () => {
    throw systemError('EIO')
  }
  it.each<[string, () => unknown, Partial<Disk>?]>([
    ['is a link', () => (fs.renameSync(pathOf(1), moved()), fs.symlinkSync(moved(), pathOf(1)))],
    ['is a folder', () => (fs.rmSync(pathOf(1)), fs.mkdirSync(pathOf(1)))],
    ['the disk cannot read', () => undefined, { readSync: unreadable }],
  ])('a part that %s is damage', async (_, change, disk = {}) => {
    writeRun(runs, run, beginningOf('contacts.delete'))
    change()
    const { state } = await read(hostWith(disk))
    expect(state).toMatchObject({ due: 0, damage: expect.stringContaining(pathOf(1)) })
  })

  it('a link in place of its folder is damage', async () => {
    writeRun(runs, run, beginningOf('contacts.delete'))
    fs.symlinkSync(join(runs, run), join(runs, '@other'))
    const other = await RunRecord.read(hostOf(), runs, '@other')
    expect(other?.state.damage).toContain('is not a folder')
  })

  it('a last line that a kill has cut off is nothing', async () => {
    const text = textOf([...beginningOf('contacts.delete'), ...linesOf('try done')])
    const path = writeRun(runs, run, [])
    const withoutLast = text.slice(0, text.lastIndexOf('\n{') + 1)
    for (let length = withoutLast.length; length < text.length; length += 1) {
      fs.writeFileSync(path, text.slice(0, length))
      expect((await read()).state).toMatchObject({ due: 2, damage: undefined })
    }
  })

  const swap = ([one = '', two = '', ...rest]: string[]) => [two, one, ...rest]
  it.each<[string, (lines: string[]) => string[], number]>([
    ['a lost line', (lines) => lines.toSpliced(3, 1), 4],
    ['a doubled line', (lines) => lines.toSpliced(4, 0, lines[3] ?? ''), 5],
    ['swapped lines', (lines) => [...lines.slice(0, 3), ...swap(lines.slice(3))], 4],
    ['a changed line', (lines) => lines.with(3, (lines[3] ?? '').replace('[0,2]', '[0,1]')), 4],
    ['a line that was cut', (lines) => lines.with(3, (lines[3] ?? '').slice(0, -9)), 4],
    ['an empty line', (lines) => lines.toSpliced(3, 0, ''), 4],
    ['line ends of Windows', (lines) => lines.map((line) => `${line}\r`), 1],
    ['zeros', (lines) => lines.with(4, '\0'.repeat(60)), 5],
    ['a lost beginning', (lines) => lines.slice(1), 1],
    ['another text', () => ['hello', 'world'], 1],
  ])('%s is damage, with file and line: nothing is due', async (_, change, line) => {
    const lines = textOf([...beginningOf('contacts.delete'), ...linesOf('try done end')])
    const path = writeRun(runs, run, [])
    fs.writeFileSync(path, `${change(lines.trimEnd().split('\n')).join('\n')}\n`)
    const { state } = await read()
    expect(state).toMatchObject({ due: 0, damage: `line ${line} of ${path} is damaged` })
  })

  const removeOthers = () => [2, 3].forEach((part) => fs.rmSync(pathOf(part)))
  const cutLastLine = () => fs.truncateSync(pathOf(1), textIn(1).lastIndexOf('\n{') + 1)
  const replaceThird = (more: { after?: number }) =>
    fs.writeFileSync(pathOf(3), textOf([{ t: 'open', pid: 1, host: 'desk', ...more }], more.after))
  it.each<[string, () => void, string]>([
    ['a missing part', () => fs.rmSync(pathOf(2)), '2.ndjson cannot be read'],
    ['a first part that is missing', () => fs.rmSync(pathOf(1)), '1.ndjson cannot be read'],
    [
      'a head that is not whole',
      () => (removeOthers(), fs.truncateSync(pathOf(1), 200)),
      'not whole',
    ],
    ['a part before it that lost its end', () => cutLastLine(), 'line 1 of'],
    ['a part of another run', () => replaceThird({ after: 5 }), 'line 1 of'],
    ['a part that begins as the first one does', () => replaceThird({}), 'line 1 of'],
  ])('%s is damage', async (_, change, words) => {
    writeRun(runs, run, [...beginningOf('contacts.delete'), ...linesOf('try@0-1 done@0-1')])
    for (const record of [await goneOn(), await goneOn()]) record.closeFile()
    expect((await read()).state).toMatchObject({ due: 1, damage: undefined })
    change()
    expect((await read()).state).toMatchObject({
      due: 0,
      damage: expect.stringContaining(words) as string,
    })
  })
})
