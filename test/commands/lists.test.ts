/** `svc lists …` against the sandbox over real HTTP. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ContactList, ListMember } from '../../src/api/schemas.ts'
import { createSandboxWorld, errorOf, typing } from '../svc.ts'

const { svc, sandbox, as, folder, requestsOf } = await createSandboxWorld()
const { list: vip, emptyList, tickets } = sandbox.examples
const unknownId = '0123456789abcdef01234567'
const json = (text: string): unknown => JSON.parse(text)

describe('lists list', () => {
  test('shows the 50 newest as a table and says how many there are', async () => {
    const { code, stdout, stderr } = await svc('lists list')
    expect(code).toBe(0)
    const lines = stdout.trimEnd().split('\n')
    expect(lines).toHaveLength(51)
    expect(lines[0]).toMatch(/^ID +NAME +CONTACTS +UPDATED +DESCRIPTION$/)
    expect(lines[1]).toMatch(/^[0-9a-f]{24} {2}Newsletter +\d+ {2}\d{4}-\d\d-\d\dT/)
    expect(stderr).toBe('note: Showing 50 of 300 lists. Use --limit all for all of them.\n')
  })

  test('gives machines all of them, as the service sent them', async () => {
    const { code, stdout, stderr } = await svc('lists list --json')
    expect([code, stderr]).toEqual([0, ''])
    const lists = json(stdout) as ContactList[]
    expect(lists).toHaveLength(300)
    const stored = [...sandbox.store.allLists()].reverse().map((list) => ({ ...list, memberIds: undefined }))
    expect(lists).toEqual(stored)
  })

  test('ndjson, csv, tsv and ids have one line a list', async () => {
    const ids = [...sandbox.store.allLists()].map(({ id }) => id).reverse()
    const ndjson = await svc('lists list -o ndjson')
    expect(
      ndjson.stdout
        .trimEnd()
        .split('\n')
        .map((line) => (json(line) as ContactList).id),
    ).toEqual(ids)
    expect((await svc('lists list -o ids')).stdout).toBe(`${ids.join('\n')}\n`)
    const tsv = (await svc('lists list -o tsv --limit 2')).stdout.split('\n')
    expect(tsv[0]).toBe('id\tname\tcontactsCount\tupdatedAt\tdescription')
    expect(tsv[1]?.split('\t')).toHaveLength(5)
    expect(tsv).toHaveLength(4)
    expect((await svc('lists list -o csv --limit 1 --fields name,description')).stdout).toBe(
      'name,description\nNewsletter,The newer of two lists with the same name\n',
    )
    expect((await svc('lists list -o csv --limit 1 --fields name --no-header')).stdout).toBe('Newsletter\n')
  })

  test.each([
    ['--limit 100', ['page=1&limit=100']],
    ['--limit 101 -o ids', ['page=1&limit=100', 'page=2&limit=100']],
    ['--limit all', ['page=1&limit=100', 'page=2&limit=100', 'page=3&limit=100']],
    ['--limit 3 --page-size 2', ['page=1&limit=2', 'page=2&limit=2']],
    ['--page 2', ['page=2&limit=20']],
    ['--page 2 --page-size 1', ['page=2&limit=1']],
    ['--page 2 --page-size 100 --limit 5', ['page=2&limit=100']],
    ['--search vip', ['page=1&limit=100&search=vip']],
    ['--search "a&b=c ü"', ['page=1&limit=100&search=a%26b%3Dc+%C3%BC']],
  ])('%s asks for %j', async (options, queries) => {
    const { result, sent: requests } = await requestsOf(`lists list ${options} -o ids`)
    expect(result.code).toBe(0)
    // Those in flight together arrive in any order.
    expect(requests.toSorted()).toEqual(queries.map((query) => `GET /v1/lists?${query}`))
  })

  test('--page is exactly that page', async () => {
    const all = (await svc('lists list -o ids')).stdout.trimEnd().split('\n')
    const { stdout, stderr } = await svc('lists list --page 2 -o ids')
    expect(stdout.trimEnd().split('\n')).toEqual(all.slice(20, 40))
    expect(stderr).toBe(
      'note: Showing 20 of 300 lists. Use --page for another page, or --limit all without --page for all of them.\n',
    )
    const beyond = await svc('lists list --page 16')
    expect(beyond).toEqual({
      code: 0,
      stdout: '',
      stderr:
        'note: no lists\nnote: Showing 0 of 300 lists. Use --page for another page, or --limit all without --page for all of them.\n',
    })
  })

  test('a search that finds nothing', async () => {
    expect(await svc('lists list --search zzz')).toEqual({ code: 0, stdout: '', stderr: 'note: no lists\n' })
    expect(await svc('lists list --search zzz --json')).toEqual({ code: 0, stdout: '[]\n', stderr: '' })
    expect(await svc('lists list --search zzz -o csv')).toMatchObject({
      code: 0,
      stdout: 'id,name,contactsCount,updatedAt,description\n',
    })
  })

  test.each([
    ['--limit 0', '--limit takes a whole number, at least 1, or "all", not "0"'],
    ['--limit=-1', '--limit takes a whole number, at least 1, or "all", not "-1"'],
    ['--limit ""', '--limit takes a whole number, at least 1, or "all", not ""'],
    ['--page 0', '--page takes a whole number, at least 1, not "0"'],
    ['--page-size 0', '--page-size takes a whole number from 1 to 100, not "0"'],
    ['--page-size 101', '--page-size takes a whole number from 1 to 100, not "101"'],
    ['--search ""', '--search needs at least one character'],
    ['--fields nme', 'unknown field "nme"'],
    ['-o transcript', 'this command has no format "transcript"'],
  ])('%s is refused with exit 2 and no request', async (options, message) => {
    const { result, sent: requests } = await requestsOf(`lists list ${options} --error-format json`)
    expect(result.code).toBe(2)
    expect(errorOf(result)).toMatchObject({ category: 'usage', exitCode: 2, message })
    expect(requests).toEqual([])
  })

  test('the edges of page and page size pass', async () => {
    const edges = ['--page-size 1 --limit 1', '--page-size 100', '--page 1', '--limit 1', '--search x']
    const codes = await Promise.all(edges.map(async (options) => (await svc(`lists list ${options}`)).code))
    expect(codes).toEqual(edges.map(() => 0))
  })

  test('the read key is enough; without a plan it is exit 5, without a signature exit 4', async () => {
    expect((await svc('lists list', { env: as('read') })).code).toBe(0)
    const plan = await svc('lists list --json', { env: as('no-plan') })
    expect(plan.code).toBe(5)
    expect(errorOf(plan)).toEqual({
      category: 'forbidden',
      exitCode: 5,
      httpStatus: 403,
      code: 40351,
      message: 'API access is unavailable on your current plan',
      hint: expect.stringContaining("the company's plan") as string,
      request: {
        method: 'GET',
        path: '/v1/lists?page=1&limit=100',
        attempts: 1,
        requestId: expect.stringMatching(/^sandbox-/),
      },
      profile: null,
      run: null,
      retry: false,
    })
    const wrong = await svc('lists list --json', { env: { SVC_API_SECRET: 'sk_another_secret_that_is_long_enough' } })
    expect(wrong.code).toBe(4)
    expect(errorOf(wrong)).toMatchObject({ category: 'auth', exitCode: 4, httpStatus: 401, code: 40121 })
  })

  test('a page that fails leaves the document open, and the exit code tells', async () => {
    sandbox.setFaults('lists.list:3=400')
    const result = await svc('lists list --json')
    sandbox.setFaults()
    expect(result.code).toBe(6)
    expect(json(`${result.stdout}]`)).toHaveLength(200)
    expect(json(result.stderr)).toMatchObject({
      type: 'error',
      time: expect.any(String) as string,
      error: { category: 'rejected', exitCode: 6, code: 40001 },
    })
  })

  test('a page that lies ends the walk with exit 7', async () => {
    sandbox.setFaults('lists.list:2=page-lies')
    const result = await svc('lists list -o ids')
    sandbox.setFaults()
    expect(result.code).toBe(7)
    expect(result.stdout.trimEnd().split('\n')).toHaveLength(101)
    expect(result.stdout).toMatch(/\n# incomplete: page 2 is empty although the service says there are more\n$/)
    expect(result.stderr).toMatch(/^error: page 2 is empty although the service says there are more\n/)
  })

  test('lists that others make meanwhile: each row once, and a note', async () => {
    const world = sandbox.store
    const before = new Set([...world.allLists()].map(({ id }) => id))
    const walking = svc('lists list -o ids --page-size 10')
    const seen = sandbox.requests.length
    // As soon as the walk is in flight somebody else writes, ten times.
    for (let made = 0; made < 10;) {
      await new Promise((resolve) => setTimeout(resolve, 1))
      if (sandbox.requests.length <= seen + made) continue
      world.change('lists.create', { name: `meanwhile ${made}` })
      made += 1
    }
    const { code, stdout, stderr } = await walking
    const ids = stdout.trimEnd().split('\n')
    expect(code).toBe(0)
    expect(new Set(ids).size).toBe(ids.length)
    for (const id of before) expect(ids).toContain(id)
    expect(stderr).toMatch(
      /note: the number of lists changed from \d+ to \d+ while they were read: some rows may be missing\n/,
    )
  })
})

describe('lists get', () => {
  test('one list by name, as key and value', async () => {
    const { code, stdout, stderr } = await svc('lists get VIP')
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(
      new RegExp(
        `^ID +${vip}\\nNAME +VIP\\nDESCRIPTION +Customers who .*\\nCONTACTS +280\\nCREATED +\\S+\\nUPDATED +\\S+\\n$`,
      ),
    )
  })

  test.each([
    ['VIP', vip],
    ['name:VIP', vip],
    [`id:${vip}`, vip],
    [vip, vip],
    [vip.toUpperCase(), vip],
    ['"Nobody yet"', emptyList],
  ])('%s is found', async (reference, id) => {
    expect(json((await svc(`lists get ${reference} --json`)).stdout)).toMatchObject({ id })
  })

  test.each([
    ['name:-VIP', '-VIP'],
    ['-- -VIP', '-VIP'],
    ['vip', 'vip'],
    ['name:640000000000000000000abc', '640000000000000000000abc'],
    ['Café', 'Café'],
    ['Cafe\u0301', 'Cafe\u0301'],
    ['顧客リスト', '顧客リスト'],
    ['=1+1', '=1+1'],
  ])('%s is the list of exactly that name', async (reference, name) => {
    const { code, stdout } = await svc(`lists get --json ${reference}`)
    expect([code, (json(stdout) as ContactList).name]).toEqual([0, name])
  })

  test('a name that begins with a dash is an option that nobody knows', async () => {
    expect((await svc('lists get -VIP')).code).toBe(2)
  })

  test('what the search for a name has read is not asked for again', async () => {
    const byName = await requestsOf('lists get VIP --json')
    expect(byName.result.stdout).toBe((await svc(`lists get ${vip} --json`)).stdout)
    const update = await requestsOf('lists update VIP --name x --dry-run')
    expect(update.result).toEqual(await svc(`lists update ${vip} --name x --dry-run`))
    for (const request of [...byName.sent, ...update.sent]) expect(request).toMatch(/^GET \/v1\/lists\?page=/)
  })

  test('24 hex digits are an id, whatever lists are called', async () => {
    const { result, sent: requests } = await requestsOf('lists get 640000000000000000000abc --json')
    expect(result.code).toBe(6)
    expect(errorOf(result)).toMatchObject({
      httpStatus: 404,
      request: { path: '/v1/lists/640000000000000000000abc?page=1&limit=1' },
    })
    expect(requests).toHaveLength(1)
  })

  test('several lists of the name are listed, with exit 6', async () => {
    const result = await svc('lists get Newsletter')
    expect(result).toMatchObject({ code: 6, stdout: '' })
    expect(result.stderr).toMatch(
      /^error: 2 lists are called "Newsletter"\n {2}name the one you mean by its id:\n(?: {4}[0-9a-f]{24} {2}contacts: \d+, created \S+\n){2}$/,
    )
  })

  test('no list of the name: exit 6, with the command that shows them', async () => {
    expect(await svc('lists get VIPS')).toEqual({
      code: 6,
      stdout: '',
      stderr:
        'error: no list is called "VIPS"\n  did you mean "VIP"?\n  see the names with:\n    svc lists list --limit all\n',
    })
  })

  test('a name in another spelling: the only one is taken with a note; several are listed; name: is exact', async () => {
    const exact = await svc('lists get "Nobody yet" --json')
    expect(await svc('lists get " nobody  YET" --json')).toEqual({
      ...exact,
      stderr: expect.stringMatching(
        /^.*"no list is called \\" nobody {2}YET\\"; using \\"Nobody yet\\""\}\n$/,
      ) as string,
    })
    expect((await svc('lists members "nobody yet"')).stderr).toBe(
      'note: no list is called "nobody yet"; using "Nobody yet"\nnote: no members\n',
    )
    expect((await svc('lists get "name:nobody yet"')).code).toBe(6)
    const several = await svc('lists get Vip')
    expect([several.code, several.stdout]).toEqual([6, ''])
    expect(several.stderr).toMatch(
      /^error: no list is called "Vip" exactly, and 2 are nearly called so\n {2}name the one you mean by its id:\n {4}\S+ {2}"(?:VIP|vip)", contacts/,
    )
  })

  test.each([
    ['""', 'the list is empty'],
    ['name:', 'the list is empty'],
    ['id:VIP', '"VIP" is not an id: ids have 24 hexadecimal digits'],
  ])('%s is refused with exit 2 and no request', async (reference, message) => {
    const { result, sent: requests } = await requestsOf(`lists get ${reference} --json`)
    expect([result.code, requests]).toEqual([2, []])
    expect(errorOf(result)).toMatchObject({ message })
  })

  test.each(['../employees', 'a?x=1', '..%2f..', '/v1/lists'])(
    '%s is a name, never a part of a path',
    async (reference) => {
      const { result, sent: requests } = await requestsOf(`lists get ${reference} --json`)
      expect(result.code).toBe(6)
      expect(errorOf(result)).toMatchObject({ message: `no list is called "${reference}"` })
      expect(requests.every((request) => /^GET \/v1\/lists\?page=\d&limit=100$/.test(request))).toBe(true)
    },
  )

  test('an unknown id, and one of another company', async () => {
    const other = [...sandbox.second.allLists()][0]?.id ?? ''
    for (const id of [unknownId, other]) {
      const result = await svc(`lists get ${id}`)
      expect(result).toMatchObject({ code: 6, stdout: '' })
      expect(result.stderr).toBe(
        'error: the contact list does not exist (HTTP 404, code 40401)\n  the id is unknown to this company\n',
      )
    }
  })

  test('a list that was not asked for is not shown', async () => {
    sandbox.setFaults('lists.get=foreign-ids')
    const result = await svc(`lists get ${vip} --json --retries 0`)
    sandbox.setFaults()
    expect(result.code).toBe(7)
    expect(errorOf(result)['message']).toMatch(/the answer is about another record than the one that was asked for$/)
  })
})

describe('lists members', () => {
  test('a table, newest first, and a note', async () => {
    const { code, stdout, stderr } = await svc('lists members VIP')
    expect(code).toBe(0)
    expect(stdout.split('\n')[0]).toMatch(/^CONTACT +NAME +PHONE +EMAIL +JOINED$/)
    expect(stdout.trimEnd().split('\n')).toHaveLength(51)
    expect(stderr).toBe('note: Showing 50 of 280 members. Use --limit all for all of them.\n')
  })

  test('json has the members as the service sends them, ids the contacts', async () => {
    const members = json((await svc('lists members VIP --json')).stdout) as ListMember[]
    expect(members).toHaveLength(280)
    expect(Object.keys(members[0] ?? {})).toEqual(['id', 'contact', 'createdAt'])
    expect(members.map(({ createdAt }) => createdAt ?? '')).toEqual(
      members
        .map(({ createdAt }) => createdAt ?? '')
        .sort()
        .reverse(),
    )
    const ids = (await svc('lists members VIP -o ids')).stdout.trimEnd().split('\n')
    expect(ids).toEqual(members.map(({ contact }) => contact.id))
    expect(new Set(ids)).toEqual(sandbox.store.memberIds(vip))
    expect((await svc('lists members VIP -o ndjson --limit 3')).stdout.trimEnd().split('\n').map(json)).toEqual(
      members.slice(0, 3),
    )
  })

  test('pages as they are asked for', async () => {
    const { sent: requests } = await requestsOf(`lists members ${vip} -o ids`)
    expect(requests.toSorted()).toEqual([1, 2, 3].map((page) => `GET /v1/lists/${vip}?page=${page}&limit=100`))
    const { result, sent: one } = await requestsOf(`lists members ${vip} -o ids --page 14`)
    expect(one).toEqual([`GET /v1/lists/${vip}?page=14&limit=20`])
    expect(result.stdout.trimEnd().split('\n')).toHaveLength(20)
  })

  test('nobody', async () => {
    expect(await svc('lists members "Nobody yet"')).toEqual({ code: 0, stdout: '', stderr: 'note: no members\n' })
    expect(await svc('lists members "Nobody yet" --json')).toEqual({ code: 0, stdout: '[]\n', stderr: '' })
  })

  test('fields choose and order, keep their nesting in json, and are null when absent', async () => {
    const line = (await svc('lists members VIP -o ndjson --limit 1 --fields name,contact.identities.phone,contact.id'))
      .stdout
    const row = json(line) as { name: string; contact: { identities: { phone: string[] }; id: string } }
    expect(Object.keys(row)).toEqual(['name', 'contact'])
    expect(Object.keys(row.contact)).toEqual(['identities', 'id'])
    const csv = (await svc('lists members VIP -o csv --limit 1 --fields contact.id,name')).stdout
    expect(csv).toMatch(new RegExp(`^contact.id,name\\n${row.contact.id},`))
    expect(json((await svc('lists list --search "العملاء" --json --fields description,id')).stdout)).toEqual([
      { description: null, id: expect.any(String) as string },
    ])
    expect((await svc('lists members VIP --limit 1 --fields MembershipId,contact')).code).toBe(2)
    const table = (await svc('lists members VIP --limit 1 --fields membershipId,CONTACT,Phone --no-header')).stdout
    expect(table).toMatch(new RegExp(`^[0-9a-f]{24} +${row.contact.id} `))
    const membership = await svc('lists members VIP --fields id,name -o csv')
    expect(membership).toMatchObject({ code: 2, stdout: '' })
    expect(membership.stderr).toContain('unknown field "id"\n  did you mean "contact.id"?')
    const wrong = await svc('lists members VIP --fields contact.identity.phone')
    expect(wrong).toMatchObject({ code: 2, stdout: '' })
    expect(wrong.stderr).toMatch(
      /^error: unknown field "contact.identity.phone"\n {2}did you mean "contact.identities.phone"\?\n {2}fields: name, membershipId, contact, /,
    )
  })

  test('unknown list', async () => {
    expect((await svc(`lists members ${unknownId}`)).code).toBe(6)
    expect((await svc('lists members nope')).code).toBe(6)
  })
})

describe('lists create', () => {
  const family = '👩‍👩‍👧‍👦'
  test.each([
    ['n', 'd'],
    ['n'.repeat(100), 'd'.repeat(1000)],
    ['😀'.repeat(100), '😀'.repeat(1000)],
    [family.repeat(13), ''],
    [' ', '\n'],
  ])('a name of %j and a description of %j come back as they were sent', async (name, description) => {
    const { code, stdout } = await svc(['lists', 'create', '--name', name, '--description', description, '--json'])
    expect(code).toBe(0)
    expect(json(stdout)).toMatchObject({ name, description, contactsCount: 0 })
  })

  test('a description is always sent, empty when none is given', async () => {
    const { code } = await svc('lists create --name Bare')
    expect(code).toBe(0)
    expect(sandbox.requests.at(-1)?.body).toBe('{"name":"Bare","description":""}')
  })

  test.each([
    [['--name', ''], '--name must not be empty'],
    [['--name', 'n'.repeat(101)], 'the name has 101 characters; at most 100 are allowed'],
    [['--name', '😀'.repeat(101)], 'the name has 101 characters; at most 100 are allowed'],
    [
      ['--name', 'n', '--description', 'd'.repeat(1001)],
      'the description has 1,001 characters; at most 1,000 are allowed',
    ],
    [
      ['--name', 'n', '--description', '😀'.repeat(1001)],
      'the description has 1,001 characters; at most 1,000 are allowed',
    ],
    [['--description', 'x'], '--name is required'],
    [
      ['--name', 'n', '--description', 'a', '--description-file', 'b'],
      'use --description or --description-file, not both',
    ],
  ])('%j is refused with exit 2 and no request', async (options, message) => {
    const { result, sent: requests } = await requestsOf(['lists', 'create', '--json', ...options])
    expect(result.code).toBe(2)
    expect(errorOf(result)).toMatchObject({ message })
    expect(requests).toEqual([])
  })

  test('a description from a file or from standard input, without its last line end', async () => {
    const path = join(folder, 'description.txt')
    writeFileSync(path, '\ufeffline one\r\nline two ü\r\n')
    const made = json(
      (await svc(['lists', 'create', '--name', 'From file', '--description-file', path, '--json'])).stdout,
    )
    expect(made).toMatchObject({ description: 'line one\r\nline two ü' })
    const piped = await svc('lists create --name Piped --description-file - --json', { stdin: 'from a pipe\n\n' })
    expect(json(piped.stdout)).toMatchObject({ description: 'from a pipe\n' })
  })

  test.each<[string, () => string, RegExp]>([
    [
      'is missing',
      () => join(folder, 'none.txt'),
      /^cannot read the description from ".*none.txt": there is no such file or folder$/,
    ],
    ['is a folder', () => folder, /^cannot read the description from ".*": it is a folder$/],
    ['never ends', () => '/dev/zero', /^"\/dev\/zero" is longer than any description can be$/],
    [
      'is not UTF-8',
      () => {
        writeFileSync(join(folder, 'latin1.txt'), Buffer.from('caf\xe9', 'latin1'))
        return join(folder, 'latin1.txt')
      },
      /^the description in ".*latin1.txt" is not valid UTF-8$/,
    ],
  ])('a description file that %s is refused', async (_, path, message) => {
    const result = await svc(['lists', 'create', '--name', 'n', '--description-file', path(), '--json'])
    expect(result.code).toBe(2)
    expect(errorOf(result)['message']).toMatch(message)
  })

  test('standard input that is a terminal is not waited for', async () => {
    const result = await svc('lists create --name n --description-file -', { isTerminal: { stdin: true } })
    expect(result).toMatchObject({ code: 2, stdout: '' })
  })

  test('--dry-run shows the request and needs no profile', async () => {
    const { result, sent: requests } = await requestsOf(
      'lists create --name "Spring" --description d --dry-run --json',
      {
        env: { SVC_BASE_URL: undefined, SVC_API_KEY: undefined, SVC_API_SECRET: undefined },
      },
    )
    expect(result.code).toBe(0)
    expect(json(result.stdout)).toEqual({
      dryRun: true,
      operation: 'lists.create',
      body: { name: 'Spring', description: 'd' },
    })
    expect(json(result.stderr)).toEqual({
      type: 'note',
      time: expect.any(String) as string,
      level: 'info',
      message: 'dry run: would create the list "Spring"; nothing was sent',
    })
    expect(requests).toEqual([])
  })

  test('--if-not-exists shows the list that is there, makes the one that is not, and refuses to choose', async () => {
    const before = sandbox.record.createdIds().length
    const there = await svc('lists create --name VIP --if-not-exists')
    expect(there).toMatchObject({ code: 0, stderr: 'note: a list called "VIP" already exists; nothing was created\n' })
    expect(there.stdout).toContain(vip)
    expect((await svc('lists create --name Newsletter --if-not-exists')).code).toBe(6)
    expect(sandbox.record.createdIds()).toHaveLength(before)
    const first = await svc('lists create --name "Only once" --if-not-exists -o ids')
    const second = await svc('lists create --name "Only once" --if-not-exists -o ids')
    expect(second.stdout).toBe(first.stdout)
    expect(sandbox.record.createdIds()).toHaveLength(before + 1)
    expect((await svc('lists create --name "Only once" --if-not-exists --dry-run')).stderr).toMatch(/already exists/)
  })

  test('the read key may not: exit 5 with the scope', async () => {
    const result = await svc('lists create --name Refused --json', { env: as('read') })
    expect(result.code).toBe(5)
    expect(errorOf(result)).toMatchObject({
      code: 40361,
      hint: 'this API key\'s scope is too small: the operation needs "read-write"',
      request: { method: 'POST', path: '/v1/lists', attempts: 1 },
    })
  })
})

describe('lists update', () => {
  const list = { id: [...sandbox.store.allLists()].find(({ name }) => name === 'Campaign 298')?.id ?? '' }

  test('by name, one field or both; "" clears', async () => {
    expect(json((await svc('lists update "Campaign 298" --description new --json')).stdout)).toMatchObject({
      description: 'new',
    })
    expect(sandbox.requests.at(-1)).toMatchObject({
      method: 'PATCH',
      url: `/v1/lists/${list.id}`,
      body: '{"description":"new"}',
    })
    expect((await svc(`lists update ${list.id} --name Changed --description ""`)).stdout).toMatch(
      /NAME +Changed\nDESCRIPTION\n/,
    )
    expect(sandbox.requests.at(-1)?.body).toBe('{"name":"Changed","description":""}')
  })

  test.each([
    [[], 'nothing to change: give --name, --description or --description-file'],
    [['--name', ''], '--name must not be empty'],
    [['--name', 'n'.repeat(101)], 'the name has 101 characters; at most 100 are allowed'],
    [['--description', 'd'.repeat(1001)], 'the description has 1,001 characters; at most 1,000 are allowed'],
  ])('%j is refused with exit 2 and no request', async (options, message) => {
    const { result, sent: requests } = await requestsOf(['lists', 'update', list.id, '--json', ...options])
    expect(result.code).toBe(2)
    expect(errorOf(result)).toMatchObject({ message })
    expect(requests).toEqual([])
  })

  test('--dry-run finds the list and sends no change', async () => {
    const { result, sent: requests } = await requestsOf('lists update VIP --name x --dry-run --json')
    expect(json(result.stdout)).toEqual({
      dryRun: true,
      operation: 'lists.update',
      listId: vip,
      before: { name: 'VIP' },
      body: { name: 'x' },
    })
    expect(requests.every((request) => request.startsWith('GET '))).toBe(true)
    expect(await svc(`lists update ${vip} --name x --dry-run`)).toEqual({
      code: 0,
      stdout: '',
      stderr: `note: dry run: would update the list ${vip}; nothing was sent\n  name: "VIP" → "x"\n`,
    })
  })

  test('refusals: scope, unknown id, ambiguous name', async () => {
    expect(errorOf(await svc(`lists update ${list.id} --name x --json`, { env: as('read') }))).toMatchObject({
      exitCode: 5,
      code: 40361,
    })
    expect(errorOf(await svc(`lists update ${unknownId} --name x --json`))).toMatchObject({
      exitCode: 6,
      httpStatus: 404,
    })
    expect(errorOf(await svc('lists update Newsletter --name x --json'))).toMatchObject({
      exitCode: 6,
      httpStatus: null,
    })
    expect(errorOf(await svc(`lists update ${tickets.active} --name x --json`))).toMatchObject({
      exitCode: 6,
      httpStatus: 404,
    })
  })

  test('is repeated when an answer is lost; when all are, exit 7 with the command that shows it', async () => {
    sandbox.setFaults('lists.update:1=drop-after-apply')
    expect((await svc(`lists update ${list.id} --name Twice`, { fast: true })).code).toBe(0)
    sandbox.setFaults('lists.update=drop-after-apply')
    const result = await svc(`lists update ${list.id} --name Lost --json`, { fast: true })
    sandbox.setFaults()
    expect(result.code).toBe(7)
    expect(errorOf(result)).toMatchObject({
      category: 'unavailable',
      hint: `the list may or may not have been changed; see what it is now:\n  svc lists get ${list.id}`,
      request: { attempts: 4 },
    })
  })

  test('an answer about another list is not taken for success', async () => {
    sandbox.setFaults('lists.update=foreign-ids')
    const result = await svc(`lists update ${list.id} --name Foreign --json --retries 0`)
    sandbox.setFaults()
    expect(result.code).toBe(7)
    expect(errorOf(result)['hint']).toContain(`svc lists get ${list.id}`)
  })
})

describe('a protected profile', () => {
  const config = join(folder, 'protected.json')
  const key = sandbox.keys[0]
  writeFileSync(
    config,
    JSON.stringify({
      current: 'prod',
      profiles: { prod: { baseUrl: sandbox.baseUrl, apiKey: key?.apiKey, apiSecret: key?.apiSecret, protected: true } },
    }),
    { mode: 0o600 },
  )
  const env = { SVC_CONFIG: config, SVC_BASE_URL: undefined, SVC_API_KEY: undefined, SVC_API_SECRET: undefined }

  test.each(['lists create --name Guarded', `lists update ${vip} --description Guarded`])(
    '%s asks first',
    async (line) => {
      const unasked = await requestsOf(line, { env })
      expect(unasked.result).toMatchObject({ code: 9, stdout: '' })
      const terminal = typing('n')
      const declined = await requestsOf(line, { env, terminal: terminal.terminal })
      expect(declined.result).toMatchObject({ code: 9, stdout: '' })
      expect(terminal.shown().replaceAll(/\r?\n\s*/g, ' ')).toContain('on the protected profile "prod"?')
      expect([...unasked.sent, ...declined.sent].filter((request) => !request.startsWith('GET'))).toEqual([])
      expect((await svc(`${line} --yes`, { env })).code).toBe(0)
      expect((await svc(line, { env, terminal: typing('y').terminal })).code).toBe(0)
    },
  )

  test('reads and dry runs do not ask', async () => {
    expect((await svc('lists get VIP', { env })).code).toBe(0)
    expect((await svc('lists create --name x --dry-run', { env })).code).toBe(0)
  })
})

test('ACCESSIBLE=1: a row is a record, whole, on a terminal and off one', async () => {
  const env = { ACCESSIBLE: '1', NO_COLOR: '1' }
  for (const isTerminal of [{ stdout: true, stderr: true }, {}]) {
    const { stdout } = await svc('lists list --search "Campaign 297"', { isTerminal, columns: 200, env })
    expect(stdout).toMatch(/^ID +[0-9a-f]{24}\nNAME +Campaign 297\nCONTACTS +\d+\n/)
  }
})

test('a whole table ends with its count on a terminal, and says nothing off one', async () => {
  const terminal = { isTerminal: { stdout: true, stderr: true }, columns: 120 } as const
  expect((await svc('lists list --search "Campaign 29"', terminal)).stderr).toMatch(/^note: \d+ lists\n$/)
  expect((await svc('lists list --search "Campaign 297"', terminal)).stderr).toBe('note: 1 list\n')
  expect((await svc('lists list --search "Campaign 297" -q', terminal)).stderr).toBe('')
  expect((await svc('lists list --search "Campaign 297"')).stderr).toBe('')
  expect((await svc('employees list --limit all', terminal)).stderr).toBe('note: 60 employees\n')
})
