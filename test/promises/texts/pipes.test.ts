/** A large output through a reader that is slow: real processes, byte for byte. */
import { expect, it } from 'vitest'
import { answering, envFor, http } from '../../support/loopback.ts'
import { shell } from '../../support/spawned.ts'

/** 2 MB, far more than a pipe holds. */
const firstName = 'plain, "quoted" \\ and a tab\t'.repeat(70_000)
const employee = JSON.stringify({ id: '0123456789abcdef01234567', firstName })

it('a slow reader gets every byte', async () => {
  const server = await answering((socket) => socket.write(http(200, `{"data":[${employee}]}`)))
  const env = { ...envFor(server.baseUrl), HOME: '/nowhere' }
  const line = '{ svc employees list -o ndjson; echo "code $?" >&2; } | { sleep 1; cat; }'
  const { stdout, stderr } = await shell(line, { env }).ended
  expect([stderr, stdout.length]).toEqual(['code 0\n', employee.length + 1])
  expect(stdout === `${employee}\n`).toBe(true)
})
