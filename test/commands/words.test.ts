/** Halves of characters in words that are typed. Those in names of others are in test/transcripts/contacts.txt. */
import { expect, test } from 'vitest'
import { createSandboxWorld } from '../svc.ts'

const { svc } = await createSandboxWorld()

test('half a character (an unpaired surrogate) becomes U+FFFD in one record, and in errors', async () => {
  const made = await svc(['lists', 'create', '--name', 'Half \udc00', '--json'])
  expect(JSON.parse(made.stdout)).toMatchObject({ name: 'Half \ufffd' })
  const { stderr } = await svc(['lists', 'get', 'No \ud800 such'])
  expect(stderr).toContain(String.raw`no list is called "No \u{d800} such"`)
})
