/** What reviewers see of a plan, and what lies beside it. */
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { typing } from '../svc.ts'
import { atEnd } from '../ending.ts'
import { changedAtOpening } from '../bulk/bulk-world.ts'
import { createPlanWorld } from './plan-world.ts'

const world = await createPlanWorld({ contacts: 80 })
const { sandbox, svc, sent, plan, approve, approved, state, at } = world

test("the planner's words imitate no other row: neither the profile's name nor the reason nor the list", async () => {
  const path = await plan()
  const document = JSON.parse(readFileSync(path, 'utf8')) as object
  const profile = 'prod" (https://bank.example, key …a1b2)\u202e\nService     https://bank.example'
  const reason = 'x\n  Service: https://bank.example'
  writeFileSync(path, JSON.stringify({ ...document, profile, reason }))
  const { stdout } = await svc(`plans show ${path}`)
  const rows = stdout.split('\n').filter((line) => line.startsWith('Service'))
  expect(rows).toEqual([expect.stringContaining(`Service     ${sandbox.baseUrl}, key `)])
  expect(stdout).toContain(
    'Profile     "prod\\" (https://bank.example, key …a1b2)\\u{202e}\\nService     https://bank.example"\n',
  )
  const { stderr } = await svc(`plans approve ${path} --key ${at('ben')}`, {
    terminal: typing('9', '').terminal,
  })
  expect(stderr.split('\n').filter((line) => line.startsWith('  Service'))).toHaveLength(1)
})

test('a plan for a list has its name, however it was typed', async () => {
  const { list } = sandbox.examples
  for (const typed of [`id:${list}`, 'name:VIP']) {
    const path = await plan('', `lists add-contacts ${typed} ${world.fresh(1)[0]}`)
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({
      target: { id: list, name: 'VIP' },
    })
  }
})

test('who approves a plan of pairs sees both sides under their own headings, and the condition', async () => {
  const { examples } = sandbox
  const [ticket = ''] = examples.assignableTickets
  const pairs = at('handover.csv')
  writeFileSync(pairs, `ticket,employee\n${ticket},${examples.employee}\n`)
  const line = `tickets assign --file ${pairs} --if-assignee ${examples.employee}`
  const path = await plan('', line)
  const { terminal, shown } = typing('9', '')
  const { stderr } = await svc(`plans approve ${path} --key ${at('ben')}`, { terminal })
  expect(shown()).toMatch(/the tickets[^\n]*:\n +TICKET +EMPLOYEE/)
  expect(shown()).toContain(`${ticket}  ${examples.employee}`)
  expect(stderr).toContain(`  With: --if-assignee ${examples.employee}`)
})

test('pipes, sockets, devices and links to nothing beside a plan are passed over, never waited for', async () => {
  const path = await approved('--who')
  const beside = (digit: string): string => `${path}.${digit.repeat(16)}.sig`
  execFileSync('mkfifo', [beside('0'), `${path}.people`])
  const server = createServer().listen(beside('1'))
  atEnd(() => server.close())
  symlinkSync('/dev/zero', beside('2'))
  symlinkSync(at('nowhere'), beside('3'))
  rmSync(`${path}.people.ndjson`)
  symlinkSync(`${path}.people`, `${path}.people.ndjson`)
  const shown = await svc(`plans show ${path} --json`)
  expect(shown).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('names are missing') as string,
  })
  expect((JSON.parse(shown.stdout) as { signatures: string[] }).signatures).toHaveLength(2)
  expect((await sent(`plans apply ${path} --yes ${state()}`)).writes).toHaveLength(1)
})

test('a pipe that is named as a plan or an approval is refused, and never waited for', async () => {
  const [path, pipe] = [await plan('--who'), at('pipe')]
  execFileSync('mkfifo', [pipe])
  const refusal = {
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('is no regular file') as string,
  }
  for (const line of [
    `plans show ${pipe}`,
    `plans approve ${pipe}`,
    `plans apply ${pipe} --yes ${state()}`,
  ])
    expect(await sent(line)).toMatchObject({ ...refusal, writes: [] })
  expect(await sent(`plans apply ${path} --approval ${pipe} --yes ${state()}`)).toMatchObject({
    ...refusal,
    writes: [],
  })
})

test('what keeps a plan from being applied here is said when it is planned and when it is shown', async () => {
  const shown = async (path: string) => {
    const { canApply, reasons } = JSON.parse(
      (await svc(`plans show ${path} --json`)).stdout,
    ) as Record<string, unknown>
    return { canApply, reasons }
  }
  const path = await plan()
  const approvals = expect.stringMatching(
    /^the policy allows contacts.delete only as a plan .*approvals in /,
  ) as string
  expect(await shown(path)).toEqual({ canApply: false, reasons: [approvals] })
  approve('ben', path)
  expect(await shown(path)).toEqual({ canApply: true, reasons: [] })
  const write = async (name: string): Promise<string> => {
    const line = `contacts delete ${world.fresh(2).join(' ')} --plan ${at(name)} --key ${at('ana')}`
    const { code, stderr } = await sent(line)
    expect(code).toBe(0)
    return stderr
  }
  expect(await write('a.plan')).not.toContain('warning:')
  world.rules({
    maxDelete: 1,
    allow: [],
    approvals: { 'contacts.delete': 1 },
    signers: world.signers,
  })
  const said = await write('b.plan')
  for (const why of [
    'does not allow contacts.delete (allow in ',
    'allows a run to delete 1 contact, and this one',
  ])
    expect(said).toContain(`warning: here the plan cannot be applied: the policy ${why}`)
  expect(said).not.toContain('only as a plan')
  expect((await shown(at('b.plan'))).reasons).toHaveLength(3)
  world.rules([])
  expect(await write('c.plan')).toContain('warning: here the plan cannot be applied: ')
  world.policy()
})

test('signatures beside a plan under other names are named, with the command that takes them', async () => {
  const [path, other] = [await plan(), at('by ben.sig')]
  writeFileSync(other, world.sign('ben', readFileSync(path)))
  writeFileSync(`${at('another.plan')}.0123456789abcdef.sig`, 'of another plan')
  const command = `svc plans apply ${path} --approval '${other}'`
  for (const verb of [`plans show ${path}`, `plans apply ${path} --yes ${state()}`]) {
    const { stderr } = await svc(verb)
    expect(stderr).toContain(
      `note: not read, because of the name: "${other}"; to apply the plan with what they sign:\n  ${command}`,
    )
    expect(stderr).not.toContain('another.plan')
  }
  const applied = await svc([
    'plans',
    'apply',
    path,
    '--approval',
    other,
    '--yes',
    ...state().split(' '),
  ])
  expect(applied.code).toBe(0)
  expect(applied.stderr).not.toContain('not read')
  rmSync(other)
})

test('the columns of its input stand beside the people of a plan, for reviewers to compare', async () => {
  const [one = '', two = '', three = ''] = world.fresh(3)
  const table = world.file('calls.csv', [
    'Name,contactId,Tel. Büro,,Keep,Empty',
    `Anna M.,${one},=1+1,x,yes,`,
    `Ben,${two},,,no,`,
    `Cleo,${three.toUpperCase()},3,,yes,`,
    `Again,${one},4,,yes,`,
  ])
  const path = await plan('--where Keep=yes', `contacts delete --file ${table}`)
  expect((await svc(`plans show ${path} --file ${table} -o csv`)).stdout).toBe(
    `id,name,lists,Name (column A),Tel. Büro,D,Keep\n${one},,,Anna M.,"'=1+1",x,yes\n${three.toUpperCase()},,,Cleo,3,,yes\n`,
  )
  const workbook = at('review.xlsx')
  expect((await svc(`plans show ${path} --file ${table} --out ${workbook}`)).code).toBe(0)
  const again = await plan('--where "Tel. Büro=3"', `contacts delete --file ${workbook}`)
  expect((await svc(`plans show ${again} --file ${workbook} -o csv`)).stdout).toBe(
    `id,name,lists,Name (column A),Tel. Büro,Keep\n${three.toUpperCase()},,,Cleo,3,yes\n`,
  )
})

test('the columns of the input stand in their order, however many there are', async () => {
  const [id] = world.fresh(1)
  const letters = 'ABCDEFGHIJKL'.split('')
  const table = world.file('wide.csv', [`id,${letters.join(',')}`, `${id},${letters.join(',')}`])
  const path = await plan('', `contacts delete --file ${table}`)
  expect((await svc(`plans show ${path} --file ${table} -o csv`)).stdout.split('\n')[0]).toBe(
    `id,name,lists,${letters.join(',')}`,
  )
})

test('pairs have the columns of their input too', async () => {
  const [one = '', two = ''] = world.fresh(2)
  const table = world.file('pairs.csv', ['source,target,Why', `${one},${two},the same person`])
  const path = await plan('', `contacts merge --file ${table}`)
  expect((await svc(`plans show ${path} --file ${table} -o csv`)).stdout).toBe(
    `id,name,other,otherName,lists,Why\n${one},,${two},,,the same person\n`,
  )
})

test('both sides of pairs have names, and only those that are sent count on lists', async () => {
  const [one = '', two = '', three = ''] = [
    ...(sandbox.store.memberIds(sandbox.examples.list) ?? []),
  ]
  const table = world.file('named.csv', ['source,target', `${one},${two}`, `${three},${two}`])
  const path = await plan('--who', `contacts merge --file ${table}`)
  const nameOf = (id: string): string => {
    const { firstName, lastName } = sandbox.store.contact(id) ?? {}
    return [firstName, lastName].filter(Boolean).join(' ')
  }
  const row = (id: string, other: string): string =>
    [id, nameOf(id), other, nameOf(other), ''].join(',')
  const { stdout } = await svc(`plans show ${path} -o csv`)
  expect(stdout).toContain(`\n${row(one, two)}`)
  expect(stdout).toContain(`\n${row(three, two)}`)
  const { stderr } = await svc(`contacts merge --file ${table} --who --dry-run`)
  expect(stderr).toMatch(/^note: 2 on "/m)
})

test("a plan for another service is judged by the machine's policy alone, not by that of the profile", async () => {
  const path = await plan()
  approve('ben', path)
  const { SVC_API_KEY: apiKey, SVC_API_SECRET: apiSecret } = world.as('read')
  const config = at('policies.json')
  const reasonsUnder = async (baseUrl: string): Promise<unknown> => {
    const prod = { baseUrl, apiKey, apiSecret, policy: { readOnly: true } }
    const text = JSON.stringify({ current: 'prod', profiles: { prod } })
    writeFileSync(config, text, { mode: 0o600 })
    const env = { SVC_BASE_URL: undefined, SVC_API_KEY: undefined, SVC_API_SECRET: undefined }
    const { stdout } = await svc(`plans show ${path} --json --config ${config}`, { env })
    return (JSON.parse(stdout) as { reasons: unknown }).reasons
  }
  expect(await reasonsUnder(sandbox.baseUrl)).toEqual([
    expect.stringContaining('readOnly in profile "prod"'),
  ])
  expect(await reasonsUnder('https://service.example')).toEqual([])
})

test('a file that is not the input of the plan, or has no columns, is refused', async () => {
  const ids = world.fresh(2)
  const refusal = (says: string): object => ({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining(says) as string,
  })
  const table = world.file('changed.csv', ['id,Name', `${ids[0]},Anna`])
  const path = await plan('', `contacts delete --file ${table}`)
  writeFileSync(table, `id,Name\n${ids[0]},Ben\n`)
  expect(await svc(`plans show ${path} --file ${table}`)).toEqual(
    refusal(`"${table}" is not the input of the plan, or was changed since`),
  )
  expect(await svc(`plans show ${path} --file ${at('nowhere.csv')}`)).toEqual(
    refusal(`the input "${at('nowhere.csv')}" cannot be read`),
  )
  writeFileSync(table, `id,Name\n${ids[0]},Anna\n`)
  expect((await svc(`plans show ${path} --file ${table}`)).code).toBe(0)
  const disk = changedAtOpening(table, `id,Name\n${ids[0]},Ben\n`, { number: 2 })
  expect(await svc(`plans show ${path} --file ${table}`, { disk })).toEqual(
    refusal(`"${table}" is not the input of the plan, or was changed since`),
  )
  const json = world.file('ids.json', [JSON.stringify([ids[1]])])
  const ofJson = await plan('', `contacts delete --file ${json}`)
  expect(await svc(`plans show ${ofJson} --file ${json}`)).toEqual(
    refusal('--file shows the columns of csv and workbooks'),
  )
  const ofWords = await plan('', `contacts delete ${ids[1]}`)
  expect(await svc(`plans show ${ofWords} --file ${table}`)).toEqual(
    refusal('the ids of the plan did not come from one file'),
  )
})
