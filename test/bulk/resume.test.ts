/** Resuming a run: what is sent again, what is not, and what is found in its folder. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { createLockFile } from '../../src/bulk/locks/lock-file.ts'
import { encodeEvent } from '../../src/bulk/record/journal.ts'
import { nodeHost } from '../../src/host.ts'
import { typing, type Options } from '../svc.ts'
import {
  createBulkWorld,
  linesOf,
  receiptsOf,
  tally,
  type BulkRun,
  type ReceiptLine,
  type SummaryDocument,
} from './bulk-world.ts'

const world = await createBulkWorld()
const { svc, bulk, file, free, busy, sandbox, fresh, output } = world

interface Stopped extends BulkRun {
  readonly state: string
  readonly run: string
  readonly dir: string
}

/** A run that ended under these faults; they are gone afterwards. */
async function stopped(faults: string, line: string): Promise<Stopped> {
  const state = world.state()
  sandbox.setFaults(faults)
  const ended = await bulk(`${line} --concurrency 1 ${state}`)
  sandbox.setFaults()
  const run = ended.summary.run ?? ''
  return { ...ended, state, run, dir: join(state.replace('--state-dir ', ''), 'runs', run) }
}

const deletion = (ids: readonly string[], size = 2): string =>
  `contacts delete --file ${file('ids', ids)} --yes batches-of=${size}`

/** The requests of one operation that came since. */
function since<T>(work: () => Promise<T>): Promise<{ ended: T; sent: number }> {
  const before = sandbox.requests.length
  return work().then((ended) => ({ ended, sent: sandbox.requests.length - before }))
}

/** A gateway in front of the sandbox that serves it below /prod and below /staging; its origin. */
async function prefixed(port: number): Promise<string> {
  const server = createServer((incoming, answer) => {
    const { method, headers, url = '' } = incoming
    const path = url.replace(/^\/(prod|staging)\//, '/')
    const outgoing = request({ port, method, headers, path }, (response) => {
      answer.writeHead(response.statusCode ?? 500, response.headers)
      response.pipe(answer)
    })
    incoming.pipe(outgoing)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  afterAll(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const gateway = await prefixed(sandbox.port)

describe('a new run with the ids of an unfinished one', () => {
  it('is begun with a note that has the command, and not noted once that one is finished', async () => {
    const line = deletion(fresh(6))
    const { run, state } = await stopped('contacts.delete:2=401', line)
    const again = await bulk(`${line} ${state}`)
    expect([again.code, again.summary.run === run]).toEqual([3, false])
    expect(again.stderr).toMatch(
      /run \S+ \(.*ids.*, started .*\) has the same ids and is not finished; this is a new run\./,
    )
    expect(again.stderr).toContain(`\\n  svc runs resume ${run} ${state}"`)
    await bulk(`runs resume ${run} --yes ${state}`)
    expect((await bulk(`${line} ${state}`)).stderr).not.toContain('not finished')
  })

  it('asks on a terminal, and yes resumes the other one', async () => {
    const line = deletion(fresh(6)).replace(' --yes', '')
    const { run, state } = await stopped('contacts.delete:2=401', `${line} --yes`)
    // Each question opens the terminal anew.
    const inTurn = (...all: ReturnType<typeof typing>[]) => ({ terminal: () => all.shift()?.terminal() })
    const no = typing('n')
    const other = await bulk(`${line} ${state}`, inTurn(no, typing('6')))
    expect(no.shown().replaceAll(/\s+/g, ' ')).toMatch(
      /Run \S+ \(.*\) has the same ids and is not finished\. Resume it/,
    )
    expect(other.summary.run).not.toBe(run)
    const { ended, sent } = await since(() => bulk(`${line} ${state}`, inTurn(typing('y'), typing('4'))))
    expect([ended.code, ended.summary.run, sent]).toEqual([3, run, 2])
  })

  it('of another operation, list or service, or in another order is another job', async () => {
    const ids = fresh(4)
    const { state } = await stopped('contacts.delete:2=401', deletion(ids))
    for (const line of [
      `lists add-contacts VIP --file ${file('ids', ids)}`,
      `contacts delete --file ${file('ids', ids.toReversed())} --yes`,
    ])
      expect((await bulk(`${line} ${state}`)).stderr).not.toContain('not finished')
  })

  it('that is worked on is exit 11', async () => {
    const line = deletion(fresh(4))
    const state = world.state()
    const before = sandbox.requests.length
    sandbox.setFaults('contacts.delete=delay(2s)')
    const first = bulk(`${line} ${state}`)
    await vi.waitFor(() => expect(sandbox.requests.length).toBeGreaterThan(before))
    const { code, stderr } = await svc(`${line} ${state}`)
    sandbox.setFaults()
    expect([code, stderr]).toEqual([
      11,
      expect.stringMatching(/^error: run \S+ is working on these ids; nothing was sent\n/),
    ])
    expect((await first).code).toBe(0)
  })
})

describe('resume', () => {
  it.each(['401', '403', '429(retry-after=99)'])(
    'goes on with what ended in %s and what was never sent; the summary is the whole run',
    async (fault) => {
      const ids = fresh(10)
      const { run, state, summary } = await stopped(`contacts.delete:3=${fault}`, deletion(ids))
      expect(summary.result).toMatchObject({ deleted: 4, error: 2, notAttempted: 4 })
      const receipts = output()
      const { ended, sent } = await since(() => bulk(`runs resume ${run} --yes --receipts ${receipts} ${state}`))
      expect(sent).toBe(3)
      expect(ended).toMatchObject({
        code: 0,
        summary: {
          run,
          status: 'complete',
          stopReason: null,
          resume: null,
          result: { deleted: 10 },
          batches: { total: 5, done: 5, failed: 0 },
        },
      })
      expect(receiptsOf(receipts).map(({ id, attempts }) => [id, attempts])).toEqual(
        ids.map((id, i) => [id, i === 4 || i === 5 ? 2 : 1]),
      )
    },
  )

  it('sends unknown deletes again: what is absent now is gone', async () => {
    const { run, state, code } = await stopped('contacts.delete:2-5=drop-after-apply', deletion(fresh(6)))
    expect(code).toBe(7)
    const { summary } = await bulk(`runs resume ${run} --yes ${state}`)
    expect(summary).toMatchObject({ exitCode: 0, result: { deleted: 4, gone: 2, unknown: 0 } })
  })

  it('sends unknown adds again: their skipped are added or skipped', async () => {
    const { run, state } = await stopped(
      'lists.add-contacts:1-4=drop-after-apply',
      `lists add-contacts ${sandbox.examples.emptyList} --file ${file('a', free.slice(-4))}`,
    )
    const { summary } = await bulk(`runs resume ${run} ${state}`)
    expect(summary).toMatchObject({ exitCode: 0, result: { added: 0, skipped: 0, addedOrSkipped: 4 } })
  })

  it('never sends an answered batch again, nor one that was refused for what it is', async () => {
    const { run, state, code } = await stopped('contacts.delete:2=422', deletion([...fresh(4), ...busy.slice(0, 2)]))
    expect(code).toBe(3)
    const { ended, sent } = await since(() => bulk(`runs resume ${run} --yes ${state}`))
    expect(sent).toBe(0)
    expect(ended).toMatchObject({ code: 3, summary: { run, result: { deleted: 2, error: 2, blocked: 2 } } })
    expect(ended.stderr).toContain('nothing is left to do')
  })

  it('with nothing left prints summary and receipts again, and ends with the code of the run', async () => {
    const ids = [...fresh(2), ...busy.slice(0, 1)]
    const { run, state, summary } = await stopped('', deletion(ids))
    const receipts = output('csv')
    const again = await bulk(`runs resume ${run} --receipts ${receipts} ${state}`)
    expect(again.code).toBe(3)
    expect({ ...again.summary, durationMs: 0 }).toEqual({ ...summary, durationMs: 0 })
    expect(readFileSync(receipts, 'utf8').split('\n')).toHaveLength(5)
    const streamed = await svc(`runs resume ${run} -o ndjson ${state}`)
    expect(linesOf<ReceiptLine>(streamed.stdout).map(({ id }) => id)).toEqual(ids)
  })

  it('streams the receipts of the whole run, those of earlier sessions first', async () => {
    const ids = fresh(8)
    const { run, state } = await stopped('contacts.delete:3=401', deletion(ids))
    const { stdout, stderr } = await svc(`runs resume ${run} --yes -o ndjson ${state}`)
    expect(linesOf<ReceiptLine>(stdout).map(({ id }) => id)).toEqual(ids)
    expect(linesOf<SummaryDocument>(stderr).at(-1)).toMatchObject({ result: { deleted: 8 } })
  })

  it('never picks a run by itself', async () => {
    const { state } = await stopped('contacts.delete:2=401', deletion(fresh(4)))
    const { ended, sent } = await since(() => svc(`runs resume --yes ${state}`))
    expect(ended).toMatchObject({ code: 2, stdout: '' })
    expect(ended.stderr).toContain('--last')
    expect(sent).toBe(0)
  })

  it('nor after a command that failed before it had a run: an older delete stays as it is', async () => {
    const { run, state } = await stopped('contacts.delete:2=401', deletion(fresh(4)))
    sandbox.setFaults('lists.list=500')
    const { ended, sent } = await since(async () => ({
      add: await svc(`lists add-contacts VIP ${free[0]} ${state}`, { fast: true }),
      resume: await svc(`runs resume --yes ${state}`),
    }))
    sandbox.setFaults()
    expect([ended.add.code, ended.resume.code, ended.resume.stdout]).toEqual([7, 2, ''])
    // The look-up, and what was tried again of it.
    expect(sent).toBe(4)
    expect((await bulk(`runs resume ${run} --yes ${state}`)).summary.result).toMatchObject({ deleted: 4 })
  })

  it('with --last takes the newest run whatever its state, and never another', async () => {
    const old = await stopped('contacts.delete:2=401', deletion(fresh(4)))
    const last = () => since(() => svc(`runs resume --last --yes ${old.state}`))
    sandbox.setFaults('contacts.delete:2=401')
    const newer = await bulk(`${deletion(fresh(6))} --concurrency 1 ${old.state}`)
    sandbox.setFaults()
    expect((await bulk(`runs resume --last --yes ${old.state}`)).summary.run).toBe(newer.summary.run)
    const { ended, sent } = await last()
    expect([ended.code, ended.stdout, sent]).toEqual([2, '', 0])
    expect(ended.stderr).toMatch(
      new RegExp(
        `nothing is left to do in run ${newer.summary.run}, .*\\n {2}to resume an older one:\\n {4}svc runs resume ${old.run} ${old.state}\\n$`,
      ),
    )
    expect((await svc(`runs resume ${old.run} --last ${old.state}`)).code).toBe(2)
    expect((await svc(`runs resume ${old.run} --yes ${old.state}`)).code).toBe(0)
    expect((await last()).ended.stderr).toContain('no other run is unfinished')
    // Whose run that is, and whether it is done, is not known.
    const [{ summary }, dir] = [await bulk(`${deletion(fresh(1))} ${old.state}`), dirname(old.dir)]
    writeFileSync(join(dir, summary.run ?? '', 'run.json'), '{')
    for (const line of ['resume --yes', 'retry --outcome error --yes', 'show', 'export', 'undo']) {
      const { code, stdout, stderr } = await svc(`runs ${line} --last ${old.state}`)
      expect({ line, code, stdout }).toEqual({ line, code: 2, stdout: '' })
      expect(stderr).toContain(`run ${summary.run} cannot be read`)
    }
  })

  it('asks again as the run did', async () => {
    const { run, state } = await stopped('contacts.delete:2=401', deletion(fresh(6)))
    const { ended, sent } = await since(() => svc(`runs resume ${run} ${state}`))
    expect(ended.code).toBe(9)
    expect(ended.stderr).toMatch(
      new RegExp(
        `Delete 4 contacts of run ${run} \\("\\d+-ids", started \\d{4}-\\d\\d-\\d\\dT[\\d:+-]+, just now\\) on`,
      ),
    )
    expect(sent).toBe(0)
    // Declined means not begun: the lock was given back.
    expect((await bulk(`runs resume ${run} --yes ${state}`)).code).toBe(0)
  })

  it('another service is refused, another key needs --new-key', async () => {
    const { run, state } = await stopped('contacts.delete:2=401', deletion(fresh(4)))
    const elsewhere = await svc(`runs resume ${run} --yes ${state}`, { env: { SVC_BASE_URL: 'http://127.0.0.1:9' } })
    expect(elsewhere).toMatchObject({ code: 2, stdout: '' })
    expect(elsewhere.stderr).toContain('belongs to')
    const env = world.as('second-company')
    const refused = await svc(`runs resume ${run} --yes ${state}`, { env })
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain('--new-key')
    // The second company does not have these contacts, which is what --new-key is asked for.
    const { summary } = await bulk(`runs resume ${run} --yes --new-key ${state}`, { env })
    expect(summary.result).toMatchObject({ deleted: 2, notFound: 2 })
  })

  it('two services behind one origin are two', async () => {
    const at = (path: string): { env: Record<string, string> } => ({ env: { SVC_BASE_URL: `${gateway}${path}` } })
    const state = world.state()
    sandbox.setFaults('contacts.delete:2=401')
    const first = await bulk(`${deletion(fresh(4))} --concurrency 1 ${state}`, at('/prod'))
    sandbox.setFaults()
    expect(first.summary.result).toMatchObject({ deleted: 2, error: 2 })
    const run = first.summary.run ?? ''
    for (const path of ['/staging', '', '/PROD']) {
      const { ended, sent } = await since(() => svc(`runs resume ${run} --yes ${state}`, at(path)))
      expect({ path, code: ended.code, sent }).toEqual({ path, code: 2, sent: 0 })
      expect(ended.stderr).toContain(`belongs to ${gateway}/prod`)
      const last = await svc(`runs resume --last --yes ${state}`, at(path))
      expect([last.code, last.stderr.includes('there is no run')]).toEqual([2, true])
    }
    expect(await bulk(`runs resume --last --yes ${state}`, at('/prod/'))).toMatchObject({
      code: 0,
      summary: { run, result: { deleted: 4 } },
    })
  })

  it('an existing receipts file is refused before anything is sent', async () => {
    const { run, state } = await stopped('contacts.delete:2=401', deletion(fresh(4)))
    const { ended, sent } = await since(() =>
      svc(`runs resume ${run} --yes --receipts ${file('kept.csv', [])} ${state}`),
    )
    expect([ended.code, sent]).toEqual([2, 0])
  })

  it('counts the time of all sessions, not what lies between', async () => {
    const { run, state } = await stopped('contacts.delete:1+=delay(60ms), contacts.delete:2=401', deletion(fresh(4)))
    // A day later, for both.
    const day = 24 * 60 * 60 * 1000
    sandbox.setFaults('clock=+24h')
    const { stdout } = await svc(`runs resume ${run} --yes --json ${state}`, { clockOffset: day })
    sandbox.setFaults()
    const { durationMs } = JSON.parse(stdout) as { durationMs: number }
    expect(durationMs).toBeGreaterThan(100)
    expect(durationMs).toBeLessThan(day)
  })
})

describe('a refusal that stopped the run', () => {
  it('burns no batch, however often it is repeated', async () => {
    const line = `${deletion(fresh(6))} --once deployed --concurrency 1 ${world.state()}`
    for (let repetition = 0; repetition < 4; repetition += 1) {
      sandbox.setFaults('contacts.delete=404(body=html)')
      const { ended, sent } = await since(() => bulk(line))
      sandbox.setFaults()
      expect([ended.code, sent]).toEqual([6, 1])
      expect(ended.summary).toMatchObject({
        stopReason: 'refused',
        result: { deleted: 0, error: 2, notAttempted: 4 },
        resume: expect.stringContaining(`svc runs resume ${ended.summary.run}`) as string,
      })
    }
    expect(await bulk(line)).toMatchObject({ code: 0, summary: { result: { deleted: 6, error: 0 } } })
  })

  it('after successes, too: every batch since the last one is sent again', async () => {
    const { run, state, summary } = await stopped('contacts.delete:2+=404', deletion(fresh(10)))
    expect(summary).toMatchObject({
      stopReason: 'max-failures',
      exitCode: 8,
      result: { deleted: 2, error: 6, notAttempted: 2 },
    })
    const { ended, sent } = await since(() => bulk(`runs resume ${run} --yes ${state}`))
    expect([ended.code, sent]).toEqual([0, 4])
    expect(ended.summary.result).toMatchObject({ deleted: 10 })
  })

  it('but one before a success was about that batch', async () => {
    const { run, state } = await stopped('contacts.delete:2=404, contacts.delete:4+=404', deletion(fresh(14)))
    const { ended, sent } = await since(() => bulk(`runs resume ${run} --yes ${state}`))
    expect([ended.code, sent]).toEqual([3, 4])
    expect(ended.summary).toMatchObject({ result: { deleted: 12, error: 2 }, resume: null })
  })
})

describe('an answer that does not add up', () => {
  it('is not sent again by itself: the command that does stands in the summary and in a note, and can be typed', async () => {
    const { run, state, code, summary, stderr } = await stopped('contacts.delete:2=wrong-sums', deletion(fresh(6)))
    const command = `svc runs retry ${run} --outcome unknown ${state}`
    expect([code, summary.resume]).toEqual([7, command])
    expect(summary.result).toMatchObject({ deleted: 4, unknown: 2 })
    expect(stderr).toContain(`some answers could not be understood; to send those batches again:\\n  ${command}`)
    const shown = await svc(`runs show ${run} --json ${state}`)
    expect((JSON.parse(shown.stdout) as SummaryDocument).resume).toBe(command)
    const { ended, sent } = await since(() => bulk(`runs resume ${run} --yes ${state}`))
    expect([ended.code, sent, ended.summary.resume]).toEqual([7, 0, command])
    expect(await bulk(`${command.replace('svc ', '')} --yes ${state}`)).toMatchObject({
      code: 0,
      summary: { run, result: { deleted: 4, gone: 2, unknown: 0 }, resume: null },
    })
  })
})

describe('the journal that is found', () => {
  it('a torn last line is cut off with a note', async () => {
    const { run, state, dir } = await stopped('contacts.delete:2=401', deletion(fresh(4)))
    appendFileSync(join(dir, 'journal.ndjson'), '{"t":"try","b":2,"a":2,')
    const { code, stderr } = await bulk(`runs resume ${run} --yes ${state}`)
    expect(code).toBe(0)
    expect(stderr).toContain('cut off')
  })

  it('a damaged line is exit 10 with its number, and nothing is sent', async () => {
    const { run, state, dir } = await stopped('contacts.delete:2=401', deletion(fresh(4)))
    const path = join(dir, 'journal.ndjson')
    // The attempt of the second batch says that this line was on disk before it.
    writeFileSync(path, readFileSync(path, 'utf8').replace('"t":"try"', '"t":"trY"'))
    for (const command of ['resume', 'show', 'export']) {
      const { ended, sent } = await since(() =>
        svc(`runs ${command} ${run} ${command === 'resume' ? '--yes' : ''} ${state}`),
      )
      expect([command, ended.code, sent]).toEqual([command, 10, 0])
      expect(ended.stderr).toContain('line 2')
    }
  })

  it('changed ids are exit 10', async () => {
    const ids = fresh(4)
    const { run, state, dir } = await stopped('contacts.delete:2=401', deletion(ids))
    const path = join(dir, 'ids')
    writeFileSync(path, readFileSync(path, 'utf8').replace(ids[3] ?? '', fresh(1)[0] ?? ''))
    expect((await svc(`runs resume ${run} --yes ${state}`)).code).toBe(10)
  })

  it('two processes never work on one run', async () => {
    const { run, state } = await stopped('contacts.delete:2=401', deletion(fresh(4)))
    sandbox.setFaults('contacts.delete:1=delay(500ms)')
    const first = bulk(`runs resume ${run} --yes ${state}`)
    while (!(await svc(`runs list --json ${state}`)).stdout.includes('"running"'))
      await new Promise((resolve) => setTimeout(resolve, 10))
    const second = await svc(`runs resume ${run} --yes ${state}`)
    expect(second.code).toBe(11)
    expect(second.stderr).toContain('is in use by process')
    expect((await svc(`runs retry ${run} --outcome error --yes ${state}`)).code).toBe(11)
    expect((await svc(`runs prune --older-than 0s ${state}`)).stderr).not.toContain('1 run removed')
    expect((await first).code).toBe(0)
    sandbox.setFaults()
  })

  it('a process that died in the middle: what it had sent is ambiguous', async () => {
    const ids = fresh(6)
    const { run, state, dir } = await stopped('', deletion(ids))
    // As SIGKILL leaves it: the answer of the second batch and everything after it are missing.
    const path = join(dir, 'journal.ndjson')
    const lines = readFileSync(path, 'utf8').split('\n')
    writeFileSync(
      path,
      lines
        .slice(0, 4)
        .map((line) => `${line}\n`)
        .join(''),
    )
    const listed = JSON.parse((await svc(`runs list --json ${state}`)).stdout) as { status: string; exitCode: null }[]
    const result = { deleted: 2, unknown: 2, notAttempted: 2 }
    expect(listed).toMatchObject([{ status: 'interrupted', exitCode: null, result, done: 2, left: 4 }])
    const shown = JSON.parse((await svc(`runs show ${run} --json ${state}`)).stdout) as SummaryDocument
    expect(shown).toMatchObject({
      status: 'interrupted',
      // No signal is recorded: what it ends with is what became of its ids.
      stopReason: null,
      exitCode: 7,
      result,
      resume: expect.stringContaining(`svc runs resume ${run}`) as string,
    })
    const { summary } = await bulk(`runs resume ${run} --yes ${state}`)
    // Of the third batch the journal knows nothing: it is sent as if for the first time, and says what the service says.
    expect(summary.result).toMatchObject({ deleted: 2, gone: 2, notFound: 2 })
    // Killed again, while a repeat of what was finished wrote its files: nothing is left, so nothing was interrupted.
    writeFileSync(path, readFileSync(path, 'utf8').replace(/[^\n]+\n$/, ''))
    const finished = { status: summary.status, left: 0 }
    expect(JSON.parse((await svc(`runs list --json ${state}`)).stdout)).toMatchObject([finished])
    expect(JSON.parse((await svc(`runs show ${run} --json ${state}`)).stdout)).toMatchObject({ status: summary.status })
  })

  it('a take-over: whoever had the run may have sent any batch that has no answer', async () => {
    const ids = fresh(6)
    const { run, state, dir } = await stopped('contacts.delete:2=401', deletion(ids))
    appendFileSync(join(dir, 'journal.ndjson'), encodeEvent({ t: 'resume', at: Date.now(), takeOver: true }))
    sandbox.store.change('contacts.delete', { contactIds: ids.slice(4) })
    const shown = JSON.parse((await svc(`runs show ${run} --json ${state}`)).stdout) as SummaryDocument
    expect(shown.result).toMatchObject({ deleted: 2, unknown: 4 })
    const { summary } = await bulk(`runs resume ${run} --yes ${state}`)
    expect(summary.result).toMatchObject({ deleted: 4, gone: 2, notFound: 0 })
  })

  it('and so it stays, also where nothing is left to send: what a session says is what is shown later', async () => {
    const [target = ''] = fresh(1)
    const pairs = file('pairs', ['source,target', `${'0'.repeat(24)},${target}`])
    const { run, state, dir, summary } = await stopped('', `contacts merge --file ${pairs} --yes`)
    expect(summary.result).toMatchObject({ error: 1, unknown: 0 })
    const token = 'a'.repeat(16)
    const holder = { token, host: 'another', identity: null, pid: 1, start: null, since: 0 }
    await createLockFile(nodeHost(process), join(dir, 'lock'), { counter: 0, ...holder })
    const resumed = await bulk(`runs resume ${run} --take-over --yes ${state}`, { fast: true })
    expect(resumed.summary).toMatchObject({ result: { error: 0, unknown: 1 }, exitCode: 7 })
    const shown = JSON.parse((await svc(`runs show ${run} --json ${state}`)).stdout) as SummaryDocument
    const { status, result, exitCode } = resumed.summary
    expect(shown).toMatchObject({ status, result, exitCode })
  })

  it('a run that lacks only its ending gets it from a resume', async () => {
    const { run, state, dir } = await stopped('', deletion(fresh(2)))
    const path = join(dir, 'journal.ndjson')
    const lines = readFileSync(path, 'utf8').split('\n')
    writeFileSync(
      path,
      lines
        .slice(0, 3)
        .map((line) => `${line}\n`)
        .join(''),
    )
    expect(await bulk(`runs resume ${run} ${state}`)).toMatchObject({
      code: 0,
      summary: { status: 'complete', stopReason: null },
    })
    expect(JSON.parse((await svc(`runs list --json ${state}`)).stdout)).toMatchObject([
      { status: 'complete', exitCode: 0 },
    ])
  })
})

describe('assign and merge', () => {
  const tickets = [...sandbox.store.tickets.all()].filter(
    ({ status, current, assigneeId }) => status === 'active' && current === true && assigneeId !== null,
  )
  let next = 0
  const wanted = async (): Promise<{ ticket: string; from: string; to: string; other: string }> => {
    const ticket = String(tickets[(next += 1)]?.['id'])
    const from = sandbox.store.tickets.assigneeOf(ticket) ?? ''
    const employees = JSON.parse((await svc('employees list --json')).stdout) as {
      id: string
      status: string
      channels: string[]
    }[]
    const [to = '', other = ''] = employees
      .filter(({ id, status, channels }) => status === 'active' && channels.length === 5 && id !== from)
      .map(({ id }) => id)
    return { ticket, from, to, other }
  }

  it('reads unknown assigns first: done without another write', async () => {
    const { ticket, to } = await wanted()
    // The reading afterwards fails, too, so the first session cannot know.
    const { run, state, summary } = await stopped(
      'tickets.assign:1=drop-after-apply, tickets.history:2+=500',
      `tickets assign --file ${file('t', [ticket])} --to ${to}`,
    )
    expect(summary.result).toMatchObject({ unknown: 1 })
    const writes = sandbox.record.of('tickets.assign').length
    expect(await bulk(`runs resume ${run} ${state}`)).toMatchObject({
      code: 0,
      summary: { result: { done: 1 }, resume: null },
    })
    expect(sandbox.record.of('tickets.assign')).toHaveLength(writes)
  })

  it('a ticket that somebody else had after a lost answer is never sent again, whoever has it later', async () => {
    const { ticket, from, to, other } = await wanted()
    const { run, state } = await stopped(
      'tickets.assign:1=drop-before, tickets.history:2+=500',
      `tickets assign --file ${file('t', [ticket])} --to ${to}`,
    )
    const writes = sandbox.record.of('tickets.assign').length
    for (const holder of [other, from]) {
      sandbox.store.tickets.assign(ticket, holder)
      expect(await bulk(`runs resume ${run} ${state}`)).toMatchObject({ code: 7, summary: { result: { unknown: 1 } } })
      expect(sandbox.store.tickets.assigneeOf(ticket)).toBe(holder)
    }
    expect(sandbox.record.of('tickets.assign')).toHaveLength(writes)
    const { stdout } = await svc(`runs export ${run} -o ndjson ${state}`)
    expect(stdout).toContain('the ticket was seen with another assignee')
    // Opened again by hand, it is tried once more, when the lost attempt can land no more.
    const retry = (later: Options) => bulk(`runs retry ${run} --outcome unknown --yes ${state}`, later)
    expect(await world.minutesOn(7, '', retry)).toMatchObject({
      code: 0,
      summary: { result: { done: 1 } },
    })
  })

  it('tickets that others have now, whose change stays unknown, do not keep the rest from being sent', async () => {
    const first = await wanted()
    const { to, other } = first
    const ids = [first.ticket, ...Array.from({ length: 5 }, () => String(tickets[(next += 1)]?.['id']))]
    const mine = ids.filter((ticket) => sandbox.store.tickets.assigneeOf(ticket) !== to)
    const { run, state, summary } = await stopped(
      'tickets.assign:1+=drop-before',
      `tickets assign --file ${file('t', mine)} --to ${to}`,
    )
    expect(summary).toMatchObject({ stopReason: 'max-failures', result: { unknown: 3, notAttempted: mine.length - 3 } })
    for (const ticket of mine.slice(0, 3)) sandbox.store.tickets.assign(ticket, other)
    expect(await bulk(`runs resume ${run} ${state}`)).toMatchObject({
      code: 7,
      summary: { status: 'partial', stopReason: null, result: { done: mine.length - 3, unknown: 3, notAttempted: 0 } },
    })
    for (const ticket of mine.slice(0, 3)) expect(sandbox.store.tickets.assigneeOf(ticket)).toBe(other)
  })

  it.each(['401', '429(retry-after=99)'])('an assign that ended in %s is read and sent', async (fault) => {
    const { ticket, to } = await wanted()
    const { run, state } = await stopped(
      `tickets.assign:1=${fault}`,
      `tickets assign --file ${file('t', [ticket])} --to ${to}`,
    )
    const receipts = output()
    expect(await bulk(`runs resume ${run} --receipts ${receipts} ${state}`)).toMatchObject({
      code: 0,
      summary: { result: { done: 1 } },
    })
    expect(receiptsOf(receipts)[0]).toMatchObject({ outcome: 'done', attempts: 2, after: to })
    expect(sandbox.store.tickets.assigneeOf(ticket)).toBe(to)
    // And what was done that way stays so when the journal is read again.
    expect(await bulk(`runs resume ${run} ${state}`)).toMatchObject({ code: 0, summary: { result: { done: 1 } } })
  })

  it('and is done without a write when it has come true meanwhile', async () => {
    const { ticket, to } = await wanted()
    const { run, state } = await stopped(
      'tickets.assign:1=401',
      `tickets assign --file ${file('t', [ticket])} --to ${to}`,
    )
    await svc(`tickets assign ${ticket} --to ${to}`)
    const writes = sandbox.record.of('tickets.assign').length
    expect(await bulk(`runs resume ${run} ${state}`)).toMatchObject({ code: 0, summary: { result: { done: 1 } } })
    expect(sandbox.record.of('tickets.assign')).toHaveLength(writes)
    expect(await bulk(`runs resume ${run} ${state}`)).toMatchObject({
      code: 0,
      summary: { result: { done: 1 }, resume: null },
    })
  })

  it('--if-assignee holds for the resumed run, too', async () => {
    const { ticket, from, to, other } = await wanted()
    const { run, state } = await stopped(
      'tickets.assign:1=401',
      `tickets assign --file ${file('t', [ticket])} --to ${to} --if-assignee ${from}`,
    )
    await svc(`tickets assign ${ticket} --to ${other}`)
    expect(await bulk(`runs resume ${run} ${state}`)).toMatchObject({ code: 3, summary: { result: { error: 1 } } })
    expect(sandbox.store.tickets.assigneeOf(ticket)).toBe(other)
  })

  it('lists unknown merges and does not send them', async () => {
    const [a = '', b = ''] = fresh(2)
    const { run, state } = await stopped(
      'contacts.merge:1=drop-before',
      `contacts merge --file ${file('p.csv', [`${a},${b}`])} --yes`,
    )
    const { ended, sent } = await since(() => bulk(`runs resume ${run} --yes ${state}`))
    expect([ended.code, sent, ended.summary.resume]).toEqual([7, 0, null])
    expect(ended.stderr).toContain(`${a} into ${b}`)
  })

  it('goes on with the rest of a chain, and knows when it cannot', async () => {
    const [a = '', b = '', c = '', d = '', e = ''] = fresh(5)
    const pairs = file('p.csv', [`${b},${c}`, `${a},${b}`])
    const { run, state, summary } = await stopped('contacts.merge:1=401', `contacts merge --file ${pairs} --yes`)
    expect(summary.result).toMatchObject({ error: 1, notAttempted: 1 })
    expect(await bulk(`runs resume ${run} --yes ${state}`)).toMatchObject({ code: 0, summary: { result: { done: 2 } } })
    const broken = await stopped(
      'contacts.merge:1=400',
      `contacts merge --file ${file('p.csv', [`${d},${c}`, `${e},${d}`])} --yes`,
    )
    expect(broken.summary).toMatchObject({ resume: null, result: { error: 2, notAttempted: 0 } })
    const { sent } = await since(() => bulk(`runs resume ${broken.run} --yes ${broken.state}`))
    expect(sent).toBe(0)
  })
})

describe('isolating', () => {
  it('what was not isolated is isolated by a resume', async () => {
    const ids = [...free.slice(-9), ...world.absent(1)]
    const { run, state, summary } = await stopped(
      'lists.add-contacts:2=401',
      `lists add-contacts ${sandbox.examples.emptyList} --file ${file('a', ids)} --isolate`,
    )
    expect(summary).toMatchObject({
      stopReason: 'auth',
      resume: expect.stringContaining(`svc runs resume ${run}`) as string,
      result: { failed: 1 },
      missingIds: [],
    })
    const receipts = output()
    const resumed = await bulk(`runs resume ${run} --receipts ${receipts} ${state}`)
    expect(resumed.summary).toMatchObject({ resume: null, missingIds: ids.slice(9), result: { failed: 1 } })
    expect(tally(receiptsOf(receipts))).toEqual({ ok: 9, missing: 1 })
  })
})

describe('lines of the journal', () => {
  it('an event that is written twice is noticed', async () => {
    const { run, state, dir } = await stopped('contacts.delete:2=401', deletion(fresh(4)))
    const path = join(dir, 'journal.ndjson')
    appendFileSync(path, encodeEvent({ t: 'try', b: 1, a: 1, at: 0 }))
    // A later attempt says that it was on disk.
    appendFileSync(path, encodeEvent({ t: 'try', b: 1, a: 2, at: 0, d: readFileSync(path).length }))
    expect((await svc(`runs resume ${run} --yes ${state}`)).code).toBe(10)
  })
})
