import { expect, test } from 'vitest'
import { verbs } from '../../support/tree.ts'
import { createSandboxWorld } from '../../support/svc.ts'

const world = await createSandboxWorld()
const long = `${'x'.repeat(50)}hunter2hunter2`

const secrets = ['hunter2-hunter2', 'aHVudGVyMmh1bnRlcjI=aHVudGVyMg==', 'hunter2=hunter2', long]

test.each(secrets)(
  '%s: every command refuses it in any word, and shows no part',
  async (secret) => {
    const env = { SVC_API_SECRET: secret }
    const places = [secret, `--${secret}`, `-${secret}`, `--${secret}=1`, `--limit=1${secret}`]
    const lines = verbs.flatMap(({ path }, n) => {
      const words = path.split(' ').slice(1)
      return places.slice(0, n === 0 ? undefined : 2).map((place) => [...words, place])
    })
    for (const line of [...lines, [secret], ['help', secret], ['lists', 'get', '--', secret]]) {
      const { code, stdout, stderr } = await world.svc(line, { env })
      expect([line, code, stdout]).toEqual([line, 2, ''])
      expect(stderr).toContain('the command line contains the API secret')
      expect(stderr).not.toMatch(/hunter|aHVudGVy/)
    }
  },
)
