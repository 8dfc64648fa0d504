/** `--out`: what a read prints, as a file that is whole or not there. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { textsOf } from '../output/opened.ts'
import { createSandboxWorld } from '../svc.ts'

const { svc, sandbox, folder } = await createSandboxWorld()
const { list, tickets } = sandbox.examples
const terminal = { isTerminal: { stdout: true, stderr: true }, columns: 60 }
let files = 0
const place = (name: string): string => join(folder, `${(files += 1)}-${name}`)

test.each<[line: string, ending: string, format: string]>([
  [`lists members ${list}`, 'json', 'json'],
  [`lists members ${list}`, 'ndjson', 'ndjson'],
  [`lists members ${list}`, 'CSV', 'csv'],
  [`lists members ${list}`, 'tsv', 'tsv'],
  [`lists members ${list} --limit all --no-truncate`, 'txt', 'table'],
  [`lists members ${list}`, 'list', 'ids'],
  [`lists get ${list}`, 'json', 'json'],
  [`tickets history ${tickets.hostile}`, 'html', 'html'],
  [`tickets history ${tickets.hostile} --limit all`, 'txt', 'transcript'],
  [`ids dedupe -`, 'txt', 'ids'],
])('%s to .%s is what stdout has as %s', async (line, ending, format) => {
  const [out, stdin] = [place(`out.${ending}`), `${list}\n`]
  const printed = await svc(`${line} -o ${format}`, { stdin, now: Date.now() })
  const typed = /^(?:json|ndjson|csv|tsv|html|txt)$/i.test(ending) ? '' : `-o ${format}`
  const written = await svc(`${line} --out ${out} ${typed}`, { stdin, ...terminal })
  const hidden = (text: string): string => text.replaceAll(/\d\d:\d\d(?::\d\d)?/g, '')
  expect([written.code, written.stdout, hidden(readFileSync(out, 'utf8'))]).toEqual([0, '', hidden(printed.stdout)])
  expect(written.stderr.replaceAll(/\s+/g, ' ')).toContain(`note: wrote "${out}"`)
  expect(statSync(out).mode & 0o777).toBe(0o600)
})

test('a workbook from a terminal; rows are never cut; an incomplete answer is a file and its exit code', async () => {
  const out = place('members.xlsx')
  expect(await svc(`lists members ${list} --out ${out} --fields Phone,name`, terminal)).toMatchObject({ code: 0 })
  const rows = textsOf(readFileSync(out))
  expect([rows.length, rows[0]]).toEqual([(sandbox.store.memberIds(list)?.size ?? 0) + 1, ['PHONE', 'NAME']])
  const missing = place('missing.json')
  const nobody = '64000000d5aad2927bffffff'
  expect((await svc(`contacts get ${nobody} --in VIP --out ${missing} -q`)).code).toBe(3)
  expect(readFileSync(missing, 'utf8')).toBe('[]\n')
})

test('an existing file stays, unless it is to be replaced, and nothing but a file is', async () => {
  const [out, folderOfMine, link] = [place('mine.csv'), place('folder.csv'), place('link.csv')]
  writeFileSync(out, 'mine')
  mkdirSync(folderOfMine)
  symlinkSync(out, link)
  for (const words of [out, folderOfMine, link, `${folderOfMine} --replace-out`, `${link} --replace-out`]) {
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
  ['lists list --out lists', 'has no ending that names a format'],
  ['lists list --out lists.html', 'this command has no format "html"'],
  ['lists list --out /nowhere/lists.csv', 'there is no such file or folder'],
  ['lists list --replace-out', '--replace-out goes with --out'],
  [`lists add-contacts VIP ${list} --out x.json`, '--out is for what a read prints'],
  ['lists create --name x --out x.json', '--out is for what a read prints'],
  [`runs resume --last --out x.json`, '--out is for what a read prints'],
  ['completion bash --out x.txt', '--out is for what a read prints'],
  ['contacts list --snapshot y.ndjson --out x.json', '--out is for what a read prints'],
  ['api lists -f name=x --out x.json', '--out goes with a GET'],
])('%s is refused, and nothing is sent or written', async (line, message) => {
  const before = sandbox.requests.length
  const { code, stdout, stderr } = await svc(line, { cwd: folder })
  expect([code, stdout, sandbox.requests.length]).toEqual([2, '', before])
  expect(stderr).toContain(message)
  expect([existsSync(join(folder, 'x.json')), existsSync('x.json')]).toEqual([false, false])
})

test('no draft is left of any of them', () => {
  expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([])
})
