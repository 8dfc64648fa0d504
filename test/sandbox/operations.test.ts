/** What the sandbox adds to the description, whose own cases are in test/description. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSandbox, type Sandbox } from './watched.ts'
import { ask, rw, type Ask, type Got } from './client.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox()
})
afterAll(() => sandbox.close())

const unknown = '0'.repeat(24)

const send = (what: Ask): Promise<Got> => ask(sandbox.baseUrl, rw, what)
const get = (path: string, more: Partial<Ask> = {}): Promise<Got> => send({ path, ...more })
const post = (path: string, body: unknown, more: Partial<Ask> = {}): Promise<Got> => send({ path, body, ...more })

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
