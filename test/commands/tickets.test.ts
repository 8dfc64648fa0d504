/** `svc tickets …` against the sandbox over real HTTP. */
import { describe, expect, test } from 'vitest'
import type { TicketMessage, Ticket } from '../../src/api/schemas.ts'
import { answering, http } from '../http/loopback.ts'
import { createSandboxWorld, errorOf } from '../svc.ts'

const { svc, sandbox, requestsOf } = await createSandboxWorld()
const { tickets, employee, aiEmployee, assignableTickets } = sandbox.examples
const json = (text: string): unknown => JSON.parse(text)
const lines = (text: string): unknown[] => text.trimEnd().split('\n').map(json)

interface History {
  readonly ticket: Ticket
  readonly messages: readonly TicketMessage[]
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

describe('tickets history', () => {
  test('ndjson: 5,000 messages, each once, ids beyond 2^53 exactly', async () => {
    const { result, sent: requests } = await requestsOf(`tickets history ${tickets.long} -o ndjson`)
    expect([result.code, result.stderr]).toEqual([0, ''])
    const ids = (lines(result.stdout) as TicketMessage[]).map(({ id }) => id)
    expect(new Set(ids).size).toBe(5000)
    expect(ids).toEqual([...ids].sort((a, b) => (BigInt(a) < BigInt(b) ? 1 : -1)))
    expect(Number.isSafeInteger(Number(ids[0]))).toBe(false)
    // Read as numbers, some would be the same.
    expect(new Set(ids.map(Number)).size).toBeLessThan(5000)
    expect(requests).toHaveLength(250)
  })

  test('pieces of 33 messages lose none, and up to 19 come again', async () => {
    const seen: string[] = []
    let [cursor, again]: [string | undefined, number] = ['', 0]
    while (cursor !== undefined) {
      const piece = await history(
        `--limit 33${cursor === '' ? '' : ` --cursor ${cursor}`}`,
        tickets.fourChunks,
      )
      const ids = idsOf(piece).filter((id) => !seen.includes(id))
      again = Math.max(again, piece.messages.length - ids.length)
      seen.push(...ids)
      cursor = piece.nextChunkStartMessageId
    }
    expect(seen).toEqual(idsOf(await history('', tickets.fourChunks)))
    expect(again).toBeLessThan(20)
  })

  test('oldest first: of a limit the newest n, shown the oldest first', async () => {
    const newest = await history('--limit 45 --order newest')
    const oldest = await history('--limit 45 --order oldest')
    expect(idsOf(oldest)).toEqual(idsOf(newest).reverse())
    expect(oldest.nextChunkStartMessageId).toBe(all[40])
    expect(idsOf(await history('--order oldest', tickets.active))).toEqual(
      idsOf(await history('', tickets.active)).reverse(),
    )
  })
})

test('a page says when it was saved', async () => {
  const fact = (html: string, name: string): string | undefined =>
    new RegExp(`<dt>${name}</dt><dd dir="auto">([^<]*)</dd>`).exec(html)?.[1]
  const now = Date.now()
  const page = async () =>
    (await svc(`tickets history ${tickets.active} -o html --utc`, { now })).stdout
  const whole = await page()
  expect(fact(whole, 'saved')).toBe(new Date(now).toISOString().slice(0, 16).replace('T', ' '))
})

test('an employee is called by name, in whichever letter case the service writes the id', async () => {
  const { firstName, lastName } =
    sandbox.store.employees.find(
      ({ id }) => id === sandbox.store.tickets.assigneeOf(tickets.active),
    ) ?? {}
  const name = `${firstName} ${lastName}`
  for (const faults of ['tickets.history=upper-case', 'employees.list=upper-case']) {
    sandbox.setFaults(faults)
    const { stdout } = await svc(`tickets get ${tickets.active} --fields assignee --no-header`)
    const table = await svc(
      `tickets history ${tickets.active} --limit all -o table --fields fromName`,
    )
    const text = await svc(`tickets history ${tickets.active} --limit all -o transcript`)
    sandbox.setFaults()
    expect(stdout).toContain(name)
    expect(table.stdout.split('\n')).toContain(name)
    expect(text.stdout).toMatch(new RegExp(`assignee ${name}.*outgoing · ${name}`, 's'))
  }
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

  test('--limit counts the messages of the span alone', async () => {
    const found = await history(`--until ${await at(30)} --limit 40`)
    expect(idsOf(found)).toEqual(all.slice(31, 71))
  })

  test('a message that is older than those behind it ends nothing', async () => {
    const chunkOf = (days: readonly number[], next?: string) => ({
      ticket: { id: tickets.active, status: 'active' },
      messages: days.map((day) => ({ id: `m${day}`, sentAt: `2026-03-0${day}T00:00:00Z` })),
      ...(next === undefined ? {} : { nextChunkStartMessageId: next }),
    })
    const server = await answering((socket, request) => {
      const chunk = request.includes('chunkLastMessageId') ? chunkOf([5]) : chunkOf([9, 1], 'm5')
      socket.write(http(200, JSON.stringify({ data: chunk })))
    })
    const env = { SVC_BASE_URL: server.baseUrl }
    const { stdout } = await svc(
      `tickets history ${tickets.active} --since 2026-03-02T00:00:00Z -o ids`,
      { env },
    )
    expect(stdout).toBe('m9\nm5\n')
  })
})

describe('tickets assign', () => {
  let used = 0
  /** A ticket that nobody has touched yet; all are Alice's. */
  const fresh = (): string => assignableTickets[used++] ?? ''
  const assignments = (ticket: string): unknown[] =>
    sandbox.record.assignments().filter((one) => one.ticket === ticket)

  describe('a lost answer', () => {
    test.each([
      ['it was not made', 'tickets.assign=drop-before tickets.assign=delay,before=200ms'],
      [
        'it was made, and undone',
        'tickets.assign=drop-after-apply tickets.assign=delay,after=200ms',
      ],
    ])(
      'someone else has it, %s: exit 7, and nothing is overwritten nor claimed',
      async (_what, faults) => {
        const ticket = fresh()
        sandbox.setFaults(faults)
        const sent = (): number =>
          sandbox.record.of('tickets.assign').filter(({ path }) => path.includes(ticket)).length
        const assigning = svc(`tickets assign ${ticket} --to ${employee} --error-format json`, {
          fast: true,
        })
        // The first request was received, and lost.
        while (sent() === 0) await new Promise((resolve) => setTimeout(resolve, 1))
        sandbox.store.tickets.assign(ticket, aiEmployee)
        const { code, stderr } = await assigning
        sandbox.setFaults()
        expect(code).toBe(7)
        const { message, hint } = errorOf({ stderr })
        expect(message).toMatch(/^the outcome is unknown: .*another assignee/)
        expect(hint).toMatch(/may still arrive within 11 minutes, until 2\d{3}-\S+Z; then check/)
        expect(hint).not.toMatch(/left so|not carried out|not made/)
        expect(sandbox.store.tickets.assigneeOf(ticket)).toBe(aiEmployee)
        expect(assignments(ticket).length).toBeLessThan(2)
      },
    )
  })
})
