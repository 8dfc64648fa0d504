/** `svc lists create` when the answer is lost: what is adopted, and what is left to the person. */
import { describe, expect, test } from 'vitest'
import type { ContactList } from '../../src/api/schemas.ts'
import { answering, http } from '../http/loopback.ts'
import { createSandboxWorld, guardSecret, type Options } from '../svc.ts'

const { svc, sandbox } = await createSandboxWorld()
const message = expect.stringMatching(
  /^the answer was lost, but there is a new list with this name and/,
) as string
const adopted = [{ type: 'note', time: expect.any(String) as string, level: 'info', message }]

interface ErrorLine {
  readonly type: string
  readonly message?: string
  readonly error?: { readonly hint: string; readonly request: { readonly method: string } }
}

const linesOf = (stderr: string): ErrorLine[] =>
  JSON.parse(`[${stderr.trimEnd().replaceAll('\n', ',')}]`) as ErrorLine[]

/** The command's result and the requests it made. */
async function create(line: string, faults: string, options: Options = {}) {
  const before = sandbox.requests.length
  sandbox.setFaults(faults)
  const result = await svc(
    `lists create ${line} ${line.includes('--if-not') ? '' : '--allow-duplicate-name'} --json`,
    {
      fast: true,
      ...options,
    },
  )
  sandbox.setFaults()
  const requests = sandbox.requests.slice(before).map(({ method, url }) => `${method} ${url}`)
  return { ...result, requests, said: linesOf(result.stderr) }
}

const lookAgain =
  /;\nthe request may still arrive within 11 minutes, until 2\d{3}-\S+Z; look at the newest lists before you try again:\n {2}svc lists list$/

describe('by the sandbox', () => {
  const made = (): number => sandbox.record.createdIds().length

  test('an older list of the same name, made a moment before, is never adopted', async () => {
    sandbox.store.change('lists.create', { name: 'Older', description: '' })
    const { code, stdout, said } = await create('--name Older', 'lists.create=drop-before')
    expect([code, stdout]).toEqual([7, ''])
    expect(said[0]?.error?.hint).toMatch(/^there is no new list with this name and description;\n/)
    expect(said[0]?.error?.hint).toMatch(lookAgain)
  })

  test('a create that cannot be checked afterwards is unknown', async () => {
    const { code, said } = await create(
      '--name Unread',
      `lists.create=drop-after-apply lists.list:${Math.ceil([...sandbox.store.allLists()].length / 100) + 1}+=400`,
    )
    expect(code).toBe(7)
    expect(said[0]?.error).toMatchObject({ request: { method: 'POST' } })
    expect(said[0]?.error?.hint).toMatch(/^the lists could not be read afterwards;/)
    expect(said[0]?.error?.hint).toMatch(lookAgain)
  })

  test.each(['400', '403,code=40351'])(
    'the first read refused with %s: a note, and the list is created',
    async (status) => {
      const { code, said } = await create(`--name "Blind ${status}"`, `lists.list=${status}`)
      expect(code).toBe(0)
      expect(said).toHaveLength(1)
      expect(said[0]?.message).toMatch(
        /^the lists could not be read first \(.+\); creating the list anyway/,
      )

      const before = made()
      const lost = await create(
        `--name "Blind and lost ${status}"`,
        `lists.list:1=${status} lists.create=drop-after-apply`,
      )
      expect([lost.code, lost.stdout, made()]).toEqual([7, '', before + 1])
      expect(lost.said[1]?.error?.hint).toMatch(/^the lists that existed before are not known/)
      expect(lost.said[1]?.error?.hint).toMatch(lookAgain)
    },
  )

  test.each(['500', '429', 'wrong-shape', '401'])(
    'the first read fails with %s: nothing is sent',
    async (fault) => {
      const { code, said, requests } = await create('--name Never', `lists.list=${fault}`)
      expect(code).toBe(fault === '401' ? 4 : 7)
      expect(requests.filter((request) => request.startsWith('POST'))).toEqual([])
      const hint = fault === '401' ? /./ : /^nothing was created, because svc reads the lists/
      expect(said.at(-1)?.error?.hint).toMatch(hint)
    },
  )

  test('--if-not-exists reads all of them once, and knows them all', async () => {
    const pages = Math.ceil([...sandbox.store.allLists()].length / 100)
    const { code, said, requests } = await create(
      '--name Once --if-not-exists',
      'lists.create=drop-after-apply',
    )
    expect([code, said]).toEqual([0, adopted])
    expect(requests.indexOf('POST /v1/lists')).toBe(pages)
    expect(
      (await create('--name Once --if-not-exists', '')).requests.includes('POST /v1/lists'),
    ).toBe(false)
  })
})

/** A service whose lists are what the test says, before the request and after it; the answer to the request is lost. */
async function scripted(
  before: readonly Partial<ContactList>[],
  after: readonly Partial<ContactList>[],
  described = '--description why',
) {
  let posted = 0
  const server = await answering((socket, request) => {
    if (request.startsWith('POST')) {
      posted += 1
      socket.destroy()
      return
    }
    const query = new URL(/^GET (\S+)/.exec(request)?.[1] ?? '', 'http://x').searchParams
    const [page, limit] = [Number(query.get('page')), Number(query.get('limit'))]
    const all = posted === 0 ? before : after
    const totalPages = Math.ceil(all.length / limit)
    const pagination = {
      page,
      limit,
      total: all.length,
      totalPages,
      hasNext: page < totalPages,
      hasPrev: page > 1,
    }
    const lists = all.slice((page - 1) * limit, page * limit)
    socket.write(http(200, JSON.stringify({ data: { lists, pagination } })))
  })
  const secret = 'sk_scripted_0123456789'
  guardSecret(secret)
  const env = { SVC_BASE_URL: server.baseUrl, SVC_API_KEY: 'pk_1', SVC_API_SECRET: secret }
  const result = await svc(`lists create --name New ${described} --json`, { env, fast: true })
  expect(posted).toBe(1)
  return { ...result, said: linesOf(result.stderr) }
}

let number = 0

function list(more: Partial<ContactList> = {}): Partial<ContactList> {
  number += 1
  const id = number.toString(16).padStart(24, '0')
  return {
    id,
    name: 'Another',
    contactsCount: 0,
    createdAt: `2026-03-01T10:00:00.${String(number % 1000).padStart(3, '0')}Z`,
    ...more,
  }
}

const minute = (n: number): string => new Date(Date.UTC(2026, 2, 1, 11, n)).toISOString()

describe('by services of other kinds', () => {
  const known = [list({ createdAt: minute(5) }), list({ createdAt: minute(4) })]
  const fresh = (more: Partial<ContactList> = {}) =>
    list({ name: 'New', description: 'why', createdAt: minute(6), ...more })

  test.each([
    ['it has the very time of the newest before', [fresh({ createdAt: minute(5) })], known],
    ['it has no time', [fresh({ createdAt: undefined })], known],
    ['its time is null', [fresh({ createdAt: null })], known],
    ['there were no lists before', [fresh()], []],
    [
      'the lists before have no time',
      [fresh({ createdAt: minute(0) })],
      [list({ createdAt: undefined })],
    ],
    [
      '250 others were made meanwhile',
      [
        ...Array.from({ length: 200 }, () => list({ createdAt: minute(9) })),
        fresh(),
        ...Array.from({ length: 50 }, () => list({ createdAt: minute(6) })),
      ],
      known,
    ],
    ['the newest of before is gone', [fresh()], known.slice(1)],
    ['one alike is behind those that were there', [fresh(), ...known, fresh()], []],
    [
      'others are of another name or description',
      [fresh({ name: 'new' }), fresh({ description: '' }), fresh()],
      known,
    ],
  ])('adopted: %s', async (_what, after, rest) => {
    const before = rest.length === 0 && after.length > 1 ? known : rest
    const wanted = after.find(({ name, description }) => name === 'New' && description === 'why')
    const { code, stdout, said } = await scripted(before, [...after, ...rest])
    expect([code, said]).toEqual([0, adopted])
    expect(JSON.parse(stdout)).toMatchObject({ id: wanted?.id })
  })

  test.each([null, undefined, ''])(
    'adopted: its description is %o, and none was typed',
    async (description) => {
      const { code } = await scripted(known, [fresh({ description }), ...known], '')
      expect(code).toBe(0)
    },
  )

  test.each([
    [
      'it is older than the newest before',
      [fresh({ createdAt: minute(4) })],
      known,
      /^there is no new list/,
    ],
    ['only its name fits', [fresh({ description: 'Why' })], known, /^there is no new list/],
    ['two fit', [fresh(), fresh()], known, /^there are 2 new lists/],
    [
      'one has no time',
      [fresh(), fresh({ createdAt: undefined })],
      known,
      /^there are 2 new lists/,
    ],
    ['none of those before is met', [fresh(), list()], [], /^none of the earlier lists exists now/],
  ])('exit 7: %s', async (_what, after, rest, hint) => {
    const { code, stdout, said } = await scripted(known, [...after, ...rest])
    expect([code, stdout]).toEqual([7, ''])
    expect(said[0]?.error?.hint).toMatch(hint)
    expect(said[0]?.error?.hint).toMatch(lookAgain)
  })
})
