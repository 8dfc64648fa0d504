/** Names and other words as they are typed and shown: halves of characters, other spellings. */
import { describe, expect, test } from 'vitest'
import type { ListMember } from '../../src/api/schemas.ts'
import { createSandboxWorld } from '../svc.ts'

const { svc, sandbox } = await createSandboxWorld()

// Half a character in a customer's name: JSON that every reader takes.
const list = sandbox.examples.emptyList
await svc(`lists add-contacts ${list} ${sandbox.hostile.contacts.join(' ')}`)
const stored = sandbox.hostile.contacts.map((id) => sandbox.store.contact(id)?.firstName ?? '')

/** UTF-8 has no unpaired surrogates: encoding replaces them. */
const whole = (text: string): string => Buffer.from(text).toString()
const note = 'in 1 row half a character (an unpaired surrogate) became U+FFFD'

test('there is such a contact', () => {
  expect(stored.filter((name) => name !== whole(name))).toEqual(['Lone\ud800surrogate'])
})

describe('members with half a character in a name', () => {
  test.each(['ndjson', 'json'] as const)(
    'as %s: every row is read, and a note counts those that changed',
    async (format) => {
      const { code, stdout, stderr } = await svc(
        `lists members ${list} -o ${format} --error-format json`,
      )
      const rows = format === 'json' ? stdout : `[${stdout.trimEnd().replaceAll('\n', ',')}]`
      expect(code).toBe(0)
      const names = (JSON.parse(rows) as ListMember[]).map(({ contact }) => contact.firstName)
      expect(new Set(names)).toEqual(new Set(stored.map(whole)))
      expect(JSON.parse(stderr)).toEqual({
        type: 'note',
        level: 'info',
        time: expect.any(String) as string,
        message: note,
      })
      expect((await svc(`lists members ${list} -o ${format} -q`)).stderr).toBe('')
    },
  )

  test('one record, and rows that a projection leaves whole', async () => {
    const made = await svc(['lists', 'create', '--name', 'Half \udc00', '--json'])
    expect(JSON.parse(made.stdout)).toMatchObject({ name: 'Half \ufffd' })
    expect(made.stderr).toMatch(/^note: in this output half a character/)
    expect((await svc(`lists members ${list} -o ndjson --fields contact.id`)).stderr).toBe('')
  })
})

test('errors on stderr', async () => {
  const { stderr } = await svc(['lists', 'get', 'No \ud800 such', '--error-format', 'json'])
  expect(stderr).toContain('no list is called \\"No \ufffd such\\"')
})
