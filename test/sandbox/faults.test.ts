import { expect, test } from 'vitest'
import { parseFaults } from '../../src/sandbox/faults.ts'
import { readAnyFault } from '../support/distortions.ts'
import { startSandbox } from '../support/watched-sandbox.ts'
import { ask, type Ask, type Got, rw } from '../support/sandbox-client.ts'

const sandbox = await startSandbox()

const send = (what: Ask): Promise<Got> => ask(sandbox.baseUrl, rw, what)
const lists = (more: Partial<Ask> = {}) => send({ path: '/v1/lists?limit=2', ...more })

/** The status, or `dropped` when the connection broke. */
async function fate(got: Promise<Got>): Promise<number | 'dropped'> {
  try {
    return (await got).status
  } catch {
    return 'dropped'
  }
}

async function statuses(count: number): Promise<(number | 'dropped')[]> {
  const all: (number | 'dropped')[] = []
  for (let n = 0; n < count; n += 1) all.push(await fate(lists()))
  return all
}

test.each([
  ['*:2-4=503', [200, 503, 503, 503, 200, 200]],
  ['*:3+=503', [200, 200, 503, 503, 503, 503]],
  ['*=503', [503, 503, 503, 503, 503, 503]],
  ['*:1=500 *:3=429,retry-after=1 *:5=drop-before', [500, 200, 429, 200, 'dropped', 200]],
  ['lists.list:1=503 lists.get=503', [503, 200, 200, 200, 200, 200]],
])('%s', async (spec, expected) => {
  sandbox.setFaults(spec)
  expect(await statuses(6)).toEqual(expected)
})

test('it comes before the signature is checked', async () => {
  sandbox.setFaults('*:1=503')
  expect(await fate(lists({ signature: '0' }))).toBe(503)
  expect(await fate(lists({ signature: '0' }))).toBe(401)
})

const wrong = [
  ...'nonsense *=nonsense *=600 *=101 *=late *=__proto__ seed=7 lists.lst:1=503'.split(' '),
  ...'*:0=503 *:3-2=503 *:10%=503 *=503,apply=no'.split(' '),
]
const refusal = (text: string, details = {}): unknown =>
  expect.objectContaining({
    category: 'usage',
    message: expect.stringContaining(`the fault rule "${text}" cannot be read: `) as string,
    ...details,
  })

test.each(wrong)('%s', (spec) => {
  expect(() => parseFaults(['*:1=503', spec], readAnyFault)).toThrow(refusal(spec))
})

test.each([
  ['*=boom', 'drop-after-apply'],
  ['lists.boom=503', 'lists.add-contacts'],
])('%s is answered with those that are known', (spec, known) => {
  const details = expect.objectContaining({ hint: expect.stringContaining(known) as string })
  expect(() => parseFaults([spec])).toThrow(refusal(spec, { details: details as object }))
})
