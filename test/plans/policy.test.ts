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
import { messageOf } from '../../src/errors.ts'
import { permit, PolicyRules, type ChangeRequest } from '../../src/plans/policy.ts'
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
const { list, employee } = examples

const textOf = (policies: object): string => JSON.stringify({ schema: 'svc.policy/1', policies })

function write(rules: unknown, url = sandbox.baseUrl): void {
  writeFileSync(file, textOf({ [url]: rules }), { mode: 0o600 })
}

/** Under the machine's policy: how it ended, and what the sandbox was asked meanwhile. */
async function underPolicy(line: string | readonly string[], options: Options = {}) {
  const { result, sent } = await world.requestsOf(line, { machinePolicy, ...options })
  return { ...result, requests: sent }
}

/** Nothing was sent, and why. */
const refused = (why: string, code = 5): object => ({
  code,
  requests: [],
  stderr: expect.stringContaining(why),
})

const pairs = join(folder, 'pairs.csv')
writeFileSync(pairs, `source,target\n${contact},${other}\n`)
const tickets = join(folder, 'tickets.txt')
writeFileSync(tickets, `${examples.tickets.active}\n`)

/** Every way to a change, with the operation that it is; undefined for requests that nobody knows. */
const writes: readonly (readonly [operation: string | undefined, line: string])[] = [
  ['lists.create', 'lists create --name New'],
  ['lists.create', 'lists create --name New --if-not-exists'],
  ['lists.update', `lists update ${list} --name New`],
  ['lists.add-contacts', `lists add-contacts ${list} ${contact}`],
  ['contacts.merge', `contacts merge ${contact} --into ${other}`],
  ['contacts.merge', `contacts merge --file ${pairs}`],
  ['contacts.delete', `contacts delete ${contact}`],
  ['contacts.delete', `contacts delete ${contact} --allow-empty --max-delete 9`],
  ['tickets.assign', `tickets assign ${examples.tickets.active} --to ${employee}`],
  ['tickets.assign', `tickets assign --file ${tickets} --to ${employee}`],
  [undefined, 'api lists -f name=New'],
  [undefined, `api contacts/bulk-delete --body {"contactIds":["${contact}"]}`],
  [undefined, `api contacts/${contact} -X DELETE`],
]
const bulk = ['lists.add-contacts', 'contacts.merge', 'contacts.delete', 'tickets.assign']
const all = ['lists.create', 'lists.update', ...bulk]

/** Each rule with the change that it forbids. */
const rules: readonly (readonly [
  rule: string,
  policy: object,
  forbids: (operation: string) => boolean,
])[] = [
  ['readOnly', { readOnly: true }, () => true],
  ['allow', { allow: [] }, () => true],
  ['maxDelete', { maxDelete: 0 }, (operation) => operation === 'contacts.delete'],
  ['planned', { planned: bulk }, (operation) => bulk.includes(operation)],
]

const cases = rules.flatMap(([rule, policy, forbids]) =>
  writes
    .filter(([operation]) => operation === undefined || forbids(operation))
    .map(([operation, line]) => [rule, line, policy, operation] as const),
)
test.each(cases)('%s forbids: svc %s', async (rule, line, policy, operation) => {
  write(policy)
  const source = `${file} (${sandbox.baseUrl})`
  const why =
    operation === undefined ? `lets svc api only read (${source})` : `(${rule} in ${source})`
  expect(await underPolicy([...line.split(' '), '--yes'])).toMatchObject(refused(why))
})

test('a policy without rules, dry runs and what only reads', async () => {
  write({})
  expect(await underPolicy('api lists -f name=New')).toMatchObject(refused('only read'))
  write({ readOnly: true })
  for (const line of [
    'api lists',
    'lists list --limit 1',
    `contacts delete ${contact} --dry-run`,
    `contacts delete ${contact} --plan ${join(folder, 'a.plan')}`,
    `lists create --name New --dry-run`,
  ]) {
    expect(await underPolicy(line)).toMatchObject({ code: 0 })
  }
})

test('resume and undo are judged when they begin, by the policy of then', async () => {
  rmSync(file, { force: true })
  sandbox.setFaults('tickets.assign:2=401')
  const both = join(folder, 'both.txt')
  writeFileSync(both, `${examples.tickets.active}\n${examples.tickets.long}\n`)
  const state = ['--state-dir', join(folder, 'judged')]
  const line = ['tickets', 'assign', '--file', both, '--to', employee, '--once', 'j', '-y']
  await underPolicy([...line, ...state], { fast: true })
  sandbox.setFaults()
  write({ allow: ['contacts.delete'] })
  for (const verb of ['resume j', 'resume j --outcome error,unknown,not-attempted', 'undo j']) {
    expect(await underPolicy(['runs', ...verb.split(' '), '--yes', ...state])).toMatchObject(
      refused('does not allow tickets.assign'),
    )
  }
})

test('profiles show has it', async () => {
  write({ readOnly: true, planned: ['contacts.delete'] })
  const source = `${file} (${sandbox.baseUrl})`
  expect((await underPolicy('profiles show')).stdout).toMatch(
    /policy.planned +\["contacts.delete"\]/,
  )
  const shown = JSON.parse((await underPolicy('profiles show --json')).stdout) as object
  expect(shown).toMatchObject({
    policy: [{ source, readOnly: true, planned: ['contacts.delete'] }],
  })
})

describe('the file of the machine', () => {
  const deleting = `contacts delete ${contact} --yes`
  const other = (rules: unknown): string => textOf({ 'https://other.example': rules })

  test.each<[text: string, problem: string]>([
    ['{', 'the file ends too early'],
    ['[]', 'must be an object'],
    [textOf([]), 'policies must be an object'],
    ['{"schema":"svc.policy/2","policies":{}}', 'schema must be "svc.policy/1"'],
    ['{"schema":"svc.policy/1","policies":{},"policies":{}}', 'duplicate key'],
    ['{"schema":"svc.policy/1","policies":{},"__proto__":{}}', '__proto__ is not a member'],
    ['{"schema":"svc.policy/1","policies":{}}\xff', 'is not UTF-8 text'],
    [
      '{"schema":"svc.policy/1","policies":{"__proto__":{}}}',
      '(__proto__) is not a usable base URL',
    ],
    [textOf({ 'api.example.com': {} }), '(api.example.com) is not a usable base URL'],
    [textOf({ 'https://api.example.com/v1/': {} }), 'must be a base URL, without /v1'],
    [other([]), 'must be an object'],
    [other(null), 'must be an object'],
    [
      '{"schema":"svc.policy/1","policies":{"https://a.b":{"__proto__":{}}}}',
      '__proto__ is not a m',
    ],
    [other({ toString: 1 }), 'toString is not a member of a policy'],
    [
      other({ maxDeletes: 1 }),
      'maxDeletes is not a member of a policy, which can have readOnly, allow',
    ],
    [other({ approvals: { 'contacts.delete': 1 } }), 'approvals is not a member of a policy'],
    [other({ signers: '/etc/svc/signers' }), 'signers is not a member of a policy'],
    [other({ requireOnce: [] }), 'requireOnce is not a member of a policy'],
    [other({ rate: '1/s' }), 'rate is not a member of a policy'],
    [other({ readOnly: 'yes' }), 'readOnly must be true or false'],
    [other({ maxDelete: -1 }), 'maxDelete must be 0 or more'],
    [other({ maxDelete: 1.5 }), 'maxDelete must be a whole number'],
    [other({ maxDelete: '1' }), 'maxDelete must be a number'],
    [other({ allow: 'contacts.delete' }), 'allow must be a list of operations'],
    [other({ allow: ['contacts.list'] }), 'allow.0 must be one of lists.create'],
    [other({ planned: ['lists.create'] }), 'planned.0 must be one of'],
  ])('%s keeps everything from being written', async (text, problem) => {
    writeFileSync(file, text, { mode: 0o600, encoding: 'latin1' })
    expect(await underPolicy(deleting)).toMatchObject(refused(problem, 2))
  })

  test('keeps nothing from being read, whatever it holds', async () => {
    writeFileSync(file, '{', { mode: 0o600 })
    expect(await underPolicy('lists list --limit 1')).toMatchObject({ code: 0 })
    expect(await underPolicy('profiles show')).toMatchObject({ code: 0 })
  })

  test("is its owner's, and so is its folder", async () => {
    const place = join(etc, 'own')
    const path = join(place, 'policy.json')
    mkdirSync(place, { mode: 0o755 })
    const at = async (change: () => void, as = owner) => {
      rmSync(path, { force: true, recursive: true })
      writeFileSync(path, textOf({}), { mode: 0o644 })
      change()
      const before = sandbox.requests.length
      const { code } = await world.svc(`lists update ${list} --name VIP`, {
        machinePolicy: { path, owner: as },
      })
      return [code, sandbox.requests.length > before]
    }
    expect(await at(() => undefined)).toEqual([0, true])
    for (const change of [
      () => chmodSync(path, 0o664),
      () => chmodSync(path, 0o646),
      () => chmodSync(place, 0o777),
      () => chmodSync(place, 0o1777),
      // Also root's own group, as in images that are made for any user.
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

  test.each<[spelled: string, binds: boolean]>([
    ['https://api.example.com/x', true],
    ['HTTPS://API.example.com:443/x//', true],
    ['https://api.example.com/y/../x', true],
    ['https://api.example.com', false],
    ['https://api.example.com/X', false],
    ['https://api.example.com/x/y', false],
    ['https://api.example.com:444/x', false],
    ['https://api.example.org/x', false],
  ])('%s binds https://api.example.com/x: %s', async (spelled, binds) => {
    write({ readOnly: true }, spelled)
    for (const typed of ['https://api.example.com/x', 'https://API.example.com:443/x/']) {
      // Without a policy it asks, and nobody is there to answer.
      const env = { SVC_BASE_URL: typed }
      expect(await underPolicy(`contacts delete ${contact}`, { env })).toMatchObject(
        binds ? refused('allows no change') : { code: 9 },
      )
    }
  })
})

test('the policies of the profile and the machine both apply, and neither loosens the other', async () => {
  const home = createWorld()
  const { SVC_API_KEY: apiKey, SVC_API_SECRET: apiSecret } = world.as('read-write')
  const config = join(home.folder, 'config.json')
  const under = async (policy: unknown, line: string) => {
    const prod = { baseUrl: sandbox.baseUrl, apiKey, apiSecret, policy }
    const text = JSON.stringify({ current: 'prod', profiles: { prod } })
    writeFileSync(config, text, { mode: 0o600 })
    const before = sandbox.requests.length
    const result = await home.svc(`${line} --config ${config} --yes`, { machinePolicy })
    return { ...result, requests: sandbox.requests.slice(before).map(({ url }) => url) }
  }
  const one = `contacts delete ${contact}`
  const two = `${one} ${other}`
  write({ allow: ['contacts.delete', 'lists.update'], maxDelete: 1 })
  for (const [policy, line, why] of [
    [{ maxDelete: 9 }, two, `maxDelete in ${file}`],
    [{ allow: all }, 'lists create --name No', `allow in ${file}`],
    [{ allow: ['lists.create'] }, one, 'allow in profile "prod" in'],
    [{ readOnly: true }, one, 'readOnly in profile "prod" in'],
    [{ planned: ['contacts.delete'] }, one, 'planned in profile "prod" in'],
  ] as const) {
    expect(await under(policy, line)).toMatchObject(refused(why))
  }
  write({ maxDelete: 9, readOnly: false })
  expect(await under({ maxDelete: 1 }, two)).toMatchObject(
    refused('maxDelete in profile "prod" in'),
  )
  for (const wrong of [{ approvals: {} }, { nothing: 1 }, [], null]) {
    expect(await under(wrong, one)).toMatchObject(refused('profile "prod" in', 2))
  }
})

const digest = '0'.repeat(64)
test.each<[rules: object, request: Partial<ChangeRequest>, rule: string | undefined]>([
  [{ maxDelete: 5 }, { ids: 5 }, undefined],
  [{ maxDelete: 5 }, { ids: 6 }, 'maxDelete'],
  [{ maxDelete: 5 }, { ids: 6, operation: 'lists.add-contacts' }, undefined],
  [{ readOnly: false }, {}, undefined],
  [{ allow: ['contacts.delete'] }, {}, undefined],
  [{ planned: ['contacts.merge'] }, {}, undefined],
  [{ planned: ['contacts.delete'] }, { name: 'nightly' }, 'planned'],
  [{ planned: ['contacts.delete'] }, { name: `plan-${digest.slice(1)}` }, 'planned'],
  [{ planned: ['contacts.delete'] }, { name: `plan-${digest}` }, undefined],
  [{ planned: ['contacts.delete'], maxDelete: 0 }, { name: `plan-${digest}` }, 'maxDelete'],
])('%j judges %j: %s', (rules, request, rule) => {
  const policy = [{ source: 'a file', rules: v.parse(PolicyRules, rules) }]
  let broken: string | undefined
  try {
    permit(policy, { operation: 'contacts.delete', ids: 1, ...request })
  } catch (error) {
    broken = /\((\w+) in a file\); nothing was sent$/.exec(messageOf(error))?.[1]
  }
  expect(broken).toBe(rule)
})
