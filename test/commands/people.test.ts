/** `svc contacts list`, `contacts get`, snapshots, and `lists diff`: lists that are read once. */
import { readdirSync, readFileSync, statSync, writeFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ContactList } from '../../src/api/schemas.ts'
import { openSnapshot } from '../../src/directory/snapshot.ts'
import { atRandom } from '../figures/figure.ts'
import { answering, http } from '../http/loopback.ts'
import { liveIn } from '../output/screen.ts'
import { createSandboxWorld, createWorld } from '../svc.ts'

const { svc, sandbox, folder, as } = await createSandboxWorld()
const vip = sandbox.examples.list
const json = (text: string): unknown => JSON.parse(text)
const place = (name: string): string => join(folder, name)
const notes = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.replace(/^note: /, ''))

interface Found {
  readonly id: string
  readonly lists: readonly { readonly id: string; readonly name: string }[]
}

/** Everybody on a list by id, with the lists, newest first. */
function everybody(): Map<string, Found['lists'][number][]> {
  const all = new Map<string, { id: string; name: string }[]>()
  for (const { id, name, memberIds } of [...sandbox.store.allLists()].reverse())
    for (const member of memberIds) all.set(member, [...(all.get(member) ?? []), { id, name }])
  return all
}

const people = place('people.ndjson')
test('a snapshot has everybody, whole, for its owner alone, and nothing is printed', async () => {
  const saved = await svc(['contacts', 'list', '--snapshot', people])
  expect([saved.code, saved.stdout]).toEqual([0, ''])
  expect(notes(saved.stderr)).toEqual([
    'read 5,589 members of 300 lists; a contact that is on no list cannot be found',
    `saved 3,027 contacts to "${people}"`,
  ])
  expect(statSync(people).mode & 0o777).toBe(0o600)
  const text = readFileSync(people, 'utf8').trimEnd()
  // Hostile names are in it, and command no terminal.
  expect(liveIn(text.replaceAll('\n', ''))).toEqual([])
  const lines = text.split('\n').map(json)
  const last = lines.pop()
  expect(last).toMatchObject({ schema: 'svc.snapshot/1', baseUrl: sandbox.baseUrl, allLists: true, contacts: 3027 })
  expect(new Map((lines as Found[]).map(({ id, lists }) => [id, lists]))).toEqual(everybody())
  const again = await svc(['contacts', 'list', '--snapshot', people])
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('exists already')])
  expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([])
})

describe('contacts list', () => {
  test('has each contact once, with its lists', async () => {
    const names = ['Campaign 223', 'VIP', 'Trade fair']
    const { code, stdout } = await svc(`contacts list ${names.map((name) => `--in "${name}"`).join(' ')} --json`)
    const all = (json(stdout) as Found[]).map(({ id, lists }): [string, Found['lists']] => [id, lists])
    expect(code).toBe(0)
    expect(all).toEqual([...new Map(all)])
    const expected = [...everybody()].map(
      ([id, lists]) => [id, lists.filter(({ name }) => names.includes(name))] as const,
    )
    expect(new Map(all)).toEqual(new Map(expected.filter(([, lists]) => lists.length > 0)))
  })

  test('of some lists only, and how many were left out', async () => {
    const before = sandbox.requests.length
    const { stdout, stderr } = await svc(
      `contacts list --in ${vip} --in "trade FAIR" --limit 2 -o csv --fields name,lists.name`,
    )
    expect(stdout).toMatch(/^name,lists\.name\n.*,VIP\n.*,VIP\n$/)
    expect(notes(stderr)).toEqual([
      'no list is called "trade FAIR"; using "Trade fair"',
      expect.stringMatching(
        /^read \d+ members of 2 lists, and no other list; a contact that is not on them cannot be found$/,
      ),
    ])
    const read = sandbox.requests.slice(before).filter(({ url }) => /lists\/[0-9a-f]{24}\?.*limit=100/.test(url))
    expect(read).toHaveLength(3 + 1)
  })
})

describe('contacts get', () => {
  const [first = '', second = ''] = [...(sandbox.store.memberIds(vip) ?? [])]
  const nobody = '64000000d5aad2927bffffff'

  test('shows them in input order, each once, and names those that are on no list', async () => {
    const words = `${second} ${nobody} ${first.toUpperCase()} ${second}`
    const { code, stdout, stderr } = await svc(`contacts get ${words} --from ${people} --json --error-format text`)
    expect(code).toBe(3)
    expect((json(stdout) as Found[]).map(({ id, lists }) => [id, lists])).toEqual(
      [second, first].map((id) => [id, everybody().get(id)]),
    )
    expect(notes(stderr)).toContain(`on none of the lists that were read: ${nobody}`)
    const ids = place('ids.txt')
    writeFileSync(ids, `${second}\n${nobody}\n`)
    for (const [line, stdin] of [
      [`contacts get --file ${ids} ${first} --from ${people} -o ids`, ''],
      [`contacts get ${first} --file - --in VIP -o ids`, `${second}\n`],
      [`contacts get - --from ${people} --in VIP -o ids`, `${first}\n${second}\n`],
    ] as const) {
      const result = await svc(line, { stdin })
      expect([line, result.code, result.stdout]).toEqual([
        line,
        line.includes(ids) ? 3 : 0,
        expect.stringMatching(first),
      ])
      expect(result.stdout.trimEnd().split('\n').sort()).toEqual([first, second].sort())
    }
  })

  test.each([
    ['contacts get', 'name contact ids, or a file of them with --file'],
    ['contacts get 12', '1 id is invalid'],
    ['contacts get --file /dev/null', 'the input has no ids'],
    [`contacts get ${first} --from ${people} --max-age x`, '--max-age takes a duration'],
    ['contacts list --snapshot /nowhere/people', 'there is no such file or folder'],
    [`contacts list --snapshot ${folder}`, 'exists already'],
    ['lists diff VIP', 'name the list to compare with, or a file with --file'],
    ['lists diff VIP VIP --file ids.txt', 'name the list to compare with, or a file with --file'],
    ['lists diff VIP --file /dev/null', 'the file has no ids'],
    ['lists diff VIP VIP --only none', '--only takes left, right or both'],
  ])('%s is refused before anything is read', async (line, message) => {
    const before = sandbox.requests.length
    expect(await svc(line)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) })
    expect(sandbox.requests.length).toBe(before)
  })
})

describe('a snapshot in place of the service', () => {
  test('answers the same without a request, with its age', async () => {
    const find = 'contacts find --name "anna miller" --json'
    const [live, before] = [await svc(find), sandbox.requests.length]
    const saved = await svc(`${find} --from ${people} --error-format text`, { clockOffset: 3 * 3_600_000 })
    const sorted = (text: string) => (json(text) as Found[]).sort((a, b) => (a.id < b.id ? -1 : 1))
    expect(sorted(saved.stdout)).toEqual(sorted(live.stdout))
    expect(saved.stderr).toBe(
      `note: read 5,589 members of 300 lists from "${people}", made 3h ago; a contact that was on no list then cannot be found\n`,
    )
    expect(sandbox.requests.length).toBe(before)
  })

  test('of some lists says which it knows', async () => {
    const part = place('part.ndjson')
    await svc(['contacts', 'list', '--in', 'VIP', '--in', 'Trade fair', '--snapshot', part])
    const { stderr } = await svc(`contacts find --name noor --from ${part}`)
    expect(notes(stderr)[0]).toBe('the snapshot knows only "VIP", "Trade fair"')
    expect(await svc(`contacts find --name noor --from ${part} --in "Campaign 061"`)).toMatchObject({
      code: 6,
      stdout: '',
    })
  })

  test.each<[string, Parameters<typeof svc>[1], string]>([
    ['', { clockOffset: 25 * 3_600_000 }, 'more than 1d ago'],
    ['--max-age 1ms', { clockOffset: 60_000 }, 'more than 1ms ago'],
    ['', { clockOffset: -25 * 3_600_000 }, 'is from the future'],
    ['', { env: as('second-company') }, 'was made with another key'],
    ['', { env: { SVC_BASE_URL: `${sandbox.baseUrl}/prefix` } }, `is of ${sandbox.baseUrl}, not of`],
  ])('is refused when it is not of here and now: %s %#', async (words, options, message) => {
    const result = await svc(`contacts find --name noor --from ${people} ${words}`, options)
    expect(result).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) })
  })

  test('another key of the same company is accepted when that is said', async () => {
    const line = `contacts find --name noor --from ${people} --new-key -o ids`
    expect(await svc(line, { env: as('read') })).toMatchObject({ code: 0, stdout: expect.stringMatching(/^6402/) })
  })

  test('alterations are refused, each of them', async () => {
    const part = place('altered.ndjson')
    const whole = place('small.ndjson')
    await svc(['contacts', 'list', '--in', 'Hostile names', '--snapshot', whole])
    const bytes = readFileSync(whole)
    const random = (below: number): number => Math.floor(Math.random() * below)
    const alterations: ((at: number) => Buffer)[] = [
      (at) => bytes.subarray(0, at),
      (at) => Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]),
      (at) => Buffer.concat([bytes.subarray(0, at), Buffer.from([random(256)]), bytes.subarray(at)]),
      (at) => bytes.map((byte, index) => (index === at ? byte ^ (1 << random(8)) : byte)) as Buffer,
      (at) => Buffer.concat([bytes.subarray(0, bytes.lastIndexOf(0x0a, at) + 1), bytes.subarray(at)]),
    ]
    const options = { baseUrl: '', key: '', now: 0, maxAge: Infinity, newKey: true }
    for (let n = 0; n < atRandom(300); n += 1) {
      // Half of them in the last lines, where the words of the snapshot itself are.
      const at = n % 2 === 0 ? random(bytes.length) : bytes.length - 1 - random(800)
      const altered = alterations[n % alterations.length]?.(at) ?? bytes
      if (altered.equals(bytes)) continue
      writeFileSync(part, altered)
      await expect(openSnapshot(part, options), `${n} at ${at}`).rejects.toMatchObject({
        exitCode: 2,
        message: expect.stringContaining('is damaged') as string,
      })
    }
    expect(await svc(`contacts find --name x --from ${part}`)).toMatchObject({ code: 2, stdout: '' })
  })
})

describe('lists diff', () => {
  const members = (list: string) => [...(sandbox.store.memberIds(list) ?? [])]

  test('shows what differs, counts all, and ends with 3, or with 0 when there is nothing', async () => {
    const [, , ...rest] = members(vip)
    const ids = place('vip.txt')
    writeFileSync(ids, [...rest.map((id) => id.toUpperCase()), '64000000d5aad2927bffffff'].join('\n'))
    const differing = await svc(`lists diff VIP --file ${ids} -o csv`)
    const rows = differing.stdout.trimEnd().split('\n').slice(1)
    expect(differing.code).toBe(3)
    expect(rows.map((row) => row.split(',').at(-1))).toEqual(['left', 'left', 'right'])
    expect(notes(differing.stderr)).toEqual([`2 only in "VIP", 1 only in "${ids}", 278 in both`])
    const both = await svc(`lists diff vip: --only both -o ids`.replace('vip:', `VIP --file ${ids}`))
    expect(both.stdout.trimEnd().split('\n')).toEqual([...rest].reverse())
    const json = await svc(`lists diff VIP --file ${ids} --only right --json --error-format text`)
    expect(JSON.parse(json.stdout)).toEqual([{ id: '64000000d5aad2927bffffff', name: null, where: 'right' }])
    expect(await svc('lists diff VIP VIP')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'note: no differences\nnote: 0 only in "VIP", 0 only in "VIP", 280 in both\n',
    })
    const empty = await svc(`lists diff "Nobody yet" --file /dev/null --allow-empty --json -q`)
    expect(empty).toEqual({ code: 0, stdout: '[]\n', stderr: '' })
  })
})

describe('a page that fails', () => {
  const target = place('failed.ndjson')
  const lines = [
    'contacts list --json',
    'contacts list -o csv',
    `contacts list --snapshot ${target}`,
    `contacts get ${vip} --json`,
    'contacts find --name nobody --json',
    'lists diff VIP "Trade fair" --json',
    'contacts duplicates --json',
  ]
  // Each line with a page of lists and one of members; each page, the first and a later one, with three lines or four.
  test.each<[line: string, fault: string]>([
    ...lines.map((line, n): [string, string] => [line, `lists.list:${n % 2 === 0 ? 1 : 2}+=500`]),
    ...lines.map((line, n): [string, string] => [line, `lists.get:${n % 2 === 0 ? 4 : 1}+=500`]),
    [lines[2] ?? '', 'lists.get:60+=500'],
    [lines[3] ?? '', 'lists.get:60+=500'],
  ])('%s with %s', async (line, fault) => {
    sandbox.setFaults(fault)
    const { code, stdout } = await svc(`${line} --retries 0`)
    sandbox.setFaults()
    expect([code, stdout]).toEqual([7, expect.stringMatching(/^(\[\]\n)?$/)])
    expect(readdirSync(folder).filter((name) => name.startsWith('failed') || name.endsWith('.part'))).toEqual([])
  })
})

test('lists that others change while they are read are noted', async () => {
  const list: ContactList = { id: 'a'.repeat(24), name: 'Busy', contactsCount: 200 }
  const member = (n: number) => ({
    id: n.toString(16).padStart(24, '0'),
    contact: { id: n.toString(16).padStart(24, '0') },
  })
  const server = await answering((socket, request, n) => {
    const page = Number(/[?&]page=(\d+)/.exec(request)?.[1] ?? 1)
    const pagination = { page, limit: 100, total: 150 + n, totalPages: 2, hasNext: page < 2, hasPrev: page > 1 }
    const members = Array.from({ length: page < 2 ? 100 : 50 }, (_, at) => member(page * 1000 + at))
    const one = { ...pagination, total: 1, totalPages: 1, hasNext: false }
    const data = /lists\/a/.test(request) ? { list, members, pagination } : { lists: [list], pagination: one }
    writeFileSync(place('taken.ndjson'), '')
    socket.write(http(200, JSON.stringify({ data })))
  })
  const env = { SVC_BASE_URL: server.baseUrl, SVC_API_KEY: 'pk_1', SVC_API_SECRET: 'a-secret-of-this' }
  const busy = createWorld(env)
  expect((await busy.svc('lists diff Busy Busy')).stderr).toContain(
    'note: "Busy" changed while it was read: some rows may be wrong',
  )
  const changed = 'note: 1 list changed while they were read: some members may be missing'
  expect((await busy.svc('contacts list -o ids')).stderr).toContain(changed)
  await busy.svc(`contacts list --snapshot ${place('busy.ndjson')}`)
  expect((await busy.svc(`contacts get 0000000000000000000003e8 --from ${place('busy.ndjson')}`)).stderr).toContain(
    'note: lists changed while the snapshot was made (1 list): some members may be missing',
  )
  // Somebody takes its place while the lists are read.
  rmSync(place('taken.ndjson'))
  const taken = await busy.svc(`contacts list --snapshot ${place('taken.ndjson')}`)
  expect([taken.code, taken.stderr]).toEqual([2, expect.stringMatching(/^error: the snapshot .* exists already\n/)])
})
