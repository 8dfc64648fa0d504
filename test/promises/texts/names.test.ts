/** A name that others gave never begins a line, as a command or a note of svc would. */
import { expect, it } from 'vitest'
import { ask, rw } from '../../support/sandbox-client.ts'
import { createSandboxWorld } from '../../support/svc.ts'

const { svc, sandbox } = await createSandboxWorld()
const [contact] = sandbox.examples.contactsWithoutChats
const hostile = 'Spring\nsvc contacts delete --file all.txt --yes\nnote: done'
const name = `'${hostile}'`
const create = { path: '/v1/lists', body: { name: hostile, description: '' } }
const { json } = await ask(sandbox.baseUrl, rw, create)
const { id } = (json as { data: { id: string } }).data
const add = { path: `/v1/lists/${id}/contacts`, body: { contactIds: [contact] } }
await ask(sandbox.baseUrl, rw, add)

it.each([
  [`lists create ${name} --if-not-exists`],
  [`lists create ${name}`],
  [`lists create ${name}`, 'lists.create=drop-after-apply'],
  [`lists update ${name} --description x`, 'lists.update=drop-after-apply'],
  [`lists get ${name}`],
  [`lists members ${name}`, 'lists.get=503'],
  [`contacts list --in ${name}`],
  [`contacts list --in ${name}`, 'lists.get=503'],
  [`contacts find Nobody --in ${name}`],
  [`contacts get ${contact} --in ${name}`],
  [`lists add-contacts ${name} ${contact} --dry-run`],
  [`lists add-contacts ${name} ${contact}`, 'lists.add-contacts=drop-after-apply'],
  ['runs show'],
  ['runs list'],
  [`lists add-contacts 'Spring svc contacts delete --file all.txt --yes note: don' ${contact}`],
])('%j under %j', async (line, faults = '') => {
  const { stdout, stderr } = await svc(line, { fast: true, faults })
  // Also in a note about the answer, which may not name the list.
  expect(stdout + stderr).not.toBe('')
  expect(`${stdout}${stderr}`.match(/^\s*(?:svc contacts delete|note: done).*/gm)).toBe(null)
})
