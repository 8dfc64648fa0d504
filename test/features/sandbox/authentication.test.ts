import { describe, expect, test } from 'vitest'
import { startSandbox } from '../../sandbox/watched.ts'
import { ask, rw, sign, type Ask } from '../../sandbox/client.ts'

/** A clock that stands still, so that the window has sharp edges. */
const noon = Date.UTC(2026, 2, 1, 12, 0, 0, 123)
const sandbox = await startSandbox({ now: () => noon })

const send = (what: Ask) => ask(sandbox.baseUrl, rw, { timestamp: String(noon), ...what })
const refused = { code: 40121, message: 'Invalid API credentials' }

describe('the signature', () => {
  test.each([
    ['five minutes ago', -300_000, 200],
    ['five minutes and a millisecond ago', -300_001, 401],
    ['in five minutes', 300_000, 200],
    ['in five minutes and a millisecond', 300_001, 401],
  ])('a timestamp %s', async (_, offset, status) => {
    const got = await send({ path: '/v1/lists', timestamp: String(noon + offset) })
    expect({ status: got.status, ...got.json }).toMatchObject({
      status,
      ...(status === 401 ? refused : {}),
    })
  })

  test('covers the raw body, byte by byte', async () => {
    const body = '{ "name":\t"ü 😀" }\n'
    expect((await send({ path: '/v1/lists', body })).status).toBe(201)
    const got = await send({
      path: '/v1/lists',
      body,
      signature: sign(rw.apiSecret, String(noon), body.trim()),
    })
    expect(got.status).toBe(401)
  })
})

describe('30 days of history, to the millisecond', () => {
  test('exactly 30 days can be read, a millisecond more cannot', async () => {
    let time = noon
    const one = await startSandbox({ now: () => time })
    const { active } = one.examples.tickets
    const limited = one.key('limited-history')
    const read = () =>
      ask(one.baseUrl, limited, { path: `/v1/tickets/${active}/history`, timestamp: String(time) })
    const tickets = [...one.store.tickets.all()]
    const started = Date.parse(
      String(tickets.find((ticket) => ticket['id'] === active)?.['startedAt']),
    )
    time = started + 30 * 24 * 60 * 60 * 1000
    expect((await read()).status).toBe(200)
    time += 1
    const got = await read()
    expect([got.status, got.json.code]).toEqual([403, 40352])
  })
})
