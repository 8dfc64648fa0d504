/** `svc tickets history` of several tickets. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import type { Message, Ticket } from '../../src/api/schemas.ts'
import { createSandboxWorld, type Result } from '../svc.ts'

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
/** An output that is left open at its end. */
const openDocuments = ({ stdout }: Result): History[] => JSON.parse(`${stdout}]`) as History[]

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
      documents(
        await svc(`tickets history ${tickets.active} ${tickets.active.toUpperCase()} --json`),
      ),
    ).toHaveLength(1)
    expect(await svc('tickets history --file - --json', { stdin: '' })).toMatchObject({
      code: 0,
      stdout: '[]\n',
    })
  })

  test('ids come from tables and from addresses', async () => {
    const [one, other] = [tickets.active, tickets.closed].map(
      (id) => `https://app.example.com/inbox/${id}?tab=1`,
    )
    const csv = input('a.csv', `Subject,Case\nHello,${one}\nBye,${other}\n`)
    const unnamed = await svc(`tickets history --file ${csv} --json`)
    expect(unnamed.stderr).toContain('name the column with the ids: --column')
    const pasted = documents(
      await svc(`tickets history --file ${csv} --column Case --json --limit 1`),
    )
    expect(pasted.map(({ ticket }) => ticket.id)).toEqual([tickets.active, tickets.closed])
    const bad = await svc(`tickets history --file - --json`, {
      stdin: `${one}\nnone\n${one}${other}\n`,
    })
    expect([bad.code, bad.stdout]).toEqual([2, ''])
    expect(bad.stderr).toMatch(/line 2.*line 3.*the address has 2 ids in it/s)
  })

  test.each([
    ['--cursor 1', 'a a', '--cursor is only for one ticket'],
    ['-o html', 'a a', 'a page has only one ticket'],
    ['--file x.txt', 'a', '--file cannot be used with a ticket'],
    ['--concurrency 33', 'a a', '--concurrency takes a whole number from 1 to 32'],
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
    expect(openDocuments(result).map(({ ticket }) => ticket.id)).toEqual([
      tickets.active,
      tickets.closed,
    ])
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
    expect(whole).toMatchObject({
      error: { exitCode: 3, message: '1 of 3 tickets could not be read' },
    })
  })

  test('7 comes before 5, and 5 before 3', async () => {
    const limited = `${unknownId} ${tickets.old} ${tickets.active}`
    expect(
      (await svc(`tickets history ${limited} -o ids`, { env: as('limited-history') })).code,
    ).toBe(5)
    sandbox.setFaults('tickets.history:3=500')
    const { code } = await svc(`tickets history ${limited} -o ids --concurrency 1 --retries 0`, {
      env: as('limited-history'),
    })
    sandbox.setFaults()
    expect(code).toBe(7)
  })

  test('midway: its document is closed with the cursor, its error says where the rest begins, and the next one follows', async () => {
    sandbox.setFaults('tickets.history:3=403')
    const result = await svc(
      `tickets history ${tickets.hostile} ${tickets.closed} --json --concurrency 1`,
    )
    sandbox.setFaults()
    expect(result.code).toBe(5)
    const [first, second] = openDocuments(result)
    expect(first?.messages).toHaveLength(40)
    expect(second?.ticket.id).toBe(tickets.closed)
    const [error] = lines(result.stderr) as [{ error: { cursor: string; hint: string } }]
    expect(first?.nextChunkStartMessageId).toBe(error.error.cursor)
    expect(error.error.hint).toContain(
      `svc tickets history ${tickets.hostile} --cursor ${error.error.cursor}`,
    )
    sandbox.setFaults('tickets.history:3=403')
    const words = `${tickets.hostile} ${tickets.closed} -o transcript --limit all --concurrency 1`
    const { stdout } = await svc(`tickets history ${words}`)
    sandbox.setFaults()
    expect(stdout).toMatch(
      /\n\(the history stopped here: .*\)\n\nticket [^]*\n#incomplete: 1 of 2 tickets .*\n$/,
    )
  })

  test('--skip-unreadable: what the service refuses is left out and named, the output is whole, exit 3', async () => {
    const words = `tickets history ${unknownId} ${tickets.closed} ${tickets.new} --skip-unreadable`
    const { code, stdout } = await svc(`${words} --json`)
    expect(code).toBe(3)
    expect(
      (JSON.parse(stdout) as { ticket: { id: string } }[]).map(({ ticket }) => ticket.id),
    ).toEqual([tickets.closed])
    expect((await svc(`${words} --out ${folder}/some.csv`)).code).toBe(3)
    expect(existsSync(`${folder}/some.csv`)).toBe(true)
    const none = await svc(`tickets history ${unknownId} ${tickets.new} --skip-unreadable --json`)
    expect([none.code, none.stdout]).toEqual([3, '[]\n'])
  })

  test('--skip-unreadable: a connection that fails, and a refusal midway, are failed reads all the same', async () => {
    const words = `tickets history ${tickets.hostile} ${unknownId} --skip-unreadable --concurrency 1`
    for (const [fault, exitCode] of [
      ['tickets.history:1=503', 7],
      ['tickets.history:3=403', 5],
    ] as const) {
      sandbox.setFaults(fault)
      const { code, stdout } = await svc(`${words} -o ids --retries 0`)
      sandbox.setFaults()
      expect([code, stdout.trimEnd().split('\n').at(-1)]).toEqual([
        exitCode,
        '#incomplete: 1 of 2 tickets could not be read',
      ])
    }
    expect((await svc(`tickets history ${tickets.closed} --skip-unreadable`)).code).toBe(2)
  })

  test('401 stops at once: what is there is printed, and nothing more is asked for', async () => {
    sandbox.setFaults('tickets.history:2+=401')
    const many = [tickets.closed, ...assignableTickets.slice(0, 10)]
    const { result, sent: requests } = await requestsOf(
      `tickets history ${many.join(' ')} --json --limit 1 --concurrency 2`,
    )
    sandbox.setFaults()
    expect(result.code).toBe(4)
    expect(openDocuments(result).map(({ ticket }) => ticket.id)).toEqual([tickets.closed])
    expect(requests.length).toBeLessThan(6)
    expect(lines(result.stderr)[0]).toMatchObject({ error: { category: 'auth', httpStatus: 401 } })
  })
})

test('while nobody reads what is printed, as many tickets as are allowed are asked for, and a bounded number of messages', async () => {
  let [isRead, goOn]: [boolean, () => void] = [false, () => undefined]
  const stdout = new Writable({
    write: (_chunk, _encoding, done) => (isRead ? done() : void (goOn = done)),
  })
  const before = sandbox.requests.length
  const asked = () => sandbox.requests.slice(before).filter(({ url }) => url.includes('/history'))
  const others = assignableTickets.slice(0, 5)
  const reading = svc(
    `tickets history ${tickets.long} ${others.join(' ')} -o ndjson --concurrency 3`,
    { stdout },
  )
  // Until nothing can go on by itself.
  for (let seen = -1; seen < asked().length || seen < 3;) {
    seen = asked().length
    await new Promise((resolve) => setTimeout(resolve, 300))
  }
  expect(new Set(asked().map(({ url }) => url.split('/')[3])).size).toBe(3)
  // The chunks of 1,000 messages, and those that fit into the pipe.
  expect(asked().length).toBeLessThan(80)
  isRead = true
  goOn()
  expect((await reading).code).toBe(0)
  expect(asked().length).toBeGreaterThan(250)
})
