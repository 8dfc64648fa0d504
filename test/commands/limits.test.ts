/** What a limit in a file may shorten: what people read, and nothing that goes to another program. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createSandboxWorld } from '../svc.ts'

const { svc, sandbox, folder } = await createSandboxWorld()
const { list: vip, tickets } = sandbox.examples
const members = sandbox.store.memberIds(vip).size
const project = join(folder, 'project')
mkdirSync(project)
writeFileSync(join(project, '.svcrc.json'), '{"defaults":{"limit":5}}')
const config = join(folder, 'config.json')
writeFileSync(config, '{"defaults":{"limit":5}}', { mode: 0o600 })

const lines = (text: string): number => text.split('\n').length - 1
const inJson = (text: string): number => (JSON.parse(text) as unknown[]).length

const places = [
  ['a project file', '', { cwd: project }],
  ["the user's defaults", `--config ${config}`, {}],
] as const

describe.each(places)('a limit of 5 in %s', (_where, option, more) => {
  test.each([
    ['ids', 0, lines],
    ['ndjson', 0, lines],
    ['csv', 1, lines],
    ['tsv', 1, lines],
    ['json', 0, inJson],
  ] as const)('does not cut -o %s', async (format, header, count) => {
    const { code, stdout, stderr } = await svc(`lists members VIP -o ${format} ${option}`, more)
    expect([code, count(stdout), stderr]).toEqual([0, members + header, ''])
    const fromVariable = await svc(`lists members VIP ${option}`, { ...more, env: { SVC_OUTPUT: format } })
    expect(fromVariable.stdout).toBe(stdout)
  })

  test('is the default of a table, which says so', async () => {
    const { stdout, stderr } = await svc(`lists members VIP ${option}`, more)
    expect(lines(stdout)).toBe(5 + 1)
    expect(stderr).toBe(`note: Showing 5 of ${members} members. Use --limit all for all of them.\n`)
    expect(lines((await svc(`lists members VIP --limit 7 ${option}`, more)).stdout)).toBe(7 + 1)
  })

  test('is the default of a transcript, and cuts no page', async () => {
    const history = (format: string) => svc(`tickets history ${tickets.hostile} -o ${format} ${option}`, more)
    const all = lines((await history('ndjson')).stdout)
    expect(all).toBeGreaterThan(20)
    expect((await history('transcript')).stderr).toMatch(/older messages were left out/)
    const page = (await history('html')).stdout
    expect(page).toContain(`${all.toLocaleString('en-US')} messages</footer>`)
  })

  test('cuts what this command line says', async () => {
    expect(lines((await svc(`lists members VIP -o ids --limit 3 ${option}`, more)).stdout)).toBe(3)
    expect(lines((await svc(`employees list -o ids ${option}`, more)).stdout)).toBe(sandbox.store.allEmployees().length)
  })
})
