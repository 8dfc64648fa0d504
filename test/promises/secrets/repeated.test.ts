/** A service repeats the secret in every field: nothing that svc prints or keeps has it. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readWorkbook } from '../../../src/workbook/workbook.ts'
import { atEnd } from '../../support/ending.ts'
import { changeAnswer } from '../../support/distortions.ts'
import { createSandboxWorld } from '../../support/svc.ts'

/** 40 characters, some of which each encoding writes in another way. */
const secret = 'q7"Zk\\v9/Lm+4%tR&x2é<Wd=8Yp\'Hs6>Jb;3NcU1'
const inJson = JSON.stringify(secret).slice(1, -1)
/** Plain and as JSON: as a service can repeat it in a string. */
const forms = [secret, inJson]
/** Every form, with words between them. */
const all = forms.map((form, n) => `form ${n}: ${form}`).join(' ; ')
/** The forms that a string holds, also cut. Csv doubles a quote, and HTML names it. */
const found = (text: string): string[] => {
  const plain = text.replaceAll(/""|&quot;|&#34;/g, '"')
  return forms.filter((form) => plain.includes(form.slice(0, 8)))
}

/** Strings that svc goes on with, beside the cursor of a history: ids, and that a ticket is open. */
const needed = /^(?:[0-9a-f]{24}|active)$/

/** An answer with the secret in every other text, and in a member more of each object. */
function repeating(value: unknown, name = ''): unknown {
  if (typeof value === 'string')
    return needed.test(value) || name === 'nextChunkStartMessageId' ? value : all
  // Values of a contact stay too, so that it is found by them.
  if (Array.isArray(value) && value.every((each) => typeof each === 'string'))
    return name.endsWith('Ids') ? value : [...value, all]
  if (Array.isArray(value)) return value.map((each) => repeating(each))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([key, member]) => [key, repeating(member, key)])
  return { ...Object.fromEntries(members), [all]: [all] }
}

const refusal = JSON.stringify({ code: 40001, message: all, [all]: all })
const refusals = [
  ...[400, 401, 403, 404, 409, 429, 500, 302].map((status) => [status, refusal] as const),
  [503, `<html>${all}</html>`],
  [200, all],
  [200, JSON.stringify({ data: all })],
  [200, `{"data": ${all}`],
] as const

const repeated = changeAnswer(({ body, headers, ...answer }) => ({
  ...answer,
  headers: { ...headers, 'x-request-id': all },
  body: JSON.stringify(repeating(JSON.parse(body))),
}))
// A header cannot have a character beyond ASCII.
const headers = { location: 'https://elsewhere.example', 'x-request-id': all }
const refused = Object.fromEntries(
  refusals.map(([status, body], n) => [
    `refused-${n}-${status}`,
    () => ({ status, headers, body }),
  ]),
)
const { svc, sandbox, folder } = await createSandboxWorld({ moreFaults: { repeated, ...refused } })
const key = sandbox.key('read-write')
const { apiSecret: before } = key
atEnd(() => Object.assign(key, { apiSecret: before }))
Object.assign(key, { apiSecret: secret })
const { list, employee, tickets, contactsWithoutChats } = sandbox.examples
const [contact = '', other = ''] = contactsWithoutChats
// One list of a few: every array has a member with the secret.
const { lists } = sandbox.company
for (const [id, { members }] of lists) {
  if (id !== list) lists.delete(id)
  for (const each of [...members.keys()].slice(20)) members.delete(each)
}
const ticket = tickets.active
const [member, phone] = [...(lists.get(list)?.members.keys() ?? [])]
  .map((id) => [id, sandbox.company.contacts.get(id)?.identities.phone?.[0]])
  .find(([, number]) => number !== undefined) ?? ['', '']
const table = join(folder, 'people.csv')
writeFileSync(table, `Name,Phone\nBerg,${phone}\n`)

/** The content of a file; of a workbook its cells. */
async function textOf(path: string): Promise<string> {
  const content = readFileSync(path)
  if (!path.endsWith('.xlsx')) return content.toString()
  const rows = await readWorkbook(path, content, { fits: () => true, hide: String })
  return rows.flatMap(({ cells }) => cells).join('\n')
}

/** The files that were searched, with the times of their last change. */
const searched = new Map<string, number>()

/** The strings of files that were written since they were searched. */
async function writtenTexts() {
  const texts: string[] = []
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    // What SQLite keeps beside the record can go at any moment.
    const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? {}
    if (mtimeMs === undefined) continue
    if (entry.isFile() && searched.get(path) !== mtimeMs) texts.push(await textOf(path))
    searched.set(path, mtimeMs)
  }
  return texts
}

/** Runs a line, on a narrow terminal or on none, and searches what it printed and wrote. */
async function search(line: string, faults = '*=repeated', columns?: number) {
  const isTerminal = { stdout: columns !== undefined, stderr: columns !== undefined }
  const env = { SVC_API_SECRET: secret, TERM: 'xterm' }
  const options = { fast: true, faults, env, isTerminal, ...(columns !== undefined && { columns }) }
  const { code, stdout, stderr } = await svc(line, options)
  return { line, code, secrets: [stdout, stderr, ...(await writtenTexts())].flatMap(found) }
}

const files = 'json ndjson csv xlsx'

test.each([
  ['lists list', `${files} ids`],
  [`lists get ${list}`, files],
  [`lists members ${list}`, `${files} ids`],
  ['contacts list', `${files} ids`],
  [`contacts get ${member}`, files],
  [`contacts find ${phone}`, 'json csv'],
  [`contacts match ${table}`, 'json csv'],
  ['contacts duplicates', 'json csv'],
  ['employees list', files],
  [`tickets history ${ticket}`, files],
])('%s', async (line, formats) => {
  const outs = formats.split(' ').map((format) => `${line} -o ${format}`)
  const ends = [
    await search(`${line} -o table`),
    // On a terminal, cells are cut and lines wrapped, in the middle of the secret at some width.
    await search(`${line} -o table`, undefined, 47),
  ]
  for (const out of outs)
    ends.push(await search(out.replace('-o xlsx', `--out ${folder}/${Math.random()}.xlsx`)))
  // Rows without a decision are 3.
  const isBad = ({ code, secrets }: (typeof ends)[0]) =>
    ![0, 3].includes(code) || secrets.length > 0
  expect(ends.filter(isBad)).toEqual([])
})

test.each(['repeated', ...Object.keys(refused)])('changes: %s', async (fault) => {
  for (const line of [
    'lists list',
    'lists list --json -v',
    'lists create other',
    `lists update ${list} --name other`,
    `lists add-contacts ${list} ${contact} ${other} --yes --receipts ${folder}/${fault}.csv`,
    `contacts delete ${contact} ${other} --yes --receipts ${folder}/${fault}.xlsx --json -v`,
    `contacts merge ${contact} --into ${other} --yes -v`,
    `tickets assign ${ticket} --to ${employee} --yes`,
    'runs list --json',
    'runs show',
    'runs show --json',
    'runs export -o csv',
  ])
    expect(await search(`SVC_WAIT=10ms ${line}`, `*=${fault}`)).toMatchObject({ secrets: [] })
})
