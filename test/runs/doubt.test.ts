/** Answers that are lost: a merge is never sent again unasked. When a run stops, and what one change costs. */
import { expect, it } from 'vitest'
import { createBulkWorld } from './bulk-world.ts'
import { opening, syncing } from './disks.ts'

const world = await createBulkWorld()
const { bulk, unsent, since, fresh, file, sandbox } = world

it('a merge whose answer is lost is not sent again, by no command but --new-run', async () => {
  const [source = '', target = '', other = ''] = fresh(3)
  const state = world.state()
  const line = `contacts merge ${source} --into ${target} --yes ${state}`
  const lost = await world.under('contacts.merge=drop-before', line)
  expect(lost).toMatchObject({
    code: 3,
    summary: { outcomes: { unknown: 1 }, due: 0, retry: false },
  })
  expect(lost.stderr).toContain(`unknown: ${source} into ${target}\n`)
  expect(lost.stderr).toContain('within 11 minutes')
  const run = lost.summary.run ?? ''
  const rows = file('pairs.csv', ['source,target', `${other},${target}`, `${source},${target}`])
  const doubt = `error: it is not known whether ${source} was merged into ${target} by run ${run}; nothing was sent\n`
  for (const words of [
    line,
    `${line} --once again`,
    `${line} --dry-run`,
    `contacts merge ${source.toUpperCase()} --into ${other} --yes ${state}`,
    `contacts merge --file ${rows} --yes ${state}`,
  ])
    expect(await unsent(words, 2)).toContain(doubt)
  const sent = await since(() => bulk(`${line} --new-run`), 'POST')
  expect(sent).toMatchObject({ sent: 1, ended: { code: 0, summary: { outcomes: { done: 1 } } } })
})

it.each([
  ['1-2', '4-5', '7', { done: 3, unknown: 5 }, null],
  ['2-4', '5', '6', { done: 1, unknown: 3, 'not-attempted': 4 }, 'failures'],
])('three failures in a row stop a run: %s %s %s', async (one, two, three, outcomes, reason) => {
  const faults = [one, two, three].map((when) => `contacts.delete:${when}=500`).join(' ')
  const words = '--yes --wait 0s --concurrency 1 batches-of=1'
  const line = `contacts delete ${fresh(8).join(' ')} ${words} ${world.state()}`
  const { code, summary } = await world.under(faults, line)
  expect({ code, outcomes: summary.outcomes, reason: summary.stopReason }).toEqual({
    code: 7,
    outcomes,
    reason,
  })
})

it('one change costs four syncs: of its file and folder, its attempt and its answer', async () => {
  const [ticket] = sandbox.store.tickets.all()
  const state = world.state()
  // The first command makes the folder of the runs.
  await bulk(`contacts delete ${fresh(1).join('')} --yes ${state}`)
  const lines = [
    `contacts delete ${fresh(1).join('')} --yes ${state}`,
    `tickets assign ${ticket?.id} --to ${world.taker(ticket?.id ?? '')} ${state}`,
  ]
  for (const line of lines) {
    let syncs = 0
    const count = () => void (syncs += 1)
    const folders = opening((opened) => syncing(opened, { before: count }))
    const { code } = await bulk(line, {
      disk: (disk) => ({
        ...folders(disk),
        fdatasync: ((fd, done) => {
          count()
          disk.fdatasync(fd, done)
        }) as typeof disk.fdatasync,
      }),
    })
    expect([line, code]).toEqual([line, 0])
    expect([line, syncs]).toEqual([line, 4])
  }
})
