/** `svc tickets …` against the sandbox over real HTTP. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Message, Ticket } from '../../src/api/schemas.ts'
import { createSandboxWorld, errorOf, root } from '../svc.ts'

const { svc, sandbox, as, requestsOf } = await createSandboxWorld()
const { tickets, employee, aiEmployee, employeeInactive, employeeWithoutChannel, assignableTickets } = sandbox.examples
const unknownId = '0123456789abcdef01234567'
const json = (text: string): unknown => JSON.parse(text)
const lines = (text: string): unknown[] => text.trimEnd().split('\n').map(json)

interface History {
  readonly ticket: Ticket
  readonly messages: readonly Message[]
  readonly nextChunkStartMessageId?: string
}

async function history(options: string, ticket = tickets.long): Promise<History> {
  const { code, stdout } = await svc(`tickets history ${ticket} ${options} --json`)
  expect(code).toBe(0)
  return json(stdout) as History
}

const idsOf = ({ messages }: History): string[] => messages.map(({ id }) => id)
/** Every message of the long ticket, newest first. */
const all = idsOf(await history(''))
const place = (id: string | undefined): number => all.indexOf(id ?? '')

describe('tickets get', () => {
  test('as key and value, the assignee by name', async () => {
    const { code, stdout, stderr } = await svc(`tickets get ${tickets.active}`)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(
      new RegExp(
        `^ID +${tickets.active}\\nSTATUS +active\\nASSIGNEE +Alice Adams\\nCHAT +[0-9a-f]{24}\\nSTARTED +\\S+\\nAD +120210000000000001\\n$`,
      ),
    )
  })

  test('json is the ticket as the service sends it, for one request', async () => {
    const { result, sent: requests } = await requestsOf(`tickets get ${tickets.active} --json`)
    expect(Object.keys(json(result.stdout) as object)).toEqual([
      'id',
      'chatId',
      'status',
      'assigneeId',
      'startedAt',
      'attribution',
    ])
    expect(requests).toEqual([`GET /v1/tickets/${tickets.active}/history`])
    expect((await svc(`tickets get ${tickets.active} -o ids`)).stdout).toBe(`${tickets.active}\n`)
    expect((await svc(`tickets get ${tickets.active} -o csv --fields id,assignee`)).stdout).toBe(
      `id,assignee\n${tickets.active},Alice Adams\n`,
    )
    expect(
      json((await svc(`tickets get ${tickets.active} -o ndjson --fields status,attribution.ad_id`)).stdout),
    ).toEqual({
      status: 'active',
      attribution: { ad_id: '120210000000000001' },
    })
  })

  test('without an assignee, and without leave to read employees', async () => {
    expect((await svc(`tickets get ${tickets.unassigned}`)).stdout).toMatch(/ASSIGNEE\n/)
    sandbox.setFaults('employees.list=403')
    const { code, stdout, stderr } = await svc(`tickets get ${tickets.active}`)
    sandbox.setFaults()
    expect(code).toBe(0)
    expect(stdout).toMatch(/ASSIGNEE +[0-9a-f]{24}\n/)
    expect(stderr).toBe(
      'note: employees are shown by id, since they could not be read: API key scope is not sufficient\n',
    )
  })

  test('a ticket that was not asked for is not shown', async () => {
    sandbox.setFaults('tickets.history=foreign-ids')
    const { code, stdout, stderr } = await svc(`tickets get ${tickets.active} --json --retries 0`)
    sandbox.setFaults()
    expect([code, stdout]).toEqual([7, ''])
    expect(errorOf({ stderr })['message']).toMatch(
      /the answer is about another record than the one that was asked for$/,
    )
  })
})

describe.each(['get', 'history'])('tickets %s is refused', (verb) => {
  test.each([
    ['a new ticket', tickets.new, {}, 6, { httpStatus: 400, code: 40001 }, /may still be "new"/],
    ['an unknown one', unknownId, {}, 6, { httpStatus: 404, code: 40401 }, /may still be "new"/],
    [
      'an old one on a limited plan',
      tickets.old,
      as('limited-history'),
      5,
      { httpStatus: 403, code: 40352 },
      /older than 30 days/,
    ],
    ['no plan', tickets.active, as('no-plan'), 5, { httpStatus: 403, code: 40351 }, /company's plan/],
  ])('%s', async (_, ticket, env, code, details, hint) => {
    const result = await svc(`tickets ${verb} ${ticket} --json`, { env })
    expect([result.code, result.stdout]).toEqual([code, verb === 'get' ? '' : '{\n'])
    const error = errorOf(result)
    expect(error).toMatchObject({
      ...details,
      exitCode: code,
      request: { method: 'GET', path: `/v1/tickets/${ticket}/history`, attempts: 1 },
    })
    expect(error['hint']).toMatch(hint)
  })

  test.each(['../employees', 'a?x=1', '..%2f..', '12', `${unknownId}0`, 'VIP', '""'])(
    '%s, which is no id',
    async (ticket) => {
      const { result, sent: requests } = await requestsOf(`tickets ${verb} ${ticket} --json`)
      expect([result.code, result.stdout]).toEqual([2, ''])
      expect(errorOf(result)['message']).toMatch(/^the ticket must be 24 hexadecimal digits/)
      expect(requests).toEqual([])
    },
  )

  test('but neither an old one on a full plan, nor one that is not current, nor with the read key', async () => {
    for (const ticket of [tickets.old, tickets.notCurrent, tickets.closed, tickets.active.toUpperCase()]) {
      expect((await svc(`tickets ${verb} ${ticket}`, { env: as('read') })).code).toBe(0)
    }
    expect((await svc(`tickets ${verb} ${tickets.active}`, { env: as('limited-history') })).code).toBe(0)
  })
})

describe('tickets history', () => {
  test('ndjson: 5,000 messages, each once, ids beyond 2^53 exactly', async () => {
    const { result, sent: requests } = await requestsOf(`tickets history ${tickets.long} -o ndjson`)
    expect([result.code, result.stderr]).toEqual([0, ''])
    const ids = (lines(result.stdout) as Message[]).map(({ id }) => id)
    expect(new Set(ids).size).toBe(5000)
    expect(ids).toEqual([...ids].sort((a, b) => (BigInt(a) < BigInt(b) ? 1 : -1)))
    expect(Number.isSafeInteger(Number(ids[0]))).toBe(false)
    // Read as numbers, some would be the same.
    expect(new Set(ids.map(Number)).size).toBeLessThan(5000)
    expect(requests).toHaveLength(250)
  })

  test('json: ticket, messages, and no cursor when all are there', async () => {
    const whole = await history('', tickets.active)
    expect(Object.keys(whole)).toEqual(['ticket', 'messages'])
    expect(whole.ticket).toMatchObject({ id: tickets.active, status: 'active' })
    expect(whole.messages).toHaveLength(45)
    expect(await history('', tickets.noMessages)).toMatchObject({ messages: [] })
  })

  test('a table of the 50 newest, and a note with the cursor', async () => {
    const { code, stdout, stderr } = await svc(`tickets history ${tickets.long}`)
    expect(code).toBe(0)
    expect(stdout.split('\n')[0]).toMatch(/^SENT +DIRECTION +FROM +TEXT +ATTACHMENTS$/)
    expect(stdout.trimEnd().split('\n')).toHaveLength(51)
    expect(stderr).toBe(
      `note: older messages were left out. Use --limit all for all of them, or resume with --cursor ${all[40] ?? ''}\n`,
    )
    expect(await svc(`tickets history ${tickets.noMessages}`)).toEqual({
      code: 0,
      stdout: '',
      stderr: 'note: no messages\n',
    })
  })

  test('the table names who wrote; csv and chosen fields keep the id', async () => {
    const from = (text: string): string[] =>
      text
        .split('\n')
        .filter((line) => line.includes('outgoing'))
        .map((line) => line.trim().split(/ {2,}/)[2] ?? '')
    expect(new Set(from((await svc(`tickets history ${tickets.active}`)).stdout))).toEqual(new Set(['Alice Adams']))
    expect((await svc(`tickets history ${tickets.active} --fields direction,fromId`)).stdout).not.toContain('Alice')
    expect((await svc(`tickets history ${tickets.active} -o csv`)).stdout).not.toContain('Alice')
  })

  test('ids, csv and tsv', async () => {
    expect((await svc(`tickets history ${tickets.long} -o ids --limit 2`)).stdout).toBe(
      `${all[0] ?? ''}\n${all[1] ?? ''}\n`,
    )
    const tsv = (await svc(`tickets history ${tickets.hostile} -o tsv`)).stdout.trimEnd().split('\n')
    expect(tsv).toHaveLength(65)
    expect(new Set(tsv.map((row) => row.split('\t').length))).toEqual(new Set([5]))
    expect(
      (await svc(`tickets history ${tickets.attachments} -o csv --limit 1 --fields attachments.fileName`)).stdout,
    ).toBe('attachments.fileName\n"Screenshot 2026.png;Привет 你好.ogg"\n')
  })

  test.each([
    [1, 1, undefined],
    [19, 1, undefined],
    [20, 1, 20],
    [21, 2, 20],
    [40, 2, 40],
    [50, 3, 40],
  ])('--limit %i takes %i requests and goes on from message %o', async (limit, requests, start) => {
    const { result, sent } = await requestsOf(`tickets history ${tickets.long} --limit ${limit} --json`)
    const { messages, nextChunkStartMessageId } = json(result.stdout) as History
    expect(messages.map(({ id }) => id)).toEqual(all.slice(0, limit))
    expect(nextChunkStartMessageId).toBe(start === undefined ? undefined : all[start])
    expect(sent).toHaveLength(requests)
    const more = limit % 20 === 0 ? 'there may be older messages' : 'older messages were left out'
    const on =
      start === undefined
        ? 'Use --limit all for all of them; --limit 20 or more gives a cursor to resume from.'
        : `Use --limit all for all of them, or resume with --cursor ${all[start] ?? ''}`
    expect(json(result.stderr)).toEqual({
      type: 'note',
      time: expect.any(String) as string,
      level: 'info',
      message: `${more}. ${on}`,
    })
  })

  test('a limit that is exactly all leaves nothing out', async () => {
    const { code, stdout, stderr } = await svc(`tickets history ${tickets.active} --limit 45 --json`)
    expect([code, stderr, Object.keys(json(stdout) as object)]).toEqual([0, '', ['ticket', 'messages']])
    expect((await svc(`tickets history ${tickets.twentyMessages} --limit 20`)).stderr).toBe('')
  })

  test.each([
    ['hostile', 20],
    ['hostile', 30],
    ['hostile', 33],
  ] as const)(
    'the messages of the %s ticket in pieces of %i: nothing is lost, up to 19 come again',
    async (name, limit) => {
      const whole = idsOf(await history('', tickets[name]))
      const seen: string[] = []
      let cursor: string | undefined
      let again = 0
      do {
        const from = cursor === undefined ? '' : ` --cursor ${cursor}`
        const piece = await history(`--limit ${limit}${from}`, tickets[name])
        const ids = idsOf(piece)
        const repeated = ids.filter((id) => seen.includes(id))
        again = Math.max(again, repeated.length)
        seen.push(...ids.filter((id) => !repeated.includes(id)))
        cursor = piece.nextChunkStartMessageId
      } while (cursor !== undefined)
      expect(seen).toEqual(whole)
      expect(again).toBeLessThan(20)
    },
  )

  test.each(['cursor-exclusive', 'cursor-overlap', 'cursor-exclusive,tickets.history=chunk-size(7)', 'chunk-size(50)'])(
    'with a service of another kind (%s) it is the same',
    async (fault) => {
      const usual = idsOf(await history('', tickets.hostile))
      sandbox.setFaults(`tickets.history=${fault}`)
      const whole = await history('--limit all', tickets.hostile)
      const first = await history('--limit 52', tickets.hostile)
      const rest = await history(`--cursor ${first.nextChunkStartMessageId ?? ''}`, tickets.hostile)
      sandbox.setFaults()
      expect(idsOf(whole)).toEqual(usual)
      expect([...new Set([...idsOf(first), ...idsOf(rest)])]).toEqual(usual)
    },
  )

  test('oldest first: of a limit the newest n, shown the oldest first', async () => {
    const newest = await history('--limit 45 --order newest')
    const oldest = await history('--limit 45 --order oldest')
    expect(idsOf(oldest)).toEqual(idsOf(newest).reverse())
    expect(oldest.nextChunkStartMessageId).toBe(all[40])
    expect(idsOf(await history('--order oldest', tickets.active))).toEqual(
      idsOf(await history('', tickets.active)).reverse(),
    )
  })

  test('an album, an email and attachments come as they are', async () => {
    const [first] = (await history('--limit 1', tickets.email)).messages
    expect(first).toMatchObject({ subject: expect.stringMatching(/Order 4711$/) as string })
    const album = (await history('', tickets.album)).messages.filter(({ mediaGroupId }) => mediaGroupId != null)
    expect(album.length).toBeGreaterThan(0)
    expect((await history('--limit 1', tickets.attachments)).messages[0]?.attachments?.[0]).toMatchObject({
      size: expect.any(Number) as number,
    })
  })

  test('unknown fields are kept', async () => {
    sandbox.setFaults('tickets.history=unknown-fields')
    const { stdout } = await svc(`tickets history ${tickets.active} --limit 1 -o ndjson`)
    sandbox.setFaults()
    expect(json(stdout)).toMatchObject({ x_unknown: { nested: [1, 'two', null, { three: 3 }] } })
  })

  test('a transcript begins with the oldest and names the employee', async () => {
    const { code, stdout, stderr } = await svc(`tickets history ${tickets.active} -o transcript`)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(new RegExp(`^ticket ${tickets.active}\\nstatus active · assignee Alice Adams`))
    expect(stdout).toContain('outgoing · Alice Adams')
    expect((await svc(`tickets history ${tickets.long} -o transcript`)).stderr).toMatch(
      /^note: older messages were left out/,
    )
    expect((await svc(`tickets history ${tickets.active} -o html`)).stdout).toMatch(/^<!doctype html>/)
    expect((await svc(`tickets history ${tickets.active} -o transcript --order newest`)).code).toBe(2)
  })
})

test('a page says when it was saved, by which profile, and which part it is', async () => {
  const fact = (html: string, name: string): string | undefined =>
    new RegExp(`<dt>${name}</dt><dd dir="auto">([^<]*)</dd>`).exec(html)?.[1]
  const now = Date.now()
  const page = async (options: string) =>
    (
      await svc(
        `tickets history ${options.includes('1000') ? tickets.long : tickets.active} -o html --utc ${options}`,
        { now },
      )
    ).stdout
  const whole = await page('')
  expect(fact(whole, 'saved')).toBe(new Date(now).toISOString().slice(0, 16).replace('T', ' '))
  expect(fact(whole, 'profile')).toBe(new URL(sandbox.baseUrl).host)
  expect(fact(whole, 'part')).toBe('all messages')
  expect(fact(await page('--limit 1000'), 'part')).toBe('the newest 1,000 messages')
  expect(fact(await page('--since 2020-01-01T00:00:00Z --until 2021-01-01T00:00:00Z'), 'part')).toBe(
    'all messages, since 2020-01-01T00:00:00.000Z, before 2021-01-01T00:00:00.000Z',
  )
})

test.each(['transcript', 'table'])('the employees of a %s are asked for beside the first chunk', async (format) => {
  sandbox.setFaults('latency=100ms')
  const { sent: requests } = await requestsOf(`tickets history ${tickets.long} -o ${format} --limit 60`)
  sandbox.setFaults()
  const chunk = expect.stringMatching(/history/) as string
  expect(requests).toHaveLength(4)
  expect(requests.slice(0, 2).toSorted()).toEqual(['GET /v1/employees', chunk])
})

describe('since and until', () => {
  const at = (n: number): Promise<string> =>
    history(`--limit ${n + 1}`).then(({ messages }) => messages[n]?.sentAt ?? '')

  test('a span of times: since inclusive, until exclusive', async () => {
    const { result, sent: requests } = await requestsOf(
      `tickets history ${tickets.long} --json --since ${await at(70)} --until ${await at(30)}`,
    )
    expect(idsOf(json(result.stdout) as History)).toEqual(all.slice(31, 71))
    // Five chunks have them, and the sixth is wholly older; the last two readings of a time are not counted.
    expect(requests.length).toBeLessThanOrEqual(6)
  })

  test('the walk ends after a whole chunk that is older', async () => {
    const since = await at(25)
    const { result, sent: requests } = await requestsOf(`tickets history ${tickets.long} --since ${since} -o ids`)
    expect(result.stdout.trimEnd().split('\n')).toEqual(all.slice(0, 26))
    expect(result.stderr).toBe('')
    // Chunks 1 and 2 have newer ones, 3 is older; one more was in flight.
    expect(requests.length).toBeLessThanOrEqual(4)
  })

  test('ages count back from now', async () => {
    // Messages are four minutes apart: two minutes before the eleventh none was sent.
    const minutes = Math.floor((Date.now() - Date.parse(await at(10))) / 60_000) + 2
    expect((await svc(`tickets history ${tickets.long} --since ${minutes}m -o ids`)).stdout).toBe(
      `${all.slice(0, 11).join('\n')}\n`,
    )
    expect((await svc(`tickets history ${tickets.active} --until 3650d`)).stderr).toBe('note: no messages\n')
  })

  test('a limit within a span', async () => {
    const until = await at(30)
    const { stdout, stderr } = await svc(`tickets history ${tickets.long} --until ${until} --limit 5 --json`)
    const cut = json(stdout) as History
    expect(idsOf(cut)).toEqual(all.slice(31, 36))
    expect(place(cut.nextChunkStartMessageId)).toBe(20)
    expect(stderr).toContain('older messages were left out')
  })

  test.each([
    ['--since tomorrow', '--since takes a date'],
    ['--since 1w --until 8d', '--since must be before --until'],
    ['--since 2026-02-30', '--since takes a date'],
    ['--until 5', '--until takes a date'],
    ['--since 1d --until 2d', '--since must be before --until'],
    ['--since 1d --until 1d', '--since must be before --until'],
    ['--cursor ""', '--cursor must not be empty'],
    ['--order up', '--order takes newest or oldest, not "up"'],
    ['--limit 0', '--limit takes a whole number, at least 1, or "all", not "0"'],
    ['--limit 1e3', '--limit takes a whole number'],
  ])('%s is refused with exit 2 and no request', async (options, message) => {
    const { result, sent: requests } = await requestsOf(`tickets history ${tickets.active} ${options} --json`)
    expect([result.code, result.stdout, requests]).toEqual([2, '', []])
    expect(errorOf(result)['message']).toContain(message)
  })

  test('a cursor that the service refuses', async () => {
    const { code, stderr } = await svc(`tickets history ${tickets.active} --cursor 17 --json`)
    expect(code).toBe(6)
    expect(errorOf({ stderr })).toMatchObject({ httpStatus: 400, cursor: '17' })
  })
})

describe('a chunk that fails midway', () => {
  test('json: the document stays open; the note and the error have the cursor', async () => {
    sandbox.setFaults('tickets.history:4+=500')
    const { code, stdout, stderr } = await svc(`tickets history ${tickets.long} --json --retries 1`, { fast: true })
    sandbox.setFaults()
    expect(code).toBe(7)
    expect(idsOf(json(`${stdout}]}`) as History)).toEqual(all.slice(0, 60))
    const [note, error] = lines(stderr) as [unknown, unknown]
    expect(note).toEqual({
      type: 'note',
      time: expect.any(String) as string,
      level: 'info',
      message: `the history stopped early; resume from there with --cursor ${all[60] ?? ''}`,
    })
    expect(error).toMatchObject({
      type: 'error',
      time: expect.any(String) as string,
      error: { category: 'unavailable', exitCode: 7, httpStatus: 500, cursor: all[60], request: { attempts: 2 } },
    })
    expect(idsOf(await history(`--cursor ${all[60] ?? ''}`))).toEqual(all.slice(60))
  })

  test.each(['-o ndjson', '-o ids', '', '-o csv', '-o transcript', '--order oldest -o ndjson'])(
    '%s: what came before is printed',
    async (options) => {
      sandbox.setFaults('tickets.history:3+=403')
      const { code, stdout, stderr } = await svc(
        `tickets history ${tickets.long} --limit all ${options} --error-format text`,
      )
      sandbox.setFaults()
      expect(code).toBe(5)
      expect(stdout).not.toBe('')
      expect(stderr).toMatch(
        new RegExp(`^note: the history stopped early; resume from there with --cursor ${all[40] ?? ''}\\nerror: `),
      )
    },
  )

  test.each(['newest', 'oldest'])('%s first: two chunks of ndjson', async (order) => {
    sandbox.setFaults('tickets.history:3+=403')
    const { stdout } = await svc(`tickets history ${tickets.long} --order ${order} -o ndjson`)
    sandbox.setFaults()
    const first = all.slice(0, 40)
    const rows = lines(stdout) as (Message & { type?: string })[]
    expect(rows.pop()?.type).toBe('error')
    expect(rows.map(({ id }) => id)).toEqual(order === 'newest' ? first : first.reverse())
  })

  test.each(['cursor-loop', 'cursor-same'])('%s ends the walk with exit 7', async (fault) => {
    sandbox.setFaults(`tickets.history=${fault}`)
    const { code, stdout, stderr } = await svc(`tickets history ${tickets.long} --json`)
    sandbox.setFaults()
    expect(code).toBe(7)
    const got = json(`${stdout}]}`) as History
    expect(new Set(idsOf(got)).size).toBe(got.messages.length)
    expect(errorOf({ stderr })['message']).toBe('the service returned a cursor that was already used')
  })

  test('the first chunk: an open document without a row', async () => {
    sandbox.setFaults('tickets.history=500')
    const { code, stdout, stderr } = await svc(`tickets history ${tickets.long} --json --retries 0`)
    sandbox.setFaults()
    expect([code, stdout]).toEqual([7, '{\n'])
    expect(errorOf({ stderr })).not.toHaveProperty('cursor')
  })
})

test('the reader goes away: exit 0, quietly, after a few chunks', async () => {
  const before = sandbox.requests.length
  const child = spawn(
    process.execPath,
    [join(root, 'bin/svc.js'), 'tickets', 'history', tickets.long, '-o', 'ndjson'],
    {
      env: { PATH: process.env['PATH'], HOME: '/nonexistent', ...as('read') },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let stderr = ''
  child.stderr.on('data', (data: Buffer) => (stderr += data.toString()))
  child.stdout.once('data', () => child.stdout.destroy())
  const code = await new Promise((resolve) => child.once('exit', resolve))
  expect([code, stderr]).toEqual([0, ''])
  expect(sandbox.requests.length - before).toBeLessThan(60)
})

describe('tickets assign', () => {
  const alice = sandbox.store.tickets.assigneeOf(tickets.active) ?? ''
  let used = 0
  /** A ticket that nobody has touched yet; all are Alice's. */
  const fresh = (): string => assignableTickets[used++] ?? ''
  const assignments = (ticket: string): unknown[] => sandbox.record.assignments().filter((one) => one.ticket === ticket)

  test('before, after, and the command that undoes it, which does', async () => {
    const ticket = fresh()
    const { code, stdout, stderr } = await svc(`tickets assign ${ticket} --to "Robin Berg"`)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(
      new RegExp(`^TICKET +${ticket}\\nBEFORE +Alice Adams\\nAFTER +Robin Berg\\nUNDO +svc tickets assign `),
    )
    const undo = /UNDO +svc (.*)/.exec(stdout)?.[1] ?? ''
    expect(undo).toBe(`tickets assign ${ticket} --to ${alice} --if-assignee ${employee}`)
    expect((await svc(undo)).code).toBe(0)
    expect(sandbox.store.tickets.assigneeOf(ticket)).toBe(alice)
    // It is so already; somebody else's ticket it would leave alone.
    expect(await svc(undo)).toMatchObject({ code: 0, stderr: expect.stringContaining('nothing was sent') as string })
    sandbox.store.tickets.assign(ticket, aiEmployee)
    expect((await svc(undo)).code).toBe(6)
  })

  test('json is the operation’s result; csv has the names too', async () => {
    const ticket = fresh()
    const { result, sent: requests } = await requestsOf(
      `tickets assign ${ticket} --to ${aiEmployee.toUpperCase()} --json`,
    )
    expect(json(result.stdout)).toEqual({
      ticketId: ticket,
      chatId: expect.stringMatching(/^[0-9a-f]{24}$/) as string,
      previousAssigneeId: alice,
      newAssigneeId: aiEmployee,
    })
    expect(requests).toEqual([`GET /v1/tickets/${ticket}/history`, `PATCH /v1/tickets/${ticket}/assignee`])
    expect(sandbox.requests.at(-1)?.body).toBe(`{"newAssigneeId":"${aiEmployee.toUpperCase()}"}`)
    const csv = await svc(`tickets assign ${ticket} --to id:${employee} -o csv`)
    expect(csv.stdout).toMatch(
      new RegExp(
        `^ticketId,before,after,undo\\n${ticket},Helper Bot,Robin Berg,svc tickets assign ${ticket} --to ${aiEmployee} `,
      ),
    )
  })

  test('of two employees of one name each is told by the id', async () => {
    const employees = json((await svc('employees list --search "Sam Twin" --json')).stdout) as { id: string }[]
    const [first, second] = employees.map(({ id }) => id)
    const ticket = fresh()
    expect((await svc(`tickets assign ${ticket} --to ${first ?? ''}`)).stdout).toContain(`Sam Twin (${first ?? ''})`)
    const { stderr } = await svc(`tickets assign ${ticket} --to ${second ?? ''} --dry-run`)
    expect(stderr).toContain(`assignee: "Sam Twin (${first ?? ''})" → "Sam Twin (${second ?? ''})"`)
    expect((await svc(`tickets get ${ticket}`)).stdout).toContain(`Sam Twin (${first ?? ''})`)
  })

  test('nothing is sent when the ticket has this assignee already', async () => {
    const ticket = fresh()
    const { result, sent: requests } = await requestsOf(`tickets assign ${ticket} --to ${alice} --json`)
    expect(result.code).toBe(0)
    expect(json(result.stdout)).toMatchObject({ ticketId: ticket, previousAssigneeId: alice, newAssigneeId: alice })
    expect(json(result.stderr)).toEqual({
      type: 'note',
      time: expect.any(String) as string,
      level: 'info',
      message: 'the ticket already has this assignee; nothing was sent',
    })
    expect(requests).toEqual([`GET /v1/tickets/${ticket}/history`])
    expect((await svc(`tickets assign ${ticket} --to "Alice Adams"`)).stdout).not.toContain('svc tickets assign')
  })

  test.each([
    ['', 'the employee is empty', 2],
    ['id:Robin', '"Robin" is not an id: ids have 24 hexadecimal digits', 2],
    ['robin berg', 'no employee is called "robin berg", but one is called "Robin Berg"; nothing was sent', 6],
    ['Robin', 'no employee is called "Robin"', 6],
    ['Sam Twin', '2 employees are called "Sam Twin"', 6],
  ])('--to %j is refused and nothing is sent', async (to, message, code) => {
    const ticket = fresh()
    const result = await svc(['tickets', 'assign', ticket, '--to', to, '--json'])
    expect([result.code, result.stdout]).toEqual([code, ''])
    expect(errorOf(result)['message']).toBe(message)
    expect(assignments(ticket)).toEqual([])
  })

  test.each([
    ['tickets assign', /^name the ticket, and its new assignee with --to/],
    [`tickets assign ${unknownId}`, /^name the new assignee with --to/],
    ['tickets assign ../employees --to x', /^the ticket must be 24 hexadecimal digits/],
    [`tickets assign ${unknownId} --to x --file y`, /^--file cannot be used with a ticket/],
  ])('%s is refused with exit 2', async (line, message) => {
    const { result, sent: requests } = await requestsOf(`${line} --json`)
    expect([result.code, result.stdout, requests]).toEqual([2, '', []])
    expect(errorOf(result)['message']).toMatch(message)
  })

  test('--dry-run finds the employees and sends no change', async () => {
    const ticket = fresh()
    const { result, sent: requests } = await requestsOf(
      `tickets assign ${ticket} --to "Robin Berg" --if-assignee "Alice Adams" --dry-run --json`,
    )
    expect(json(result.stdout)).toEqual({
      dryRun: true,
      operation: 'tickets.assign',
      ticketId: ticket,
      previousAssigneeId: alice,
      ifAssigneeId: alice,
      body: { newAssigneeId: employee },
    })
    expect(json(result.stderr)).toMatchObject({
      message: `dry run: would assign the ticket ${ticket} to "Robin Berg" if "Alice Adams" is its assignee; nothing was sent\n  assignee: "Alice Adams" → "Robin Berg"`,
    })
    expect(requests.toSorted()).toEqual(['GET /v1/employees', `GET /v1/tickets/${ticket}/history`])
    const unread = await svc(`tickets assign ${tickets.new} --to ${employee} --dry-run`)
    expect(unread.code).toBe(0)
    expect(unread.stderr).toContain('  assignee: unknown → "Robin Berg"\n')
    expect((await svc(`tickets assign ${ticket} --to ${employee} --if-assignee nobody --dry-run`)).code).toBe(6)
  })

  /** The marks of the rules in the hint, in their order. */
  const marks = (hint: unknown): string[] =>
    String(hint)
      .split('\n')
      .map((line) => /^ {2}(yes|no|unknown) {2,}/.exec(line)?.[1])
      .filter((mark) => mark !== undefined)
  const unseen = 'unknown'

  test.each([
    ['a closed ticket', tickets.closed, employee, ['no', 'yes', unseen, 'yes', 'yes', unseen]],
    ['a ticket without assignee', tickets.unassigned, employee, ['yes', 'no', unseen, 'yes', 'yes', unseen]],
    ['a ticket that is not current', tickets.notCurrent, employee, ['yes', 'yes', unseen, 'yes', 'yes', unseen]],
    ['a new ticket, which cannot be read', tickets.new, employee, [unseen, unseen, unseen, 'yes', unseen, unseen]],
    ['nobody of this company', tickets.active, unknownId, ['yes', 'yes', unseen, 'no', 'yes', unseen]],
    ['an inactive employee', tickets.active, employeeInactive, ['yes', 'yes', unseen, 'no', 'yes', unseen]],
    [
      'an employee without the channel',
      tickets.active,
      employeeWithoutChannel,
      ['yes', 'yes', unseen, 'yes', 'yes', 'no'],
    ],
  ])('%s: exit 6, with the rules and what can be seen of them', async (_, ticket, to, rules) => {
    const { code, stdout, stderr } = await svc(`tickets assign ${ticket} --to ${to} --json`)
    expect([code, stdout]).toEqual([6, ''])
    const error = errorOf({ stderr })
    expect(error).toMatchObject({
      category: 'rejected',
      httpStatus: 400,
      code: 40001,
      request: { method: 'PATCH', attempts: 1 },
    })
    expect(marks(error['hint'])).toEqual(rules)
  })

  test('an unknown ticket: the reading fails, the change is sent, and is refused', async () => {
    const { code, stderr } = await svc(`tickets assign ${unknownId} --to ${employee}`)
    expect(code).toBe(6)
    expect(stderr).toMatch(
      /^note: the ticket could not be read beforehand \(the ticket does not exist\); sending the change anyway\nerror: the ticket does not exist \(HTTP 404, code 40401\)\n {2}the ticket or the employee may not exist in this company\n/,
    )
  })

  test('the assignee already, when the ticket cannot be read: the rule shows', async () => {
    sandbox.setFaults('tickets.history=403')
    const { code, stderr } = await svc(`tickets assign ${fresh()} --to ${alice} --json -q`)
    sandbox.setFaults()
    expect(code).toBe(6)
    expect(marks(errorOf({ stderr })['hint'])).toEqual([unseen, unseen, unseen, 'yes', unseen, unseen])
  })

  test('the read key: exit 5 with the scope', async () => {
    const { code, stderr } = await svc(`tickets assign ${fresh()} --to ${employee} --json`, { env: as('read') })
    expect(code).toBe(5)
    expect(errorOf({ stderr })).toMatchObject({
      code: 40361,
      hint: 'this API key\'s scope is too small: the operation needs "read-write"',
    })
  })

  test('an old ticket on a limited plan cannot be read, and is changed all the same', async () => {
    const { code, stdout, stderr } = await svc(`tickets assign ${tickets.old} --to ${employee}`, {
      env: as('limited-history'),
    })
    expect(code).toBe(0)
    expect(stderr).toBe(
      'note: the ticket could not be read beforehand (Tickets older than 30 days are unavailable on your current plan); sending the change anyway\n',
    )
    expect(stdout).toMatch(/BEFORE +Alice Adams\nAFTER +Robin Berg\nUNDO +svc tickets assign/)
  })

  describe('--if-assignee', () => {
    test('holds', async () => {
      const ticket = fresh()
      expect((await svc(`tickets assign ${ticket} --to ${employee} --if-assignee "Alice Adams"`)).code).toBe(0)
      expect((await svc(`tickets assign ${ticket} --to ${alice} --if-assignee ${employee.toUpperCase()}`)).code).toBe(0)
    })

    test('someone else: exit 6, nothing sent', async () => {
      const ticket = fresh()
      const { code, stdout, stderr } = await svc(
        `tickets assign ${ticket} --to ${aiEmployee} --if-assignee "Robin Berg"`,
      )
      expect([code, stdout]).toEqual([6, ''])
      expect(stderr).toBe(
        `error: the ticket's assignee is "Alice Adams" (${alice}), not "Robin Berg"; nothing was sent\n`,
      )
      expect(assignments(ticket)).toEqual([])
      expect(
        (await svc(`tickets assign ${tickets.unassigned} --to ${aiEmployee} --if-assignee ${alice}`)).stderr,
      ).toMatch(/^error: the ticket's assignee is nobody, not /)
    })

    test('unreadable: the exit of that error, nothing sent', async () => {
      const limited = await svc(`tickets assign ${tickets.old} --to ${alice} --if-assignee ${employee}`, {
        env: as('limited-history'),
      })
      expect([limited.code, limited.stdout]).toEqual([5, ''])
      const unknown = await svc(`tickets assign ${unknownId} --to ${alice} --if-assignee ${employee}`)
      expect([unknown.code, unknown.stdout]).toEqual([6, ''])
      expect(sandbox.requests.at(-1)?.method).toBe('GET')
    })
  })

  describe('a lost answer', () => {
    const lookLater =
      /;\nthe request may still arrive within 6 minutes, until 2\d{3}-\S+Z; then check who has the ticket:\n {2}svc tickets get [0-9a-f]{24}$/
    const assigning = async (faults: string, ticket: string, more = '') => {
      sandbox.setFaults(faults)
      const { result, sent: requests } = await requestsOf(`tickets assign ${ticket} --to ${employee} --json ${more}`, {
        fast: true,
      })
      sandbox.setFaults()
      return { ...result, writes: requests.filter((request) => request.startsWith('PATCH')).length }
    }

    test.each(['drop-after-apply', 'truncated-json', '500(apply)', '503(apply, retry-after=0)', 'wrong-shape'])(
      '%s: a reading afterwards shows that it was made; it is not sent again',
      async (fault) => {
        const ticket = fresh()
        const { code, stdout, stderr, writes } = await assigning(`tickets.assign=${fault}`, ticket)
        expect([code, writes]).toEqual([0, 1])
        expect(json(stdout)).toMatchObject({ ticketId: ticket, previousAssigneeId: alice, newAssigneeId: employee })
        expect(json(stderr)).toEqual({
          type: 'note',
          time: expect.any(String) as string,
          level: 'info',
          message: 'the answer was lost, but the ticket now has the new assignee: by this command, or by someone else',
        })
      },
    )

    test('not made: it is sent again; it may be undone when no attempt can take effect any more', async () => {
      const ticket = fresh()
      const { code, stderr, writes } = await assigning('tickets.assign:1-2=drop-before', ticket)
      expect([code, writes, assignments(ticket).length]).toEqual([0, 3, 1])
      expect(stderr).toMatch(/can still take effect: do not undo this before 2\d{3}-\S+Z"/)
    })

    test('no command undoes what only a reading showed', async () => {
      sandbox.setFaults('tickets.assign=drop-after-apply')
      const { code, stdout } = await svc(`tickets assign ${fresh()} --to ${employee}`)
      sandbox.setFaults()
      expect(code).toBe(0)
      expect(stdout).toMatch(/BEFORE +Alice Adams\nAFTER +Robin Berg\nUNDO\s*$/)
    })

    test('never made in three attempts: exit 7, and the command that shows who has it', async () => {
      const ticket = fresh()
      const { code, stdout, stderr, writes } = await assigning('tickets.assign=drop-before', ticket)
      expect([code, stdout, writes]).toEqual([7, '', 3])
      expect(errorOf({ stderr })).toMatchObject({
        category: 'unavailable',
        hint: expect.stringMatching(/^the change may or may not have been made;\n/) as string,
      })
      expect(errorOf({ stderr })['hint']).toMatch(lookLater)
    })

    test.each([
      ['it was not made', 'tickets.assign=drop-before,tickets.assign=delay(200ms, before)'],
      ['it was made, and undone', 'tickets.assign=drop-after-apply,tickets.assign=delay(200ms)'],
    ])('someone else has it, %s: exit 7, and nothing is overwritten nor claimed', async (_what, faults) => {
      const ticket = fresh()
      sandbox.setFaults(faults)
      const sent = (): number => sandbox.record.of('tickets.assign').filter(({ path }) => path.includes(ticket)).length
      const assigning = svc(`tickets assign ${ticket} --to ${employee} --json`, { fast: true })
      // The first request was received, and lost.
      while (sent() === 0) await new Promise((resolve) => setTimeout(resolve, 1))
      sandbox.store.tickets.assign(ticket, aiEmployee)
      const { code, stderr } = await assigning
      sandbox.setFaults()
      expect(code).toBe(7)
      expect(errorOf({ stderr })).toMatchObject({
        category: 'unavailable',
        message: expect.stringMatching(/^the outcome is unknown: the request was sent/) as string,
      })
      const hint = String(errorOf({ stderr })['hint'])
      expect(hint.split('\n')[0]).toBe(
        `the ticket's assignee is "${aiEmployee}" now: the change may have been made, and replaced by someone else;`,
      )
      expect(hint).toMatch(lookLater)
      expect(hint).not.toMatch(/left so|not carried out|not made/)
      expect(sandbox.store.tickets.assigneeOf(ticket)).toBe(aiEmployee)
      expect(assignments(ticket).length).toBeLessThan(2)
    })

    test('unreadable afterwards: exit 7', async () => {
      const { code, writes } = await assigning('tickets.assign=drop-after-apply,tickets.history:2+=403', fresh())
      expect([code, writes]).toEqual([7, 1])
    })

    test('unreadable before, made: who had it is not claimed', async () => {
      const { code, stdout } = await assigning('tickets.assign=drop-after-apply,tickets.history:1=403', fresh())
      expect(code).toBe(0)
      expect(json(stdout)).toMatchObject({ previousAssigneeId: null, newAssigneeId: employee })
    })

    test('unreadable before, not made: exit 7, for nobody knows what was', async () => {
      const { code, writes } = await assigning('tickets.assign=drop-before,tickets.history:1=403', fresh())
      expect([code, writes]).toEqual([7, 1])
    })

    test('an answer about another ticket is not taken for one about this: it is read again', async () => {
      const ticket = fresh()
      const made = await assigning('tickets.assign=foreign-ids', ticket)
      expect([made.code, made.writes]).toEqual([0, 1])
      expect(json(made.stdout)).toMatchObject({ ticketId: ticket, newAssigneeId: employee })
      const unseen = await assigning('tickets.assign=foreign-ids,tickets.history:2+=403', fresh())
      expect([unseen.code, unseen.stdout]).toEqual([7, ''])
    })
  })
})
