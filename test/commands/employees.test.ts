/** `svc employees list` against the sandbox over real HTTP. */
import { describe, expect, test } from 'vitest'
import type { Employee } from '../../src/api/schemas.ts'
import { createSandboxWorld } from '../svc.ts'

const { svc, sandbox, as } = await createSandboxWorld()
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

test('a table of 50, and a note', async () => {
  const { code, stdout, stderr } = await svc('employees list')
  expect(code).toBe(0)
  expect(stdout.split('\n')[0]).toMatch(/^ID +NAME +KIND +POSITION +ACCESS +STATUS +CHANNELS$/)
  expect(stdout.trimEnd().split('\n')).toHaveLength(51)
  expect(stderr).toBe('note: Showing 50 of 60 employees. Use --limit all for all of them.\n')
  expect((await svc('employees list --limit all')).stderr).toBe('')
})

test('one unfiltered request, whatever is asked for', async () => {
  const before = sandbox.requests.length
  await svc('employees list --kind ai --search a --status active --limit 1')
  expect(sandbox.requests.slice(before).map(({ url }) => url)).toEqual(['/v1/employees'])
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

  test('nothing found', async () => {
    expect(await svc('employees list --search zzz')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'note: no employees match\n',
    })
    expect(await svc('employees list --search zzz --json')).toEqual({ code: 0, stdout: '[]\n', stderr: '' })
  })
})

test.each([
  ['--kind robot', '--kind takes human or ai, not "robot"'],
  ['--kind Human', '--kind takes human or ai, not "Human"'],
  ['--channel 12', '--channel must be 24 hexadecimal digits; "12" has 2'],
  ['--search ""', '--search needs at least one character'],
  ['--limit 0', '--limit takes a whole number, at least 1, or "all", not "0"'],
])('%s is refused with exit 2', async (options, message) => {
  const { code, stdout, stderr } = await svc(`employees list ${options} --json`)
  expect([code, stdout]).toEqual([2, ''])
  expect(json(stderr)).toMatchObject({ error: { category: 'usage', message } })
})

test('at 1,000 there may be more, and a note says so', async () => {
  sandbox.setFaults('employees.list=employees(1000)')
  const { stdout, stderr } = await svc('employees list -o ids')
  const table = await svc('employees list')
  sandbox.setFaults()
  expect(stdout.trimEnd().split('\n')).toHaveLength(1000)
  expect(stderr).toBe('note: the service returns at most 1,000 employees; there may be more\n')
  expect(table.stderr).toMatch(
    /^note: Showing 50 of 1,000 employees. Use --limit all for all of them.\nnote: the service returns at most 1,000/,
  )
  sandbox.setFaults('employees.list=employees(999)')
  expect((await svc('employees list -o ids')).stderr).toBe('')
  sandbox.setFaults()
})

test('the read key is enough; no plan is exit 5', async () => {
  expect((await svc('employees list', { env: as('read') })).code).toBe(0)
  const { code, stderr } = await svc('employees list', { env: as('no-plan') })
  expect(code).toBe(5)
  expect(stderr).toMatch(/^error: API access is unavailable on your current plan \(HTTP 403, code 40351\)\n/)
})

test('names that attack the terminal are visible, and exact in json', async () => {
  const { stdout } = await svc('employees list --search mallory --fields name,id')
  expect(stdout).toContain('Mallory\\u{1b}[31m Override\\u{202e}')
  const [mallory] = json((await svc('employees list --search mallory --json')).stdout) as Employee[]
  expect([mallory?.firstName, mallory?.lastName]).toEqual(['Mallory\u001b[31m', 'Override\u202e'])
})
