/** Blanks around a name are part of it: it is shown with them, and found by what was shown. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { createSandboxWorld, guardSecret } from '../svc.ts'

const { svc } = await createSandboxWorld()
const secret = 'sk_blanks_0123456789'
guardSecret(secret)

test('of a list', async () => {
  const outer = await svc(['lists', 'create', '--name', '  Blanks ', '-o', 'ids'])
  const plain = await svc(['lists', 'create', '--name', 'Blanks', '-o', 'ids'])
  for (const [name, { stdout }] of [
    ['  Blanks ', outer],
    ['Blanks', plain],
  ] as const) {
    expect((await svc(['lists', 'get', name, '-o', 'ids'])).stdout).toBe(stdout)
    const { stdout: shown } = await svc(['lists', 'get', name, '-o', 'tsv', '--fields', 'name', '--no-header'])
    expect(shown).toBe(`${name}\n`)
    const table = await svc(['lists', 'get', name])
    expect(table.stdout).toContain(`\nNAME         ${name}\n`)
  }
})

test('of an employee', async () => {
  const employees = [
    ['1', ' Robin', 'Berg'],
    ['2', 'Robin', 'Berg '],
    ['3', 'Robin', 'Berg'],
    ['4', 'Robin ', ' Berg'],
    ['5', ' ', null],
  ].map(([n, firstName, lastName]) => ({ id: `64a${'0'.repeat(20)}${n ?? ''}`, firstName, lastName, kind: 'human' }))
  const server = createServer((_request, response) => response.end(JSON.stringify({ data: employees })))
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  afterAll(() => server.close())
  const env = {
    SVC_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    SVC_API_KEY: 'pk_blanks',
    SVC_API_SECRET: secret,
  }
  const { stdout } = await svc('employees list -o tsv --fields id,name --no-header', { env })
  const rows = stdout
    .slice(0, -1)
    .split('\n')
    .map((line) => line.split('\t'))
  expect(rows.map(([, name]) => name)).toEqual([' Robin Berg', 'Robin Berg ', 'Robin Berg', 'Robin   Berg', ' '])
  for (const [id, name = ''] of rows) {
    const found = await svc(['tickets', 'assign', '64e000000000000000000001', '--to', name, '--dry-run', '--json'], {
      env,
      fast: true,
    })
    expect(JSON.parse(found.stdout)).toMatchObject({ body: { newAssigneeId: id } })
  }
})
