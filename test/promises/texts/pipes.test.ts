/** A large output through a reader that is slow: real processes, byte for byte. */
import { expect, it } from 'vitest'
import { ownFolder } from '../../support/ending.ts'
import { answering, http } from '../../support/loopback.ts'
import { shell } from '../../support/spawned.ts'

/** 2 MB, far more than a pipe holds. */
const description = 'plain, "quoted" \\ and a tab\t'.repeat(700)
const lists = Array.from({ length: 100 }, (_, n) => ({
  id: n.toString(16).padStart(24, '0'),
  name: `List ${n}`,
  contactsCount: n,
  description,
}))
const pagination = {
  page: 1,
  limit: 100,
  total: 100,
  totalPages: 1,
  hasNext: false,
  hasPrev: false,
}
const answer = JSON.stringify({ data: { lists, pagination } })
const whole = lists.map((list) => `${JSON.stringify(list)}\n`).join('')

it('a slow reader gets every byte', { timeout: 60_000 }, async () => {
  const server = await answering((socket) => socket.write(http(200, answer)))
  const env = {
    HOME: ownFolder('pipes'),
    SVC_BASE_URL: server.baseUrl,
    SVC_API_KEY: 'pk_pipes',
    SVC_API_SECRET: 'secret-of-the-pipes',
  }
  const line = '{ svc lists list -o ndjson; echo "code $?" >&2; } | { sleep 1; cat; }'
  const { stdout, stderr } = await shell(line, { env }).ended
  expect([stderr, stdout.length, stdout === whole]).toEqual(['code 0\n', whole.length, true])
})
