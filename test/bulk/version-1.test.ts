/**
 * Runs that version 1.0 recorded: shown, exported, pruned and resumed. Its journals have no first line that binds the files
 * beside them, and their lines do not say what was on disk, so every damage stops everything.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createBulkWorld, linesOf, receiptsOf, type ReceiptLine, type SummaryDocument } from './bulk-world.ts'

const world = await createBulkWorld()
const { svc, bulk, free, busy, sandbox } = world
let used = 0
let runs = 0
const fresh = (count: number): string[] => free.slice(used, (used += count))

const { SVC_API_KEY: apiKey = '' } = world.as('read-write')
const answered = (deletedCount: number, notFoundIds: readonly string[] = [], blockedIds: readonly string[] = []) => ({
  k: 'answered',
  s: 200,
  d: { deletedCount, notFoundIds, blockedIds },
})

interface Old {
  readonly operation?: string
  readonly target?: { id: string; name?: string }
  readonly options?: Record<string, unknown>
  readonly items: readonly string[]
  readonly kind?: 'ids' | 'pairs'
  /** Lines of the journal, without times. */
  readonly lines: readonly Record<string, unknown>[]
}

interface Written {
  readonly run: string
  readonly dir: string
  readonly state: string
  readonly journal: string
}

/** A line as version 1.0 wrote it. */
function lineOf(event: Record<string, unknown>): string {
  const text = JSON.stringify(event)
  return `${text.slice(0, -1)},"c":"${crc32(text).toString(16).padStart(8, '0')}"}\n`
}

/** A run's folder as version 1.0 left it. */
function written({ operation = 'contacts.delete', target, options = {}, items, kind = 'ids', lines }: Old): Written {
  runs += 1
  const run = `20260301T1015${String(runs).padStart(2, '0')}Z-7f3a`
  const state = world.state()
  const dir = join(state.replace('--state-dir ', ''), 'runs', run)
  mkdirSync(join(dir, '..'), { mode: 0o700 })
  mkdirSync(dir, { mode: 0o700 })
  const ids = items.map((item) => `${item}\n`).join('')
  const startedAt = '2026-03-01T10:15:00.123Z'
  const file = {
    schema: 'svc.run/1',
    run,
    operation,
    target: target ?? null,
    baseUrl: sandbox.baseUrl,
    profile: null,
    key: { fingerprint: createHash('sha256').update(apiKey).digest('hex').slice(0, 16), ending: apiKey.slice(-4) },
    options: { batchSize: 2, concurrency: 1, ...options },
    input: {
      read: items.length,
      unique: items.length,
      duplicates: 0,
      invalid: 0,
      sha256: createHash('sha256').update(ids).digest('hex'),
    },
    items: items.length,
    kind,
    startedAt,
    version: '1.0.0',
  }
  let at = Date.parse(startedAt)
  const journal = lines.map(({ t, ...rest }) => lineOf({ t, ...rest, at: (at += 10) })).join('')
  for (const [name, content] of Object.entries({
    ids,
    lines: items.map((_, n) => `${n + 1}\n`).join(''),
    'journal.ndjson': journal,
    'run.json': `${JSON.stringify(file, null, 2)}\n`,
  })) {
    writeFileSync(join(dir, name), content, { mode: 0o600 })
  }
  return { run, dir, state, journal: join(dir, 'journal.ndjson') }
}

const end = (status: string, exitCode: number, stop?: string): Record<string, unknown> => ({
  t: 'end',
  status,
  ...(stop === undefined ? {} : { stop }),
  exitCode,
  result: { deleted: 2, gone: 0, notFound: 0, blocked: 0, error: 2, unknown: 0, notAttempted: 2 },
})

/** Three batches: one is done, one ended in 401, one was never sent. */
function stopped(ids: readonly string[]): Written {
  sandbox.store.deleteContacts(ids.slice(0, 2))
  return written({
    items: ids,
    lines: [
      { t: 'try', b: 1, a: 1 },
      { t: 'res', b: 1, a: 1, ...answered(2) },
      { t: 'try', b: 2, a: 1 },
      { t: 'res', b: 2, a: 1, k: 'refused', s: 401, code: 40121, m: 'Invalid API credentials' },
      end('stopped', 4, 'auth'),
    ],
  })
}

async function since<T>(work: () => Promise<T>): Promise<{ ended: T; sent: number }> {
  const before = sandbox.requests.length
  const ended = await work()
  return { ended, sent: sandbox.requests.length - before }
}

describe('a run of version 1.0', () => {
  it('is listed, shown and exported', async () => {
    const ids = fresh(6)
    const { run, state } = stopped(ids)
    const listed = JSON.parse((await svc(`runs list --json ${state}`)).stdout) as unknown[]
    expect(listed).toMatchObject([
      { run, name: null, operation: 'contacts.delete', status: 'stopped', left: null, exitCode: 4 },
    ])
    const shown = JSON.parse((await svc(`runs show ${run} --json ${state}`)).stdout) as SummaryDocument
    expect(shown).toMatchObject({
      run,
      name: null,
      status: 'stopped',
      stopReason: 'auth',
      result: { deleted: 2, error: 2, notAttempted: 2 },
      resume: `svc runs resume ${run}`,
      exitCode: 4,
    })
    expect((await svc(`runs show ${run} -o html ${state}`)).stdout).toContain('<h1 dir="auto">Delete 6 contacts</h1>')
    const receipts = linesOf<ReceiptLine>((await svc(`runs export ${run} -o ndjson ${state}`)).stdout)
    expect(receipts.map(({ id, line, outcome }) => [id, line, outcome])).toEqual(
      ids.map((id, n) => [id, n + 1, n < 2 ? 'deleted' : n < 4 ? 'error' : 'not-attempted']),
    )
  })

  it('is resumed, and read again after that', async () => {
    const ids = fresh(6)
    const { run, state } = stopped(ids)
    const receipts = join(world.folder, 'old.ndjson')
    const { ended, sent } = await since(() => bulk(`runs resume ${run} --yes --receipts ${receipts} ${state}`))
    expect([ended.code, sent]).toEqual([0, 2])
    expect(ended.summary).toMatchObject({ run, status: 'complete', result: { deleted: 6 }, resume: null })
    expect(receiptsOf(receipts).map(({ attempts }) => attempts)).toEqual([1, 1, 2, 2, 1, 1])
    const again = await since(() => bulk(`runs resume ${run} --yes --receipts ${receipts} ${state}`))
    expect([again.ended.code, again.sent]).toEqual([0, 0])
    expect({ ...again.ended.summary, durationMs: 0 }).toEqual({ ...ended.summary, durationMs: 0 })
  })

  it('is the newest unfinished one with --last, however its ending says what is left', async () => {
    const { run, state } = stopped(fresh(6))
    expect((await bulk(`runs resume --last --yes ${state}`)).summary).toMatchObject({ run, result: { deleted: 6 } })
    expect((await svc(`runs resume --last --yes ${state}`)).code).toBe(2)
  })

  it('is retried', async () => {
    const ids = fresh(2)
    const { run, state } = written({
      items: ids,
      lines: [
        { t: 'try', b: 1, a: 1 },
        { t: 'res', b: 1, a: 1, k: 'refused', s: 422, code: 40001, m: 'no' },
        end('partial', 3),
      ],
    })
    expect((await since(() => bulk(`runs resume ${run} --yes ${state}`))).sent).toBe(0)
    expect(await bulk(`runs retry ${run} --outcome error --yes ${state}`)).toMatchObject({
      code: 0,
      summary: { run, result: { deleted: 2 } },
    })
  })

  it('is pruned, after a question when it is unfinished', async () => {
    const { run, state, dir } = stopped(fresh(6))
    expect((await svc(`runs prune --older-than 0s ${state}`)).code).toBe(9)
    expect(existsSync(dir)).toBe(true)
    expect(await svc(`runs prune --older-than 0s --yes -o ids ${state}`)).toMatchObject({ code: 0, stdout: `${run}\n` })
    expect(existsSync(dir)).toBe(false)
  })

  it('that died in the middle: what it had sent is ambiguous, and a line that was being written is cut off', async () => {
    const ids = fresh(4)
    sandbox.store.deleteContacts(ids.slice(0, 2))
    const { run, state, journal } = written({ items: ids, lines: [{ t: 'try', b: 1, a: 1 }] })
    writeFileSync(journal, `${readFileSync(journal, 'utf8')}{"t":"res","b":1,`)
    const shown = JSON.parse((await svc(`runs show ${run} --json ${state}`)).stdout) as SummaryDocument
    expect(shown).toMatchObject({ status: 'interrupted', result: { unknown: 2, notAttempted: 2 } })
    const { code, summary, stderr } = await bulk(`runs resume ${run} --yes ${state}`)
    expect([code, summary.result]).toEqual([0, expect.objectContaining({ gone: 2, deleted: 2, notFound: 0 })])
    expect(stderr).toContain('cut off')
  })
})

describe('what it did not know', () => {
  it('that a 503 it took for a refusal may follow a change that was made: absent is gone', async () => {
    const ids = fresh(2)
    sandbox.store.deleteContacts(ids)
    const { run, state } = written({
      items: ids,
      lines: [
        { t: 'try', b: 1, a: 1 },
        { t: 'res', b: 1, a: 1, k: 'refused', s: 503, m: 'busy' },
        end('stopped', 7, 'retry-after'),
      ],
    })
    const shown = JSON.parse((await svc(`runs show ${run} --json ${state}`)).stdout) as SummaryDocument
    expect(shown.result).toMatchObject({ unknown: 2, error: 0 })
    const { summary } = await bulk(`runs resume ${run} --yes ${state}`)
    expect(summary.result).toMatchObject({ gone: 2, notFound: 0, unknown: 0 })
  })

  it('the same of a merge: it is never sent again by itself', async () => {
    const [a = '', b = ''] = fresh(2)
    const { run, state } = written({
      operation: 'contacts.merge',
      items: [`${a} ${b}`],
      kind: 'pairs',
      options: { batchSize: 1 },
      lines: [{ t: 'try', b: 1, a: 1 }, { t: 'res', b: 1, a: 1, k: 'refused', s: 503, m: 'busy' }, end('partial', 7)],
    })
    const { ended, sent } = await since(() => bulk(`runs resume ${run} --yes ${state}`))
    expect([ended.code, sent, ended.summary.result]).toEqual([7, 0, expect.objectContaining({ unknown: 1 })])
  })

  it('that isolating proves nothing without a closing call: undetermined, and isolated anew', async () => {
    const list = sandbox.examples.emptyList
    const ids = [...free.slice(-3), ...world.absent(1)]
    sandbox.store.addContacts(list, ids, Date.now())
    const { run, state } = written({
      operation: 'lists.add-contacts',
      target: { id: list },
      options: { batchSize: 4, isolate: true },
      items: ids,
      lines: [
        { t: 'try', b: 1, a: 1 },
        { t: 'res', b: 1, a: 1, k: 'answered', s: 200, d: { added: 3, skipped: 0, failed: 1 } },
        // Wrong, as a deletion between two of its calls made it.
        { t: 'isolated', b: 1, missing: [ids[0]], calls: 3 },
        end('partial', 3),
      ],
    })
    const shown = JSON.parse((await svc(`runs show ${run} --json ${state}`)).stdout) as SummaryDocument
    expect(shown).toMatchObject({ missingIds: [], result: { added: 3, failed: 1 }, resume: `svc runs resume ${run}` })
    const { summary } = await bulk(`runs resume ${run} ${state}`)
    expect(summary).toMatchObject({ missingIds: ids.slice(3), result: { added: 3, failed: 1 }, resume: null })
  })
})

describe('damage', () => {
  const commands = ['show', 'export', 'resume --yes', 'retry --outcome error --yes']

  async function refused({ run, state }: Written, words: string): Promise<void> {
    for (const command of commands) {
      const [verb = '', ...options] = command.split(' ')
      const { ended, sent } = await since(() => svc(`runs ${verb} ${run} ${options.join(' ')} ${state}`))
      expect({ command, code: ended.code, stdout: ended.stdout, sent }).toEqual({
        command,
        code: 10,
        stdout: '',
        sent: 0,
      })
      expect(ended.stderr).toContain(words)
    }
  }

  it.each([1, 2, 3, 4, 5])('of line %i of the journal is exit 10, the last one too', async (line) => {
    const old = stopped(fresh(6))
    const lines = readFileSync(old.journal, 'utf8').split('\n')
    lines[line - 1] = lines[line - 1]?.replace('"t"', '"T"') ?? ''
    writeFileSync(old.journal, lines.join('\n'))
    await refused(old, `line ${line} of the journal`)
    expect(readFileSync(old.journal, 'utf8')).toBe(lines.join('\n'))
  })

  it('of its ids, and a journal that lacks a line', async () => {
    const ids = fresh(6)
    const one = stopped(ids)
    writeFileSync(join(one.dir, 'ids'), readFileSync(join(one.dir, 'ids'), 'utf8').replace(ids[4] ?? '', busy[0] ?? ''))
    await refused(one, 'another checksum')
    const other = stopped(ids)
    writeFileSync(other.journal, readFileSync(other.journal, 'utf8').split('\n').toSpliced(2, 1).join('\n'))
    await refused(other, 'line 3 of the journal')
    expect(sandbox.store.hasContact(ids[4] ?? '')).toBe(true)
  })

  it('of run.json is shown in the list', async () => {
    const old = stopped(fresh(6))
    writeFileSync(join(old.dir, 'run.json'), '{')
    await refused(old, 'is not JSON')
    const { stdout, stderr } = await svc(`runs list --json ${old.state}`)
    expect(JSON.parse(stdout)).toMatchObject([{ run: old.run, status: 'damaged', result: null }])
    expect(stderr).toContain('is not JSON')
  })
})
