/** `svc employees list` against the sandbox over real HTTP. */
import { describe, expect, test } from 'vitest'
import type { Employee } from '../../src/api/schemas.ts'
import { createSandboxWorld } from '../svc.ts'

const { svc, sandbox } = await createSandboxWorld()
const { employee, aiEmployee, employeeInactive, employeeWithoutChannel } = sandbox.examples
const json = (text: string): unknown => JSON.parse(text)
const all = json((await svc('employees list --json')).stdout) as Employee[]

const found = async (options: string): Promise<string[]> => {
  const { code, stdout } = await svc(`employees list -o ids ${options}`)
  expect(code).toBe(0)
  return stdout === '' ? [] : stdout.trimEnd().split('\n')
}

test('the service’s order and fields in json', () => {
  expect(all).toHaveLength(60)
  const fields = ['id', 'firstName', 'lastName', 'channels', 'kind', 'position', 'access', 'status', 'createdAt']
  expect(Object.keys(all[0] ?? {})).toEqual(fields)
  const names = all.map(({ firstName, lastName, id }) => `${firstName ?? ''}\0${lastName ?? ''}\0${id}`)
  expect(names).toEqual([...names].sort())
})

describe('filters on this side', () => {
  test.each<[string, (one: Employee) => boolean]>([
    ['--kind human', ({ kind }) => kind === 'human'],
    ['--kind ai', ({ kind }) => kind === 'ai'],
    ['--status inactive', ({ status }) => status === 'inactive'],
    ['--status INACTIVE', ({ status }) => status === 'inactive'],
    ['--status gone', () => false],
    [
      `--channel ${all[0]?.channels?.[0] ?? ''}`,
      ({ channels }) => channels?.includes(all[0]?.channels?.[0] ?? '') === true,
    ],
    [
      `--channel ${all[0]?.channels?.[0]?.toUpperCase() ?? ''}`,
      ({ channels }) => channels?.includes(all[0]?.channels?.[0] ?? '') === true,
    ],
    ['--search "sam twin"', ({ lastName }) => lastName === 'Twin'],
    [
      '--search lead',
      ({ firstName, lastName, position }) =>
        `${firstName ?? ''} ${lastName ?? ''} ${position ?? ''}`.toLowerCase().includes('lead'),
    ],
    [`--search ${employee}`, ({ id }) => id === employee],
    ['--kind human --status inactive', ({ kind, status }) => kind === 'human' && status === 'inactive'],
  ])('%s', async (options, matches) => {
    expect(await found(options)).toEqual(all.filter(matches).map(({ id }) => id))
  })

  test('find the examples', async () => {
    expect(await found('--kind ai')).toContain(aiEmployee)
    expect(await found('--status inactive')).toContain(employeeInactive)
    expect(await found(`--channel ${all[0]?.channels?.[0] ?? ''}`)).not.toContain(employeeWithoutChannel)
  })
})
