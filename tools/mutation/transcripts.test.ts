/** The transcripts of what is mutated, played by the sources alone: the build has no mutants. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../../test/support/svc.ts'
import { play } from '../../test/support/transcripts/run.ts'

it.each([
  ...['contacts/delete', 'contacts/merge', 'lists/add-contacts', 'tickets/assign'],
  ...['runs/close', 'runs/list', 'runs/resume', 'runs/show'],
])('%s', async (name) => {
  const text = readFileSync(join(root, `test/commands/${name}.txt`), 'utf8')
  expect(await play(text)).toBe(text)
})
