/** The output of commands: `test/commands/<noun>/<verb>.txt`, and a few topics of other folders. */
import { readFileSync, readdirSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { main } from '../../src/main.ts'
import { root } from '../support/svc.ts'
import { play } from '../support/transcripts/run.ts'

const folder = join(root, 'test')

const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.txt'))
  .filter((name) => readFileSync(join(folder, name), 'utf8').startsWith('## '))
const built = createRequire(import.meta.url)(join(root, 'dist/main.js')) as {
  readonly main: typeof main
}

/** The sources and the build, command by command in turn: both behave the same. */
function inTurn(): typeof main {
  let turn = 0
  return (host) => ((turn += 1) % 2 === 0 ? main : built.main)(host)
}

const timeOf = (path: string) => statSync(join(root, path)).mtimeMs
const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
const isStale = sources.some((path) => timeOf(`src/${path}`) > timeOf('dist/main.js'))
if (isStale) throw new Error('the build is older than the sources: node bin/build.mjs')

test.each(names)('%s', async (name) => {
  const path = join(folder, name)
  const played = await play(readFileSync(path, 'utf8'), inTurn())
  await expect(played).toMatchFileSnapshot(path)
})
