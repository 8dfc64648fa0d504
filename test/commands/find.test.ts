/** `svc contacts find …`: the members of lists, searched on this side. */
import { describe, expect, test } from 'vitest'
import type { Contact, ContactList } from '../../src/api/schemas.ts'
import { criteriaOf, type Sought } from '../../src/directory/find.ts'
import { phoneReader, type PhoneFit } from '../../src/directory/phone.ts'
import { answering, http } from '../http/loopback.ts'
import { createSandboxWorld, createWorld } from '../svc.ts'

const world = await createSandboxWorld()
const { svc, sandbox, requestsOf } = world
const vip = sandbox.examples.list
const json = (text: string): unknown => JSON.parse(text)
const end = (read = '5,589 members of 300 lists', where = 'on no list'): string =>
  `note: read ${read}; a contact that is ${where} cannot be found\n`
const endOfVip = end('280 members of 1 list, and no other list', 'not on it')
const nameHint =
  'note: a name fits when each word you type is a whole word of it, in any letter case and without accents\n'

interface Found extends Contact {
  readonly lists: readonly { readonly id: string; readonly name: string }[]
}

async function found(words: string): Promise<Found[]> {
  const { code, stdout } = await svc(`contacts find ${words} --json`)
  expect(code).toBe(0)
  return json(stdout) as Found[]
}

let annas: Promise<Found[]> | undefined
/** Everybody of this name on any list. */
const everyAnna = (): Promise<Found[]> => (annas ??= found('--name "anna MILLER"'))

describe('criteria', () => {
  const contact: Contact = {
    id: '0'.repeat(24),
    firstName: ' José ',
    lastName: 'Groß',
    identities: {
      phone: ['+49 171 234-56-78', '=1+1'],
      email: ['Jose.Gross@Example.com'],
      messengerA_phone: ['00 44 20 7946 0385'],
      messengerB_username: ['@Robin_B'],
      messengerC_phone: ['030 1234567', '+55 11 92345-6789'],
      socialA_user_id: ['123456789'],
      messengerC_user_id: null,
    },
  }

  const german = { country: 'DE' }
  test.each<[Sought & { country?: string }, PhoneFit]>([
    [{ phone: '+49 171 2345678' }, 'exact'],
    [{ phone: '\u202a+49\u00a0171\u20112345678\u202c' }, 'exact'],
    [{ phone: '0171 2345678', ...german }, 'exact'],
    [{ phone: '(0171) 2345678', country: 'de' }, 'exact'],
    [{ phone: '0171 2345678', country: 'AT' }, 'none'],
    [{ phone: '0171 2345678' }, 'variant'],
    [{ phone: '020 7946 0385', country: 'GB' }, 'exact'],
    [{ phone: '+49 30 1234567', ...german }, 'exact'],
    [{ phone: '+55 11 2345-6789' }, 'variant'],
    [{ email: ' jose.gross@EXAMPLE.COM\t' }, 'exact'],
    [{ email: 'gross@example.com' }, 'none'],
    [{ name: 'jose\u0301  GROSS' }, 'exact'],
    [{ name: '\u00a0José Groß' }, 'exact'],
    [{ name: 'gross jose' }, 'exact'],
    [{ name: 'JOSÉ' }, 'exact'],
    [{ name: 'Jos' }, 'none'],
    [{ name: 'José Maria' }, 'none'],
    [{ name: '👩' }, 'none'],
    [{ messenger: 'robin_b' }, 'exact'],
    [{ messenger: '@ROBIN_B ' }, 'exact'],
    [{ messenger: '123456789' }, 'exact'],
    [{ messenger: 'jose.gross@example.com' }, 'none'],
    [{ messenger: '+49 171 234-56-78' }, 'none'],
    [{ name: 'josé', email: 'jose.gross@example.com', messenger: 'robin_b', phone: '+491712345678' }, 'exact'],
    [{ name: 'josé gross', phone: '0171 2345678' }, 'variant'],
    [{ name: 'josé gross', email: 'other@example.com' }, 'none'],
  ])('%j: %s', async ({ country, ...sought }, fit) => {
    expect(criteriaOf(sought, await phoneReader(country)).fitOf(contact)).toBe(fit)
  })

  test('a contact without identities and names fits nothing', async () => {
    const bare = { id: contact.id, identities: null }
    for (const sought of [{ phone: '1' }, { email: 'a' }, { name: 'a' }, { messenger: 'a' }])
      expect(criteriaOf(sought, await phoneReader(undefined)).fitOf(bare)).toBe('none')
  })
})

describe('contacts find', () => {
  test('finds everybody of a name that the service has on any list, each once, with all their lists', async () => {
    const lists = json((await svc('lists list --json')).stdout) as ContactList[]
    const onLists = new Map<string, string[]>()
    for (const { id, name } of lists)
      for (const member of sandbox.store.memberIds(id) ?? [])
        onLists.set(member, [...(onLists.get(member) ?? []), name])
    const all = await everyAnna()
    expect(all.length).toBeGreaterThan(2)
    for (const contact of all) {
      expect(`${contact.firstName ?? ''} ${contact.lastName ?? ''}`).toContain('Anna Miller')
      expect(contact.lists.map(({ name }) => name)).toEqual(onLists.get(contact.id))
    }
    const members = json((await svc(`lists members ${all[0]?.lists[0]?.id ?? ''} --json`)).stdout) as {
      contact: Contact
    }[]
    const { lists: _, ...contact } = all[0] ?? { lists: [] }
    expect(members.map((member) => member.contact)).toContainEqual(contact)
    const lines = (await svc('contacts find --name "anna MILLER" -o ndjson --in VIP')).stdout.trimEnd().split('\n')
    expect(lines.map(json)).toEqual(await found('--name "anna MILLER" --in VIP'))
  })

  test('--in searches these lists only, each once, and reads no other members', async () => {
    const line = `contacts find --name "anna miller" --in VIP --in ${vip.toUpperCase()} --in "Campaign 223" -o csv --fields id,lists.name`
    const { result, sent: requests } = await requestsOf(line)
    expect(result).toEqual({
      code: 0,
      stdout: 'id,lists.name\n64007b93d5aad2927b000357,VIP\n640064bdd5aad2927b0002b9,"VIP;Campaign 223"\n',
      stderr: end('290 members of 2 lists, and no other list', 'not on them'),
    })
    const read = requests.filter((request) => request.includes('/v1/lists/') && request.endsWith('limit=100'))
    expect(read).toHaveLength(3 + 1)
  })

  test('--first stops at the first one', async () => {
    const { result, sent: requests } = await requestsOf('contacts find --name "anna miller" --first -o ids')
    expect([result.code, result.stdout]).toEqual([0, '64019c34d5aad2927b000b24\n'])
    expect(result.stderr).toMatch(/^note: stopped at the first contact found, after [\d,]+ members of \d+ lists\n$/)
    expect(requests.length).toBeLessThan(100)
    expect((await svc('contacts find --name nobody --first --in VIP')).stderr).toBe(
      `note: no contact found\n${nameHint}${endOfVip}`,
    )
  })
})

describe('a list that cannot be read', () => {
  test.each([
    ['404', 6, 'which may have been deleted since: run the command again; its members are not known'],
    ['403', 5, 'could not be read; its members are not known'],
    ['500', 7, 'could not be read; its members are not known'],
  ])('%s ends with its exit code, and nobody is shown', async (status, code, hint) => {
    const broken = await createSandboxWorld({ faults: `lists.get:60=${status}` })
    const result = await broken.svc('contacts find --name "anna miller" --retries 0 --json')
    expect([result.code, result.stdout]).toEqual([code, '[\n'])
    expect(result.stderr).toContain(hint)
    expect(result.stderr).toMatch(/the list \\"Campaign \d+\\" \([0-9a-f]{24}\) could not be read/)
  })

  test('an attempt more is enough for an answer that got lost', async () => {
    const flaky = await createSandboxWorld({ faults: 'lists.get:40=503' })
    const { code, stdout } = await flaky.svc('contacts find --name "anna miller" -o ids', { fast: true })
    expect([code, stdout]).toEqual([0, (await everyAnna()).map(({ id }) => `${id}\n`).join('')])
  })
})

test('four requests are in flight, for as many lists', async () => {
  const count = 30
  const id = (n: number): string => n.toString(16).padStart(24, '0')
  const list = (n: number): ContactList => ({ id: id(n), name: `List ${n}`, contactsCount: 1, description: null })
  const pagination = { page: 1, limit: 100, total: count, totalPages: 1, hasNext: false, hasPrev: false }
  const waiting: (() => void)[] = []
  let most = 0
  const server = await answering((socket, request, asked) => {
    const n = parseInt(/^GET \/v1\/lists\/([0-9a-f]+)/.exec(request)?.[1] ?? '0', 16)
    const members = [{ id: id(n), contact: { id: id(n), firstName: 'Anna', lastName: n === count ? 'Last' : 'Other' } }]
    const data =
      n === 0
        ? { lists: Array.from({ length: count }, (_, at) => list(at + 1)), pagination }
        : { list: list(n), members, pagination: { ...pagination, total: 1 } }
    waiting.push(() => socket.write(http(200, JSON.stringify({ data }))))
    most = Math.max(most, waiting.length)
    // Nothing is answered before four wait, but the page of lists and the last few.
    if (asked === 1 || waiting.length === 4 || asked > count - 3) for (const answer of waiting.splice(0)) answer()
  })
  const { svc: find } = createWorld({
    SVC_BASE_URL: server.baseUrl,
    SVC_API_KEY: 'pk_1',
    SVC_API_SECRET: 'a-secret-of-this',
  })
  expect((await find('contacts find --name "Anna Last" -o ids')).stdout).toBe(`${id(count)}\n`)
  expect(most).toBe(4)
  expect(server.requests).toHaveLength(count + 1)
})

test('a search that a signal ends says how far it was', async () => {
  sandbox.setFaults('lists.get:3+=hang-before')
  const before = sandbox.requests.length
  const members = () => sandbox.requests.slice(before).filter(({ url }) => /lists\/[0-9a-f]{24}/.test(url))
  let deliver: (signal: 'SIGINT') => void = () => undefined
  const ending = svc('contacts find --email nobody@example.com', {
    signals: (callback) => {
      deliver = callback
    },
  })
  while (members().length < 4) await new Promise((resolve) => setTimeout(resolve, 20))
  deliver('SIGINT')
  const { code, stderr } = await ending
  sandbox.setFaults()
  expect(code).toBe(130)
  // The two that were read, and the four whose answers hang.
  expect(stderr).toMatch(/^warning: interrupted after \d+ members? of 6 lists; this is not all$/m)
})
