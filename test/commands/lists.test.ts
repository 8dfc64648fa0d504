/** `svc lists list` and `get`: which lists. How lists are created is in create.test.ts, and how they are changed in test/transcripts/lists.txt. */
import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { createSandboxWorld } from '../svc.ts'

const { svc, sandbox, requestsOf } = await createSandboxWorld()
const all = [...sandbox.store.allLists()]
test('--search is asked for on every page, and all that the service finds is shown', async () => {
  const { result, sent } = await requestsOf('lists list --search Campaign -o ids')
  const found = all.filter(({ name }) => name.includes('Campaign')).map(({ id }) => id)
  expect(sent.length).toBeGreaterThan(2)
  expect(sent.filter((request) => !request.includes('search=Campaign'))).toEqual([])
  expect(result.stdout.split('\n').filter(Boolean).toSorted()).toEqual(found.toSorted())
})

test('one page is whole, unless a limit is typed', async () => {
  const ids = all.toReversed().map(({ id }) => id)
  const shown = async (options: string): Promise<string[]> =>
    (await svc(`lists list --fields id --no-header ${options}`)).stdout.trim().split('\n')
  expect(await shown('--page 1 --page-size 100')).toEqual(ids.slice(0, 100))
  expect(await shown('--page 2')).toEqual(ids.slice(20, 40))
  expect(await shown('--page 2 --limit 3')).toEqual(ids.slice(20, 23))
})

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

test('a list whose name looks like an id is meant by name:…, and a hint has its name alone', async () => {
  const [name, other] = ['ab'.repeat(12), 'cd'.repeat(12)]
  const created = await svc(`lists create --name ${name} -o ids`)
  const found = await svc(`lists get name:${name} -o ids`)
  expect([found.code, found.stdout]).toEqual([0, created.stdout])
  expect((await svc(`lists get ${name}`)).code).toBe(6)
  const { code, stderr } = await svc(`lists add-contacts name:${other} ${name} --yes`)
  expect([code, stderr.endsWith(`to create it:\n    svc lists create --name ${other}\n`)]).toEqual([
    6,
    true,
  ])
})
