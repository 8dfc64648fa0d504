/** What the sandbox adds to the description, whose own cases are in test/description. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startSandbox, type Sandbox } from './watched.ts'
import { ask, type Ask, type Got } from './client.ts'

let sandbox: Sandbox
beforeEach(async () => {
  sandbox = await startSandbox()
})
afterEach(() => sandbox.close())

const unknown = '0'.repeat(24)

function key(name: string) {
  const found = sandbox.keys.find((one) => one.name === name)
  if (found === undefined) throw new Error(`no key ${name}`)
  return found
}

const send = (what: Ask): Promise<Got> => ask(sandbox.baseUrl, key('read-write'), what)
const get = (path: string, more: Partial<Ask> = {}): Promise<Got> => send({ path, ...more })
const post = (path: string, body: unknown, more: Partial<Ask> = {}): Promise<Got> => send({ path, body, ...more })
const patch = (path: string, body: unknown, more: Partial<Ask> = {}): Promise<Got> =>
  send({ path, body, method: 'PATCH', ...more })

/** The status and the whole body of an error. */
const facts = ({ status, json }: Got) => ({ status, ...json })
/** An error body has exactly a code and a message. */
const refused = (status: number, code: number, message = '') => ({
  status,
  code,
  message: expect.stringContaining(message) as string,
})

const at = <T>(items: readonly T[], index: number): T => {
  const item = items[index]
  if (item === undefined) throw new Error(`nothing at ${index}`)
  return item
}

describe('lists', () => {
  test('the seed has an ambiguous, an empty and a hostile name', async () => {
    const lists = [...sandbox.store.allLists()]
    expect(lists.filter((list) => list.name === 'Newsletter')).toHaveLength(2)
    expect(lists.filter((list) => list.name === 'VIP')).toHaveLength(1)
    expect(lists.find((list) => list.id === sandbox.examples.emptyList)?.contactsCount).toBe(0)
    expect(lists.some((list) => list.name.includes('$(touch pwned)') && list.name.includes('"'))).toBe(true)
    for (const { name, description } of lists) {
      expect(name).toMatch(/^.{1,100}$/su)
      expect(description ?? '').toMatch(/^.{0,1000}$/su)
    }
  })
})

describe('adding contacts', () => {
  test('counts what was added, was there and does not exist', async () => {
    const { list, contactsWithoutChats } = sandbox.examples
    const [a, b, c] = contactsWithoutChats
    const path = `/v1/lists/${list}/contacts`
    expect((await post(path, { contactIds: [a, b] })).json).toEqual({ data: { added: 2, skipped: 0, failed: 0 } })
    expect((await post(path, { contactIds: [a?.toUpperCase(), c, unknown] })).json).toEqual({
      data: { added: 1, skipped: 1, failed: 1 },
    })
    expect((await get(`/v1/lists/${list}?limit=1`)).json.data).toMatchObject({
      list: { contactsCount: 283 },
      members: [{ contact: { id: c } }],
    })
    expect(sandbox.record.addedIds(list)).toEqual(new Set([a, b, c]))
  })
})

describe('deleting contacts', () => {
  test('deletes, reports unknown and blocked ids as they were sent, and takes them off their lists', async () => {
    const { contactsWithoutChats, contactsWithChats, emptyList } = sandbox.examples
    const gone = at(contactsWithoutChats, 0)
    const blocked = at(contactsWithChats, 0).toUpperCase()
    await post(`/v1/lists/${emptyList}/contacts`, { contactIds: [gone, blocked] })
    const { status, json } = await post('/v1/contacts/bulk-delete', { contactIds: [gone, blocked, unknown] })
    expect(status).toBe(200)
    expect(json).toEqual({ data: { deletedCount: 1, notFoundIds: [unknown], blockedIds: [blocked] } })
    expect(sandbox.store.memberIds(emptyList)).toEqual(new Set([blocked.toLowerCase()]))
    expect(sandbox.store.hasContact(gone)).toBe(false)
    expect(sandbox.store.contactCount).toBe(4999)
    expect((await post('/v1/contacts/bulk-delete', { contactIds: [gone] })).json.data.notFoundIds).toEqual([gone])
    expect(sandbox.record.deletions()).toEqual(new Map([[gone, 1]]))
  })
})

describe('merging contacts', () => {
  test('unites identities, moves memberships and chats, and removes the source', async () => {
    const { contactsWithChats, contactsWithoutChats, emptyList, list } = sandbox.examples
    const source = at(contactsWithChats, 0)
    const target = at(contactsWithoutChats, 0)
    await post(`/v1/lists/${emptyList}/contacts`, { contactIds: [source] })
    await post(`/v1/lists/${list}/contacts`, { contactIds: [source, target] })
    const before = [source, target].map((id) => sandbox.store.contact(id))
    const { status, json } = await post(`/v1/contacts/${source}/merge`, { targetContactId: target })
    expect(status).toBe(200)
    expect(Object.keys(json.data)).toEqual(['mergedContactId', 'contact'])
    expect(json.data.mergedContactId).toBe(source)
    expect(json.data.contact.id).toBe(target)
    for (const contact of before) {
      for (const [name, values] of Object.entries(contact?.identities ?? {})) {
        expect(json.data.contact.identities[name]).toEqual(expect.arrayContaining(values))
      }
    }
    expect(sandbox.store.hasContact(source)).toBe(false)
    expect(sandbox.store.memberIds(emptyList)).toEqual(new Set([target]))
    expect(sandbox.store.memberIds(list).size).toBe(281)
    expect((await post('/v1/contacts/bulk-delete', { contactIds: [source, target] })).json.data).toEqual({
      deletedCount: 0,
      notFoundIds: [source],
      blockedIds: [target],
    })
    expect(sandbox.record.merges()).toEqual([{ source, target }])
    expect(facts(await post(`/v1/contacts/${source}/merge`, { targetContactId: target }))).toEqual(refused(404, 40401))
  })
})

describe('ticket history', () => {
  async function walk(ticket: string) {
    const messages: { id: string; sentAt: string }[] = []
    const sizes: number[] = []
    let cursor: string | undefined
    do {
      const query: string = cursor === undefined ? '' : `?chunkLastMessageId=${cursor}`
      const { status, json } = await get(`/v1/tickets/${ticket}/history${query}`)
      expect(status).toBe(200)
      messages.push(...json.data.messages)
      sizes.push(json.data.messages.length)
      cursor = json.data.nextChunkStartMessageId
    } while (cursor !== undefined)
    return { messages, sizes }
  }

  test('comes newest first in chunks of 20', async () => {
    const { messages, sizes } = await walk(sandbox.examples.tickets.active)
    expect(sizes).toEqual([20, 20, 5])
    expect(new Set(messages.map((message) => message.id)).size).toBe(45)
    const times = messages.map((message) => message.sentAt)
    expect([...times].sort().reverse()).toEqual(times)
    for (const { id } of messages) expect(id).toMatch(/^\d{20,}$/)
    // As numbers they would be the same.
    expect(new Set(messages.map((message) => Number(message.id))).size).toBeLessThan(45)
  })

  test('every kind of ticket shows what it is for', async () => {
    const { tickets } = sandbox.examples
    const all = async (ticket: string) => JSON.stringify((await walk(ticket)).messages)
    expect(await all(tickets.email)).toContain('"subject":"Re: Order 4711"')
    expect(await all(tickets.album)).toContain('"mediaGroupId":')
    const attachments = await all(tickets.attachments)
    expect(attachments).toContain('"source":"socialA"')
    expect(attachments).toContain('"mimeType":')
    const hostile = await walk(tickets.hostile)
    expect(hostile.messages.length).toBeGreaterThanOrEqual(60)
    expect(JSON.stringify(hostile.messages)).toContain('\\u001b]52;')
    expect((await get(`/v1/tickets/${tickets.unassigned}/history`)).json.data.ticket.assigneeId).toBeNull()
    expect((await get(`/v1/tickets/${tickets.closed}/history`)).json.data.ticket.status).toBe('closed')
  })
})

describe('the assignee', () => {
  const assign = (ticket: string, newAssigneeId: unknown) => patch(`/v1/tickets/${ticket}/assignee`, { newAssigneeId })

  test('is changed', async () => {
    const { tickets, employee, aiEmployee } = sandbox.examples
    expect((await assign(tickets.active, employee.toUpperCase())).json.data.newAssigneeId).toBe(employee)
    expect((await assign(tickets.active, aiEmployee)).json.data.previousAssigneeId).toBe(employee)
    expect((await get(`/v1/tickets/${tickets.active}/history`)).json.data.ticket.assigneeId).toBe(aiEmployee)
    expect(sandbox.record.assignments()).toHaveLength(2)
  })

  test('every rule that is broken is named', async () => {
    const { tickets, employee, employeeInactive, employeeWithoutChannel } = sandbox.examples
    const cases: [string, string, string][] = [
      [tickets.closed, employee, 'not active'],
      [tickets.new, employee, 'not active'],
      [tickets.notCurrent, employee, 'not the current ticket'],
      [tickets.unassigned, employee, 'no assignee'],
      [tickets.active, unknown, 'not an employee'],
      [tickets.active, employeeInactive, 'not active'],
      [tickets.active, employeeWithoutChannel, 'no access'],
      [tickets.active, sandbox.store.tickets.assigneeOf(tickets.active) ?? '', 'current assignee'],
    ]
    for (const [ticket, wanted, message] of cases)
      expect(facts(await assign(ticket, wanted))).toEqual(refused(400, 40001, message))
    expect(facts(await assign(unknown, employee))).toEqual(refused(404, 40401))
    expect(sandbox.record.assignments()).toEqual([])
  })
})

test('employees are sorted by first name, last name and id', async () => {
  const { status, json } = await get('/v1/employees')
  expect(status).toBe(200)
  expect(json.data).toHaveLength(60)
  const keys = json.data.map((one) => [one.firstName, one.lastName, one.id].join('\u0000'))
  expect([...keys].sort()).toEqual(keys)
  expect(new Set(json.data.map((one) => one.kind))).toEqual(new Set(['human', 'ai']))
  const names = json.data.map((one) => `${one.firstName} ${one.lastName}`)
  expect(names.filter((name) => name === 'Sam Twin')).toHaveLength(2)
  const byId = new Map(json.data.map((one) => [one.id, one]))
  expect(byId.get(sandbox.examples.employeeInactive)?.status).toBe('inactive')
  expect(byId.get(sandbox.examples.employeeWithoutChannel)?.channels).toEqual([])
  expect(byId.get(sandbox.examples.aiEmployee)?.kind).toBe('ai')
})

describe('paths and methods', () => {
  test.each([
    ['GET', '/', 404, 40400],
    ['GET', '/v2/lists', 404, 40400],
    ['GET', '/v1', 404, 40400],
    ['GET', '/v1/', 404, 40400],
    ['GET', '/v1/lists/', 404, 40400],
    ['GET', '/v1//lists', 404, 40400],
    ['GET', '/v1/contacts', 404, 40400],
    ['PUT', '/v1/lists', 404, 40400],
    ['DELETE', `/v1/lists/${unknown}`, 404, 40400],
    ['GET', '/v1/contacts/bulk-delete', 404, 40400],
    ['GET', '/_sandbox/nothing', 401, 40100],
  ])('%s %s: %i', async (method, path, status, code) => {
    expect(facts(await get(path, { method }))).toEqual(refused(status, code))
  })

  test('a body of a megabyte is read, a larger one is refused', async () => {
    const padded = (size: number) => `{"name":"x"${' '.repeat(size - 12)}}`
    expect((await post('/v1/lists', padded(128 * 1024))).status).toBe(201)
    expect(facts(await post('/v1/lists', padded(128 * 1024 + 1)))).toEqual(refused(413, 41300))
  })
})
