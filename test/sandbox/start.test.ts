import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startSandbox, type Sandbox } from './watched.ts'
import { ask, bearer, type Got, rw } from './client.ts'
import { ownFolder } from '../ending.ts'

const folder = ownFolder('sandbox-test')

const post = (sandbox: { baseUrl: string }, path: string, body: unknown) =>
  ask(sandbox.baseUrl, rw, { path, body })

/** One of the sandbox's own endpoints. */
const own = (sandbox: Sandbox, path: string): Promise<Got> =>
  ask(sandbox.baseUrl, rw, { path: `/_sandbox/${path}`, headers: bearer(sandbox) })

async function everything(sandbox: Sandbox): Promise<string> {
  const parts = ['contacts', 'lists', 'tickets', 'employees'].map((kind) =>
    own(sandbox, `state?kind=${kind}`),
  )
  const histories = Object.entries(sandbox.examples.tickets)
    .filter(([name]) => name !== 'new')
    .map(([, id]) => ask(sandbox.baseUrl, rw, { path: `/v1/tickets/${id}/history` }))
  return (await Promise.all([...parts, ...histories])).map((got) => got.text).join('\n')
}

describe('the data', () => {
  test('has the same ids on every day, and the old ticket is always old', async () => {
    const later = Date.now() + 400 * 24 * 60 * 60 * 1000
    const [today, then] = [await startSandbox(), await startSandbox({ now: () => later })]
    expect(then.examples).toEqual(today.examples)
    const ages = [...then.store.tickets.all()].map((ticket) => ({
      old: ticket['id'] === then.examples.tickets.old,
      days: (later - Date.parse(String(ticket['startedAt']))) / (24 * 60 * 60 * 1000),
    }))
    for (const { old, days } of ages) expect(old ? days > 31 : days > 0 && days < 29).toBe(true)
  })

  test('an empty one has nothing, and lists can be made', async () => {
    const sandbox = await startSandbox({ empty: true })
    const get = async (path: string) => (await ask(sandbox.baseUrl, rw, { path })).json.data
    expect((await get('/v1/lists')).pagination).toMatchObject({ total: 0, totalPages: 0 })
    expect(await get('/v1/employees')).toEqual([])
    expect(sandbox.examples.contactsWithoutChats).toEqual([])
    expect(
      (await ask(sandbox.baseUrl, rw, { path: `/v1/lists/${sandbox.examples.list}` })).status,
    ).toBe(404)
    expect((await post(sandbox, '/v1/lists', { name: 'first' })).status).toBe(201)
  })
})

describe('starting and stopping', () => {
  test('close ends connections that hang', async () => {
    const sandbox = await startSandbox({ faults: '*=hang-after-apply' })
    const hanging = ask(sandbox.baseUrl, rw, { path: '/v1/lists' }).catch((error: Error) => error)
    while (sandbox.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    await sandbox.close()
    expect(await hanging).toBeInstanceOf(Error)
  })
})

test('a request that waits when it closes is not carried out', async () => {
  const sandbox = await startSandbox({ latency: 5000 })
  const waiting = post(sandbox, '/v1/lists', { name: 'late' }).catch((error: Error) => error)
  while (sandbox.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  await sandbox.close()
  expect(await waiting).toBeInstanceOf(Error)
  expect(sandbox.record.createdIds()).toEqual([])
  await expect.poll(() => sandbox.record.entries[0]?.status).toBe('dropped')
})

describe('the data file', () => {
  test('keeps everything that was changed', async () => {
    const data = join(folder, 'round-trip.json')
    const first = await startSandbox({ data, contacts: 400 })
    const { examples } = first
    const [a, b, c, d] = examples.contactsWithoutChats
    await post(first, '/v1/lists', { name: 'kept', description: 'ü' })
    await post(first, `/v1/lists/${examples.emptyList}/contacts`, { contactIds: [a, b, c] })
    await post(first, '/v1/contacts/bulk-delete', { contactIds: [a] })
    await post(first, `/v1/contacts/${b}/merge`, { targetContactId: d })
    await ask(first.baseUrl, rw, {
      method: 'PATCH',
      path: `/v1/tickets/${examples.tickets.active}/assignee`,
      body: { newAssigneeId: examples.employee },
    })
    const before = await everything(first)
    await first.close()
    expect(statSync(data).mode & 0o777).toBe(0o600)
    const second = await startSandbox({ data })
    expect(await everything(second)).toBe(before)
    expect(second.store.memberIds(examples.emptyList)).toEqual(new Set([c, d]))
    expect(second.store.tickets.assigneeOf(examples.tickets.active)).toBe(examples.employee)
    const created = await post(second, '/v1/lists', { name: 'next' })
    expect(
      [...second.store.allLists()].filter((list) => list.id === created.json.data.id),
    ).toHaveLength(1)
  })

  test('has a change before it is answered, and loses only a line that was torn', async () => {
    const data = join(folder, 'soon.json')
    const sandbox = await startSandbox({ data })
    const empty = readFileSync(data, 'utf8')
    await ask(sandbox.baseUrl, rw, { path: '/v1/lists' })
    expect(readFileSync(data, 'utf8')).toBe(empty)
    await post(sandbox, '/v1/lists', { name: 'x' })
    const whole = readFileSync(data, 'utf8')
    expect(whole).toContain('\\"name\\":\\"x\\"')
    await sandbox.close()
    appendFileSync(data, '{"company":0,"oper')
    const again = await startSandbox({ data })
    expect([...again.store.allLists()].at(-1)?.name).toBe('x')
    expect(readFileSync(data, 'utf8')).toBe(whole)
  })

  test('of another kind, or made with other options, is refused', async () => {
    const foreign = join(folder, 'foreign.json')
    for (const content of [
      '',
      '{}\n',
      '[]\n',
      'null\n',
      'no JSON\n',
      '{"format":"svc-sandbox/2"',
      '{"format":"other"}\n',
    ]) {
      writeFileSync(foreign, content)
      await expect(startSandbox({ data: foreign })).rejects.toMatchObject({ category: 'usage' })
      expect(readFileSync(foreign, 'utf8')).toBe(content)
    }
    const data = join(folder, 'options.json')
    const sandbox = await startSandbox({ data, seed: 5, contacts: 50 })
    await post(sandbox, '/v1/lists', { name: 'x' })
    await sandbox.close()
    await expect(startSandbox({ data, seed: 6 })).rejects.toThrow('seed 5, not 6')
    await expect(startSandbox({ data, contacts: 51 })).rejects.toThrow('contacts 50, not 51')
    expect((await startSandbox({ data })).store.contactCount).toBe(50)
  })
})
