/** No page in a browser can use the sandbox, although a script in a page can sign: the keys are public. */
import { expect, test } from 'vitest'
import { startSandbox } from './watched.ts'
import { ask, rw, type Ask } from './client.ts'

const sandbox = await startSandbox()
const remove = { path: '/v1/contacts/bulk-delete', body: { contactIds: ['64'.repeat(12)] } }
const lists = { path: '/v1/lists' }
const cross = { 'sec-fetch-site': 'cross-site' }
const rebound = { host: 'rebound.evil.example:4010', 'sec-fetch-site': 'same-origin' }

/** As a browser sends them for a page of another origin. */
test.each<[string, Ask, Record<string, string>]>([
  ['no-cors GET', lists, { ...cross, 'sec-fetch-mode': 'no-cors' }],
  ['signed change', remove, { ...cross, origin: 'https://evil.example' }],
  ['signed change of a browser that says only the origin', remove, { origin: 'null' }],
  ['rebinding name', lists, rebound],
  ['name that begins like this machine', lists, { host: '127.0.0.1.evil.example' }],
  ['name that ends like this machine', lists, { host: 'evil.localhost:4010' }],
  ['another page of this machine', lists, { origin: 'http://localhost:3000' }],
])('%s', async (_, what, headers) => {
  const before = sandbox.record.entries.length
  const answer = await ask(sandbox.baseUrl, rw, { ...what, headers })
  const message = expect.stringMatching(/^No web page may use the sandbox/) as string
  expect([answer.status, answer.json]).toEqual([403, { code: 40300, message }])
  expect(Object.keys(answer.headers).join()).not.toContain('access-control-')
  // Nothing came of it: nothing was carried out, and the record does not even know it.
  expect((await ask(sandbox.baseUrl, rw, lists)).status).toBe(200)
  expect(sandbox.record.entries.length).toBe(before + 1)
})

test.each([
  { host: 'LOCALHOST:4010' },
  { host: '[::1]:4010' },
  { host: '127.3.2.1' },
  // An address that a person typed into a browser.
  { 'sec-fetch-site': 'none' },
])('a client that is not a web page: %j', async (headers) => {
  expect((await ask(sandbox.baseUrl, rw, { ...lists, headers })).status).toBe(200)
})
