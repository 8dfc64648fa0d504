/** A service that repeats the secret, in every form and in every field of its answers and errors: nothing that svc prints or keeps has it. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inflateRawSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { answering, http } from '../http/loopback.ts'
import { createWorld } from '../svc.ts'
import { canRun } from '../has-feature.ts'

/** 40 characters, some of which each encoding writes in another way. */
const secret = 'q7"Zk\\v9/Lm+4%tR&x2é<Wd=8Yp\'Hs6>Jb;3NcU1'
const bytes = Buffer.from(secret)
const inJson = JSON.stringify(secret).slice(1, -1)
const percent = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
const entity: Readonly<Record<string, string>> = {
  '"': '&quot;',
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  "'": '&#39;',
}
const forms = [
  secret,
  secret.toUpperCase(),
  encodeURIComponent(secret),
  encodeURIComponent(encodeURIComponent(secret)),
  percent(secret),
  new URLSearchParams({ a: secret }).toString().slice(2),
  bytes.toString('base64'),
  bytes.toString('base64url'),
  Buffer.from(`user:${secret}`).toString('base64'),
  bytes.toString('hex'),
  bytes.toString('hex').toUpperCase(),
  inJson,
  JSON.stringify(inJson).slice(1, -1),
  secret.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  secret.replace(/["&<>']/g, (one) => entity[one] ?? one),
  secret.replaceAll('"', '""'),
]
/** Every form, with words between them. */
const all = forms.map((form, n) => `form ${n}: ${form}`).join(' ; ')
/** Texts that are looked for: each form, and the middle of each. */
const sought = [...forms, ...forms.map((form) => form.slice(8, -8))].map((form) =>
  form.toLowerCase(),
)

/** The forms that a text holds. */
const found = (text: string): string[] => {
  const lower = text.toLowerCase()
  return sought.filter((form) => lower.includes(form))
}

const id = (n: number): string => n.toString(16).padStart(24, '0')
const list = {
  id: id(1),
  name: all,
  description: all,
  contactsCount: 2,
  createdAt: all,
  [all]: all,
}
const contact = (n: number) => ({
  ...{
    id: id(n),
    firstName: all,
    lastName: 'Berg',
    createdAt: all,
    updatedAt: all,
    more: { [all]: [all] },
  },
  identities: {
    phone: ['+491712345678', all],
    email: [`${n}@example.org`],
    messengerB_username: [all],
  },
})
const members = [2, 3].map((n) => ({ id: id(n + 10), contact: contact(n), createdAt: all }))
const pagination = { page: 1, limit: 100, total: 2, totalPages: 1, hasNext: false, hasPrev: false }
const message = {
  ...{
    id: all,
    sentAt: all,
    fromId: all,
    direction: all,
    text: all,
    subject: all,
    mediaGroupId: all,
  },
  attachments: [{ id: all, kind: all, fileName: all, mimeType: all, source: all }],
}
const ticket = {
  id: id(4),
  chatId: all,
  status: 'active',
  assigneeId: id(5),
  startedAt: all,
  attribution: { ad_id: all },
}
const employees = [5, 6].map((n) => ({
  id: id(n),
  firstName: `${n}`,
  lastName: all,
  kind: 'human',
  position: all,
  status: all,
}))

/** Answers to each request, by its method and path. */
function dataFor(request: string): object | undefined {
  const [line = ''] = request.split('\r\n')
  if (/GET \/v1\/lists\/\w+/.test(line)) return { list, members, pagination }
  if (line.startsWith('GET /v1/lists'))
    return { lists: [list], pagination: { ...pagination, total: 1 } }
  if (line.includes('bulk-delete'))
    return { deletedCount: 0, notFoundIds: [id(2)], blockedIds: [], note: all }
  if (line.includes('/contacts HTTP')) return { added: 2, skipped: 0, failed: 0, note: all }
  if (line.includes('/merge')) return { mergedContactId: id(2), contact: contact(3) }
  if (line.includes('/history'))
    return { ticket, messages: [message], nextChunkStartMessageId: undefined }
  if (line.includes('/assignee'))
    return { ticketId: id(4), chatId: all, previousAssigneeId: id(5), newAssigneeId: id(6) }
  if (line.includes('/employees')) return employees
  return line.includes('/lists') ? list : undefined
}

let fault: { readonly status: number; readonly body: string; readonly headers?: object } | undefined
const server = await answering((socket, request) => {
  const data = dataFor(request)
  if (fault !== undefined || data === undefined) {
    const { status, body, headers } = fault ?? {
      status: 404,
      body: JSON.stringify({ code: 40401, message: all }),
    }
    socket.write(http(status, body, { ...headers, 'x-request-id': all }))
  } else socket.write(http(200, JSON.stringify({ data, [all]: all }), { 'x-request-id': all }))
})
const world = createWorld({
  SVC_BASE_URL: server.baseUrl,
  SVC_API_KEY: 'pk_0123456789',
  SVC_API_SECRET: secret,
})
const { folder } = world
const table = join(folder, 'people.csv')
writeFileSync(table, 'Name,Phone\nBerg,+49 171 2345678\n')

/** The content of a file; of a workbook its parts. */
function textOf(path: string): string {
  const content = readFileSync(path)
  if (!path.endsWith('.xlsx')) return content.toString()
  const parts: string[] = []
  for (
    let at = content.indexOf('PK\u0003\u0004');
    at >= 0;
    at = content.indexOf('PK\u0003\u0004', at + 4)
  ) {
    const start = at + 30 + content.readUInt16LE(at + 26) + content.readUInt16LE(at + 28)
    if (content.readUInt16LE(at + 8) === 0) parts.push(content.toString('utf8', start))
    else parts.push(inflateRawSync(content.subarray(start)).toString())
  }
  return parts.join('\n')
}

/** Runs a line. What it printed and wrote is searched. */
async function search(line: string): Promise<{ code: number; secrets: string[] }> {
  const { code, stdout, stderr } = await world.svc(line, { fast: true })
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => textOf(join(entry.parentPath, entry.name)))
  return { code, secrets: [stdout, stderr, ...files].flatMap(found) }
}

beforeEach(() => {
  fault = undefined
})
afterEach(() => {
  fault = undefined
})

test('the search finds every form', () => {
  expect(forms.filter((form) => found(`before ${form} after`).length === 0)).toEqual([])
})

const reads: readonly (readonly [line: string, formats: string])[] = [
  ['lists list', 'table json ndjson csv xlsx ids'],
  [`lists get ${id(1)}`, 'table json ndjson csv xlsx'],
  [`lists members ${id(1)}`, 'table json ndjson csv xlsx ids'],
  ['contacts list', 'table json ndjson csv xlsx ids'],
  [`contacts get ${id(2)}`, 'table json ndjson csv xlsx'],
  ['contacts find --phone +491712345678', 'table json csv'],
  [`contacts match --file ${table}`, 'table json ndjson csv xlsx'],
  ['contacts duplicates', 'table json ndjson csv xlsx'],
  ['employees list', 'table json ndjson csv xlsx'],
  [`tickets get ${id(4)}`, 'table json'],
  [`tickets history ${id(4)}`, 'transcript html table json ndjson csv xlsx'],
  ['api lists', 'json ndjson'],
  [`api lists/${id(1)} -vv`, 'json'],
]

test.each(reads.filter(([line]) => canRun(line)))('%s', async (line, formats) => {
  for (const format of formats.split(' ').filter(canRun)) {
    const isFile = format === 'xlsx' || format === 'html'
    const out = isFile ? `--out ${folder}/out.${format} --replace-out` : `-o ${format}`
    const { code, secrets } = await search(`${line} ${out}`)
    expect([format, secrets]).toEqual([format, []])
    expect([0, 3]).toContain(code)
  }
})

const others = [
  `contacts match --file ${table} --annotate ${folder}/matched.csv`,
  `contacts match --file ${table} --annotate ${folder}/matched.xlsx`,
  `contacts delete ${id(2)} --dry-run --who`,
  `lists add-contacts ${id(1)} ${id(2)} ${id(3)} --yes --receipts ${folder}/added.csv`,
  `contacts delete ${id(2)} --yes --receipts ${folder}/deleted.xlsx --json -vv`,
  `contacts merge ${id(2)} --into ${id(3)} --yes`,
  `tickets assign ${id(4)} --to ${id(6)} --yes`,
  `lists create --name other`,
  `lists update ${id(1)} --name other`,
  'runs list --json',
  'runs show --last',
  'runs export --last -o csv',
]

test.each(others.filter(canRun))('%s', async (line) => {
  expect((await search(line)).secrets).toEqual([])
})

const refusal = JSON.stringify({ code: 40001, message: all, [all]: all })
test.each([
  [400, refusal],
  [401, refusal],
  [403, refusal],
  [404, refusal],
  [409, refusal],
  [429, refusal],
  [500, refusal],
  [503, `<html>${all}</html>`],
  [302, refusal],
  [200, all],
  [200, JSON.stringify({ data: all })],
  [200, `{"data": ${all}`],
] as const)('an answer with status %i: %#', async (status, body) => {
  for (const line of [
    'lists list --retries 1',
    'lists list --retries 1 --json --error-format json -vv',
    'api lists --retries 1',
    `lists create --name x`,
    `lists add-contacts ${id(1)} ${id(2)} --yes --retries 1 --receipts ${folder}/r-${status}-${body.length}.ndjson`,
    `contacts delete ${id(2)} ${id(3)} --yes --retries 1 -o ndjson`,
    `contacts merge ${id(2)} --into ${id(3)} --yes -vv`,
    `tickets assign ${id(4)} --to ${id(6)} --yes`,
    'runs show --last --json',
    'runs export --last -o csv',
  ]) {
    fault = line.startsWith('runs')
      ? undefined
      : { status, body, headers: { location: `https://${all}` } }
    expect([line, (await search(line)).secrets]).toEqual([line, []])
  }
})
