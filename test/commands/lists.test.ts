/** An output of `svc lists …` that cannot be written. All else is in test/transcripts/lists.txt. */
import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { createSandboxWorld } from '../svc.ts'

const { svc } = await createSandboxWorld()

test('an output that cannot be written: a read may be repeated, a change not', async () => {
  const full = () =>
    new Writable({
      write: (_chunk, _encoding, done) =>
        done(Object.assign(new Error('no space left'), { code: 'ENOSPC' })),
    })
  for (const [line, retry] of [
    ['lists get VIP --error-format json', true],
    ['lists create --name Unwritten --error-format json', false],
  ] as const) {
    const { code, stderr } = await svc(line, { stdout: full() })
    expect([line, code, JSON.parse(stderr)]).toEqual([
      line,
      10,
      expect.objectContaining({ type: 'error', retry }),
    ])
  }
})
