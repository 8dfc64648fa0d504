import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { SvcError } from '../../src/errors.ts'
import { topics } from '../../src/program/help/topics.ts'
import { faultKinds } from '../../src/sandbox/faults/kinds.ts'
import { parseFaults } from '../../src/sandbox/faults/language.ts'
import { distortions } from './distortions.ts'
import { startSandbox, type Sandbox } from './watched.ts'
import { ask, bearer, type Ask, type Got } from './client.ts'

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

  test('the help names every fault', () => {
    const { text = '' } = topics.find(({ name }) => name === 'faults') ?? {}
    for (const name of Object.keys(faultKinds)) expect(text).toMatch(new RegExp(`\\b${name}\\b`))
  })
})

describe('statuses', () => {
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

  test('nothing is carried out, unless the fault says so', async () => {
    sandbox.setFaults('*:1=500, *:2=500(apply)')
    expect(await fate(remove(ids(0, 2)))).toBe(500)
    expect(sandbox.record.deletedIds().size).toBe(0)
    expect(await fate(remove(ids(0, 2)))).toBe(500)
    expect(sandbox.record.deletedIds()).toEqual(new Set(ids(0, 2)))
    expect(sandbox.record.entries.map((entry) => entry.applied)).toEqual([false, true])
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
