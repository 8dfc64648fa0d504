/** What reviewers see of a plan, and what lies beside it. */
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { typing } from '../svc.ts'
import { atEnd } from '../ending.ts'
import { createPlanWorld } from './plan-world.ts'

const world = await createPlanWorld({ contacts: 60 })
const { sandbox, svc, sent, plan, approve, at } = world
const yes = '--yes --state-dir'
const state = (): string => world.state().replace('--state-dir ', '')

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
  const { stderr } = await svc(`plans approve ${path} --key ${at('ben')}`, { terminal: typing('9', '').terminal })
  expect(stderr.split('\n').filter((line) => line.startsWith('  Service'))).toHaveLength(1)
})

test('a plan for a list has its name, however it was typed', async () => {
  const { list } = sandbox.examples
  for (const typed of [list, `id:${list}`, 'VIP', 'name:VIP']) {
    const [id = ''] = world.fresh(1)
    const path = await plan('', `lists add-contacts ${typed} ${id}`)
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ target: { id: list, name: 'VIP' } })
    expect((await svc(`plans show ${path}`)).stdout).toContain(`1 contact to "VIP" (${list})`)
  }
})

test('pipes, sockets, devices and links to nothing beside a plan are passed over, never waited for', async () => {
  const path = await plan('--who')
  approve('ben', path)
  const beside = (digit: string): string => `${path}.${digit.repeat(16)}.sig`
  execFileSync('mkfifo', [beside('0'), `${path}.people`])
  const server = createServer().listen(beside('1'))
  atEnd(() => server.close())
  symlinkSync('/dev/zero', beside('2'))
  symlinkSync(at('nowhere'), beside('3'))
  rmSync(`${path}.people.ndjson`)
  symlinkSync(`${path}.people`, `${path}.people.ndjson`)
  const shown = await svc(`plans show ${path} --json`)
  expect(shown).toMatchObject({ code: 0, stderr: expect.stringContaining('names are missing') as string })
  expect((JSON.parse(shown.stdout) as { signatures: string[] }).signatures).toHaveLength(2)
  expect((await sent(`plans apply ${path} ${yes} ${state()}`)).writes).toHaveLength(1)
})
