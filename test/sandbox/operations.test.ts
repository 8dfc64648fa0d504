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
  test('every page together has every list once, newest first', async () => {
    const lists: { id: string; createdAt: string }[] = []
    for (const page of [1, 2, 3]) lists.push(...(await get(`/v1/lists?page=${page}&limit=100`)).json.data.lists)
    expect(new Set(lists.map(({ id }) => id)).size).toBe(300)
    const times = lists.map(({ createdAt }) => createdAt)
    expect([...times].sort().reverse()).toEqual(times)
    expect((await get('/v1/lists')).json.data.lists).toHaveLength(20)
  })

  test('a page beyond the last one is empty', async () => {
    const { json } = await get('/v1/lists?page=99&limit=100')
    expect(json.data).toEqual({
      lists: [],
      pagination: { page: 99, limit: 100, total: 300, totalPages: 3, hasNext: false, hasPrev: true },
    })
  })

  test.each([
    ['page=-1', 400],
    ['page=1.0', 400],
    ['page=1e1', 400],
    ['page=x', 400],
    ['page=', 400],
    ['page=1&page=2', 400],
    ['unknown=1', 200],
  ])('%s: %i', async (query, status) => {
    const got = await get(`/v1/lists?${query}`)
    expect(facts(got)).toMatchObject(status === 400 ? refused(400, 40001) : { status })
  })

  test('search finds a part of the name in any letter case', async () => {
    const { json } = await get('/v1/lists?search=VIP')
    expect(json.data.lists.map((list) => list.name)).toEqual(['VIP', 'vip', '-VIP'])
    expect((await get(`/v1/lists?search=${encodeURIComponent('顧客')}`)).json.data.pagination.total).toBe(1)
    expect((await get('/v1/lists?search=no-such-list')).json.data.pagination).toEqual({
      page: 1,
      limit: 20,
      total: 0,
      totalPages: 0,
      hasNext: false,
      hasPrev: false,
    })
  })

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

  test('create answers 201 with the list, which then is the newest', async () => {
    const { status, json } = await post('/v1/lists', { name: 'Neu', description: '' })
    expect(status).toBe(201)
    expect(json.data).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      name: 'Neu',
      description: '',
      contactsCount: 0,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updatedAt: json.data.createdAt,
    })
    expect((await get('/v1/lists?limit=1')).json.data.lists[0]?.id).toBe(json.data.id)
    expect(sandbox.record.createdIds()).toEqual([json.data.id])
  })

  test('names need not be unique', async () => {
    const first = await post('/v1/lists', { name: 'VIP' })
    const second = await post('/v1/lists', { name: 'VIP' })
    expect([first.status, second.status]).toEqual([201, 201])
    expect(first.json.data.id).not.toBe(second.json.data.id)
  })

  const bodies: [string, unknown, boolean][] = [
    ['100 emoji, counted in code points', { name: '😀'.repeat(100) }, true],
    ['a description of 1001', { name: 'x', description: 'd'.repeat(1001) }, false],
    ['no name', { description: 'x' }, false],
    ['null for a description', { name: 'x', description: null }, false],
    ['an unknown field', { name: 'x', color: 'red' }, false],
    ['an array', [], false],
    ['null', 'null', false],
    ['no JSON', '{"name":', false],
    ['two documents', '{"name":"x"}{}', false],
    ['an empty body', '', false],
  ]
  test.each(bodies)('create with %s', async (_, body, good) => {
    const got = await post('/v1/lists', body)
    expect(facts(got)).toMatchObject(good ? { status: 201 } : refused(400, 40001))
    expect([...sandbox.store.allLists()]).toHaveLength(good ? 301 : 300)
  })

  test('a body that is not called JSON is refused', async () => {
    expect(facts(await post('/v1/lists', { name: 'x' }, { headers: { 'content-type': 'text/plain' } }))).toEqual(
      refused(400, 40001),
    )
    expect(facts(await post('/v1/lists', { name: 'x' }, { headers: { 'content-type': undefined } }))).toEqual(
      refused(400, 40001),
    )
    const withCharset = { 'content-type': 'Application/JSON; charset=utf-8' }
    expect((await post('/v1/lists', { name: 'x' }, { headers: withCharset })).status).toBe(201)
  })

  test('one list with its members, newest first, each once over all pages', async () => {
    const { list } = sandbox.examples
    const ids: string[] = []
    const memberships: string[] = []
    for (const page of [1, 2, 3]) {
      const { status, json } = await get(`/v1/lists/${list.toUpperCase()}?page=${page}&limit=100`)
      expect(status).toBe(200)
      expect(json.data.list).toMatchObject({ id: list, name: 'VIP', contactsCount: 280 })
      for (const member of json.data.members) {
        ids.push(member.contact.id)
        memberships.push(member.id)
      }
    }
    expect([new Set(ids).size, new Set(memberships).size]).toEqual([280, 280])
    expect((await get(`/v1/lists/${list}`)).json.data.members).toHaveLength(20)
  })

  test('an unknown list and an id that is none', async () => {
    expect(facts(await get(`/v1/lists/${unknown}`))).toEqual(refused(404, 40401))
    expect(facts(await get('/v1/lists/abc'))).toEqual(refused(400, 40001, 'listId'))
    expect(facts(await get(`/v1/lists/${sandbox.examples.list}0`))).toEqual(refused(400, 40001))
    // A contact's id is no list's id.
    expect(facts(await get(`/v1/lists/${at(sandbox.examples.contactsWithChats, 0)}`))).toEqual(refused(404, 40401))
  })

  test('update needs a list and something to change', async () => {
    const path = `/v1/lists/${sandbox.examples.emptyList}`
    expect(facts(await patch(path, {}))).toEqual(refused(400, 40001, 'at least one field'))
    expect(facts(await patch(path, { id: unknown }))).toEqual(refused(400, 40001))
    expect(facts(await patch(`/v1/lists/${unknown}`, { name: 'x' }))).toEqual(refused(404, 40401))
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

  test('an id that appears twice is added once and skipped once', async () => {
    const [a] = sandbox.examples.contactsWithoutChats
    const contactIds = [a, a?.toUpperCase(), unknown, unknown]
    const { json } = await post(`/v1/lists/${sandbox.examples.emptyList}/contacts`, { contactIds })
    expect(json.data).toEqual({ added: 1, skipped: 1, failed: 2 })
  })

  test('needs a list and ids', async () => {
    expect(facts(await post(`/v1/lists/${unknown}/contacts`, { contactIds: [unknown] }))).toEqual(refused(404, 40401))
    const path = `/v1/lists/${sandbox.examples.list}/contacts`
    expect(facts(await post(path, { contactIds: ['x'] }))).toEqual(
      refused(400, 40001, 'contactIds: number 1 must be 24 hexadecimal digits'),
    )
    expect(facts(await post(path, { contactIds: unknown }))).toEqual(refused(400, 40001))
    expect(facts(await post(path, { contactIds: [unknown], force: true }))).toEqual(refused(400, 40001))
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

  test('an id that appears twice counts once', async () => {
    const [a] = sandbox.examples.contactsWithoutChats
    const contactIds = [a, a?.toUpperCase(), a]
    expect((await post('/v1/contacts/bulk-delete', { contactIds })).json.data).toEqual({
      deletedCount: 1,
      notFoundIds: [],
      blockedIds: [],
    })
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

  test('is refused for the same, unknown and malformed contacts', async () => {
    const [a] = sandbox.examples.contactsWithoutChats
    expect(facts(await post(`/v1/contacts/${a}/merge`, { targetContactId: a?.toUpperCase() }))).toEqual(
      refused(400, 40001, 'itself'),
    )
    expect(facts(await post(`/v1/contacts/${a}/merge`, { targetContactId: unknown }))).toEqual(
      refused(404, 40401, 'target'),
    )
    expect(facts(await post(`/v1/contacts/${unknown}/merge`, { targetContactId: a }))).toEqual(
      refused(404, 40401, 'source'),
    )
    expect(facts(await post(`/v1/contacts/x/merge`, { targetContactId: a }))).toEqual(refused(400, 40001))
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

  test('exactly 20 messages are one chunk; none is an empty one', async () => {
    expect((await walk(sandbox.examples.tickets.twentyMessages)).sizes).toEqual([20])
    expect((await walk(sandbox.examples.tickets.noMessages)).sizes).toEqual([0])
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

  test('cursors and ids that are none', async () => {
    const path = `/v1/tickets/${sandbox.examples.tickets.active}/history`
    expect(facts(await get(`${path}?chunkLastMessageId=1`))).toEqual(refused(400, 40001))
    expect(facts(await get(`${path}?chunkLastMessageId=abc`))).toEqual(refused(400, 40001))
    expect(facts(await get(`/v1/tickets/${unknown}/history`))).toEqual(refused(404, 40401))
    expect(facts(await get('/v1/tickets/x/history'))).toEqual(refused(400, 40001))
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

  test('a hundred more tickets can be assigned', async () => {
    expect(sandbox.examples.assignableTickets).toHaveLength(100)
    expect((await assign(at(sandbox.examples.assignableTickets, 99), sandbox.examples.employee)).status).toBe(200)
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
    ['PUT', '/v1/lists', 405, 40500],
    ['DELETE', `/v1/lists/${unknown}`, 405, 40500],
    ['GET', '/v1/contacts/bulk-delete', 405, 40500],
    ['GET', '/_sandbox/nothing', 401, 40100],
  ])('%s %s: %i', async (method, path, status, code) => {
    expect(facts(await get(path, { method }))).toEqual(refused(status, code))
  })

  test('405 names the methods', async () => {
    expect((await get('/v1/lists', { method: 'PUT' })).headers['allow']).toBe('GET, POST')
  })

  test('a body of a megabyte is read, a larger one is refused', async () => {
    const padded = (size: number) => `{"name":"x"${' '.repeat(size - 12)}}`
    expect((await post('/v1/lists', padded(128 * 1024))).status).toBe(201)
    expect(facts(await post('/v1/lists', padded(128 * 1024 + 1)))).toEqual(refused(413, 41300))
  })
})
