/** What holds for every command: formats, fields, notes, errors, verbosity, credentials. */
import { describe, expect, test } from 'vitest'
import { createSandboxWorld } from '../svc.ts'

const { svc, sandbox } = await createSandboxWorld()
const { contactsHostile } = sandbox.examples
const json = (text: string): unknown => JSON.parse(text)

test('NO_COLOR and --color decide about color, whatever standard output is', async () => {
  const terminal = { isTerminal: { stdout: true }, columns: 80 } as const
  const isColored = async (words: string, more: object) =>
    (await svc(`lists list --limit 1 ${words}`, more)).stdout.includes('\u001b[')
  expect(await isColored('', terminal)).toBe(true)
  expect(await isColored('', { ...terminal, env: { NO_COLOR: '1' } })).toBe(false)
  expect(await isColored('--color never', terminal)).toBe(false)
  expect(await isColored('--color always', {})).toBe(true)
})

describe('hostile text', () => {
  test.each(['table', 'csv', 'tsv', 'ndjson', 'json'])('commands nothing in %s', async (format) => {
    for (const line of [
      'lists list --limit all',
      'lists members "Hostile names"',
      'employees list --limit all',
      `tickets history ${sandbox.examples.tickets.hostile}`,
    ]) {
      const { code, stdout } = await svc(`${line} -o ${format}`)
      expect(code).toBe(0)
      // Tabs part the cells of tsv, and csv keeps line breaks inside its quotes.
      const allowed = format === 'tsv' ? '\t\n' : format === 'csv' ? '\r\n' : '\n'
      expect(
        Array.from(stdout).filter((each) => /\p{Cc}|\p{Bidi_Control}/u.test(each) && !allowed.includes(each)),
      ).toEqual([])
    }
  })

  test('a name that is typed, and one that comes back in an error', async () => {
    const { stderr } = await svc(['lists', 'get', 'no\u001b[31m\nerror: faked\u202e'])
    expect(stderr).not.toContain('\u001b')
    expect(stderr).not.toContain('\u202e')
    expect(stderr).not.toContain('\nerror: faked')
  })

  test('json keeps every value exactly, but for halves of a character', async () => {
    const { stdout } = await svc('lists members "Hostile names" --json')
    const rows = json(stdout) as { contact: { id: string; firstName: string } }[]
    expect(rows).toHaveLength(contactsHostile.length)
    for (const { contact } of rows)
      expect(contact.firstName).toBe(Buffer.from(sandbox.store.contact(contact.id)?.firstName ?? '').toString())
  })
})

describe('credentials', () => {
  test('a clock that is off: the hint says by how much, and the request is made with the service’s time', async () => {
    const { code, stderr } = await svc('lists get VIP', { clockOffset: -7 * 60_000 })
    expect(code).toBe(0)
    expect(stderr).toMatch(/this machine's clock is (?:6m59s|7m\d?s|7m0s) behind/)
    const days = await svc('lists get VIP', { clockOffset: 25 * 3_600_000 })
    expect(days.code).toBe(4)
    expect(days.stderr).toMatch(/clock is 1d1h ahead of the service/)
  })
})
