/** `--fields` where JSON is no rows: documents are projected, receipts are what ndjson of a bulk run has. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findingView } from '../../src/commands/doctor/finding.ts'
import { summaryView } from '../../src/resources/bulk.ts'
import { createSandboxWorld } from '../svc.ts'

const { svc, sandbox, folder } = await createSandboxWorld()
const free = [...sandbox.store.contacts()]
  .filter(({ id }) => sandbox.store.contact(id)?.chat !== true)
  .map(({ id }) => id)
const fresh = (n: number): string[] => free.splice(0, n)

/** Every path of a value, through arrays. */
function pathsOf(value: unknown, before = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => pathsOf(item, before))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, each]) => {
    const path = before === '' ? key : `${before}.${key}`
    return [path, ...pathsOf(each, path)]
  })
}

/** A command's JSON with these fields alone. */
async function chosen(line: string, fields: string): Promise<unknown> {
  return JSON.parse((await svc(`${line} --json --fields ${fields}`)).stdout)
}

describe('a document', () => {
  test('of doctor', async () => {
    expect(await chosen('doctor', 'exitCode,checks.check')).toEqual({
      exitCode: 0,
      checks: expect.arrayContaining([{ check: 'clock' }]) as unknown,
    })
    const whole = JSON.parse((await svc('doctor --json')).stdout) as unknown
    for (const path of pathsOf(whole)) expect(findingView.document).toContain(path)
  })

  test('of profiles show', async () => {
    expect(await chosen('profiles show', 'settings.limit,baseUrl.value,secret')).toEqual({
      settings: { limit: { value: null, source: 'built-in' } },
      baseUrl: { value: sandbox.baseUrl },
      secret: { source: 'the variable SVC_API_SECRET' },
    })
    const paths = pathsOf(JSON.parse((await svc('profiles show --json')).stdout))
    expect((await svc(`profiles show --json --fields ${paths.join(',')}`)).code).toBe(0)
  })

  test('of a dry run', async () => {
    expect(await chosen('lists create --name x --dry-run', 'name')).toEqual({ name: null })
  })

  test('of a bulk run, printed and recorded', async () => {
    const line = `contacts delete ${fresh(2).join(' ')} --yes`
    const fields = 'result.deleted,status,errors.message,exitCode,run'
    const summary = (await chosen(line, fields)) as { run: string }
    expect(summary).toEqual({ result: { deleted: 2 }, status: 'complete', errors: [], exitCode: 0, run: summary.run })
    expect(await chosen(`runs show ${summary.run}`, fields)).toEqual(summary)
    const { stdout } = await svc(`runs show ${summary.run} -o ndjson --fields status`)
    expect(stdout).toBe('{"status":"complete"}\n')
    const whole = JSON.parse((await svc(`runs show ${summary.run} --json`)).stdout) as unknown
    for (const path of pathsOf(whole)) expect(summaryView.document).toContain(path)
  })

  test('its table has the fields of its rows', async () => {
    const [id = ''] = fresh(1)
    expect((await svc(`contacts delete ${id} --yes --fields count,outcome -o csv`)).stdout).toBe(
      'count,outcome\n1,deleted\n',
    )
    const { code, stderr } = await svc(`contacts delete ${id} --yes --fields result`)
    expect([code, stderr]).toEqual([2, 'error: unknown field "result"\n  fields: outcome, count\n'])
  })
})

describe('receipts', () => {
  test('are projected', async () => {
    const ids = fresh(2)
    const { stdout } = await svc(`contacts delete ${ids.join(' ')} --yes -o ndjson --fields outcome,id`)
    expect(stdout).toBe(ids.map((id) => `{"outcome":"deleted","id":"${id}"}\n`).join(''))
  })

  test('of assign have who had the ticket before and after, all others have not', async () => {
    const [ticket = ''] = sandbox.examples.assignableTickets
    const before = sandbox.store.tickets.assigneeOf(ticket)
    const file = join(folder, 'tickets.txt')
    writeFileSync(file, `${ticket}\n`)
    const to = sandbox.examples.employee
    const { stdout } = await svc(`tickets assign --file ${file} --to ${to} -o ndjson --fields id,before,after`)
    expect(JSON.parse(stdout)).toEqual({ id: ticket, before, after: to })
    const [id = ''] = fresh(1)
    const sent = sandbox.requests.length
    const refused = await svc(`contacts delete ${id} --yes -o ndjson --fields before`)
    expect([refused.code, refused.stdout, sandbox.requests.length]).toEqual([2, '', sent])
    expect(refused.stderr).toContain('fields: id, line, outcome, batch, attempts, code, message')
  })

  test('are not what their table is made of', async () => {
    const { code, stderr } = await svc(
      `contacts delete ${fresh(1).join(' ')} --yes -o ndjson --fields count --error-format text`,
    )
    expect([code, stderr]).toEqual([
      2,
      'error: unknown field "count"\n  fields: id, line, outcome, batch, attempts, code, message\n',
    ])
  })
})
