/** The sandbox as a black box: every row of the description in cases.txt, over HTTP. */
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { ask, type Ask } from '../../support/sandbox-client.ts'
import { startSandbox, type Sandbox } from '../../support/watched-sandbox.ts'
import { differences, type Shape } from './check.ts'

const sections = readFileSync(new URL('cases.txt', import.meta.url), 'utf8')
  .split('\n## ')
  .slice(1)
const operations = sections.map((section): [string, string[][]] => {
  const [name = '', ...rows] = section.trim().split('\n')
  return [name, rows.map((row) => row.split(' | '))]
})

const at = (minutes: number): Partial<Ask> => ({
  timestamp: String(Date.now() + minutes * 60_000),
})

/**
 * Senders that are none of the sandbox's keys: what they change in a request of the key that may do
 * all.
 */
const others: Readonly<Record<string, () => Partial<Ask>>> = {
  stale: () => at(-6),
  early: () => at(6),
  'nearly stale': () => at(-4.5),
  wrong: () => ({ signature: 'f'.repeat(64) }),
  nothing: () => ({
    headers: {
      'x-service-key': undefined,
      'x-service-timestamp': undefined,
      'x-service-signature': undefined,
    },
  }),
}

describe.each(operations)('%s', (_, rows) => {
  let sandbox: Sandbox
  let ids: Readonly<Record<string, unknown>>
  beforeAll(async () => {
    sandbox = await startSandbox()
    ids = idsOf(sandbox)
  })

  test.each(rows)('%s: %s', async (_rule, _what, request = '', answer = '') => {
    const [, sender = 'read-write', method = '', path = '', body] =
      /^(?:([\w -]+): )?(\w+) (\S+)(?: (.*))?$/.exec(filled(ids, request)) ?? []
    const key = sandbox.key(sender in others ? 'read-write' : sender)
    const what = { method, path, body, ...others[sender]?.() }
    const { status, json } = await ask(sandbox.baseUrl, key, what)
    expect(wrong(status, json as Record<string, unknown>, filled(ids, answer))).toEqual([])
  })
})

/** The problem of an answer, in words. */
function wrong(status: number, body: Record<string, unknown>, answer: string): string[] {
  const [, wanted, code] = /^(\d{3}|4xx)(?: (\d+))?$/.exec(answer) ?? []
  if (wanted === undefined) {
    // API: Endpoints: the single top-level property is `data`; success status codes are not shown.
    if (status !== 200 && status !== 201) return [`the status is ${status}`]
    const others = Object.keys(body).filter((name) => name !== 'data')
    return [
      ...others.map((name) => `${name} is not described`),
      ...differences(body['data'], JSON.parse(answer) as Shape),
    ]
  }
  const expected = wanted === '4xx' ? status >= 400 && status < 500 : String(status) === wanted
  return [
    ...(expected ? [] : [`the status is ${status}, not ${wanted}`]),
    ...differences(
      body,
      { code: code === undefined ? 'positive' : { is: Number(code) }, message: 'text' },
      'body',
    ),
  ]
}

function idsOf({ examples, store }: Sandbox): Record<string, unknown> {
  const { tickets, contactsWithoutChats, contactsWithChats, ...others } = examples
  const [contact, otherContact] = contactsWithoutChats
  const ofTickets = Object.entries(tickets).map(([name, id]) => [`${name}Ticket`, id])
  return {
    ...others,
    ...Object.fromEntries(ofTickets),
    contact,
    otherContact,
    contactWithChats: contactsWithChats[0],
    unknown: 'f'.repeat(24),
    ticket: tickets.active,
    assignee: store.tickets.assigneeOf(tickets.active),
  }
}

/** Puts the service's ids, and as many of something as a row says, where it names them. */
function filled(ids: Readonly<Record<string, unknown>>, template: string): string {
  const some = (count: string): string =>
    Array.from({ length: Number(count) }, (_, n) => n.toString(16).padStart(24, '0')).join('","')
  return template
    .replaceAll(/\{(\w+)\}/g, (all, name: string) => {
      const id = ids[name]
      return typeof id === 'string' ? id : all
    })
    .replaceAll(/<(\d+) ids>/g, (_, count: string) => some(count))
    .replaceAll(/<(\d+) (\w)>/g, (_, count: string, sign: string) => sign.repeat(Number(count)))
}
