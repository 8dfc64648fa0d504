/** The summary document: arrays of ids that stay small. */
import { expect, it } from 'vitest'
import { createBulkWorld } from './bulk-world.ts'

const world = await createBulkWorld()
const { bulk, svc, file } = world

it('an array of more than 1,000 ids is null, and a note has the command that prints them', async () => {
  const state = world.state()
  const some = await bulk(
    `contacts delete --file ${file('ids', world.absent(1000))} --yes ${state}`,
  )
  expect([
    some.summary.notFoundIds?.length,
    some.stderr.includes('the summary has no ids'),
  ]).toEqual([1000, false])
  const ids = world.absent(1001)
  const { summary, stderr } = await bulk(
    `contacts delete --file ${file('ids', ids)} --yes ${state}`,
  )
  expect(summary).toMatchObject({ result: { notFound: 1001 }, notFoundIds: null, blockedIds: [] })
  const command = `svc runs export ${summary.run} --outcome not-found -o ids`
  expect(stderr).toContain(command)
  const shown = await svc(`runs show ${summary.run} --json ${state}`)
  expect([JSON.parse(shown.stdout), shown.stderr]).toMatchObject([
    { notFoundIds: null },
    expect.stringContaining(command) as unknown,
  ])
  const { stdout } = await svc(`${command.slice(4)} ${state}`)
  expect(stdout.trimEnd().split('\n')).toEqual(ids)
})
