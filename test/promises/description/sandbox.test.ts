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

const at = (minutes: number) => ({ timestamp: String(Date.now() + minutes * 60_000) })
const signing = ['x-service-key', 'x-service-timestamp', 'x-service-signature']

/** Senders that are no key: what they change in a request of the key that may do all. */
const others: Readonly<Record<string, Partial<Ask>>> = {
  text: { headers: { 'content-type': 'text/plain' } },
  jsonx: { headers: { 'content-type': 'application/jsonx' } },
  untyped: { headers: { 'content-type': undefined } },
  charset: { headers: { 'content-type': 'Application/JSON; charset=utf-8' } },
  stale: at(-6),
  early: at(6),
  'nearly stale': at(-4.5),
  wrong: { signature: 'f'.repeat(64) },
  nothing: { headers: Object.fromEntries(signing.map((name) => [name, undefined])) },
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
    const what = { method, path, body, ...others[sender] }
    const { status, json } = await ask(sandbox.baseUrl, key, what)
    expect(wrong(status, json as Record<string, unknown>, filled(ids, answer))).toEqual([])
  })
})

function wrong(status: number, body: Record<string, unknown>, answer: string): string[] {
  const [, wanted, code = 'positive'] = /^(\d{3}|4xx)(?: (\d+))?$/.exec(answer) ?? []
  // API: Endpoints; Where the description is silent.
  const isExpected = new RegExp(`^(?:${wanted?.replace('xx', '..') ?? '200|201'})$`)
  const data = wanted === undefined && (JSON.parse(answer) as Shape)
  const refusal = { code: code === 'positive' ? code : { is: Number(code) }, message: 'text' }
  return [
    ...(isExpected.test(String(status)) ? [] : [`the status is ${status}`]),
    ...differences(body, data ? { data } : refusal),
  ]
}

function idsOf({ examples, assigneeOf }: Sandbox): Record<string, unknown> {
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
    assignee: assigneeOf(tickets.active),
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
