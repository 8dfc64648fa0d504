import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSandbox, type Sandbox } from './watched.ts'
import { ask, sign, type Ask } from './client.ts'

/** A clock that stands still, so that the window has sharp edges. */
const noon = Date.UTC(2026, 2, 1, 12, 0, 0, 123)
let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox({ now: () => noon })
})
afterAll(() => sandbox.close())

const key = (name: string) => {
  const found = sandbox.keys.find((one) => one.name === name)
  if (found === undefined) throw new Error(`no key ${name}`)
  return found
}
const send = (what: Ask) => ask(sandbox.baseUrl, key('read-write'), { timestamp: String(noon), ...what })
const refused = { code: 40121, message: 'Invalid API credentials' }

describe('the signature', () => {
  test('of this test’s own client is what openssl computes', () => {
    // printf '1767225600000.{"name":"x"}' | openssl dgst -sha256 -hmac secret
    expect(sign('secret', '1767225600000', '{"name":"x"}')).toBe(
      '2ae2264865cbafb9c56968b49a717125f63211d7dcbbb3e1648e231799c28e84',
    )
  })

  test.each([
    ['five minutes ago', -300_000, 200],
    ['five minutes and a millisecond ago', -300_001, 401],
    ['in five minutes', 300_000, 200],
    ['in five minutes and a millisecond', 300_001, 401],
  ])('a timestamp %s', async (_, offset, status) => {
    const got = await send({ path: '/v1/lists', timestamp: String(noon + offset) })
    expect({ status: got.status, ...got.json }).toMatchObject({ status, ...(status === 401 ? refused : {}) })
  })

  const seconds = String(Math.floor(noon / 1000))
  const secret = 'sk_sandbox_rw_opens_nothing_but_the_sandbox'
  const good = sign(secret, String(noon), '')
  const cases: [string, Partial<Ask>][] = [
    ['seconds for milliseconds', { timestamp: seconds }],
    ['a timestamp that is no number', { timestamp: 'now' }],
    ['an ISO timestamp', { timestamp: new Date(noon).toISOString() }],
    ['no timestamp', { headers: { 'x-service-timestamp': undefined } }],
    ['no key', { headers: { 'x-service-key': undefined } }],
    ['an unknown key', { headers: { 'x-service-key': 'pk_other' } }],
    ['another key of the service', { headers: { 'x-service-key': 'pk_sandbox_read' } }],
    ['no signature', { headers: { 'x-service-signature': undefined } }],
    ['an empty signature', { signature: '' }],
    ['a short signature', { signature: good.slice(0, 63) }],
    ['a long signature', { signature: `${good}00` }],
    ['one digit changed', { signature: good.replace(/.$/, (last) => (last === '0' ? '1' : '0')) }],
    ['base64', { signature: Buffer.from(good, 'hex').toString('base64') }],
    ['no dot', { signature: createHmac('sha256', secret).update(String(noon)).digest('hex') }],
    ['another body', { signature: sign(secret, String(noon), '{}') }],
    ['another secret', { signature: sign('wrong', String(noon), '') }],
  ]
  test.each(cases)('%s is refused', async (_, what) => {
    const got = await send({ path: '/v1/lists', ...what })
    expect([got.status, got.json]).toEqual([401, refused])
  })

  test('covers the raw body, byte by byte', async () => {
    const body = '{ "name":\t"ü 😀" }\n'
    expect((await send({ path: '/v1/lists', body })).status).toBe(201)
    const got = await send({
      path: '/v1/lists',
      body,
      signature: sign(key('read-write').apiSecret, String(noon), body.trim()),
    })
    expect(got.status).toBe(401)
  })
})

describe('the five keys', () => {
  const reads = ['/v1/lists', '/v1/lists/{list}', '/v1/tickets/{ticket}/history', '/v1/employees']
  const filled = (path: string) =>
    path
      .replace('{list}', sandbox.examples.list)
      .replace('{contact}', sandbox.examples.contactsWithoutChats[0] ?? '')
      .replace('{ticket}', sandbox.examples.tickets.active)

  test('the second company has data of its own and knows no id of the first', async () => {
    const other = key('second-company')
    const lists = await send({ path: '/v1/lists', key: other })
    expect(lists.json.data.lists.map((list) => list.name)).toEqual(['Empty', 'Second company', 'VIP'])
    const theirs = lists.json.data.lists[2]?.id ?? ''
    expect((await send({ path: `/v1/lists/${theirs}` })).status).toBe(404)
    for (const path of reads.slice(1, 3)) expect((await send({ path: filled(path), key: other })).status).toBe(404)
    const contactIds = sandbox.examples.contactsWithoutChats.slice(0, 2)
    const deleted = await send({ path: '/v1/contacts/bulk-delete', body: { contactIds }, key: other })
    expect(deleted.json.data).toEqual({ deletedCount: 0, notFoundIds: contactIds, blockedIds: [] })
    const added = await send({ path: `/v1/lists/${theirs}/contacts`, body: { contactIds }, key: other })
    expect(added.json.data).toEqual({ added: 0, skipped: 0, failed: 2 })
    expect((await send({ path: '/v1/employees', key: other })).json.data).toHaveLength(5)
  })
})

describe('30 days of history, to the millisecond', () => {
  test('exactly 30 days can be read, a millisecond more cannot', async () => {
    let time = noon
    const one = await startSandbox({ now: () => time })
    try {
      const { active } = one.examples.tickets
      const limited = one.keys.find((each) => each.plan === 'limited-history')
      if (limited === undefined) throw new Error('no key')
      const read = () => ask(one.baseUrl, limited, { path: `/v1/tickets/${active}/history`, timestamp: String(time) })
      const tickets = [...one.store.tickets.all()]
      const started = Date.parse(String(tickets.find((ticket) => ticket['id'] === active)?.['startedAt']))
      time = started + 30 * 24 * 60 * 60 * 1000
      expect((await read()).status).toBe(200)
      time += 1
      const got = await read()
      expect([got.status, got.json.code]).toEqual([403, 40352])
    } finally {
      await one.close()
    }
  })
})
