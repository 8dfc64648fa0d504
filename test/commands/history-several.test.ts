/** `svc tickets history` of several tickets, on stdout and into a folder. */
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Message, Ticket } from '../../src/api/schemas.ts'
import { takeLock } from '../../src/bulk/locks/lock.ts'
import { severalParts } from '../../src/commands/tickets/in-order.ts'
import { Tally } from '../../src/commands/tickets/tally.ts'
import { nodeHost } from '../../src/host.ts'
import { IdTable } from '../../src/ids/id-table.ts'
import type { Ending, Rows } from '../../src/output/result.ts'
import { rowsOf, workbook } from '../ids/workbooks.ts'
import { createSandboxWorld, type Result, root } from '../svc.ts'

const { svc, sandbox, folder, as, requestsOf } = await createSandboxWorld()

const { tickets, assignableTickets } = sandbox.examples
const unknownId = '0123456789abcdef01234567'
const lines = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
const several = [tickets.active, tickets.noMessages, tickets.old, tickets.closed]

interface History {
  readonly ticket: Ticket
  readonly messages: readonly Message[]
  readonly nextChunkStartMessageId?: string
}

const documents = ({ stdout }: Result): History[] => JSON.parse(stdout) as History[]
const newFolder = (): string => join(mkdtempSync(join(folder, 'out-')), 'conversations')
const filesOf = (path: string): string[] => readdirSync(path).sort()

function input(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

describe('on stdout', () => {
  test('json: an array of the documents of each, in the order of the input', async () => {
    const result = await svc(`tickets history ${several.join(' ')} --json`)
    expect([result.code, result.stderr]).toEqual([0, ''])
    const alone = await Promise.all(several.map((id) => svc(`tickets history ${id} --json`)))
    expect(documents(result)).toEqual(alone.map(({ stdout }) => JSON.parse(stdout) as unknown))
    expect(result.stdout).toBe(`${JSON.stringify(documents(result), undefined, 2)}\n`)
  })

  test('the form follows from what is typed, not from how many there are', async () => {
    const file = input('one.txt', `${tickets.active}\n`)
    expect(documents(await svc(`tickets history --file ${file} --json`))).toHaveLength(1)
    expect(
      documents(await svc(`tickets history ${tickets.active} ${tickets.active.toUpperCase()} --json`)),
    ).toHaveLength(1)
    expect(await svc('tickets history --file - --json', { stdin: '' })).toMatchObject({ code: 0, stdout: '[]\n' })
  })

  test('ndjson: each line says whose it is, of one ticket too', async () => {
    const { stdout } = await svc(`tickets history ${several.join(' ')} -o ndjson`)
    const alone = await Promise.all(several.map((id) => svc(`tickets history ${id} -o ndjson`)))
    expect(stdout).toBe(alone.map((each) => each.stdout).join(''))
    expect(new Set(lines(stdout).map(({ ticketId }) => ticketId))).toEqual(
      new Set([tickets.active, tickets.old, tickets.closed]),
    )
  })

  test('csv, tables and ids are one, with the ticket in front; a transcript is one after the other', async () => {
    const pair = `${tickets.active} ${tickets.closed}`
    const csv = (await svc(`tickets history ${pair} -o csv`)).stdout.split('\n')
    expect(csv[0]).toBe('ticketId,sentAt,direction,fromId,text,attachments.fileName')
    expect(csv.filter((line) => line.startsWith('ticketId'))).toHaveLength(1)
    const table = await svc(`tickets history ${pair} --limit 1`)
    expect(table.stdout).toMatch(/^TICKET +SENT +DIRECTION +FROM +TEXT/)
    expect(table.stdout.trimEnd().split('\n')).toHaveLength(3)
    expect(table.stderr).toBe('note: older messages of 2 tickets were left out. Use --limit all for all of them.\n')
    expect((await svc(`tickets history ${pair} -o ids --limit 1`)).stdout.trimEnd().split('\n')).toHaveLength(2)
    const [one, other] = await Promise.all(
      [tickets.active, tickets.closed].map((id) => svc(`tickets history ${id} -o transcript`)),
    )
    expect((await svc(`tickets history ${pair} -o transcript`)).stdout).toBe(
      `${one?.stdout ?? ''}\n${other?.stdout ?? ''}`,
    )
    expect((await svc(`tickets history ${pair} --json --fields ticketId,text --limit 1`)).stdout).toContain(
      tickets.closed,
    )
  })

  test('the employees are read once', async () => {
    const { sent: requests } = await requestsOf(`tickets history ${several.join(' ')} --limit 1`)
    expect(requests.filter((url) => url.startsWith('GET /v1/employees'))).toHaveLength(1)
  })

  test('ids come from files of every format', async () => {
    const csv = input('t.csv', `Subject,Ticket ID\nHello,${tickets.active}\nBye,${tickets.closed}\n`)
    expect(documents(await svc(`tickets history --file ${csv} --json --limit 1`))).toHaveLength(2)
    const book = join(folder, 't.xlsx')
    const sheet = (id: string): string => rowsOf(['Ticket ID'], [id])
    writeFileSync(
      book,
      workbook({
        sheets: [
          { name: 'One', rows: sheet(tickets.active) },
          { name: 'Two', rows: sheet(tickets.closed) },
        ],
      }),
    )
    const [two] = documents(
      await svc(`tickets history --file ${book} --input-format xlsx --sheet Two --json --limit 1`),
    )
    expect(two?.ticket.id).toBe(tickets.closed)
    const [one, other] = [tickets.active, tickets.closed].map((id) => `https://app.example.com/inbox/${id}?tab=1`)
    const addresses = input('a.csv', `Subject,Ticket\nHello,${one}\nBye,${other}\n`)
    const unnamed = await svc(`tickets history --file ${addresses} --json`)
    expect(unnamed.stderr).toContain('name the column with the ids: --column Ticket')
    const pasted = documents(await svc(`tickets history --file ${addresses} --column Ticket --json --limit 1`))
    expect(pasted.map(({ ticket }) => ticket.id)).toEqual([tickets.active, tickets.closed])
    const stdin = `${JSON.stringify({ ticketId: tickets.active })}\n`
    expect(documents(await svc('tickets history --file - --json --limit 1', { stdin }))).toHaveLength(1)
    const bad = await svc(`tickets history --file - --json`, { stdin: `${one}\nnone\n${one}${other}\n` })
    expect([bad.code, bad.stdout]).toEqual([2, ''])
    expect(bad.stderr).toMatch(/line 2.*line 3.*the address has 2 ids in it/s)
  })

  test.each([
    ['--cursor 1', 'a a', '--cursor goes with one ticket'],
    ['-o html', 'a a', 'a page holds one ticket'],
    ['--file x.txt', 'a', '--file cannot be used with a ticket'],
    ['--replace', 'a', '--replace goes with --out-dir'],
    ['--concurrency 33', 'a a', '--concurrency takes a whole number from 1 to 32'],
    ['--out-dir x', 'a', 'a table is for the terminal'],
    ['--out-dir x -o html --cursor 1', 'a', '--cursor goes with one ticket, and not with --out-dir'],
    ['', '', 'name a ticket, or a file of tickets with --file'],
    ['', 'a nonsense', 'the ticket must be 24 hexadecimal digits'],
  ])('%s with %s is refused, and nothing is asked for', async (options, words, message) => {
    const { result, sent: requests } = await requestsOf(
      `tickets history ${words.replaceAll(/\ba\b/g, tickets.active)} ${options}`,
    )
    expect([result.code, result.stdout, requests]).toEqual([2, '', []])
    expect(result.stderr).toContain(`error: ${message}`)
  })
})

describe('a ticket that cannot be read', () => {
  const three = `${tickets.active} ${unknownId} ${tickets.closed}`

  test('is an error line that names it, and the others go on: exit 3', async () => {
    const result = await svc(`tickets history ${three} --json --limit all`)
    expect(result.code).toBe(3)
    expect(documents(result).map(({ ticket }) => ticket.id)).toEqual([tickets.active, tickets.closed])
    const [error, whole] = lines(result.stderr)
    expect(error).toMatchObject({
      type: 'error',
      time: expect.any(String) as string,
      error: {
        exitCode: 3,
        httpStatus: 404,
        ticketId: unknownId,
        message: expect.stringMatching(/^ticket 0123/) as string,
      },
    })
    expect(whole).toMatchObject({ error: { exitCode: 3, message: '1 of 3 tickets could not be read' } })
    const text = await svc(`tickets history ${three} -o csv`)
    expect(text.code).toBe(3)
    expect(text.stderr).toMatch(new RegExp(`^error: ticket ${unknownId}: .*\\n(?: .*\\n)+error: 1 of 3 tickets`))
  })

  test.each([
    ['403', 5],
    ['500', 7],
    ['404', 3],
  ])('%s: exit %i', async (status, code) => {
    sandbox.setFaults(`tickets.history:2=${status}`)
    const result = await svc(
      `tickets history ${three.replace(unknownId, tickets.email)} --json --concurrency 1 --retries 0`,
    )
    sandbox.setFaults()
    expect(result.code).toBe(code)
    expect(lines(result.stderr)[0]).toHaveProperty('error.ticketId')
  })

  test('7 comes before 5, and 5 before 3', async () => {
    const limited = `${unknownId} ${tickets.old} ${tickets.active}`
    expect((await svc(`tickets history ${limited} -o ids`, { env: as('limited-history') })).code).toBe(5)
    sandbox.setFaults('tickets.history:3=500')
    const { code } = await svc(`tickets history ${limited} -o ids --concurrency 1 --retries 0`, {
      env: as('limited-history'),
    })
    sandbox.setFaults()
    expect(code).toBe(7)
  })

  test('midway: its document is closed with the cursor, its error says where the rest begins, and the next one follows', async () => {
    sandbox.setFaults('tickets.history:3=403')
    const result = await svc(`tickets history ${tickets.hostile} ${tickets.closed} --json --concurrency 1`)
    sandbox.setFaults()
    expect(result.code).toBe(5)
    const [first, second] = documents(result)
    expect(first?.messages).toHaveLength(40)
    expect(second?.ticket.id).toBe(tickets.closed)
    const [error] = lines(result.stderr) as [{ error: { cursor: string; hint: string } }]
    expect(first?.nextChunkStartMessageId).toBe(error.error.cursor)
    expect(error.error.hint).toContain(`svc tickets history ${tickets.hostile} --cursor ${error.error.cursor}`)
    sandbox.setFaults('tickets.history:3=403')
    const { stdout } = await svc(
      `tickets history ${tickets.hostile} ${tickets.closed} -o transcript --limit all --concurrency 1`,
    )
    sandbox.setFaults()
    expect(stdout).toMatch(/\n\(the history stopped here: the rest could not be read\)\n\nticket /)
  })

  test('all of them: nothing on stdout', async () => {
    expect(await svc(`tickets history ${unknownId} ${tickets.new} --json`)).toMatchObject({ code: 3, stdout: '' })
  })

  test('401 stops at once: what is there is printed, and nothing more is asked for', async () => {
    sandbox.setFaults('tickets.history:2+=401')
    const many = [tickets.closed, ...assignableTickets.slice(0, 10)]
    const { result, sent: requests } = await requestsOf(
      `tickets history ${many.join(' ')} --json --limit 1 --concurrency 2`,
    )
    sandbox.setFaults()
    expect(result.code).toBe(4)
    expect(documents(result).map(({ ticket }) => ticket.id)).toEqual([tickets.closed])
    expect(requests.length).toBeLessThan(6)
    expect(lines(result.stderr)[0]).toMatchObject({ error: { category: 'auth', httpStatus: 401 } })
  })
})

test('the reader goes away: exit 0, quietly, after a few chunks of the tickets ahead', async () => {
  const before = sandbox.requests.length
  const child = spawn(
    process.execPath,
    [join(root, 'bin/svc.js'), 'tickets', 'history', tickets.long, ...assignableTickets.slice(0, 20), '-o', 'ndjson'],
    { env: { PATH: process.env['PATH'], HOME: '/nonexistent', ...as('read') }, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  let stderr = ''
  child.stderr.on('data', (data: Buffer) => (stderr += data.toString()))
  child.stdout.once('data', () => child.stdout.destroy())
  const code = await new Promise((resolve) => child.once('exit', resolve))
  expect([code, stderr]).toEqual([0, ''])
  expect(sandbox.requests.length - before).toBeLessThan(100)
})

describe('--out-dir', () => {
  test.each(['json', 'ndjson', 'csv', 'tsv', 'ids', 'transcript', 'html'])(
    '%s: each file is what the command prints of its ticket alone',
    async (format) => {
      const out = newFolder()
      const now = Date.now()
      const capitals = tickets.active.toUpperCase()
      const result = await svc(`tickets history ${capitals} ${tickets.hostile} -o ${format} --out-dir ${out}`, { now })
      expect([result.code, result.stdout]).toEqual([0, ''])
      expect(result.stderr).toContain(`2 tickets written to ${out}`)
      expect(filesOf(out)).toEqual(
        [
          ...['.svc-history.json', '.svc-lock', `${tickets.active}.${format}`, `${tickets.hostile}.${format}`],
          ...(format === 'html' ? ['SHA256SUMS', 'index.html'] : []),
        ].sort(),
      )
      for (const id of [tickets.active, tickets.hostile]) {
        const { stdout } = await svc(`tickets history ${id} -o ${format} --limit all`, { now })
        expect(readFileSync(join(out, `${id}.${format}`), 'utf8')).toBe(stdout)
      }
    },
  )

  test('pages have an index that can do nothing, and checksums of what is there', async () => {
    const out = newFolder()
    const line = `tickets history ${tickets.active} ${tickets.hostile} -o html --out-dir ${out}`
    const sums = (): string[] => readFileSync(join(out, 'SHA256SUMS'), 'utf8').trimEnd().split('\n')
    const wanted = (): string[] =>
      [...[tickets.active, tickets.hostile].sort().map((id) => `${id}.html`), 'index.html'].map(
        (name) =>
          `${createHash('sha256')
            .update(readFileSync(join(out, name)))
            .digest('hex')}  ${name}`,
      )
    expect((await svc(line)).code).toBe(0)
    expect(sums()).toEqual(wanted())
    const index = (): string => readFileSync(join(out, 'index.html'), 'utf8')
    const facts = /<dl>.*<\/dl>/.exec(readFileSync(join(out, `${tickets.active}.html`), 'utf8'))?.[0] ?? 'none'
    expect(index()).toContain(`<li><a href="${tickets.active}.html">Ticket ${tickets.active}</a>${facts}</li>`)
    expect(facts).toContain('<dt>status</dt>')
    // Of a page that somebody changed nothing but facts is taken.
    const hostile = '<dl><div><dt>status</dt><dd dir="auto"><script>x</script></dd></div></dl>'
    writeFileSync(join(out, `${tickets.hostile}.html`), hostile)
    expect((await svc(line)).code).toBe(0)
    expect([sums(), index().includes('script>')]).toEqual([wanted(), false])
    expect(filesOf(out)).toHaveLength(6)
    expect(statSync(join(out, 'index.html')).mode & 0o777).toBe(0o600)
  })

  test('files and folder are for their owner alone, whatever color the terminal has', async () => {
    const out = join(newFolder(), 'deeper')
    const options = { isTerminal: { stdout: true, stderr: true }, columns: 40 }
    await svc(`tickets history ${tickets.active} -o transcript --out-dir ${out} --color always`, options)
    expect(statSync(out).mode & 0o777).toBe(0o700)
    expect(filesOf(out).map((name) => statSync(join(out, name)).mode & 0o777)).toEqual([0o600, 0o700, 0o600])
    expect(readFileSync(join(out, `${tickets.active}.transcript`), 'utf8')).not.toContain('\u001b')
  })

  test('workbooks too, on a terminal that would not be sent one', async () => {
    const out = newFolder()
    const line = `tickets history ${tickets.active} -o xlsx`
    const options = { isTerminal: { stdout: true } }
    expect((await svc(`${line} --out-dir ${out}`, options)).code).toBe(0)
    expect(filesOf(out)).toContain(`${tickets.active}.xlsx`)
    expect(await svc(line, options)).toMatchObject({ code: 2, stdout: '' })
  })

  test('the same command again reads only what is missing; --replace reads again', async () => {
    const out = newFolder()
    const line = `tickets history ${tickets.active} ${unknownId} ${tickets.closed} -o json --out-dir ${out}`
    expect((await svc(line)).code).toBe(3)
    writeFileSync(join(out, `${tickets.active}.json`), 'mine')
    const { result, sent: requests } = await requestsOf(line)
    expect(result.code).toBe(3)
    expect(requests).toEqual([`GET /v1/tickets/${unknownId}/history`])
    expect(lines(result.stderr).slice(-2)).toEqual([
      {
        type: 'note',
        time: expect.any(String) as string,
        message: `0 tickets written to ${out}; 2 were already there (--replace reads again)`,
      },
      expect.objectContaining({ type: 'error' }),
    ])
    expect(readFileSync(join(out, `${tickets.active}.json`), 'utf8')).toBe('mine')
    await svc(`${line} --replace`)
    expect(readFileSync(join(out, `${tickets.active}.json`), 'utf8')).toContain('"messages"')
  })

  test('an age counts from when the folder was begun', async () => {
    const out = newFolder()
    const now = Date.now()
    const line = `tickets history ${tickets.active} ${tickets.hostile} -o html --utc --since 1d --out-dir ${out}`
    await svc(line.replace(` ${tickets.hostile}`, ''), { now })
    await svc(line, { now: now + 60_000 })
    const part = (id: string): string | undefined =>
      /since (\S+?)</.exec(readFileSync(join(out, `${id}.html`), 'utf8'))?.[1]
    expect(part(tickets.hostile)).toBe(new Date(now - 86_400_000).toISOString())
    await svc(`${line} --replace`, { now: now + 60_000 })
    expect(part(tickets.active)).toBe(new Date(now - 86_340_000).toISOString())
  })

  test.each([
    ['--since 3d', 'without --since, and this command runs with --since 3d'],
    ['--until 2026-01-01', 'without --until, and this command runs with --until 2026-01-01'],
    ['--limit 5', 'with --limit all, and this command runs with --limit 5'],
    ['--order oldest', 'with --order newest, and this command runs with --order oldest'],
    ['--fields id', 'without --fields, and this command runs with --fields id'],
    ['-o html', 'with -o json, and this command runs with -o html'],
    ['--utc', 'without --utc, and this command runs with --utc'],
    ['--csv-raw', 'without --csv-raw, and this command runs with --csv-raw'],
    ['--json-raw', 'without --json-raw, and this command runs with --json-raw'],
    ['--limit 5 --replace', 'with --limit all, and this command runs with --limit 5'],
  ])('%s in a folder that was begun without it: exit 2', async (options, message) => {
    const out = newFolder()
    await svc(`tickets history ${tickets.closed} -o json --out-dir ${out}`)
    const format = options.startsWith('-o') ? '' : '-o json'
    const { result, sent: requests } = await requestsOf(
      `tickets history ${tickets.active} ${format} ${options} --out-dir ${out} --error-format text`,
    )
    expect([result.code, requests]).toEqual([2, []])
    expect(result.stderr).toContain(`was started ${message}`)
    expect(filesOf(out)).toHaveLength(3)
  })

  test.each([
    ['another service', { SVC_BASE_URL: 'http://127.0.0.1:1' }, 'with the base URL http://127.0.0.1:'],
    ['another time zone', { TZ: 'Pacific/Kiritimati' }, 'this command runs with the time zone Pacific/Kiritimati'],
  ] as const)('%s is another folder: exit 2', async (_, env, words) => {
    const out = newFolder()
    const line = ['tickets', 'history', tickets.closed, '-o', 'json', '--out-dir', out, '--error-format', 'text']
    const run = (more = {}) =>
      spawnSync(process.execPath, [join(root, 'bin/svc.js'), ...line], {
        env: { PATH: process.env['PATH'], HOME: '/nonexistent', TZ: 'UTC', SVC_UTC: '0', ...as('read'), ...more },
        encoding: 'utf8',
      })
    // The sandbox is in this process.
    await svc(line.join(' '))
    const { status, stderr } = run(env)
    expect([status, stderr]).toEqual([2, expect.stringContaining(words)])
  })

  test('a ticket that fails midway leaves nothing, and the others are there', async () => {
    const out = newFolder()
    sandbox.setFaults('tickets.history:3=403')
    const line = `tickets history ${tickets.hostile} ${tickets.closed} -o ndjson --concurrency 1 --out-dir ${out}`
    const { code } = await svc(line)
    sandbox.setFaults()
    expect([code, filesOf(out)]).toEqual([5, ['.svc-history.json', '.svc-lock', `${tickets.closed}.ndjson`]])
    expect((await svc(line)).code).toBe(0)
    expect(lines(readFileSync(join(out, `${tickets.hostile}.ndjson`), 'utf8'))).toHaveLength(64)
  })

  test('a symbolic link is neither followed nor taken for a file of ours', async () => {
    const out = newFolder()
    const line = `tickets history ${tickets.closed} -o json --out-dir`
    await svc(`${line} ${out}`)
    const [victim, link] = [join(folder, 'victim'), join(folder, 'link')]
    writeFileSync(victim, 'keep')
    symlinkSync(victim, join(out, `${tickets.active}.json`))
    expect((await svc(`${line.replace(tickets.closed, tickets.active)} ${out}`)).code).toBe(0)
    expect(readFileSync(victim, 'utf8')).toBe('keep')
    expect(lstatSync(join(out, `${tickets.active}.json`)).isFile()).toBe(true)
    symlinkSync(out, link)
    for (const path of [link, `${link}/`]) {
      const { code, stderr } = await svc(`${line} ${path} --error-format text`)
      expect([code, stderr]).toEqual([2, expect.stringContaining('is a symbolic link')])
    }
  })

  test('what cannot be a folder, or holds something else: exit 2 before any request', async () => {
    const [file, other, linked] = [input('plain', ''), newFolder(), newFolder()]
    mkdirSync(other)
    writeFileSync(join(other, '.svc-history.json'), '{"schema":"other"}')
    mkdirSync(linked)
    symlinkSync(file, join(linked, '.svc-history.json'))
    for (const path of [file, join(file, 'below'), other, linked]) {
      const { result, sent: requests } = await requestsOf(`tickets history ${tickets.closed} -o json --out-dir ${path}`)
      expect([path, result.code, requests]).toEqual([path, 2, []])
    }
  })

  test('in use by another process: exit 11; the drafts of the process before are removed, those of nobody known are not', async () => {
    const out = newFolder()
    const line = `tickets history ${tickets.closed} -o json --out-dir ${out}`
    await svc(line)
    const { token } = JSON.parse(readFileSync(join(out, '.svc-history.json'), 'utf8')) as { token: string }
    const drafts = [token, 'f'.repeat(16)].map((each) => join(out, `.${tickets.closed}.json.${each}.part`))
    for (const draft of drafts) writeFileSync(draft, '{')
    const lock = await takeLock(nodeHost(process), join(out, '.svc-lock'), { what: 'it' })
    const { result, sent: requests } = await requestsOf(line)
    expect([result.code, requests]).toEqual([11, []])
    expect(result.stderr).toContain(`${out}\\" is in use by process ${process.pid}`)
    expect(drafts.map((draft) => existsSync(draft))).toEqual([true, true])
    await lock.release()
    expect((await svc(line)).code).toBe(0)
    expect(drafts.map((draft) => existsSync(draft))).toEqual([false, true])
  })
})

// How much of several tickets is read while one of them is printed.
/** Until nothing can go on by itself. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20_000; turn += 1) await Promise.resolve()
}

/** Tickets of 50,000 messages, and how many of each were read. */
function longTickets(count: number) {
  const ids = new IdTable()
  for (let n = 0; n < count; n += 1) ids.addText(n.toString(16).padStart(24, '0'), 0)
  const read = new Map<string, number>()
  async function* messages(ticketId: string): AsyncGenerator<Message & { ticketId: string }, Ending> {
    for (let n = 0; n < 50_000; n += 1) {
      read.set(ticketId, n + 1)
      yield await Promise.resolve({ ticketId, id: String(n) })
    }
    return {}
  }
  const reader = {
    open(ticketId: string) {
      read.set(ticketId, 0)
      return Promise.resolve({ messages: messages(ticketId), more: {} })
    },
    viewFor: <V>(view: V) => Promise.resolve(view),
  }
  return { ids, read, reader }
}

async function take(part: Rows<Message> | undefined, count: number): Promise<void> {
  if (part === undefined || !(Symbol.asyncIterator in part.rows)) throw new Error('no part')
  const rows = part.rows[Symbol.asyncIterator]()
  for (let n = 0; n < count; n += 1) await rows.next()
}

test('as many tickets as are allowed, and of those ahead a bounded number of messages', async () => {
  const { ids, read, reader } = longTickets(10)
  const tally = new Tally({ failed: () => undefined })
  const { parts } = await severalParts({ ids, concurrency: 3, reader, tally })
  const each = parts[Symbol.asyncIterator]()
  const first = (await each.next()).value as Rows<Message>
  await settled()
  expect([...read.values()]).toEqual([1000, 1000, 1000])
  await take(first, 5000)
  await settled()
  expect([...read.values()]).toEqual([5000, 1000, 1000])
  await each.next()
  await settled()
  expect([...read.values()].slice(1)).toEqual([1000, 1000, 1000])
  await each.return?.()
  await settled()
  expect(read.size).toBe(4)
})
