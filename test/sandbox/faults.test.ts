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

  test('html and redirect carry nothing out', async () => {
    await distorted('html', () => remove(ids(0, 1)))
    await distorted('redirect(http://x.example)', () => remove(ids(0, 1)))
    expect(sandbox.record.deletedIds().size).toBe(0)
    await distorted('html(apply)', () => remove(ids(0, 1)))
    expect(sandbox.record.deletedIds().size).toBe(1)
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
})
