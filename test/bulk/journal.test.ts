import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { IdTable } from '../../src/ids/id-table.ts'
import {
  createRun,
  decodeEvent,
  encodeEvent,
  isRunName,
  keyFingerprint,
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
  type RunDescription,
} from '../../src/bulk/journal.ts'
import type { JournalEvent } from '../../src/bulk/reconcile.ts'
import { SvcError } from '../../src/errors.ts'
import { sleep } from '../../src/host.ts'
import { figure } from '../figures/figure.ts'
import { buildBulk, isRoot, nobody } from './child.ts'
import { idOf, refusal, temporaryFolder } from '../ids/inputs.ts'

const folder = temporaryFolder()
afterAll(() => {
  folder.remove()
})

let folders = 0
let stateDir: string
let random: number[]
/** Milliseconds that have passed. */
let later: number
beforeEach(() => {
  later = 0
  folders += 1
  stateDir = join(folder.path, `state-${folders}`)
  random = []
})

const start = Date.parse('2026-03-01T10:15:00.123Z')
const host: JournalHost = {
  pid: process.pid,
  now: () => start + later,
  random: () => random.shift() ?? Math.random(),
  userId: process.getuid?.(),
  isRunning: () => true,
  platform: process.platform,
  monotonic: () => performance.now(),
  sleep,
}

const apiKey = 'pk_live_0123456789abcdef'
const secret = 'sk_very_secret'

function table(count: number): IdTable {
  const ids = new IdTable()
  for (let n = 0; n < count; n += 1) ids.addText(n % 2 === 0 ? idOf(n) : idOf(n).toUpperCase(), n + 7)
  return ids
}

function description(ids: IdTable): RunDescription {
  return {
    operation: 'contacts.delete',
    target: null,
    baseUrl: 'https://api.example.com',
    profile: 'prod',
    key: { fingerprint: keyFingerprint(apiKey), ending: apiKey.slice(-4) },
    options: { batchSize: 2, concurrency: 4, ignoreNotFound: true },
    input: { read: ids.size, unique: ids.size, duplicates: 0, invalid: 0, sha256: ids.sha256() },
    version: '1.0.0',
  }
}

function create(ids = table(5)): Promise<Journal> {
  return createRun(host, stateDir, description(ids), { kind: 'ids', ids })
}

const events: JournalEvent[] = [
  { t: 'try', b: 1, a: 1, at: 1 },
  { t: 'try', b: 2, a: 1, at: 2 },
  { t: 'res', b: 2, a: 1, at: 3, k: 'ambiguous', s: 500, code: 50_001, m: 'Internal server error “é”' },
  {
    t: 'res',
    b: 1,
    a: 1,
    at: 4,
    k: 'answered',
    s: 200,
    d: { deletedCount: 1, notFoundIds: [idOf(1)], blockedIds: [] },
  },
  { t: 'try', b: 2, a: 2, at: 5 },
  { t: 'res', b: 2, a: 2, at: 6, k: 'refused', s: 429 },
  { t: 'end', at: 7, status: 'partial', exitCode: 7, stop: 'retry-after', result: { deleted: 1 } },
]

async function write(journal: Journal, list = events): Promise<void> {
  for (const event of list) await (event.t === 'try' ? journal.appendTry(event) : journal.append(event))
  await journal.close()
}

async function readAll(dir: string): Promise<{ events: JournalEvent[]; torn: number; lines: number; length: number }> {
  const found: JournalEvent[] = []
  const reading = await readJournal(dir, 'x', (event) => found.push(event))
  return { ...reading, events: found }
}

describe('a new run', () => {
  it('has a name, private files, and everything that resuming needs', async () => {
    random = [0x7f3a / 0x10000]
    const ids = table(5)
    const journal = await create(ids)
    const { dir } = journal
    expect(journal.run.run).toBe('20260301T101500Z-7f3a')
    expect(dir).toBe(join(stateDir, 'runs', '20260301T101500Z-7f3a'))
    expect(readdirSync(dir).sort()).toEqual(['ids', 'journal.ndjson', 'lines', 'lock', 'run.json'])
    for (const path of [stateDir, join(stateDir, 'runs'), dir]) expect(statSync(path).mode & 0o777).toBe(0o700)
    for (const name of readdirSync(dir)) expect(statSync(join(dir, name)).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(dir, 'ids'), 'utf8')).toBe([...ids].map((id) => `${id}\n`).join(''))
    expect(readFileSync(join(dir, 'lines'), 'utf8')).toBe('7\n8\n9\n10\n11\n')
    await journal.close()
    expect(existsSync(join(dir, 'lock'))).toBe(false)

    const { run } = await readRun(stateDir, '20260301T101500Z-7f3a')
    expect(run).toEqual({
      schema: 'svc.run/1',
      run: '20260301T101500Z-7f3a',
      ...description(ids),
      items: 5,
      kind: 'ids',
      startedAt: '2026-03-01T10:15:00.123Z',
    })
    const back = await readRunIds(dir, run)
    expect([...back]).toEqual([...ids])
    expect(back.line(4)).toBe(11)
  })

  it('keeps neither key nor secret', async () => {
    const journal = await create()
    await write(journal)
    for (const name of readdirSync(journal.dir)) {
      const content = readFileSync(join(journal.dir, name), 'utf8')
      expect(content).not.toContain(apiKey)
      expect(content).not.toContain(secret)
    }
    expect(keyFingerprint(apiKey)).toMatch(/^[0-9a-f]{16}$/)
    expect(keyFingerprint(apiKey)).not.toBe(keyFingerprint(`${apiKey}x`))
  })

  it('takes another name when the first is taken', async () => {
    random = [0.5, 0.5, 0.25]
    const one = await create()
    const other = await create()
    expect([one.run.run, other.run.run]).toEqual(['20260301T101500Z-8000', '20260301T101500Z-4000'])
    await one.close()
    await other.close()
  })

  it('of a part of the ids', async () => {
    const ids = table(10)
    const sum = ids.sha256(2, 6)
    const journal = await createRun(
      host,
      stateDir,
      { ...description(ids), input: { read: 10, unique: 4, duplicates: 0, invalid: 0, sha256: sum } },
      { kind: 'ids', ids, from: 2, to: 6 },
    )
    await journal.close()
    expect([...(await readRunIds(journal.dir, journal.run))]).toEqual(ids.slice(2, 6))
  })

  it('of pairs', async () => {
    const pairs = [
      { id: idOf(1), other: idOf(2), line: 3 },
      { id: idOf(4), other: idOf(2), line: 9 },
    ]
    const input = { read: 2, unique: 2, duplicates: 0, invalid: 0, sha256: pairsSha256(pairs) }
    const base = { ...description(table(0)), operation: 'contacts.merge', input } as const
    const journal = await createRun(host, stateDir, base, { kind: 'pairs', pairs })
    await journal.close()
    expect(readFileSync(join(journal.dir, 'ids'), 'utf8')).toBe(`${idOf(1)} ${idOf(2)}\n${idOf(4)} ${idOf(2)}\n`)
    expect(await readRunPairs(journal.dir, journal.run)).toEqual(pairs)
  })

  it('a hundred thousand ids', async () => {
    const ids = table(100_000)
    const journal = await create(ids)
    await journal.close()
    const back = await readRunIds(journal.dir, journal.run)
    expect(back.size).toBe(100_000)
    expect(back.sha256()).toBe(ids.sha256())
    expect(back.line(99_999)).toBe(100_006)
  })
})

describe('a state folder that cannot be used', () => {
  const waysOut = /--state-dir or SVC_STATE_DIR.*--no-journal/

  it('a file in its place', async () => {
    writeFileSync(stateDir, '')
    const error = await refusal(create())
    expect(error).toMatchObject({ category: 'local', exitCode: 10 })
    expect(error.message).toContain(stateDir)
    expect(error.details.hint).toMatch(waysOut)
  })

  it('a symbolic link, as the folder or as its runs', async () => {
    mkdirSync(join(folder.path, 'elsewhere'), { recursive: true })
    symlinkSync(join(folder.path, 'elsewhere'), stateDir)
    const error = await refusal(create())
    expect(error.exitCode).toBe(10)
    expect(error.message).toContain('symbolic link')
    const real = join(folder.path, `real-${folders}`)
    mkdirSync(real)
    symlinkSync(join(folder.path, 'elsewhere'), join(real, 'runs'))
    expect(
      (await refusal(createRun(host, real, description(table(1)), { kind: 'ids', ids: table(1) }))).message,
    ).toContain('symbolic link')
    expect(readdirSync(join(folder.path, 'elsewhere'))).toEqual([])
  })

  it('runs that others can write', async () => {
    mkdirSync(join(stateDir, 'runs'), { recursive: true })
    chmodSync(join(stateDir, 'runs'), 0o777)
    const error = await refusal(create())
    expect(error.exitCode).toBe(10)
    expect(error.details.hint).toContain('chmod 700')
  })

  it('runs of another user', async () => {
    mkdirSync(join(stateDir, 'runs'), { recursive: true })
    const error = await refusal(
      createRun({ ...host, userId: 4_242 }, stateDir, description(table(1)), { kind: 'ids', ids: table(1) }),
    )
    expect(error.message).toContain('belongs to another user')
  })

  it('a folder without permission, as a user without rights', async () => {
    const child = buildBulk('bulk/journal.ts')
    const script = `
      import { mkdtempSync, mkdirSync, chmodSync } from 'node:fs'
      import { join } from 'node:path'
      import { prepareFolders } from './bulk.mjs'
      const host = { pid: process.pid, now: Date.now, random: Math.random, userId: process.getuid() }
      const stateDir = mkdtempSync('/tmp/svc-bulk-')
      for (const mode of [0o500, 0o000]) {
        chmodSync(stateDir, mode)
        try {
          await prepareFolders(host, stateDir)
        } catch (error) {
          console.log(error.exitCode, error.message.replace(stateDir, 'HERE'))
          console.log(error.details.hint)
        }
      }
      chmodSync(stateDir, 0o700)
      process.getBuiltinModule('node:fs').rmSync(stateDir, { recursive: true })
    `
    const { stdout } = await child.start(script, [], isRoot ? { uid: nobody } : {}).finished
    child.remove()
    expect(stdout.match(/^10 the state folder cannot be written: HERE: permission denied$/gm)).toHaveLength(2)
    expect(stdout).toMatch(waysOut)
  })

  it('leaves nothing behind when it fails half-way', async () => {
    await prepareFolders(host, stateDir)
    const ids = table(3)
    const what = description(ids)
    // The disk is full when the ids are written.
    ids.encode = () => {
      throw Object.assign(new Error('full'), { code: 'ENOSPC' })
    }
    const error = await refusal(createRun(host, stateDir, what, { kind: 'ids', ids }))
    expect(error.message).toContain('no space left')
    expect(readdirSync(join(stateDir, 'runs'))).toEqual([])
  })
})

describe('the journal', () => {
  it('gives back what was written', async () => {
    const journal = await create()
    await write(journal)
    expect(await readAll(journal.dir)).toMatchObject({ events, torn: 0, lines: events.length })
  })

  it('its lines end with the checksum of their rest', () => {
    const line = encodeEvent({ t: 'try', b: 1, a: 1, at: 5 })
    expect(line).toMatch(/^\{"t":"try","b":1,"a":1,"at":5,"c":"[0-9a-f]{8}"\}\n$/)
    expect(decodeEvent(Buffer.from(line.slice(0, -1)))).toEqual({ t: 'try', b: 1, a: 1, at: 5 })
  })

  it('workers that wait at the same moment share a sync, and none is forgotten', async () => {
    const journal = await create()
    const tries = Array.from({ length: 200 }, (_, n) => ({ t: 'try', b: n + 1, a: 1, at: n }) as const)
    await Promise.all(tries.map((event) => journal.appendTry(event)))
    // On disk already, before the journal is closed.
    expect((await readAll(journal.dir)).events).toEqual(tries)
    await journal.close()
    await expect(journal.append({ t: 'resume', at: 1 })).rejects.toThrow('closed')
  })

  it('goes on after a resume, with the next lines', async () => {
    const journal = await create()
    await write(journal, events.slice(0, 3))
    const seen: JournalEvent[] = []
    const opened = await openJournal(host, stateDir, journal.run.run, (event) => seen.push(event))
    expect(seen).toEqual(events.slice(0, 3))
    expect(opened).toMatchObject({ torn: 0, run: journal.run })
    await write(opened.journal, events.slice(3))
    expect((await readAll(journal.dir)).events).toEqual(events)
  })

  it('only one process at a time', async () => {
    const journal = await create()
    const error = await refusal(openJournal(host, stateDir, journal.run.run, () => undefined))
    expect(error).toMatchObject({ category: 'local', exitCode: 10 })
    expect(error.message).toBe(`run ${journal.run.run} is in use by process ${process.pid}`)
    expect((await refusal(removeRun(host, stateDir, journal.run.run))).exitCode).toBe(10)
    await journal.close()
    const opened = await openJournal(host, stateDir, journal.run.run, () => undefined)
    await opened.journal.close()
  })

  it('cut at every byte: a part of the events is read, or nothing at all, and the rest is cut off', async () => {
    const journal = await create()
    await write(journal)
    const path = join(journal.dir, 'journal.ndjson')
    const whole = readFileSync(path)
    const ends = [0, ...whole.keys()].filter((at) => at === 0 || whole[at - 1] === 0x0a)
    for (let length = 0; length <= whole.length; length += 1) {
      writeFileSync(path, whole.subarray(0, length))
      const good = Math.max(...[...ends, whole.length].filter((end) => end <= length))
      const count = whole.subarray(0, good).toString().split('\n').length - 1
      expect(await readAll(journal.dir)).toEqual({
        events: events.slice(0, count),
        torn: length - good,
        lines: count,
        length: good,
      })
      if (length % 7 > 0) continue
      const opened = await openJournal(host, stateDir, journal.run.run, () => undefined)
      expect(opened.torn).toBe(length - good)
      await opened.journal.close()
      expect(statSync(path).size).toBe(good)
    }
    figure('cuts of the journal', whole.length + 1)
  })

  it('any byte changed: noticed, with the number of the line, unless the last line end is gone', async () => {
    const journal = await create()
    await write(journal)
    const path = join(journal.dir, 'journal.ndjson')
    const whole = readFileSync(path)
    for (let at = 0; at < whole.length; at += 1) {
      const line = whole.subarray(0, at).toString('latin1').split('\n').length
      for (const flip of [0x01, 0x20, 0x80, (whole[at] ?? 0) ^ 0x0a]) {
        if (flip === 0) continue
        const damaged = Buffer.from(whole)
        damaged[at] = (damaged[at] ?? 0) ^ flip
        writeFileSync(path, damaged)
        const noticed = await readAll(journal.dir).then(
          ({ torn }) => `torn: ${torn > 0}`,
          (error: unknown) => (error instanceof SvcError && error.exitCode === 10 ? error.message : error),
        )
        // Without its line end the last line is one that was being written.
        const expected = at === whole.length - 1 ? 'torn: true' : `line ${line} of the journal`
        expect(noticed).toContain(expected)
        figure('changed bytes of the journal noticed', 1)
      }
    }
    const before = whole.subarray(0, 40)
    writeFileSync(path, Buffer.concat([before, Buffer.from('x'), whole.subarray(40)]))
    const error = await refusal(openJournal(host, stateDir, journal.run.run, () => undefined))
    expect(error.exitCode).toBe(10)
    // The lock was given back.
    expect(existsSync(join(journal.dir, 'lock'))).toBe(false)
  })

  it('a line that is missing, doubled or moved is noticed', async () => {
    const journal = await create()
    await write(journal)
    const path = join(journal.dir, 'journal.ndjson')
    const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1)
    const [one = '', two = '', three = ''] = lines
    for (const changed of [lines.slice(1), [one, one, ...lines.slice(1)], [one, three, two, ...lines.slice(3)]]) {
      writeFileSync(path, `${changed.join('\n')}\n`)
      expect((await refusal(readAll(journal.dir))).message).toMatch(/line \d+ of the journal/)
    }
  })

  it('any bytes: read or refused, never a crash', async () => {
    const journal = await create()
    await write(journal)
    const path = join(journal.dir, 'journal.ndjson')
    const lines = events.map(encodeEvent)
    const pieces = fc.oneof(
      fc.constantFrom(...lines, '\n', '{}\n', '{"c":"00000000"}\n', `{"t":"try","c":"`),
      fc.string(),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(pieces, { maxLength: 6 }), async (parts) => {
        writeFileSync(path, parts.join(''))
        const exitCode = await readAll(journal.dir).then(
          () => 0,
          (error: unknown) => (error instanceof SvcError ? error.exitCode : error),
        )
        expect([0, 10]).toContain(exitCode)
      }),
      { numRuns: 500 },
    )
  })

  it('an event of a newer svc is no event', () => {
    const text = JSON.stringify({ t: 'new', at: 1 })
    expect(decodeEvent(Buffer.from(encodeEvent(JSON.parse(text) as JournalEvent).slice(0, -1)))).toContain(
      'this version',
    )
  })

  it('that cannot be written stops at the next line, for good', async () => {
    const script = `
      import { createRun, IdTable, nodeHost } from './bulk.mjs'
      const host = nodeHost(process)
      const ids = new IdTable()
      ids.addText('${idOf(1)}', 1)
      const input = { read: 1, unique: 1, duplicates: 0, invalid: 0, sha256: ids.sha256() }
      const journal = await createRun(host, process.argv[2], {
        operation: 'contacts.delete', target: null, baseUrl: 'https://x', profile: null,
        key: { fingerprint: 'f', ending: 'e' }, options: { batchSize: 1, concurrency: 1 }, input, version: '1',
      }, { kind: 'ids', ids })
      await journal.appendTry({ t: 'try', b: 1, a: 1, at: 1 })
      const big = { t: 'res', b: 1, a: 1, at: 2, k: 'ambiguous', m: 'x'.repeat(100_000) }
      for (const append of [() => journal.append(big), () => journal.appendTry({ t: 'try', b: 1, a: 2, at: 3 })]) {
        try { await append(); console.log('written') } catch (error) { console.log(error.exitCode, error.message, error.details.hint) }
      }
      console.log(journal.failure !== undefined)
      await journal.close()
      console.log('closed')
    `
    const child = buildBulk('bulk/journal.ts', 'ids/id-table.ts', 'host.ts')
    // A file may grow to 16 KiB: the same as a disk that fills up (EFBIG instead of ENOSPC).
    const limited = `
      import { spawnSync } from 'node:child_process'
      const [script, dir] = process.argv.slice(2)
      const { stdout } = spawnSync('sh', ['-c', 'trap "" XFSZ; ulimit -f 32; exec "$0" "$1" "$2"', process.execPath, script, dir], { encoding: 'utf8' })
      process.stdout.write(stdout)
    `
    mkdirSync(stateDir)
    const inner = join(folder.path, 'limited.mjs')
    const started = child.start(limited, [inner, stateDir])
    writeFileSync(inner, script.replace('./bulk.mjs', join(started.spawnargs[1] ?? '', '..', 'bulk.mjs')))
    const { stdout } = await started.finished
    child.remove()
    expect(stdout.match(/^10 the journal of run .* cannot be written/gm)).toHaveLength(2)
    expect(stdout).toContain('svc runs resume')
    expect(stdout).toContain('true\nclosed')
  })
})

describe('what is read back is checked', () => {
  it('a run that is not there, and names that are none', async () => {
    const error = await refusal(readRun(stateDir, '20260301T101500Z-0000'))
    expect(error).toMatchObject({ category: 'usage', exitCode: 2 })
    for (const name of ['..', '../x', '', '20260301T101500Z-7f3a/..', '20260301T101500Z-7F3A']) {
      expect(isRunName(name)).toBe(false)
      expect((await refusal(readRun(stateDir, name))).exitCode).toBe(2)
    }
  })

  it('run.json that is no JSON, of another shape, of another run, too long, a link, gone', async () => {
    const journal = await create()
    await journal.close()
    const path = join(journal.dir, 'run.json')
    const good = readFileSync(path, 'utf8')
    for (const [content, fragment] of [
      ['{', 'not JSON'],
      ['[]', 'damaged'],
      [good.replace('contacts.delete', 'contacts.explode'), 'operation'],
      [good.replace('"batchSize": 2', '"batchSize": 2000'), 'options.batchSize'],
      [good.replace(/"run": "[^"]*"/, '"run": "20200101T000000Z-0000"'), 'is of run 20200101T000000Z-0000'],
      [good + ' '.repeat(2 << 20), 'bytes'],
    ] as const) {
      writeFileSync(path, content)
      const error = await refusal(readRun(stateDir, journal.run.run))
      expect(error).toMatchObject({ category: 'local', exitCode: 10 })
      expect(error.message).toContain(fragment)
    }
    writeFileSync(path, good)
    renameSync(path, `${path}.real`)
    symlinkSync(`${path}.real`, path)
    expect((await refusal(readRun(stateDir, journal.run.run))).message).toContain('symbolic link')
  })

  it('ids that were changed', async () => {
    const journal = await create()
    await journal.close()
    const path = join(journal.dir, 'ids')
    const good = readFileSync(path, 'utf8')
    for (const [content, fragment] of [
      [good.replace(idOf(0), idOf(77)), 'another checksum'],
      [good.replace(idOf(0), 'x'), 'line 1 is not an id'],
      [good.replace(idOf(2), idOf(0)), 'stands twice'],
      [good.slice(0, -25), '4 ids instead of 5'],
      [`${good}${idOf(77)}\n`, 'the line numbers are missing'],
    ] as const) {
      writeFileSync(path, content)
      const error = await refusal(readRunIds(journal.dir, journal.run))
      expect(error.exitCode).toBe(10)
      expect(error.message).toContain(fragment)
    }
  })

  it('a journal that is a link or a folder', async () => {
    const journal = await create()
    await journal.close()
    const path = join(journal.dir, 'journal.ndjson')
    renameSync(path, `${path}.real`)
    symlinkSync(`${path}.real`, path)
    expect((await refusal(openJournal(host, stateDir, journal.run.run, () => undefined))).message).toContain(
      'symbolic link',
    )
    expect(lstatSync(path).isSymbolicLink()).toBe(true)
    const other = await create()
    await other.close()
    renameSync(join(other.dir, 'journal.ndjson'), join(other.dir, 'old'))
    mkdirSync(join(other.dir, 'journal.ndjson'))
    expect((await refusal(readAll(other.dir))).message).toContain('not a file')
  })
})

describe('the list of runs', () => {
  it('is empty where there is no folder', async () => {
    expect(await listRuns(host, stateDir)).toEqual([])
  })

  it('newest first, with how each ended, who works on it, and what is wrong', async () => {
    random = [1 / 16]
    const ended = await create()
    await write(ended)
    random = [2 / 16]
    later += 1_000
    const died = await create()
    await write(died, events.slice(0, 4))
    random = [3 / 16]
    later += 1_000
    const damaged = await create()
    await damaged.close()
    writeFileSync(join(damaged.dir, 'run.json'), '')
    random = [4 / 16]
    later += 1_000
    const working = await create()
    mkdirSync(join(stateDir, 'runs', 'something else'))
    const listed = await listRuns(host, stateDir)
    expect(
      listed.map(({ name, end, holder, problem }) => [name.slice(-4), end?.exitCode, holder, problem === undefined]),
    ).toEqual([
      ['4000', undefined, expect.objectContaining({ pid: process.pid }), true],
      ['3000', undefined, undefined, false],
      ['2000', undefined, undefined, true],
      ['1000', 7, undefined, true],
    ])
    await working.close()
  })

  it('a run that went on after its end has not ended', async () => {
    const journal = await create()
    await write(journal)
    const [before] = await listRuns(host, stateDir)
    expect(before?.end).toEqual(events.at(-1))
    appendFileSync(join(journal.dir, 'journal.ndjson'), encodeEvent({ t: 'resume', at: 8 }))
    const [after] = await listRuns(host, stateDir)
    expect(after?.end).toBeUndefined()
  })

  it('a run is removed with its folder', async () => {
    const journal = await create()
    await journal.close()
    await removeRun(host, stateDir, journal.run.run)
    expect(existsSync(journal.dir)).toBe(false)
  })
})
