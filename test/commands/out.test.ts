/** Output of reads and runs: files, numbers of rows, fields. */
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Summary } from '../../src/cli/schemas.ts'
import { fieldsOf } from '../../src/output/fields.ts'
import { summaryView } from '../../src/views/bulk.ts'
import { textsOf } from '../output/opened.ts'
import { createSandboxWorld } from '../svc.ts'
import { hasFeature } from '../has-feature.ts'

const { svc, sandbox, folder } = await createSandboxWorld()

// `--out`: what a read prints, as a file that is whole or not there.
const { list, tickets } = sandbox.examples
const terminal = { isTerminal: { stdout: true, stderr: true }, columns: 60 }
let files = 0
const place = (name: string): string => join(folder, `${(files += 1)}-${name}`)

const otherIds = place('other.txt')
writeFileSync(otherIds, `${sandbox.hostile.ticket}\n`)

test.each<[line: string, ending: string, format: string]>([
  [`lists members ${list}`, 'json', 'json'],
  [`lists members ${list}`, 'ndjson', 'ndjson'],
  [`lists members ${list}`, 'CSV', 'csv'],
  [`lists members ${list} --limit all --no-truncate`, 'txt', 'table'],
  [`lists members ${list}`, 'list', 'ids'],
  [`lists get ${list}`, 'json', 'json'],
  [`tickets history ${sandbox.hostile.ticket}`, 'html', 'html'],
  [`tickets history ${sandbox.hostile.ticket} --limit all`, 'txt', 'transcript'],
  [`ids subtract - ${otherIds}`, 'txt', 'ids'],
])('%s to .%s is what stdout has as %s', async (line, ending, format) => {
  const [out, stdin] = [place(`out.${ending}`), `${list}\n`]
  const printed = await svc(`${line} -o ${format}`, { stdin, now: Date.now() })
  const typed = /^(?:json|ndjson|csv|html|txt)$/i.test(ending) ? '' : `-o ${format}`
  const written = await svc(`${line} --out ${out} ${typed}`, { stdin, ...terminal })
  const hidden = (text: string): string => text.replaceAll(/\d\d:\d\d(?::\d\d)?/g, '')
  expect([written.code, written.stdout, hidden(readFileSync(out, 'utf8'))]).toEqual([
    0,
    '',
    hidden(printed.stdout),
  ])
  // A path of any length may be broken at the terminal's width.
  expect(written.stderr.replaceAll(/\s+/g, '')).toContain(`note:wrote"${out}"`)
  expect(statSync(out).mode & 0o777).toBe(0o600)
})

test.runIf(hasFeature('workbook'))(
  'a workbook from a terminal; rows are never cut; an incomplete answer is a file and its exit code',
  async () => {
    const out = place('members.xlsx')
    expect(
      await svc(`lists members ${list} --out ${out} --fields Phone,name`, terminal),
    ).toMatchObject({ code: 0 })
    const rows = textsOf(readFileSync(out))
    expect([rows.length, rows[0]]).toEqual([
      (sandbox.store.memberIds(list)?.size ?? 0) + 1,
      ['PHONE', 'NAME'],
    ])
    const table = place('members.txt')
    expect((await svc(`lists members ${list} --out ${table}`, terminal)).code).toBe(0)
    expect(readFileSync(table, 'utf8').trimEnd().split('\n')).toHaveLength(rows.length)
    const missing = place('missing.json')
    const nobody = '64000000d5aad2927bffffff'
    expect((await svc(`contacts get ${nobody} --in VIP --out ${missing} -q`)).code).toBe(3)
    expect(readFileSync(missing, 'utf8')).toContain('"found": false')
  },
)

test('an existing file stays, unless it is to be replaced, and nothing but a file is', async () => {
  const [out, folderOfMine, link] = [place('mine.csv'), place('folder.csv'), place('link.csv')]
  writeFileSync(out, 'mine')
  mkdirSync(folderOfMine)
  symlinkSync(out, link)
  for (const words of [
    out,
    folderOfMine,
    link,
    `${folderOfMine} --replace-out`,
    `${link} --replace-out`,
  ]) {
    const before = sandbox.requests.length
    expect(await svc(`lists list --out ${words}`)).toMatchObject({ code: 2, stdout: '' })
    expect([readFileSync(out, 'utf8'), sandbox.requests.length]).toEqual(['mine', before])
  }
  expect((await svc(`lists list --limit 1 --out ${out} --replace-out`)).code).toBe(0)
  expect(readFileSync(out, 'utf8')).toMatch(/^id,name,.*\n.*\n$/)
})

test.each([
  ['lists.list:2+=500', 'lists list', 7],
  ['lists.get:2+=403', 'contacts list', 5],
  ['tickets.history=404', `tickets history ${tickets.closed} ${tickets.old}`, 6],
])('after %s %s leaves no file, nor what was there', async (fault, line, code) => {
  const [out, kept] = [place('none.json'), place('kept.json')]
  writeFileSync(kept, 'kept')
  sandbox.setFaults(fault)
  for (const words of [out, `${kept} --replace-out`])
    expect(await svc(`${line} --retries 0 --out ${words}`)).toMatchObject({ code, stdout: '' })
  sandbox.setFaults()
  expect([existsSync(out), readFileSync(kept, 'utf8')]).toEqual([false, 'kept'])
})

test.each([
  ['lists list --out lists', 'does not have the extension of a format'],
  ['lists list --out lists.html', 'this command does not support the format "html"'],
  ['lists list --out /nowhere/lists.csv', 'there is no such file or folder'],
  ['lists list --replace-out', '--replace-out needs --out'],
  ['api lists -f name=x --out x.json', '--out needs a GET'],
])('%s is refused, and nothing is sent or written', async (line, message) => {
  // Nobody listens there: a request would end with 7.
  const { code, stdout, stderr } = await svc(line, {
    cwd: folder,
    env: { SVC_BASE_URL: 'http://127.0.0.1:9' },
  })
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toContain(message)
  expect([existsSync(join(folder, 'x.json')), existsSync('x.json')]).toEqual([false, false])
})

// A limit in a file shortens output for people, never output for programs.
const members = sandbox.store.memberIds(list).size
const config = join(folder, 'config.json')
writeFileSync(config, '{"defaults":{"limit":5}}', { mode: 0o600 })

const lines = (text: string): number => text.split('\n').length - 1
const inJson = (text: string): number => (JSON.parse(text) as unknown[]).length

describe('a limit of 5 in the file', () => {
  const more = { env: { SVC_CONFIG: config } }

  test.each([
    ['ids', 0, lines],
    ['ndjson', 0, lines],
    ['csv', 1, lines],
    ['json', 0, inJson],
  ] as const)('does not cut -o %s', async (format, header, count) => {
    const { code, stdout, stderr } = await svc(`lists members VIP -o ${format}`, more)
    expect([code, count(stdout), stderr]).toEqual([0, members + header, ''])
    const fromVariable = await svc('lists members VIP', {
      env: { ...more.env, SVC_OUTPUT: format },
    })
    expect(fromVariable.stdout).toBe(stdout)
  })

  test('is the default of a table, which says so; in the defaults of the user too', async () => {
    const found = await svc('lists members VIP', more)
    expect([lines(found.stdout), found.stderr.includes(`Showing 5 of ${members} members`)]).toEqual(
      [5 + 1, true],
    )
    expect(await svc(`lists members VIP --config ${config}`)).toEqual(found)
    expect((await svc('contacts list --in VIP', more)).stderr).toContain('Showing 5 of ')
    expect(lines((await svc('lists members VIP --limit 7', more)).stdout)).toBe(7 + 1)
  })
})

// `--fields` where JSON is no rows: documents are projected, receipts are what ndjson of a bulk run has.
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
  test('of a bulk run, printed and recorded', async () => {
    const line = `contacts delete ${fresh(2).join(' ')} --yes`
    const fields = 'result.deleted,status,errors.message,exitCode,run'
    const summary = (await chosen(line, fields)) as { run: string }
    expect(summary).toEqual({
      result: { deleted: 2 },
      status: 'complete',
      errors: [],
      exitCode: 0,
      run: summary.run,
    })
    expect(await chosen(`runs show ${summary.run}`, fields)).toEqual(summary)
    const { stdout } = await svc(`runs show ${summary.run} -o ndjson --fields status`)
    expect(stdout).toBe('{"status":"complete"}\n')
    const whole = JSON.parse((await svc(`runs show ${summary.run} --json`)).stdout) as unknown
    const known = await fieldsOf({ ...summaryView, schema: () => Summary }, 'json')
    for (const path of pathsOf(whole)) expect(known).toContain(path)
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

test('receipts of an operation without an assignee have no "before": that field is refused', async () => {
  const [id = ''] = fresh(1)
  const sent = sandbox.requests.length
  const refused = await svc(`contacts delete ${id} --yes -o ndjson --fields before`)
  expect([refused.code, refused.stdout, sandbox.requests.length]).toEqual([2, '', sent])
  expect(refused.stderr).toContain('fields: id, line, outcome, at, batch, attempts, code, message')
})
