/** Half a character in a customer's name: JSON that every reader takes, and the exact one for who asks for it. */
import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import type { ListMember } from '../../src/api/schemas.ts'
import { createSandboxWorld } from '../svc.ts'

const { svc, sandbox } = await createSandboxWorld()
const list = sandbox.examples.emptyList
await svc(`lists add-contacts ${list} ${sandbox.examples.contactsHostile.join(' ')}`)
const count = sandbox.examples.contactsHostile.length
const raw = await svc(`lists members ${list} -o ndjson --json-raw`)
const exact = raw.stdout
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as ListMember)

/** UTF-8 has no unpaired surrogates: encoding replaces them. */
const whole = <T>(value: T): T =>
  JSON.parse(JSON.stringify(value), (_key, each: unknown) =>
    typeof each === 'string' ? Buffer.from(each).toString() : each,
  ) as T
const broken = exact.filter((member) => JSON.stringify(member) !== JSON.stringify(whole(member)))
const note = `in ${broken.length} row half a character (an unpaired surrogate) became U+FFFD; --json-raw writes it as \\ud83d`

/** What jq reads, or undefined without one. */
function readByJq(text: string, program: string): string | undefined {
  const { error, stdout, status } = spawnSync('jq', ['-c', program], { input: text, encoding: 'utf8' })
  if (error !== undefined) return undefined
  expect(status).toBe(0)
  return stdout
}

test('there is such a contact', () => {
  expect(exact).toHaveLength(count)
  expect(broken).toHaveLength(1)
  expect(raw.stderr).toBe('')
  expect(raw.stdout).toContain(String.raw`Lone\ud800surrogate`)
})

describe('members with half a character in a name', () => {
  test.each(['ndjson', 'json'] as const)(
    'as %s: every row is read, and a note counts those that changed',
    async (format) => {
      const { code, stdout, stderr } = await svc(`lists members ${list} -o ${format}`)
      const rows = format === 'json' ? stdout : `[${stdout.trimEnd().replaceAll('\n', ',')}]`
      expect(code).toBe(0)
      expect(JSON.parse(rows)).toEqual(whole(exact))
      expect(JSON.parse(stderr)).toEqual({ type: 'note', time: expect.any(String) as string, message: note })
      expect((await svc(`lists members ${list} -o ${format} -q`)).stderr).toBe('')
      const ids = readByJq(rows, '.[].contact.id')
      expect(ids?.trimEnd().split('\n').length ?? count).toBe(count)
    },
  )

  test('one record, and rows that a projection leaves whole', async () => {
    const made = await svc(['lists', 'create', '--name', 'Half \udc00', '--json'])
    expect(JSON.parse(made.stdout)).toMatchObject({ name: 'Half \ufffd' })
    expect((JSON.parse(made.stderr) as { message: string }).message).toMatch(/^in this output half a character/)
    expect((await svc(`lists members ${list} -o ndjson --fields contact.id`)).stderr).toBe('')
  })
})

test('errors on stderr', async () => {
  const { stderr } = await svc(['lists', 'get', 'No \ud800 such', '--json'])
  expect(stderr).toContain('no list is called \\"No \ufffd such\\"')
  expect(readByJq(stderr, '.error.exitCode') ?? '6\n').toBe('6\n')
  const exactly = await svc(['lists', 'get', 'No \ud800 such', '--json', '--json-raw'])
  expect(exactly.stderr).toContain(String.raw`No \ud800 such`)
})
