/** A record that svc 9.0.0 wrote: read, resumed and recognized as it is. */
import * as fs from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { createBulkWorld } from '../support/bulk-world.ts'
import { ownFolder } from '../support/ending.ts'
import { realHost } from '../support/real-host.ts'
import { root } from '../support/svc.ts'
import { table } from '../support/table.ts'

const { sandbox, svc, bulk, since, unsent } = await createBulkWorld()
const written = fs
  .readFileSync(join(root, 'test/runs/record-of-9.sql'), 'utf8')
  .replaceAll('http://127.0.0.1:4799', sandbox.baseUrl)

let path = ''
let state = ''
beforeEach(async () => {
  const folder = ownFolder('old')
  path = join(folder, 'runs.db')
  state = `SVC_STATE_DIR=${folder}`
  fs.writeFileSync(path, '', { mode: 0o600 })
  const old = await realHost.openDatabase(path)
  old.exec('PRAGMA auto_vacuum = FULL; PRAGMA journal_mode = WAL')
  old.exec(written)
  old.close()
})

const undo = 'assign-20261130-023728-ac3e'

describe('a record of svc 9.0', () => {
  it.each(
    table(`
    nightly | unfinished | 29 unanswered  | 7
    added   | complete   | 28 done        | 0
    halves  | unfinished | 6 unanswered   | 7
    lost    | unfinished | 1 unknown      | 3
    handed  | complete   | 2 done         | 0
    kept    | complete   | 1 done         | 0
    toundo  | complete   | 1 done         | 0
    ${undo} | unfinished | 1 unanswered   | 7
    killed  | unfinished | 27 unanswered  | 7
    closed  | closed     | 1 unanswered   | 3`),
  )('shows run %s as %s: %s', async (run, status, counts = '', code) => {
    const shown = await bulk(`${state} runs show ${run}`)
    const [count, outcome = ''] = counts.split(' ')
    expect([shown.code, shown.summary.status]).toEqual([Number(code), status])
    expect(shown.summary.outcomes).toEqual({ [outcome]: Number(count) })
    expect(shown.summary.undoes).toBe(run === undo ? 'assign-20261130-023728-e165' : null)
    expect((await svc(`${state} runs export ${run} -o csv`)).code).toBe(0)
  })

  it('is not changed by a command that reads', async () => {
    const before = fs.readFileSync(path, 'hex')
    for (const line of ['runs list', 'runs show nightly', 'runs export handed', 'doctor'])
      expect((await svc(`${state} ${line}`)).code).toBe(0 + Number(line.includes('nightly')) * 7)
    expect(fs.readFileSync(path, 'hex')).toBe(before)
  })

  it.each([
    ['halves', { done: 4, 'not-found': 2 }],
    ['nightly', { done: 20, blocked: 9 }],
    // Some of its contacts were on the list of the run before.
    ['killed', { done: 1, gone: 17, blocked: 9 }],
    // The ticket has the assignee from before the run that is undone.
    [undo, { done: 1 }],
  ])('resumes run %s', async (run, outcomes) => {
    const { summary } = await bulk(`${state} runs resume ${run} --yes`)
    expect(summary.outcomes).toEqual(outcomes)
  })

  it('knows the job of a name by its ids, in any order', async () => {
    const exported = await svc(`${state} runs export added -o ids`)
    const ids = exported.stdout.trim().split('\n')
    const typed = ids.reverse().join(' ').toUpperCase()
    const line = `${state} lists add-contacts VIP ${typed} --once added`
    const again = await since(() => bulk(line), 'POST')
    expect([again.sent, again.ended.summary.outcomes]).toEqual([0, { done: 28 }])
    const other = `${state} lists add-contacts VIP ${ids.slice(1).join(' ')} --once added`
    expect(await unsent(other, 2)).toContain('is another job')
  })

  it('keeps the ids of an unknown merge', async () => {
    const { stdout } = await svc(`${state} runs export lost -o ids`)
    const [source] = stdout.split('\n')
    for (const run of ['killed', 'nightly', 'halves']) await svc(`${state} runs close ${run} --yes`)
    expect(await unsent(`${state} contacts delete ${source} --yes`, 2)).toContain('run lost')
  })

  it('gives tickets back that svc 9.0 assigned', async () => {
    const file = join(ownFolder('back'), 'back.csv')
    await svc(`${state} runs export handed --out ${file}`)
    const text = fs.readFileSync(file, 'utf8')
    expect(text.match(/,6400000376ded2c460000000,6400002876ded2c460000001,/g)).toHaveLength(2)
    // Nothing says whether svc assigned this one.
    const { stdout } = await svc(`${state} runs export kept -o csv`)
    expect(stdout).toContain('6400012ccaa033e218000008,,6400002876ded2c460000001,')
  })
})
