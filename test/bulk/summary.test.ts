/** The summary document: who and why, what is left, arrays of ids that stay small, and a record whose end is damaged. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createBulkWorld } from './bulk-world.ts'

const world = await createBulkWorld()
const { bulk, svc, file, fresh } = world

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

describe('a damaged journal', () => {
  const damages: Readonly<Record<string, (journal: string) => string>> = {
    'its last line changed': (journal) => journal.replace('"t":"end"', '"t":"End"'),
    'half a line behind it': (journal) => `${journal}{"t":"tr`,
    'a line before it changed': (journal) => journal.replace('"k":"answered"', '"k":"Answered"'),
  }

  it.each(Object.entries(damages))(
    '%s: told by show and export, and repaired by neither',
    async (_, damage) => {
      const state = world.state()
      const { summary } = await bulk(
        `contacts delete --file ${file('ids', fresh(2))} --yes ${state}`,
      )
      const path = join(state.split(' ')[1] ?? '', 'runs', summary.run ?? '', 'journal.ndjson')
      const damaged = damage(readFileSync(path, 'utf8'))
      writeFileSync(path, damaged)
      const told = `1 damaged line skipped in the journal of run ${summary.run}: batches`
      for (const line of [`runs show ${summary.run}`, `runs export ${summary.run}`]) {
        const { code, stderr } = await svc(`${line} ${state}`)
        expect([line, code, stderr]).toEqual([line, 0, expect.stringContaining(told)])
      }
      expect(readFileSync(path, 'utf8')).toBe(damaged)
    },
  )
})
