/** An output of `svc lists …` that cannot be written. All else is in test/transcripts/lists.txt. */
import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { createSandboxWorld } from '../svc.ts'

const { svc } = await createSandboxWorld()

test('an output that cannot be written: what was so is said, and a change is not to be repeated', async () => {
  const full = () =>
    new Writable({
      write: (_chunk, _encoding, done) =>
        done(Object.assign(new Error('no space left'), { code: 'ENOSPC' })),
    })
  for (const [line, hint] of [
    ['lists get VIP', 'free some space, and run the command again'],
    ['lists create --name Unwritten', 'the change was made: check it before'],
  ] as const) {
    const { code, stderr } = await svc(line, { stdout: full() })
    expect([line, code, stderr]).toEqual([line, 1, expect.stringContaining(hint)])
  }
})
