/** The most that may be deleted: of a command, of its environment, of a policy; always of the whole input. */
import { expect, test } from 'vitest'
import { createPlanWorld } from './plan-world.ts'

const world = await createPlanWorld({ contacts: 60 })
const { sandbox, sent, svc, approved, state, none, at } = world

const refusal = expect.stringContaining(
  '3 contacts would be deleted, --max-delete allows 2; nothing was sent',
) as string
const refused = { code: 2, writes: [], stderr: refusal }

test.each<[string, string, Readonly<Record<string, string>>]>([
  ['--max-delete', '--max-delete 2', {}],
  ['SVC_MAX_DELETE', '', { SVC_MAX_DELETE: '2' }],
])('%s binds plans apply, runs resume and runs retry', async (_, words, env) => {
  const folder = state()
  const path = await approved('batches-of=1')
  expect(await sent(`plans apply ${path} --yes ${folder} ${words}`, { env })).toMatchObject(refused)
  sandbox.setFaults('contacts.delete:2+=401')
  expect(await svc(`plans apply ${path} --yes ${folder} --concurrency 1`)).toMatchObject({
    code: 4,
  })
  sandbox.setFaults()
  for (const verb of ['resume --last', 'retry --last --outcome error,not-attempted'])
    expect(await sent(`runs ${verb} --yes ${folder} ${words}`, { env })).toMatchObject(refused)
  expect(await sent(`plans apply ${path} --yes ${folder} ${words}`, { env })).toMatchObject(refused)
  expect(await sent(`runs resume --last --yes ${folder} --max-delete 3`, { env })).toMatchObject({
    code: 0,
  })
})

test('neither is about what is no delete', async () => {
  const env = { SVC_MAX_DELETE: '0' }
  const path = at('add.plan')
  const line = `lists add-contacts VIP ${world.fresh(2).join(' ')} --plan ${path}`
  expect(await svc(line, none)).toMatchObject({ code: 0 })
  expect(await svc(`plans apply ${path} --yes ${state()}`, { ...none, env })).toMatchObject({
    code: 0,
  })
})

test("a policy's is of the whole input, also of a shard that is empty", async () => {
  const [first, second] = world.fresh(2)
  world.rules({ maxDelete: 1 })
  for (const shard of ['1/2', '2/2', '5/9'])
    expect(
      await sent(`contacts delete ${first} ${second} --shard ${shard} --yes ${state()}`),
    ).toMatchObject({
      code: 5,
      writes: [],
      stderr: expect.stringContaining('this one would delete 2') as string,
    })
  world.rules({ maxDelete: 2 })
  expect(
    await sent(`contacts delete ${first} ${second} --shard 2/2 --yes ${state()}`),
  ).toMatchObject({ code: 0 })
  world.policy()
})
