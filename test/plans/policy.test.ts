/** Policies of profiles and machines: what they forbid is not sent, whatever the command line says. */
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { changeOf, personsOf } from '../../src/plans/approvals.ts'
import {
  approvalsNeeded,
  judge,
  PolicyMembers,
  signersOf,
  type Policy,
} from '../../src/plans/policy.ts'
import { trustedFolder } from '../ending.ts'
import { createSandboxWorld, createWorld, type Options } from '../svc.ts'

const world = await createSandboxWorld()
const { sandbox, folder } = world
const { examples } = sandbox
const etc = trustedFolder()
const file = join(etc, 'policy.json')
const owner = process.getuid?.()
const machinePolicy = { path: file, owner }
const [contact = '', other = ''] = examples.contactsWithoutChats

function write(policy: unknown, url = sandbox.baseUrl): void {
  writeFileSync(file, JSON.stringify({ schema: 'svc.policy/1', policies: { [url]: policy } }), {
    mode: 0o600,
  })
}

/** Under the machine's policy: how it ended, and what the sandbox was asked meanwhile. */
async function underPolicy(line: string | readonly string[], options: Options = {}) {
  const { result, sent } = await world.requestsOf(line, { machinePolicy, ...options })
  return { ...result, requests: sent }
}

const pairs = join(folder, 'pairs.csv')
writeFileSync(pairs, `source,target\n${contact},${other}\n`)
const tickets = join(folder, 'tickets.txt')
writeFileSync(tickets, `${examples.tickets.active}\n`)
const { list, employee } = examples

/** Every way to a change, with the operation that it is. */
const writes: readonly (readonly [operation: string, line: string])[] = [
  ['lists.create', 'lists create --name New'],
  ['lists.create', 'lists create --name New --if-not-exists'],
  ['lists.create', 'api lists -f name=New'],
  ['lists.update', `lists update ${list} --name New`],
  ['lists.update', `api lists/${list} -X PATCH -f name=New`],
  ['lists.add-contacts', `lists add-contacts ${list} ${contact}`],
  ['lists.add-contacts', `api lists/${list}/contacts -f contactIds=["${contact}"]`],
  ['lists.add-contacts', 'doctor --check-write'],
  ['contacts.merge', `contacts merge ${contact} --into ${other}`],
  ['contacts.merge', `contacts merge --file ${pairs}`],
  ['contacts.merge', `api contacts/${contact}/merge -f targetContactId=${other}`],
  ['contacts.delete', `contacts delete ${contact}`],
  ['contacts.delete', `contacts delete ${contact} --shard 1/1 --allow-empty --max-delete 9`],
  ['contacts.delete', `api contacts/bulk-delete --body {"contactIds":["${contact}"]}`],
  ['tickets.assign', `tickets assign ${examples.tickets.active} --to ${employee}`],
  ['tickets.assign', `tickets assign --file ${tickets} --to ${employee}`],
  [
    'tickets.assign',
    `api tickets/${examples.tickets.active}/assignee -X PATCH -f newAssigneeId=${employee}`,
  ],
]
const bulk = ['lists.add-contacts', 'contacts.merge', 'contacts.delete', 'tickets.assign']
const all = ['lists.create', 'lists.update', ...bulk]

const isOneChange = (line: string): boolean =>
  / --(?:into|to) /.test(line) && !line.includes(' --file ')

/** What each member forbids. */
const members: readonly (readonly [
  member: string,
  policy: object,
  forbids: (operation: string, line: string) => boolean,
])[] = [
  ['readOnly', { readOnly: true }, () => true],
  ['allow', { allow: [] }, () => true],
  ['maxDelete', { maxDelete: 0 }, (operation) => operation === 'contacts.delete'],
  [
    'requireOnce',
    { requireOnce: bulk },
    // One change is no job that has to be repeated.
    (operation, line) => bulk.includes(operation) && !isOneChange(line),
  ],
  [
    'approvals',
    { approvals: Object.fromEntries(bulk.map((name) => [name, 1])), signers: '/etc/svc/signers' },
    (operation) => bulk.includes(operation),
  ],
]

describe('every way to a change', () => {
  const cases = members.flatMap(([member, policy, forbids]) =>
    writes
      .filter(([operation, line]) => forbids(operation, line))
      .map(([, line]) => [member, line, policy] as const),
  )
  test.each(cases)('%s forbids: svc %s', async (member, line, policy) => {
    write(policy)
    const words = line.split(' ').map((word) => (word === 'New' ? `New ${member}` : word))
    const { code, stderr, stdout, requests } = await underPolicy([...words, '--yes'])
    expect(
      requests.filter((request) => !request.startsWith('GET') || !line.startsWith('doctor')),
    ).toEqual([])
    expect(code).toBe(5)
    expect((stdout + stderr).replaceAll(/\s+/g, ' ')).toContain(
      `(${member} in ${file} (${sandbox.baseUrl}))`,
    )
  })
})

/** That nothing was sent, and why. */
const refused = (why: string | RegExp): object => ({
  code: 5,
  requests: [],
  stderr: expect.stringMatching(why instanceof RegExp ? why : why.replaceAll(/[.()]/g, '\\$&')),
})

describe('beside the verbs', () => {
  test.each([
    ['api contacts/bulk-delete?x=1', '{"contactIds":["$"]}'],
    ['api contacts/bulk-delete --query x=1', '{"contactIds":["$"]}'],
    ['api contacts/Bulk-Delete', '{"contactIds":["$"]}'],
    ['api contacts/bulk-delete/', '{"contactIds":["$"]}'],
    ['api contacts//bulk-delete', '{"contactIds":["$"]}'],
    ['api contacts/bulk%2Ddelete', '{"contactIds":["$"]}'],
    ['api contacts/bulk-delete -X PUT', '{"contactIds":["$"]}'],
    ['api contacts/bulk-delete', '{"contactIds":["$"],"contactIds":[]}'],
    ['api contacts/bulk-delete', '{"contactIds":[],"contact\\u0049ds":["$"]}'],
    ['api contacts/bulk-delete', '{"contactIds":["$"],"more":1}'],
    ['api contacts/bulk-delete', '["$"]'],
    ['api contacts/bulk-delete', '\ufeff{"contactIds":["$"]}'],
    ['api contacts/bulk-delete', 'contactIds=$'],
    ['api contacts/$ -X DELETE', ''],
    ['api contacts/bulk-delete -X POST', ''],
    ['api anything -X PATCH', '{}'],
  ])('svc %s with the body %s is no operation', async (line, body) => {
    write({ rate: '100/s' })
    const words = line.replace('$', contact).split(' ')
    const more = body === '' ? [] : ['--body', body.replace('$', contact)]
    expect(await underPolicy([...words, ...more, '--yes'])).toMatchObject(
      refused(/allows no change but by the operations.*\n.*\n +svc lists create/),
    )
  })

  test('api counts what it would delete', async () => {
    write({ maxDelete: 1 })
    const body = JSON.stringify({ contactIds: [contact, other] })
    expect(await underPolicy(['api', 'contacts/bulk-delete', '--body', body, '-y'])).toMatchObject(
      refused('this one would delete 2'),
    )
  })

  test('resume, retry and undo are judged when they begin, by the policy of then', async () => {
    write({ rate: '100/s' })
    sandbox.setFaults('tickets.assign:2=401')
    const both = join(folder, 'both.txt')
    writeFileSync(both, `${examples.tickets.active}\n${examples.tickets.long}\n`)
    const state = ['--state-dir', join(folder, 'judged')]
    await underPolicy(
      ['tickets', 'assign', '--file', both, '--to', employee, '--once', 'j', '-y', ...state],
      {
        fast: true,
      },
    )
    sandbox.setFaults()
    write({ allow: ['contacts.delete'] })
    for (const verb of ['resume j', 'retry j --outcome error,unknown,not-attempted', 'undo j'])
      expect(await underPolicy(['runs', ...verb.split(' '), '--yes', ...state])).toMatchObject(
        refused('does not allow tickets.assign'),
      )
  })

  test('what is told: profiles show, doctor, help --json', async () => {
    write({ readOnly: true, approvals: { 'contacts.delete': 2 }, signers: '/s' })
    const source = `${file} (${sandbox.baseUrl})`
    expect((await underPolicy('profiles show')).stdout).toMatch(
      /policy.approvals +\{"contacts.delete":2\}/,
    )
    const shown = JSON.parse((await underPolicy('profiles show --json')).stdout) as {
      policy: unknown
    }
    expect(shown.policy).toEqual([
      { source, readOnly: true, approvals: { 'contacts.delete': 2 }, signers: '/s' },
    ])
    expect((await underPolicy('doctor --json')).stdout).toContain(
      `readOnly, approvals, signers (${source})`,
    )
    const effects = async (path: string, options: Options = {}) => {
      const { destructive, idempotent, needsApproval } = JSON.parse(
        (await underPolicy(`help ${path} --json`, options)).stdout,
      ) as Record<string, boolean | null>
      return [destructive, idempotent, needsApproval]
    }
    expect(await effects('contacts delete')).toEqual([true, true, true])
    expect(await effects('contacts merge')).toEqual([true, false, false])
    expect(await effects('lists create')).toEqual([false, false, false])
    expect(await effects('lists members')).toEqual([false, true, false])
    expect(await effects('api')).toEqual([true, false, true])
    expect(await effects('contacts delete', { env: { SVC_API_KEY: '' } })).toEqual([
      true,
      true,
      null,
    ])
  })
})

describe('the file of the machine', () => {
  const deleting = `contacts delete ${contact} --yes`

  test.each([
    ['{', 'malformed JSON'],
    ['[]', 'must be an object'],
    ['{"schema":"svc.policy/1","policies":[]}', 'must be an object of policies by base URL'],
    ['{"schema":"svc.policy/1","policies":{"https://a.b":[]}}', 'must be an object'],
    [
      '{"schema":"svc.policy/1","policies":{"__proto__":{"readOnly":true}}}',
      '__proto__ is not a usable base URL',
    ],
    [
      '{"schema":"svc.policy/1","policies":{"https://a.b":{"__proto__":{"readOnly":true}}}}',
      'is not a member',
    ],
    [
      '{"schema":"svc.policy/1","policies":{"https://a.b":{"toString":1}}}',
      'is not a member of a policy',
    ],
    ['{"schema":"svc.policy/1","policies":{},"__proto__":{}}', '__proto__ is not a member'],
    [
      '{"schema":"svc.policy/1","policies":{"https://a.b":{"approvals":[],"signers":"/s"}}}',
      'must be an object',
    ],
    [
      '{"schema":"svc.policy/1","policies":{"https://a.b":{"approvals":{"lists.create":1}}}}',
      'is no operation',
    ],
    ['{"schema":"svc.policy/2","policies":{}}', 'schema must be "svc.policy/1"'],
    ['{"schema":"svc.policy/1","policies":{"api.example.com":{}}}', 'is not a usable base URL'],
    [
      '{"schema":"svc.policy/1","policies":{"https://api.example.com/v1":{}}}',
      'must be a base URL, without /v1',
    ],
    [
      '{"schema":"svc.policy/1","policies":{"https://other.example":{"maxDeletes":1}}}',
      'maxDeletes is not a member',
    ],
    [
      '{"schema":"svc.policy/1","policies":{"https://a.b":{"neverDelete":["VIP"]}}}',
      'neverDelete is not a member',
    ],
    ['{"schema":"svc.policy/1","policies":{},"policies":{}}', 'duplicate key'],
    [
      '{"schema":"svc.policy/1","policies":{"https://a.b":{"approvals":{"contacts.delete":1}}}}',
      'approvals without signers',
    ],
    [
      '{"schema":"svc.policy/1","policies":{"https://a.b":{"signers":"signers"}}}',
      'must be an absolute path',
    ],
    [
      '{"schema":"svc.policy/1","policies":{"https://a.b":{"rate":"0"}}}',
      'must be requests per second',
    ],
    [
      '{"schema":"svc.policy/1","policies":{"https://a.b":{"requireOnce":["lists.create"]}}}',
      'must be one of',
    ],
    ['{"schema":"svc.policy/1","policies":{}}\0', 'is not UTF-8 text'],
  ])('%j keeps everything from being written', async (text, problem) => {
    writeFileSync(file, text, { mode: 0o600 })
    const { code, stderr, requests } = await underPolicy(deleting)
    expect([code, requests]).toEqual([2, []])
    expect(stderr).toContain(problem)
  })

  test('keeps nothing from being read, whatever it holds', async () => {
    writeFileSync(file, '{', { mode: 0o600 })
    expect(await underPolicy('lists list --limit 1')).toMatchObject({ code: 0 })
    expect(await underPolicy('profiles show')).toMatchObject({ code: 0 })
    expect((await underPolicy('doctor')).stdout).toMatch(/^FAIL {2}policy/m)
  })

  test("is its owner's, and so is its folder", async () => {
    const place = join(etc, 'own')
    const path = join(place, 'policy.json')
    mkdirSync(place, { mode: 0o755 })
    const at = async (change: () => void, as = owner) => {
      rmSync(path, { force: true, recursive: true })
      writeFileSync(path, '{"schema":"svc.policy/1","policies":{}}', { mode: 0o644 })
      change()
      const before = sandbox.requests.length
      const { code } = await world.svc(`lists update ${list} --name VIP`, {
        machinePolicy: { path, owner: as },
      })
      return [code, sandbox.requests.length > before]
    }
    const nothing = (): void => undefined
    expect(await at(nothing)).toEqual([0, true])
    for (const change of [
      () => chmodSync(path, 0o664),
      () => chmodSync(path, 0o646),
      () => chmodSync(place, 0o777),
      () => chmodSync(place, 0o1777),
      // Of root's own group too, as in images that are made for any user.
      () => chmodSync(place, 0o775),
      () => chmodSync(path, 0o660),
      () => (rmSync(path), symlinkSync(join(place, 'nowhere'), path)),
      () => (rmSync(path), symlinkSync(path, path)),
      () => (rmSync(path), mkdirSync(path)),
    ]) {
      expect(await at(change), String(change)).toEqual([2, false])
      chmodSync(place, 0o755)
    }
    const giveAway = (): void => (owner === 0 ? chownSync(path, 65534, 65534) : undefined)
    expect(await at(giveAway, 0)).toEqual([2, false])
    expect(await at(() => rmSync(path))).toEqual([0, true])
    expect(readdirSync(place)).toEqual([])
  })

  test('is reached by no link that somebody else could change', async () => {
    const [place, loose, strict] = ['machine', 'loose', 'strict'].map((name) =>
      join(etc, name),
    ) as [string, string, string]
    for (const each of [place, loose, strict]) mkdirSync(each, { mode: 0o755 })
    const real = join(strict, 'policy.json')
    writeFileSync(real, '{"schema":"svc.policy/1","policies":{}}', { mode: 0o644 })
    const path = join(place, 'policy.json')
    symlinkSync(join(loose, 'policy.json'), path)
    symlinkSync('../strict/policy.json', join(loose, 'policy.json'))
    const code = async () =>
      (await world.svc(`lists update ${list} --name VIP`, { machinePolicy: { path, owner } })).code
    expect(await code()).toBe(0)
    // The link on the way lies where others write, though file and folder at both ends are as they must be.
    chmodSync(loose, 0o777)
    expect(await code()).toBe(2)
    chmodSync(loose, 0o755)
    if (owner === 0) chownSync(loose, 65534, 65534)
    expect(await code()).toBe(owner === 0 ? 2 : 0)
  })

  test.each([
    ['as it is', (url: string) => url],
    ['another letter case', (url: string) => url.toUpperCase()],
    ['a slash', (url: string) => `${url}//`],
    ['another name of this machine', (url: string) => url.replace('127.0.0.1', 'localhost')],
  ])('counts for its base URL: %s', async (_, spelled) => {
    write({ readOnly: true }, spelled(sandbox.baseUrl))
    expect(await underPolicy(deleting)).toMatchObject(refused('allows no change'))
    for (const typed of [
      `${sandbox.baseUrl}/`,
      `${sandbox.baseUrl}/./below//`,
      sandbox.baseUrl.replace('http', 'HTTP'),
    ])
      expect(await underPolicy([...deleting.split(' '), '--base-url', typed])).toMatchObject(
        refused('allows no change'),
      )
  })

  test.each([
    'https://api.example.com',
    'https://API.example.com.:443/%76x/',
    'https://api.example.com/vx;a/',
  ])('and for it alone: %s', async (url) => {
    write({ readOnly: true }, url)
    expect(await underPolicy(`lists update ${list} --name VIP`)).toMatchObject({ code: 0 })
    const env = { SVC_BASE_URL: 'https://api.example.com/VX' }
    expect(await underPolicy(deleting, { env })).toMatchObject(refused('allows no change'))
  })
})

describe('the profile and the machine', () => {
  test('both apply, and neither loosens the other', async () => {
    const home = createWorld()
    const { SVC_API_KEY: apiKey, SVC_API_SECRET: apiSecret } = world.as('read-write')
    const config = join(home.folder, 'config.json')
    const under = async (policy: object | null, line: string) => {
      const prod = { baseUrl: sandbox.baseUrl, apiKey, apiSecret, policy }
      writeFileSync(config, JSON.stringify({ current: 'prod', profiles: { prod } }), {
        mode: 0o600,
      })
      const before = sandbox.requests.length
      const result = await home.svc(`${line} --config ${config} --yes`, { machinePolicy })
      return { ...result, requests: sandbox.requests.slice(before).map(({ url }) => url) }
    }
    const two = `contacts delete ${contact} ${other}`
    write({ allow: ['contacts.delete', 'lists.update'], maxDelete: 1 })
    expect(await under({ maxDelete: 9 }, two)).toMatchObject(refused(`maxDelete in ${file}`))
    expect(await under({ allow: all }, 'lists create --name No')).toMatchObject(
      refused(`allow in ${file}`),
    )
    expect(await under({ allow: ['lists.create'] }, `contacts delete ${contact}`)).toMatchObject(
      refused('allow in profile "prod" in'),
    )
    expect(await under({ readOnly: true }, `contacts delete ${contact}`)).toMatchObject(
      refused('readOnly in profile "prod" in'),
    )
    write({ maxDelete: 9, readOnly: false })
    expect(await under({ maxDelete: 1 }, two)).toMatchObject(
      refused('maxDelete in profile "prod" in'),
    )
    for (const wrong of [{ nothing: 1 }, [], null]) {
      const broken = await under(wrong, two)
      expect([broken.code, broken.requests]).toEqual([2, []])
    }
    await home.svc(
      `profiles add prod --replace --secret-env ELSEWHERE --no-check --config ${config}`,
      {
        env: { ELSEWHERE: apiSecret },
      },
    )
    const replaced = await home.svc(`lists create --name No --config ${config}`, {
      machinePolicy,
      env: { ELSEWHERE: apiSecret },
    })
    expect(replaced.code).toBe(2)
  })

  test.each([
    ['machine', '1/s', '50/s'],
    ['profile', '50/s', '1/s'],
  ])('the smaller rate of both counts: that of the %s', async (_, machines, profiles) => {
    const home = createWorld()
    const { SVC_API_KEY: apiKey, SVC_API_SECRET: apiSecret } = world.as('read-write')
    const config = join(home.folder, 'config.json')
    const prod = { baseUrl: sandbox.baseUrl, apiKey, apiSecret, policy: { rate: profiles } }
    const content = { current: 'prod', profiles: { prod } }
    writeFileSync(config, JSON.stringify(content), { mode: 0o600 })
    write({ rate: machines })
    const line = `lists add-contacts ${list} ${contact} ${other} batches-of=1 --concurrency 1`
    const { stdout } = await home.svc(`${line} --config ${config} --yes --json`, {
      machinePolicy,
      fast: true,
    })
    const { durationMs } = JSON.parse(stdout) as { durationMs: number }
    expect(durationMs).toBeGreaterThanOrEqual(1000)
  })

  test('the smaller rate counts, of a resumed run too', async () => {
    write({ rate: '1/s' })
    const ids = examples.contactsWithoutChats.slice(-4).join(' ')
    const state = `--state-dir ${join(folder, 'paced')} --json`
    // Waits take no time, and are counted.
    const paced = async (line: string): Promise<number> => {
      const { stdout } = await underPolicy(`${line} --yes ${state}`, { fast: true })
      return (JSON.parse(stdout) as { durationMs: number }).durationMs
    }
    sandbox.setFaults('contacts.delete:2+=401')
    const first = await paced(
      `contacts delete ${ids} batches-of=1 --concurrency 1 --rate 50/s --once paced`,
    )
    sandbox.setFaults()
    expect(first).toBeGreaterThanOrEqual(1000)
    expect(await paced('runs resume paced --rate 50/s')).toBeGreaterThanOrEqual(2000)
  })
})

describe('the bounds of a rule', () => {
  const judged = (members: object, change: object): string[] => {
    const policy = [{ source: 'p', isMachines: true, members: v.parse(PolicyMembers, members) }]
    const intended = { operation: 'contacts.delete', ids: 1, ...change } as const
    return judge(policy, intended).map(({ member }) => String(member))
  }

  test('maxDelete allows as many as it says, and not one more', () => {
    expect(judged({ maxDelete: 5 }, { ids: 5 })).toEqual([])
    expect(judged({ maxDelete: 5 }, { ids: 6 })).toEqual(['maxDelete'])
    expect(judged({ maxDelete: 5 }, { ids: 6, operation: 'lists.add-contacts' })).toEqual([])
  })

  test('requireOnce asks for a name, but not of one change that its command names', () => {
    const members = { requireOnce: ['contacts.delete', 'tickets.assign'] }
    expect(judged(members, {})).toEqual(['requireOnce'])
    expect(judged(members, { once: 'nightly' })).toEqual([])
    expect(judged(members, { isOne: true })).toEqual([])
    expect(judged(members, { operation: 'tickets.assign' })).toEqual(['requireOnce'])
    expect(judged(members, { operation: 'contacts.merge' })).toEqual([])
  })

  test.each<[string, object, boolean]>([
    ['no approval', { approvals: { 'contacts.delete': 0 }, signers: '/s' }, false],
    ['one approval', { approvals: { 'contacts.delete': 1 }, signers: '/s' }, true],
    ['half an approval', { approvals: { 'contacts.delete': 1.5 }, signers: '/s' }, false],
    ['no deletion', { maxDelete: 0 }, true],
    ['fewer deletions than none', { maxDelete: -1 }, false],
    ['a rate without a unit', { rate: '2.5' }, true],
    ['a rate of a minute', { rate: '2/min' }, false],
    ['a rate of nothing', { rate: '0.000/s' }, false],
    ['a number for a rate', { rate: 2 }, false],
    ['words for a truth', { readOnly: 'yes' }, false],
    ['no signers', { signers: '' }, false],
  ])('%s can be said: %j, %s', (_, members, can) => {
    expect(v.safeParse(PolicyMembers, members).success).toBe(can)
  })
})

describe('approvals', () => {
  const policy: Policy = [
    {
      source: 'machine',
      isMachines: true,
      members: { approvals: { 'contacts.delete': 2 }, signers: '/etc/signers' },
    },
    {
      source: 'profile',
      isMachines: false,
      members: { approvals: { 'contacts.delete': 1 }, signers: '/home/signers' },
    },
  ]
  test('a plan that is shown needs as many as the strictest policy wants', () => {
    expect(approvalsNeeded(policy, 'contacts.delete')).toBe(2)
    expect(approvalsNeeded(policy.toReversed(), 'contacts.delete')).toBe(2)
    expect(approvalsNeeded(policy, 'contacts.merge')).toBe(0)
  })

  /** Lines of a file of signers and signatures, both as `name:key`; ann's is the author's. */
  const judged = (lines: readonly string[], signed: readonly string[]): string | undefined => {
    const by = (text: string) => {
      const [principal = '', key = ''] = text.split(':')
      return { principal, key }
    }
    const personOf = personsOf(lines.map(by))
    const signers = signed
      .map(by)
      .map((each) => ({ ...each, person: personOf(each.key), signature: '' }))
    const document = {
      operation: 'contacts.delete',
      plannedBy: { user: 'ann', host: 'desk', key: '1' },
    } as const
    return judge(policy, changeOf({ document, count: 1, name: 'x' }, signers))[0]?.member
  }
  const usual = ['ann:1', 'bob:2', 'cem:3', 'dee:4']

  test.each<[string, string[], string[], 'approvals' | undefined]>([
    ['two others', usual, ['ann:1', 'bob:2', 'cem:3'], undefined],
    ['one other', usual, ['ann:1', 'bob:2'], 'approvals'],
    ['no author', usual, ['bob:2', 'cem:3'], 'approvals'],
    ['the same twice', usual, ['ann:1', 'bob:2', 'bob:2'], 'approvals'],
    ['more than enough', usual, ['ann:1', 'bob:2', 'cem:3', 'dee:4', 'ann:1'], undefined],
    ['one key under two names', [...usual, 'cem:2'], ['ann:1', 'bob:2', 'cem:3'], 'approvals'],
    ['one name with two keys', [...usual, 'bob:5'], ['ann:1', 'bob:2', 'bob:5'], 'approvals'],
    [
      'a sharp s and two',
      ['ann:1', 'weiß:2', 'WEISS:3'],
      ['ann:1', 'weiß:2', 'WEISS:3'],
      'approvals',
    ],
    [
      'a letter and its mark apart',
      ['ann:1', 'zo\u00e9:2', 'zoe\u0301:3'],
      ['ann:1', 'zoé:2', 'zoé:3'],
      'approvals',
    ],
    ['ties of somebody else', [...usual, 'dee:8', 'eve:8'], ['ann:1', 'bob:2', 'cem:3'], undefined],
  ])('%s', (_, lines, signed, member) => {
    expect(judged(lines, signed)).toBe(member)
  })

  test("the machine's signers count, and two policies of it that name different ones are refused", () => {
    expect(signersOf(policy)?.source).toBe('machine')
    const another: Policy = [
      { source: 'wider', isMachines: true, members: { signers: '/etc/others' } },
      ...policy,
    ]
    expect(() => signersOf(another)).toThrow('different signers')
    expect(signersOf([...policy, ...policy])?.source).toBe('machine')
  })
})
