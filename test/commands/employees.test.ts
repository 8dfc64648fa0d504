/** The filters of `svc employees list`, which svc applies to what the service has. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Employee } from '../../src/api/schemas.ts'
import { createSandboxWorld } from '../svc.ts'

const { svc, folder } = await createSandboxWorld()

const list = async (options: string): Promise<Employee[]> => {
  const { code, stdout } = await svc(`employees list --json ${options}`)
  expect(code).toBe(0)
  return JSON.parse(stdout) as Employee[]
}
const all = await list('')
const channel =
  all
    .flatMap(({ channels }) => channels ?? [])
    .find((id) => all.some(({ channels }) => channels?.includes(id) === false)) ?? ''
const robin = all.find(({ lastName }) => lastName === 'Berg')

test.each<[options: string, wanted: (employee: Employee) => boolean]>([
  ['--kind human', ({ kind }) => kind === 'human'],
  ['--kind ai --status INACTIVE', ({ kind, status }) => kind === 'ai' && status === 'inactive'],
  [`--channel ${channel.toUpperCase()}`, ({ channels }) => channels?.includes(channel) === true],
  ['--search LEAD', ({ position }) => position?.includes('lead') === true],
  ['--search "bin ber"', (employee) => employee === robin],
  [`--search ${robin?.id.slice(4).toUpperCase()}`, (employee) => employee === robin],
])('%s', async (options, wanted) => {
  const found = all.filter(wanted)
  expect(await list(options)).toEqual(found)
  expect([found.length > 0, found.length < all.length]).toEqual([true, true])
})

test('a note counts those that the filters leave, and how many of them are shown', async () => {
  const config = join(folder, 'config.json')
  writeFileSync(config, '{"defaults":{"limit":2}}', { mode: 0o600 })
  const humans = all.filter(({ kind }) => kind === 'human').length
  const { stderr } = await svc(`employees list --kind human --config ${config}`)
  expect(stderr).toMatch(new RegExp(`^note: Showing 2 of ${humans} employees\\.`))
})
