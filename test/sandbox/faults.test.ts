import { Agent } from 'node:http'
import { connect } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { SvcError } from '../../src/errors.ts'
import { topics } from '../../src/program/help/topics.ts'
import { faultKinds } from '../../src/sandbox/faults/kinds.ts'
import { parseFaults } from '../../src/sandbox/faults/language.ts'
import { distortions } from './distortions.ts'
import { startSandbox, type Sandbox } from './watched.ts'
import { ask, bearer, sign, type Ask, type Got } from './client.ts'

let sandbox: Sandbox
beforeEach(async () => {
  sandbox = await startSandbox()
})
afterEach(() => sandbox.close())

const rw = { apiKey: 'pk_sandbox_rw', apiSecret: 'sk_sandbox_rw_opens_nothing_but_the_sandbox' }
const send = (what: Ask): Promise<Got> => ask(sandbox.baseUrl, rw, what)
const lists = (more: Partial<Ask> = {}): Promise<Got> => send({ path: '/v1/lists?limit=2', ...more })
const ids = (from: number, to: number): string[] => [...sandbox.examples.contactsWithoutChats].slice(from, to)
const remove = (contactIds: string[], more: Partial<Ask> = {}): Promise<Got> =>
  send({ path: '/v1/contacts/bulk-delete', body: { contactIds }, ...more })
const history = (cursor?: string): Promise<Got> =>
  send({
    path: `/v1/tickets/${sandbox.examples.tickets.active}/history${cursor === undefined ? '' : `?chunkLastMessageId=${cursor}`}`,
  })

/** The status, or `dropped` when the connection broke. */
async function fate(got: Promise<Got>): Promise<number | 'dropped'> {
  try {
    return (await got).status
  } catch {
    return 'dropped'
  }
}

async function statuses(count: number): Promise<(number | 'dropped')[]> {
  const all: (number | 'dropped')[] = []
  for (let n = 0; n < count; n += 1) all.push(await fate(lists()))
  return all
}

/** What comes over the wire, until the sandbox closes the connection or nothing comes for a while. */
function raw(path: string, quiet = 150): Promise<string> {
  const timestamp = String(Date.now())
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const socket = connect(sandbox.port, '127.0.0.1')
    const finish = (): void => {
      socket.destroy()
      resolve(Buffer.concat(chunks).toString('latin1'))
    }
    let timer = setTimeout(finish, 1000)
    socket.on('data', (chunk) => {
      chunks.push(chunk)
      clearTimeout(timer)
      timer = setTimeout(finish, quiet)
    })
    socket.on('close', finish)
    socket.on('error', finish)
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\nX-Service-Key: ${rw.apiKey}\r\nX-Service-Timestamp: ${timestamp}\r\n` +
        `X-Service-Signature: ${sign(rw.apiSecret, timestamp, '')}\r\n\r\n`,
    )
  })
}

describe('when a fault strikes', () => {
  test.each([
    ['*:2=503', [200, 503, 200, 200, 200, 200]],
    ['*:2-4=503', [200, 503, 503, 503, 200, 200]],
    ['*:3+=503', [200, 200, 503, 503, 503, 503]],
    ['*=503', [503, 503, 503, 503, 503, 503]],
    ['*:100%=503', [503, 503, 503, 503, 503, 503]],
    ['*:0%=503', [200, 200, 200, 200, 200, 200]],
    ['*:1=500, *:3=429(retry-after=1), *:5=drop-before', [500, 200, 429, 200, 'dropped', 200]],
    ['lists.list:1=503, lists.get=503', [503, 200, 200, 200, 200, 200]],
    ['lists.*:1=503', [503, 200, 200, 200, 200, 200]],
    ['contacts.*=503', [200, 200, 200, 200, 200, 200]],
  ])('%s', async (spec, expected) => {
    sandbox.setFaults(spec)
    expect(await statuses(6)).toEqual(expected)
  })

  test('a percentage is random, but the same for the same seed', async () => {
    const run = async (spec: string) => {
      sandbox.setFaults(spec)
      return (await statuses(60)).join()
    }
    const first = await run('*:30%=503')
    const struck = first.split('503').length - 1
    expect(struck).toBeGreaterThan(6)
    expect(struck).toBeLessThan(35)
    expect(await run('*:30%=503')).toBe(first)
    expect(await run('*:30%=503, seed=99')).not.toBe(first)
  })

  test('it comes before the signature is checked', async () => {
    sandbox.setFaults('*:1=503')
    expect(await fate(lists({ signature: '0' }))).toBe(503)
    expect(await fate(lists({ signature: '0' }))).toBe(401)
  })

  test('setFaults without a text ends them; they can be set over HTTP', async () => {
    sandbox.setFaults('*=503')
    sandbox.setFaults()
    expect(await fate(lists())).toBe(200)
    const set = (spec: string) =>
      send({
        path: '/_sandbox/faults',
        method: 'POST',
        body: spec,
        headers: { 'content-type': 'text/plain', ...bearer(sandbox) },
      })
    expect((await set('*=418')).status).toBe(200)
    expect(await fate(lists())).toBe(418)
    const refused = await set('*=nonsense')
    expect([refused.status, refused.json.code]).toEqual([400, 40001])
    expect(refused.json.message).toContain('nonsense')
    expect(await fate(lists())).toBe(418)
  })

  test('the record names the rule', async () => {
    sandbox.setFaults('lists.list:1=503, *:1=delay(1ms)')
    await lists()
    await lists()
    expect(sandbox.record.entries.map((entry) => entry.fault)).toEqual(['lists.list:1=503, *:1=delay(1ms)', null])
  })
})

describe('a fault text that is wrong is a usage error that names the rule', () => {
  test.each([
    ['nonsense', 'nonsense'],
    ['*=nonsense', 'nonsense'],
    ['*=600', '600'],
    ['*=099', '099'],
    ['lists.lst:1=503', 'lists.lst'],
    ['x.*=503', 'x.*'],
    ['*:0=503', '0'],
    ['*:3-2=503', '3-2'],
    ['*:x=503', 'x'],
    ['*:101%=503', '101%'],
    ['*:1:2=503', '*:1:2'],
    ['*=delay', 'delay'],
    ['*=delay(soon)', 'soon'],
    ['*=delay(5ms, often)', 'often'],
    ['*=503(retry=1)', 'retry=1'],
    ['*=503(body=xml)', 'xml'],
    ['*=503(code=x)', 'x'],
    ['*=huge(many)', 'many'],
    ['*=content-length(5)', '5'],
    ['*=redirect(http://x,200)', '200'],
    ['*=503(retry-after=1', '503(retry-after=1'],
    ['*=date("x)', 'date'],
    ['*=__proto__', '__proto__'],
    ['clock=6m', 'clock=6m'],
    ['clock=+soon', 'soon'],
    ['*=rate(fast)', 'rate(fast)'],
    ['latency:1=5ms', 'latency'],
    ['seed=x', 'seed=x'],
  ])('%s', (spec, named) => {
    let thrown: unknown
    try {
      parseFaults(`*:1=503, ${spec}`, 1, distortions)
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBeInstanceOf(SvcError)
    expect(thrown).toMatchObject({
      category: 'usage',
      message: expect.stringMatching(/^the fault rule ".*" cannot be read: /s) as string,
    })
    expect(String(thrown)).toContain(named)
  })

  test('an unknown fault or operation is answered with the known ones', () => {
    const hint = (spec: string): unknown => {
      try {
        return parseFaults(spec, 1)
      } catch (error) {
        return error instanceof SvcError ? error.details.hint : error
      }
    }
    expect(hint('*=boom')).toContain('drop-after-apply')
    expect(hint('lists.boom=503')).toContain('lists.add-contacts')
  })

  test('nothing, blanks and a last comma are no faults', () => {
    for (const spec of ['', ' ', ',', '*:1=503,', ' *:1 = 503 ']) expect(() => parseFaults(spec, 1)).not.toThrow()
  })

  test('the help names every fault', () => {
    const { text = '' } = topics.find(({ name }) => name === 'faults') ?? {}
    for (const name of Object.keys(faultKinds)) expect(text).toMatch(new RegExp(`\\b${name}\\b`))
  })
})

describe('statuses', () => {
  test('every status from 200 to 599 is answered', async () => {
    for (let status = 200; status < 600; status += 7) {
      sandbox.setFaults(`*=${status}`)
      expect(await fate(lists())).toBe(status)
    }
    for (const status of [204, 304, 407, 511, 599]) {
      sandbox.setFaults(`*=${status}`)
      expect(await fate(lists())).toBe(status)
    }
  })

  test('a status below 200 goes out as it is', async () => {
    for (const status of [100, 102, 150, 199]) {
      sandbox.setFaults(`*=${status}`)
      expect(await raw('/v1/lists')).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    }
  })

  test('bodies and Retry-After', async () => {
    sandbox.setFaults(
      '*:1=503(retry-after=2), *:2=503(body=html), *:3=503(body=empty), *:4=500, *:5=418(code=7, message=tea)',
    )
    const [a, b, c, d, e] = [await lists(), await lists(), await lists(), await lists(), await lists()]
    expect([a.headers['retry-after'], a.json]).toEqual(['2', { code: 50300, message: 'Service Unavailable' }])
    expect([b.headers['content-type'], b.text.slice(0, 9)]).toEqual(['text/html; charset=utf-8', '<!DOCTYPE'])
    expect(c.body).toHaveLength(0)
    expect(d.json).toEqual({ code: 50001, message: 'Internal server error' })
    expect(e.json).toEqual({ code: 7, message: 'tea' })
  })

  test('Retry-After is any text, or a date that is so far away', async () => {
    sandbox.setFaults(
      '*:1=429(retry-after="Wed, 21 Oct 2026 07:28:00 GMT"), *:2=429(retry-after=-1), *:3=503(retry-after=date+5s)',
    )
    expect((await lists()).headers['retry-after']).toBe('Wed, 21 Oct 2026 07:28:00 GMT')
    expect((await lists()).headers['retry-after']).toBe('-1')
    const { headers } = await lists()
    expect(Date.parse(String(headers['retry-after'])) - Date.parse(String(headers['date']))).toBe(5000)
  })

  test('nothing is carried out, unless the fault says so', async () => {
    sandbox.setFaults('*:1=500, *:2=500(apply)')
    expect(await fate(remove(ids(0, 2)))).toBe(500)
    expect(sandbox.record.deletedIds().size).toBe(0)
    expect(await fate(remove(ids(0, 2)))).toBe(500)
    expect(sandbox.record.deletedIds()).toEqual(new Set(ids(0, 2)))
    expect(sandbox.record.entries.map((entry) => entry.applied)).toEqual([false, true])
  })
})

describe('connections that break', () => {
  const cases: [string, boolean][] = [
    ['drop-before', false],
    ['drop-after-apply', true],
    ['drop-mid', true],
    ['drop-mid(at=0)', true],
    ['drop-mid(at=1)', true],
    ['drop-mid(chunked)', true],
    ['drop-mid(chunked, at=0)', true],
    ['drop-mid(whole-at=0)', true],
    ['drop-mid(whole-at=20)', true],
    ['reset', false],
    ['reset(apply)', true],
    ['content-length(+5)', true],
  ]
  test.each(cases)('%s: carried out is %s', async (fault, applied) => {
    sandbox.setFaults(`contacts.delete:1=${fault}`)
    expect(await fate(remove(ids(0, 3)))).toBe('dropped')
    expect(sandbox.record.deletedIds().size).toBe(applied ? 3 : 0)
    const status = fault === 'content-length(+5)' ? 200 : 'dropped'
    expect(sandbox.record.entries[0]).toMatchObject({ applied, status, fault: `contacts.delete:1=${fault}` })
    expect((await remove(ids(0, 3))).json.data.deletedCount).toBe(applied ? 0 : 3)
  })

  test('an answer can be cut at every byte', async () => {
    const whole = (await raw('/v1/employees')).length
    for (const at of [0, 1, 9, 15, 100, 300, whole - 1]) {
      sandbox.setFaults(`*=drop-mid(whole-at=${at})`)
      expect((await raw('/v1/employees')).length).toBe(at)
    }
  })

  test('an answer can come twice on one connection', async () => {
    sandbox.setFaults('*=duplicate(5ms)')
    const [, first, second] = (await raw('/v1/employees')).split('HTTP/1.1 200 OK')
    expect(second?.split('\r\n\r\n')[1]).toBe(first?.split('\r\n\r\n')[1])
  })

  const hanging: [string, boolean][] = [
    ['hang-before', false],
    ['hang-after-apply', true],
  ]
  test.each(hanging)('%s: carried out is %s', async (fault, applied) => {
    sandbox.setFaults(`*:1=${fault}`)
    expect(await fate(remove(ids(0, 3), { timeout: 80 }))).toBe('dropped')
    expect(sandbox.record.deletedIds().size).toBe(applied ? 3 : 0)
    expect(sandbox.record.entries[0]?.status).toBe('dropped')
  })

  test('a client that gives up is noted, and what was carried out stays', async () => {
    sandbox.setFaults('*:1=delay(300ms)')
    expect(await fate(remove(ids(0, 2), { timeout: 50 }))).toBe('dropped')
    expect(sandbox.record.entries[0]).toMatchObject({ applied: true })
    await expect.poll(() => sandbox.record.entries[0]?.status).toBe('dropped')
  })

  test('a shorter Content-Length leaves bytes behind', async () => {
    sandbox.setFaults('*=content-length(-5)')
    const text = await raw('/v1/lists?limit=1')
    const [head = '', body = ''] = text.split('\r\n\r\n')
    expect(Number(/content-length: (\d+)/.exec(head)?.[1])).toBe(body.length - 5)
    // On a connection that is kept they come before the next answer.
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const first = await fate(lists({ agent }))
    expect([first, await fate(lists({ agent }))]).toContain('dropped')
    agent.destroy()
  })
})

describe('answers that come slowly', () => {
  async function took(work: Promise<Got>): Promise<number> {
    const before = performance.now()
    await work
    return performance.now() - before
  }

  test.each(['*=delay(60ms)', '*=delay(60ms, before)', 'latency=60ms', '*=delay(30ms), lists.list=delay(30ms)'])(
    '%s',
    async (spec) => {
      sandbox.setFaults(spec)
      expect(await took(lists())).toBeGreaterThanOrEqual(55)
    },
  )

  test('delay carries out at once, with before afterwards', async () => {
    sandbox.setFaults('*:1=delay(1s), *:2=delay(200ms, before)')
    let isAnswered = false
    const first = remove(ids(0, 1)).then(() => (isAnswered = true))
    await expect.poll(() => sandbox.record.deletedIds().size, { interval: 5 }).toBe(1)
    expect(isAnswered).toBe(false)
    await first
    const second = remove(ids(1, 2))
    await expect.poll(() => sandbox.record.entries.length).toBe(2)
    expect(sandbox.record.deletedIds().size).toBe(1)
    await second
    expect(sandbox.record.deletedIds().size).toBe(2)
  })

  test('drip sends byte by byte and ends well', async () => {
    sandbox.setFaults('*=drip(2ms)')
    const before = performance.now()
    const got = await remove(ids(0, 1))
    expect(performance.now() - before).toBeGreaterThan(got.body.length * 2)
    expect(got.json.data.deletedCount).toBe(1)
    await expect.poll(() => sandbox.record.entries[0]?.status).toBe(200)
  })

  test('rate answers 429 and says when', async () => {
    sandbox.setFaults('*=rate(2/s)')
    expect(await statuses(2)).toEqual([200, 200])
    const got = await lists()
    expect([got.status, got.headers['retry-after']]).toEqual([429, '1'])
  })

  test('the latency of the start options', async () => {
    const slow = await startSandbox({ latency: 60 })
    const before = performance.now()
    await ask(slow.baseUrl, rw, { path: '/v1/lists' })
    expect(performance.now() - before).toBeGreaterThanOrEqual(55)
    await slow.close()
  })
})

describe('the clock', () => {
  test.each([
    ['-6m', -360],
    ['+6m', 360],
    ['-2h', -7200],
  ])('clock=%s: signatures of this machine’s time are stale, and Date tells', async (skew, seconds) => {
    sandbox.setFaults(`clock=${skew}`)
    const got = await lists()
    expect([got.status, got.json.code]).toEqual([401, 40121])
    const offset = (Date.parse(String(got.headers['date'])) - Date.now()) / 1000
    expect(Math.abs(offset - seconds)).toBeLessThan(3)
    const corrected = await lists({ timestamp: String(Date.now() + seconds * 1000) })
    expect(corrected.status).toBe(200)
  })

  test('a clock that is off by less is no harm, and dates what is made', async () => {
    sandbox.setFaults('clock=+4m')
    const got = await send({ path: '/v1/lists', body: { name: 'x' } })
    expect(Math.abs(Date.parse(got.json.data.createdAt) - Date.now() - 240_000)).toBeLessThan(3000)
  })

  test('Date can be anything, or not be there', async () => {
    sandbox.setFaults('*:1=date(Thu, 01 Jan 1970 00:00:00 GMT), *:2=date(soon), *:3=no-date, *:4=date()')
    expect((await lists()).headers['date']).toBe('Thu, 01 Jan 1970 00:00:00 GMT')
    expect((await lists()).headers['date']).toBe('soon')
    expect((await lists()).headers['date']).toBeUndefined()
    expect((await lists()).headers['date']).toBe('')
  })
})

describe('answers that are wrong', () => {
  async function distorted(fault: string, work: () => Promise<Got> = lists): Promise<Got> {
    sandbox.setFaults(`*:1=${fault}`)
    return work()
  }

  test('bytes', async () => {
    const good = (await lists()).text
    expect((await distorted('truncated-json')).text).toBe(good.slice(0, Math.floor(Buffer.from(good).length / 2)))
    expect((await distorted('invalid-json')).json).toBeUndefined()
    const { body } = await distorted('invalid-utf8')
    expect(() => new TextDecoder('utf-8', { fatal: true }).decode(body)).toThrow('not valid')
    // A lenient decoder sees nothing wrong.
    expect(Object.keys(JSON.parse(body.toString()) as object)).toEqual(['data'])
    const garbage = (await distorted('garbage-after')).text
    expect(garbage.startsWith(good)).toBe(true)
    expect(garbage.length).toBeGreaterThan(good.length)
    expect((await distorted('empty')).body).toHaveLength(0)
    expect((await distorted('null')).text).toBe('null')
    expect((await distorted('missing-data')).text).toBe('{}')
    const zipped = await distorted('gzip')
    expect(zipped.headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(zipped.body).toString()).toBe(good)
  })

  test('headers', async () => {
    expect((await distorted('content-type(text/plain; charset=latin1)')).headers['content-type']).toBe(
      'text/plain; charset=latin1',
    )
    expect((await distorted('content-type()')).headers['content-type']).toBeUndefined()
    const html = await distorted('html')
    expect([html.status, html.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    const moved = await distorted('redirect(http://127.0.0.1:9/elsewhere)')
    expect([moved.status, moved.headers['location']]).toEqual([307, 'http://127.0.0.1:9/elsewhere'])
    expect((await distorted('redirect(https://evil.example/?a=b, 301)')).status).toBe(301)
  })

  test('html and redirect carry nothing out', async () => {
    await distorted('html', () => remove(ids(0, 1)))
    await distorted('redirect(http://x.example)', () => remove(ids(0, 1)))
    expect(sandbox.record.deletedIds().size).toBe(0)
    await distorted('html(apply)', () => remove(ids(0, 1)))
    expect(sandbox.record.deletedIds().size).toBe(1)
  })

  test('shapes', async () => {
    const wrong = JSON.parse((await distorted('wrong-shape', () => remove(ids(0, 1)))).text) as unknown
    expect(wrong).toEqual({ data: { deletedCount: '1', notFoundIds: { 0: null }, blockedIds: { 0: null } } })
    const { text } = await distorted('unknown-fields')
    expect(text.match(/"__proto__":\{/g)?.length).toBe(5)
    expect(text).toContain('"constructor":{"prototype"')
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
    const numbers = await distorted('number-ids', history)
    expect(numbers.text).toMatch(/"messages":\[\{"id":\d{20,},/)
    expect(numbers.text).toMatch(/"ticket":\{"id":\d+,"chatId":\d+/)
  })

  test('big and deep ones are still JSON', async () => {
    const huge = await distorted('huge(3MB)')
    expect(huge.body.length).toBeGreaterThan(3 * 1024 * 1024)
    expect(huge.json.data.lists).toHaveLength(2)
    const deep = await distorted('deep(100000)')
    expect(deep.text).toContain('['.repeat(100_000))
    expect(deep.text).toMatch(/,"data":\{"lists":/)
  })

  test('a reader that goes away from a huge one', async () => {
    sandbox.setFaults('*:1=huge(300MB)')
    expect(await fate(lists({ timeout: 1 }))).toBeDefined()
    expect(await fate(lists())).toBe(200)
  })

  test('bulk sums and ids', async () => {
    const [a = '', b = '', c = '', d = ''] = ids(0, 4)
    expect((await distorted('wrong-sums', () => remove([a, b]))).json.data.deletedCount).toBe(3)
    const foreign = (await distorted('foreign-ids', () => remove([c, d]))).json.data
    expect(foreign.deletedCount + foreign.notFoundIds.length + foreign.blockedIds.length).toBe(2)
    expect([a, b, c, d]).not.toContain(foreign.notFoundIds[0])
    const upper = await distorted('upper-case', () => remove([a, b]))
    expect(upper.json.data.notFoundIds).toEqual([a.toUpperCase(), b.toUpperCase()])
    const lower = await distorted('lower-case', () => remove([a.toUpperCase()]))
    expect(lower.json.data.notFoundIds).toEqual([a])
    const added = await distorted('wrong-sums', () =>
      send({ path: `/v1/lists/${sandbox.examples.emptyList}/contacts`, body: { contactIds: [a] } }),
    )
    expect(added.json.data).toEqual({ added: 1, skipped: 0, failed: 1 })
    const assigned = await distorted('foreign-ids', () =>
      send({
        method: 'PATCH',
        path: `/v1/tickets/${sandbox.examples.tickets.active}/assignee`,
        body: { newAssigneeId: sandbox.examples.employee },
      }),
    )
    expect(assigned.json.data.newAssigneeId).not.toBe(sandbox.examples.employee)
  })

  test('apply-half does the first half and answers 500', async () => {
    sandbox.setFaults('*=apply-half')
    expect(await fate(remove(ids(0, 5)))).toBe(500)
    expect(sandbox.record.deletedIds()).toEqual(new Set(ids(0, 3)))
    const path = `/v1/lists/${sandbox.examples.emptyList}/contacts`
    expect(await fate(send({ path, body: { contactIds: ids(10, 14) } }))).toBe(500)
    expect(sandbox.store.memberIds(sandbox.examples.emptyList).size).toBe(2)
  })

  test('pages that lie', async () => {
    const { data } = (await distorted('page-lies')).json
    expect([data.lists, data.pagination.hasNext]).toEqual([[], true])
    const members = await distorted('page-lies', () => send({ path: `/v1/lists/${sandbox.examples.list}` }))
    expect([members.json.data.members, members.json.data.pagination.hasNext]).toEqual([[], true])
  })

  test('a thousand employees', async () => {
    const { data } = (await distorted('employees(1000)', () => send({ path: '/v1/employees' }))).json
    expect(data).toHaveLength(1000)
    expect(new Set(data.map((one) => one.id)).size).toBe(1000)
  })
})

describe('cursors', () => {
  async function cursors(
    spec: string,
    most = 8,
  ): Promise<{ cursors: (string | undefined)[]; ids: string[]; sizes: number[] }> {
    sandbox.setFaults(spec)
    const seen: (string | undefined)[] = []
    const messages: string[] = []
    const sizes: number[] = []
    let cursor: string | undefined
    do {
      const { data } = (await history(cursor)).json
      messages.push(...data.messages.map((message) => message.id))
      sizes.push(data.messages.length)
      cursor = data.nextChunkStartMessageId
      seen.push(cursor)
    } while (cursor !== undefined && seen.length < most)
    return { cursors: seen, ids: messages, sizes }
  }

  test('cursor-loop goes round', async () => {
    const { cursors: seen } = await cursors('tickets.history=cursor-loop')
    expect(seen).toHaveLength(8)
    expect(new Set(seen).size).toBe(2)
    expect(seen[2]).toBe(seen[0])
  })

  test('cursor-same stands still', async () => {
    const { cursors: seen } = await cursors('tickets.history=cursor-same')
    expect(seen).toHaveLength(8)
    expect(new Set(seen).size).toBe(1)
  })

  test('exclusive, overlapping and larger chunks give every message', async () => {
    const usual = await cursors('')
    const exclusive = await cursors('*=cursor-exclusive')
    expect(exclusive.ids).toEqual(usual.ids)
    const overlap = await cursors('*=cursor-overlap')
    expect([...new Set(overlap.ids)]).toEqual(usual.ids)
    expect(overlap.ids.length).toBeGreaterThan(usual.ids.length)
    expect((await cursors('*=chunk-size(50)')).sizes).toEqual([45])
    expect(exclusive.sizes.at(-1)).toBe(0)
  })
})
