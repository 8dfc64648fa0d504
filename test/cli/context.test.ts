import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { createSandboxWorld } from '../support/svc.ts'

test.each([
  'employees list --limit 1',
  'tickets assign 64000004caa033e218000000 --to "Nobody At All" --dry-run',
])('with 1,000 employees, a note says that there may be more: %s', async (line) => {
  const { svc, sandbox } = await createSandboxWorld()
  const { employees } = sandbox.company
  const note = 'note: the service returns at most 1,000 employees; there may be more'
  expect((await svc(line)).stderr).not.toContain(note)
  for (let n = employees.length; n < 1000; n += 1)
    employees.push({
      ...structuredClone(employees[9] as (typeof employees)[number]),
      id: `64ee${n}`.padEnd(24, '0'),
    })
  expect((await svc(line)).stderr).toContain(note)
})

test.each([
  ['lists get VIP', 'the output is incomplete; free up space'],
  [
    'contacts delete 64000681d5aad2927b00002d --yes',
    'its result is recorded:\n    svc runs show delete-',
  ],
])('the output of %s cannot be written: what was so is said', async (line, hint) => {
  const { svc } = await createSandboxWorld()
  const stdout = new Writable({
    write: (_chunk, _encoding, done) =>
      done(Object.assign(new Error('no space left'), { code: 'ENOSPC' })),
  })
  expect(await svc(line, { stdout })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(hint) as string,
  })
})

test.each([
  ['members VIP', true, 51],
  ['members VIP', false, 281],
  ['members VIP --limit all', true, 281],
  ['members VIP --limit 3', false, 4],
  ['members VIP -o csv', true, 281],
  ['members VIP -o ids', true, 280],
])('lists %s, on a terminal: %j, has %i lines', async (line, stdout, count) => {
  const { svc } = await createSandboxWorld()
  const ended = await svc(`lists ${line}`, { isTerminal: { stdout }, columns: 200 })
  expect(ended.stdout.match(/\n/g)).toHaveLength(count)
  expect(ended.stderr.includes('showing ')).toBe(count < 280)
})

test('a command whose terminal was closed ends by its signal, and not by an abort of Node', async () => {
  const { svc } = await createSandboxWorld()
  const { code } = await svc('lists list', { hasLostTerminal: () => true })
  expect(code).toBe(129)
})
