/** An input without any id, where that is allowed, is a run under a --once name: it repeats, and checks as done. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createBulkWorld } from './bulk-world.ts'

const world = await createBulkWorld()
const { svc, bulk, fresh, sandbox } = world
const quiet = { stdin: '# nothing today\n' }

it('is recorded, writes its receipts, repeats with 0, and checks as done', async () => {
  const state = world.state()
  const receipts = world.output('csv')
  const line = `contacts delete - --once night-1 --allow-empty --yes --receipts ${receipts} ${state}`
  const before = sandbox.requests.length
  const { code, summary, stderr } = await bulk(line, quiet)
  expect(stderr).toContain('the input is empty; there is nothing to do')
  expect([code, summary]).toMatchObject([
    0,
    {
      name: 'night-1',
      status: 'complete',
      input: { unique: 0 },
      batches: { total: 0 },
      resume: null,
    },
  ])
  expect(summary.run).toBe('night-1')
  const heading = 'id,line,outcome,batch,attempts,code,message\n'
  expect(readFileSync(receipts, 'utf8')).toBe(heading)
  const again = await svc(line, quiet)
  expect(again).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(
      /^note: wrote .*\nnote: done on .*; nothing was sent\n/,
    ) as string,
  })
  const words = `night-1 --within 1h ${state}`
  expect(await svc(`runs check ${words}`)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('night-1 ended with 0 (') as string,
  })
  expect(await svc(`runs export night-1 -o ids ${state}`)).toMatchObject({ code: 0, stdout: '' })
  expect(JSON.parse((await svc(`runs show night-1 --json ${state}`)).stdout)).toMatchObject({
    run: summary.run,
    exitCode: 0,
  })
  expect(sandbox.requests.length).toBe(before)
})

it('another set under its name is exit 2, and so is an empty one under the name of another set', async () => {
  const state = world.state()
  const line = `contacts delete - --allow-empty --yes ${state} --once`
  const [id = ''] = fresh(1)
  await bulk(`${line} quiet`, quiet)
  await bulk(`${line} busy`, { stdin: id })
  for (const [name, stdin] of [
    ['quiet', id],
    ['busy', ''],
  ] as const) {
    const refused = await svc(`${line} ${name}`, { stdin })
    expect([name, refused.code, refused.stdout]).toEqual([name, 2, ''])
    expect(refused.stderr).toContain('the ids are a different set')
  }
})

it('an empty input without a name is not a run', async () => {
  const state = world.state()
  const { summary } = await bulk(`contacts delete - --allow-empty --yes ${state}`, quiet)
  expect(summary.run).toBe(null)
})
