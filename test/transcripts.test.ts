/** What svc prints, topic by topic: `test/transcripts/<topic>.txt`. */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './svc.ts'
import { play } from './transcripts/run.ts'

const folder = join(root, 'test/transcripts')

test.each(readdirSync(folder).filter((name) => name.endsWith('.txt')))('%s', async (name) => {
  const path = join(folder, name)
  await expect(await play(readFileSync(path, 'utf8'))).toMatchFileSnapshot(path)
})
