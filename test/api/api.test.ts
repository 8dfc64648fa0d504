/** Lists by id, and an output that cannot be written. What commands print is in the transcripts of test/commands. */
import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { createSandboxWorld } from '../support/svc.ts'

const { svc, sandbox, requestsOf } = await createSandboxWorld()
const { list } = sandbox.examples

test('a list is read with one of its members, and its members page by page', async () => {
  const { result, requests } = await requestsOf(`lists get ${list} --json`)
  const { contactsCount } = JSON.parse(result.stdout) as { contactsCount: number }
  expect(requests.map(({ url }) => url)).toEqual([`/v1/lists/${list}?page=1&limit=1`])
  const members = await svc(`lists members ${list} -o ids`)
  expect(new Set(members.stdout.trim().split('\n')).size).toBe(contactsCount)
  expect((await svc(`lists members ${list} -o ids --limit 2`)).stdout.split('\n')).toHaveLength(3)
})

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
