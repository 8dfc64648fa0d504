/** Jobs that are done once: the same command line with `--once <name>`, typed again. */
import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { table } from '../table.ts'
import { typing } from '../svc.ts'
import { createBulkWorld, recordedRuns, runFile } from './bulk-world.ts'
import { opening } from './disks.ts'
import { bury } from './run-files.ts'

const world = await createBulkWorld()
const { svc, bulk, since, under, unsent, file, free, busy, sandbox, fresh, output } = world
let jobs = 0

/** A job that deletes these contacts, two by two: its state folder and its whole command line. */
function deletion(ids: readonly string[], more = '') {
  const state = world.state()
  const line = `contacts delete --file ${file('ids', ids)} --once job-${(jobs += 1)} --yes batches-of=2 --concurrency 1 ${more} ${state}`
  return { state, line }
}

/** Runs that began: a question that was declined leaves a file without a head. */
const recorded = async (state: string): Promise<string[]> => {
  const { stdout } = await svc(`runs list --json ${state}`)
  return (JSON.parse(stdout) as { run: string }[]).map(({ run }) => run)
}

describe('the same command again', () => {
  it('with nothing left makes no request: a note, the summary, the receipts again, and the code of the run', async () => {
    const receipts = output('csv')
    const { line } = deletion([...fresh(3), ...busy.slice(0, 1)], `--receipts ${receipts}`)
    const first = await bulk(line)
    expect(first.code).toBe(3)
    const written = readFileSync(receipts, 'utf8')
    rmSync(receipts)
    const { ended, sent } = await since(() => bulk(line))
    expect([ended.code, sent]).toEqual([3, 0])
    // But for what is its command's own.
    const own = { durationMs: ended.summary.durationMs, resumed: true }
    expect(ended.summary).toEqual({ ...first.summary, ...own })
    expect(ended.stderr).toMatch(/done on \d{4}-\d\d-\d\d; nothing was sent/)
    expect(readFileSync(receipts, 'utf8')).toBe(written)
    // And with the receipts in their place.
    expect((await bulk(line)).code).toBe(3)
    expect(readFileSync(receipts, 'utf8')).toBe(written)
    // Nothing is left, so nobody is asked.
    expect(await svc(`${line.replace('--yes', '')} -q`)).toMatchObject({ code: 3, stderr: '' })
  })

  it('only reads a run that is finished', async () => {
    const { line, state } = deletion(fresh(2))
    const { summary } = await bulk(line)
    const path = runFile(state, summary.run ?? '')
    const before = readFileSync(path)
    expect((await bulk(line)).code).toBe(0)
    expect(readFileSync(path)).toEqual(before)
  })

  it('a list is looked up again: the same one by another name is the same job', async () => {
    const created = await svc('lists create --name Once-list --json')
    const { id } = JSON.parse(created.stdout) as { id: string }
    const state = world.state()
    const ids = fresh(4)
    const line = `lists add-contacts Once-list --file ${file('ids', ids)} --once named batches-of=2 --concurrency 1 ${state}`
    const first = await under('lists.add-contacts:2=401', line)
    await svc(`lists update Once-list --name Renamed-list`)
    for (const typed of ['name:Renamed-list', `id:${id}`, id]) {
      const { code, summary } = await bulk(line.replace('Once-list', typed))
      expect([typed, code]).toEqual([typed, 0])
      expect(summary).toMatchObject({ run: first.summary.run, result: { added: 4 } })
    }
  })
})

describe('another job under a used name', () => {
  const state = world.state()
  const ids = fresh(4)
  const input = file('ids', ids)
  const { list, emptyList } = sandbox.examples
  const add = `lists add-contacts ${list} --file ${input} --once taken ${state}`
  const { employee, aiEmployee, assignableTickets } = sandbox.examples
  const tickets = file('tickets', assignableTickets.slice(0, 3))
  const assign = `tickets assign --file ${tickets} --to ${employee} --if-assignee ${aiEmployee} --once assigned ${state}`

  const id = String.raw`\w{24}`
  const cases = table(`
    the operation | contacts delete --file ${input} --yes --once taken ${state} | the operation: lists\\.add-contacts then, contacts\\.delete now
    another list  | ${add.replace(list, emptyList)} | the list: ${id} then, ${id} now
    an id more    | ${add} ${free[900]} | the set of ids is different
    an id less    | ${add.replace(input, file('less', ids.slice(1)))} | the set of ids is different
    another assignee | ${assign.replace(`--to ${employee}`, `--to ${aiEmployee}`)} | the new assignee: ${id} then, ${id} now
    another condition | ${assign.replace(`--if-assignee ${aiEmployee}`, '')} | --if-assignee: ${id} then, none now
  `)

  it('is exit 2, which says what differs, and changes nothing', async () => {
    await under('lists.add-contacts:1=401', add)
    await bulk(assign)
    const before = await recorded(state)
    for (const [what, line = '', words = ''] of cases) {
      const stderr = await unsent(line, 2)
      expect([what, stderr]).toEqual([what, expect.stringMatching(words)])
      expect(stderr).toContain('nothing was sent')
    }
    expect(await recorded(state)).toEqual(before)
  })
})

it('--expect and --max-delete of a repetition are measured against the whole input', async () => {
  const { line } = deletion(fresh(6), '--expect 6 --max-delete 6')
  await under('contacts.delete:2=401', line)
  await unsent(line.replace('--expect 6', '--expect 4'), 2)
  await unsent(line.replace('--max-delete 6', '--max-delete 5'), 2)
  expect(await bulk(line)).toMatchObject({ code: 0, summary: { result: { deleted: 6 } } })
})

describe('a command that leaves the name free', () => {
  it('a failed look-up leaves it free, and no run on disk', async () => {
    const state = world.state()
    const line = `lists add-contacts Late-list --file ${file('ids', fresh(2))} --once late ${state}`
    for (const faults of ['lists.list=500', '']) {
      const { code } = await svc(line, { faults, fast: true })
      expect(code).toBe(faults === '' ? 1 : 7)
      expect(await recorded(state)).toEqual([])
    }
    await svc('lists create --name Late-list')
    expect((await bulk(line)).code).toBe(0)
  })

  it('a question that is declined or that nobody can be asked leaves it free, and no run on disk', async () => {
    const receipts = output('csv')
    const { line, state } = deletion([...fresh(2), 'oops'], `--skip-invalid --receipts ${receipts}`)
    const asking = line.replace('--yes', '')
    // Nothing is said of a file that never comes.
    expect(await unsent(asking, 2)).not.toContain(receipts)
    await unsent(asking, 2, typing('n'))
    await unsent(`${asking} --no-input`, 2, typing('2'))
    await unsent(`${line} --expect 5`, 2)
    expect(await recorded(state)).toEqual([])
    const drafts = readdirSync(world.folder).filter((name) => name.endsWith('.part'))
    expect([drafts, existsSync(receipts)]).toEqual([[], false])
    expect((await bulk(line)).code).toBe(0)
  })
})

it('a run whose folder could not be synced has sent nothing, and is gone on with', async () => {
  const { line, state } = deletion(fresh(2))
  const failing = opening((opened, path) => {
    const broken = Object.assign(new Error('EIO'), { code: 'EIO' })
    if (path.endsWith('/runs')) opened.sync = () => Promise.reject(broken)
  })
  const failed = await since(() => svc(line, { disk: failing }))
  expect([failed.ended.code, failed.sent]).toEqual([1, 0])
  for (const run of recordedRuns(state)) bury(runFile(state, run))
  expect((await bulk(line)).summary.result).toMatchObject({ deleted: 2 })
})
