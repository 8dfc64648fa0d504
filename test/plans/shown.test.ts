/** What reviewers see of a plan, and what lies beside it. */
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { typing } from '../svc.ts'
import { atEnd } from '../ending.ts'
import { createPlanWorld } from './plan-world.ts'

const world = await createPlanWorld({ contacts: 60 })
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
