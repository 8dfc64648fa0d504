/** Answers of the wrong shape through whole commands, and odd ones that can be used. */
import { expect, it } from 'vitest'
import { answering, envFor, http } from '../../support/loopback.ts'
import { createWorld } from '../../support/svc.ts'

const id = '0123456789abcdef01234567'
const list = { id, name: 'VIP', description: null, contactsCount: 3 }
const pagination = { page: 1, limit: 20, total: 1, totalPages: 1, hasNext: false, hasPrev: false }
const history = `tickets history ${id}`

/** A command against a service that always answers with this body. */
async function answered(line: string, body: string, status = 200) {
  const server = await answering((socket) => socket.write(http(status, body)))
  return createWorld(envFor(server.baseUrl)).svc(line, { fast: true })
}

const listed = (change: object): object => ({ lists: [{ ...list, ...change }], pagination })
const other = { ticket: { id: id.replace('0', 'f'), status: 'active' }, messages: [] }
const tooLong = { ticket: { id, status: 'active' }, messages: [{ id: 9_007_199_254_740_992 }] }
const members = (change: object): object => ({ list, members: [{ id, ...change }], pagination })
const ticket = (change: object): object => ({ ticket: { id, ...change }, messages: [] })
const attached = { ...other, messages: [{ id: 'm', attachments: [{ fileName: 7 }] }] }
const counted = { lists: [], pagination: { ...pagination, total: '1' } }
it.each<[string, object, string]>([
  ['lists list', listed({ id: 7 }), "answer's lists.0.id does not match the API description"],
  ['lists list', counted, "answer's pagination.total does not match"],
  [`lists members ${id}`, members({ id: 7, contact: { id } }), "answer's members.0.id does not"],
  [`lists members ${id}`, members({ contact: { id: 'x' } }), "answer's members.0.contact.id does"],
  ['employees list', [{ id, status: 7 }], "answer's 0.status does not match"],
  [history, ticket({ status: 7 }), "answer's ticket.status does not match"],
  [history, attached, "answer's messages.0.attachments.0.fileName does not match"],
  ['lists list', listed({ contactsCount: -1 }), "answer's lists.0.contactsCount"],
  ['lists list', { lists: [] }, "answer's pagination does not match the API description"],
  [history, tooLong, "answer's messages.0.id does not match the API description"],
])('%s of %j: exit 1, and no row of it on stdout', async (line, data, words) => {
  const { code, stdout, stderr } = await answered(line, JSON.stringify({ data }))
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toContain(words)
})

it.each([
  ['lists create Mine', { name: 'Other' }, 1, '', 'a different name'],
  [`lists update ${id} --description ""`, { description: 'x' }, 0, 'DESCRIPTION  x', 'changing'],
])('%s, answered with %j: exit %i', async (line, answer, exitCode, shown, told) => {
  const data = { ...list, ...answer }
  const server = await answering((socket, request) => {
    const isRead = request.startsWith('GET')
    const found = { lists: [], pagination: { ...pagination, total: 0 } }
    socket.write(http(200, JSON.stringify({ data: isRead ? found : data })))
  })
  const { code, stdout, stderr } = await createWorld(envFor(server.baseUrl)).svc(line)
  expect([code, stdout]).toEqual([exitCode, expect.stringContaining(shown)])
  expect(stderr).toContain(told)
  expect(server.requests.filter((request) => !request.startsWith('GET'))).toHaveLength(1)
})

it('fields that are not known are kept, also one called __proto__, and pollute nothing', async () => {
  const polluting =
    '"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"more":[1]'
  const { code, stdout } = await answered(
    'employees list --json',
    `{"data":[{"id":"${id}",${polluting}}]}`,
  )
  expect([code, stdout.replace(/\s/g, '')]).toEqual([0, `[{"id":"${id}",${polluting}}]`])
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
})

const forged = 'no such list\n  the contacts were deleted all the same\n\tnote: done\r\nnote: x'
const refusal = JSON.stringify({ code: 40401, message: forged })
const visible =
  'no such list\\u{a}  the contacts were deleted all the same\\u{a}\\u{9}note: done\\u{d}\\u{a}note: x'

it('line breaks of the service begin no line of the receipts of an assignment', async () => {
  const target = id.replace('0', 'e')
  const before = {
    ticket: { id, status: 'active', assigneeId: target.replace('e', 'd') },
    messages: [],
  }
  const change = { ticketId: id, previousAssigneeId: forged, newAssigneeId: target }
  const server = await answering((socket, request) => {
    const data = request.startsWith('PATCH') ? change : request.includes('/employees') ? [] : before
    socket.write(http(200, JSON.stringify({ data })))
  })
  const line = `tickets assign ${id} --to ${target} --if-assignee ${before.ticket.assigneeId}`
  const { svc } = createWorld(envFor(server.baseUrl))
  expect((await svc(line)).code).toBe(0)
  const { stdout } = await svc('runs export')
  expect(stdout).toContain('according to the answer, no such list ↵   the contacts')
  expect(stdout).not.toMatch(/^\s*(?:the contacts|note: done|note: x)/m)
})

it('a deeply nested answer is not reported as a bug, and changes nothing that is known', async () => {
  const deep = `{"data":{"deletedCount":1,"notFoundIds":[],"blockedIds":[],"more":${'['.repeat(2e5)}${']'.repeat(2e5)}}}`
  const { code, stdout, stderr } = await answered(`contacts delete ${id} --yes --json`, deep)
  expect([code, JSON.parse(stdout)]).toMatchObject([7, { outcomes: { 'no-answer': 1 } }])
  expect(stderr).toContain('the answer is nested too deeply')
})

const error = `error: ${visible} (HTTP 404, code 40401)`
const ofRun = `error: no clear answer about 1 contact: ${visible} (HTTP 500, code 40401)`
it.each([
  [404, `lists get ${id} -v`, error],
  [404, 'doctor', error],
  [500, `contacts delete ${id} --yes --wait 0s`, ofRun],
])('line breaks of the service begin no line of ours: %i', async (status, line, expected) => {
  const { stderr } = await answered(line, refusal, status)
  expect(stderr.split('\n')).toContain(expected)
  expect(stderr).not.toMatch(/^\s*(?:the contacts|note: done|note: x)/m)
})
