/** Output for programs that watch a run: JSON lines on stderr, and lines of progress. */
import { expect, test } from 'vitest'
import { createBulkWorld, linesOf } from './bulk-world.ts'

const world = await createBulkWorld()
const { svc, file, sandbox, fresh } = world

/** A deletion of six ids in batches of two, whose second batch is throttled and whose third loses its first answer. */
async function deleted(more: string, fast = true) {
  const line = `contacts delete --file ${file('ids.txt', fresh(6))} --yes batches-of=2 --concurrency 1 ${world.state()}`
  const ended = await svc(`${line} ${more}`, {
    fast,
    faults: 'contacts.delete:2=429 contacts.delete:4=drop-after-apply',
  })
  return ended
}

test('a log, which is stderr in a file, tells which batches were sent when, by whom, how often, and what the service said', async () => {
  const { code, stderr } = await deleted('--once night -v --error-format json --progress plain')
  expect(code).toBe(0)
  const lines = linesOf<Readonly<Record<string, unknown>>>(stderr)
  const facts = { run: 'night', name: 'night', profile: null }
  for (const line of lines) {
    expect(line).toMatchObject({
      ...facts,
      host: new URL(sandbox.baseUrl).host,
      by: expect.stringContaining('@') as string,
    })
    expect(line['time']).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  }
  const of = (type: string) => lines.filter((line) => line['type'] === type)
  expect(
    of('request').map(({ batch, attempt, httpStatus, outcome }) => [
      batch,
      attempt,
      httpStatus,
      outcome,
    ]),
  ).toEqual([
    [1, 1, 200, 'answered'],
    [2, 1, 429, 'refused'],
    [2, 2, 200, 'answered'],
    [3, 1, null, 'ambiguous'],
    [3, 2, 200, 'answered'],
  ])
  // The service's own record has the request under the same number.
  for (const { requestId, httpStatus: status } of of('request')) {
    const n = /^sandbox-(\d+)$/.exec(String(requestId))?.[1]
    expect(
      status === null
        ? requestId
        : sandbox.record.entries.find((entry) => entry.n === Number(n))?.status,
    ).toBe(status ?? undefined)
  }
  const waits = of('note').filter(({ message }) => /^waiting .* attempt 2/.test(String(message)))
  expect(waits.map(({ batch, attempt }) => [batch, attempt])).toEqual([
    [2, 1],
    [3, 1],
  ])
  expect(of('progress').at(-1)).toMatchObject({ done: 6, total: 6 })
})
