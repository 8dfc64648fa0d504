/** Records of another format (docs/journal-format.md, Other versions): refused, passed over by lists, and their names are never taken for free. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { RunStore } from '../../src/bulk/runs/store.ts'
import { realHost } from '../host.ts'
import { createBulkWorld } from './bulk-world.ts'

const world = await createBulkWorld()
const { svc, bulk, file, fresh, sandbox } = world

/** A run with a name, as version 3.1.0 recorded it. */
async function earlier(line: string, state: string, schema = 'svc.run/4'): Promise<string> {
  const { summary } = await bulk(`${line} ${state}`)
  const path = join(state.split(' ')[1] ?? '', 'runs', summary.run ?? '', 'run.json')
  const text = readFileSync(path, 'utf8').replace('svc.run/5', schema)
  writeFileSync(path, text.replace(/"version": "[^"]*"/, '"version": "3.1.0"'))
  return summary.run ?? ''
}

it('is refused with exit 2 that says so, and its name is not free', async () => {
  const state = world.state()
  const line = `contacts delete --file ${file('ids', fresh(2))} --yes --once nightly`
  const run = await earlier(line, state)
  const before = sandbox.requests.length
  const words = `error: run ${run} was recorded by svc 3.1.0, in a format that this version does not read\n`
  for (const command of [
    `runs show ${run}`,
    `runs export ${run}`,
    `runs resume ${run}`,
    'runs show nightly',
    line,
  ]) {
    const { code, stdout, stderr } = await svc(`${command} ${state}`)
    expect([command, code, stdout, stderr]).toEqual([
      command,
      2,
      '',
      expect.stringContaining(words),
    ])
  }
  expect(sandbox.requests.length).toBe(before)
})

it('is passed over by runs list, with a note, and is not fine for runs check', async () => {
  const state = world.state()
  await earlier(`contacts delete --file ${file('ids', fresh(2))} --yes --once nightly`, state)
  const { summary } = await bulk(`contacts delete --file ${file('ids', fresh(2))} --yes ${state}`)
  const listed = await svc(`runs list -o ids ${state}`)
  expect(listed).toEqual({
    code: 0,
    stdout: `${summary.run}\n`,
    stderr:
      'note: 1 run of an earlier version of svc is not shown: this version does not read their format\n',
  })
  expect((await svc(`runs check nightly --within 1h ${state}`)).code).toBe(3)
})

it('what was kept of a pruned one is refused as well', async () => {
  const state = world.state()
  const line = `contacts delete --file ${file('ids', fresh(2))} --yes --once nightly`
  await bulk(`${line} ${state}`)
  expect((await svc(`runs prune --older-than 0s --yes ${state}`)).code).toBe(0)
  const names = join(state.split(' ')[1] ?? '', 'names')
  const { readdirSync } = await import('node:fs')
  const path = join(names, readdirSync(names)[0] ?? '', 'name.json')
  writeFileSync(path, readFileSync(path, 'utf8').replace('svc.run/5', 'svc.run/4'))
  expect((await svc(`runs check nightly --within 1h ${state}`)).code).toBe(3)
  for (const command of [line, 'runs show nightly']) {
    const { code, stderr } = await svc(`${command} ${state}`)
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('the name "nightly" belongs to a run of svc '),
    ])
  }
})

it('beside it --last is the newest run that can be read, and every list begins with that', async () => {
  const state = world.state()
  const { summary } = await bulk(`contacts delete --file ${file('ids', fresh(1))} --yes ${state}`)
  const before = await earlier(`contacts delete --file ${file('ids', fresh(1))} --yes`, state)
  const shown = await svc(`runs show --last --json ${state}`)
  expect([shown.code, JSON.parse(shown.stdout)]).toMatchObject([0, { run: summary.run }])
  expect((await svc(`runs list -o ids ${state}`)).stdout).toBe(`${summary.run}\n`)
  const stateDir = state.replace('--state-dir ', '')
  const listed = await new RunStore(realHost, () => stateDir).list()
  expect(listed.map(({ id }) => id)).toEqual([summary.run, before])
})
