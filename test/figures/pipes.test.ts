/** A large output through a reader that is slow: real processes, byte for byte. */
import { expect, it } from 'vitest'
import { ownFolder } from '../ending.ts'
import { answering, http } from '../http/loopback.ts'
import { shell } from '../runs/spawned.ts'

/** 2 MB, far more than a pipe holds. */
const text = 'plain, "quoted" \\ and a tab\t'.repeat(40)
const rows = Array.from({ length: 1500 }, (_, n) => ({ n, text }))
const whole = `${JSON.stringify(rows)}\n`

it('a slow reader gets every byte', { timeout: 60_000 }, async () => {
  const server = await answering((socket) => socket.write(http(200, whole)))
  const env = {
    HOME: ownFolder('pipes'),
    SVC_BASE_URL: server.baseUrl,
    SVC_API_KEY: 'pk_pipes',
    SVC_API_SECRET: 'secret-of-the-pipes',
  }
  const line = '{ svc api rows; echo "code $?" >&2; } | { sleep 1; cat; }'
  const { stdout, stderr } = await shell(line, { env }).ended
  expect([stderr, stdout.length, stdout === whole]).toEqual(['code 0\n', whole.length, true])
})
