import { mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createWorld } from '../svc.ts'

const { svc, folder } = createWorld()
const bins = ['node_modules/.bin', 'bin'].map((name) => join(folder, name)) as [string, string]
for (const bin of bins) {
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(bin, 'svc'), '')
}
const [ofNpx, own] = bins

describe('commands in messages begin as the process was begun', () => {
  const npx = { npm_command: 'exec', PATH: ofNpx }

  test.each([
    ['begun by npx alone', npx, 'npx svc'],
    ['by npx, and svc is installed too', { ...npx, PATH: [ofNpx, own].join(delimiter) }, 'svc'],
    ['as svc', { PATH: own }, 'svc'],
  ])('%s', async (_, env, begin) => {
    const { stderr } = await svc('lists lst', { env })
    expect(stderr).toBe(
      `error: unknown command "lst"\n  did you mean list?\n  see: ${begin} lists --help\n`,
    )
  })

  test('a command behind -- runs where svc is on the path', async () => {
    const { stderr } = await svc('lists list', { env: npx })
    expect(stderr).toContain(
      '\n    npx svc sandbox exec -- svc lists list\n    npx svc profiles add <name>\n',
    )
  })

  test('a command stays whole on a narrow terminal', async () => {
    const { stderr } = await svc('lists list', {
      env: npx,
      columns: 30,
      isTerminal: { stderr: true },
    })
    expect(stderr).toContain('  npx svc sandbox exec -- svc lists list\n')
  })
})
