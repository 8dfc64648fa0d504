/** What svc writes of contacts and tickets is read back by svc, without being told which column has the ids. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { shell } from '../bulk/spawned.ts'
import { createSandboxWorld } from '../svc.ts'

const { sandbox, env, folder } = await createSandboxWorld()
const { contactsWithoutChats, tickets, employee } = sandbox.examples
const contacts = contactsWithoutChats.slice(0, 3)

/** Runs the lines in a shell; the files that they write are read as ids. */
async function idsOf(lines: string, file: string): Promise<string[]> {
  const check = `svc ids dedupe ${file} -o ids -q`
  const { code, stdout, stderr } = await shell(`${lines}\n${check}`, { env, cwd: folder }).ended
  expect([code, stderr]).toEqual([0, ''])
  return stdout.trim().split('\n')
}

const formats = ['csv', 'tsv', 'xlsx', 'ndjson', 'json', 'ids']

describe('contacts', { timeout: 60_000 }, () => {
  test.each(formats)('members of a list as %s', async (format) => {
    // The JSON of a member has an id of its own.
    const fields = format.endsWith('json') ? '--fields contact.id,name' : ''
    const line = `svc lists members VIP --limit 3 -q ${fields} -o ${format} >members.${format}`
    const found = await idsOf(line, `members.${format}`)
    const { stdout } = await shell('svc lists members VIP --limit 3 -q -o ids', { env, cwd: folder }).ended
    expect(found).toEqual(stdout.trim().split('\n'))
  })

  test.each(formats)('found ones as %s', async (format) => {
    const line = `svc contacts find --name "Clara Jones" -q -o ${format} >found.${format}`
    const { stdout } = await shell('svc contacts find --name "Clara Jones" -q -o ids', { env, cwd: folder }).ended
    expect(stdout).toMatch(/^(?:[0-9a-f]{24}\n)+$/)
    expect(await idsOf(line, `found.${format}`)).toEqual(stdout.trim().split('\n'))
  })

  test.each(['csv', 'ndjson'])('receipts as %s', async (format) => {
    const file = `receipts.${format}`
    const add = `svc lists add-contacts VIP ${contacts.join(' ')} --receipts ${file} -q >/dev/null`
    expect(await idsOf(add, file)).toEqual(contacts)
  })

  test.each(formats)('an exported run as %s', async (format) => {
    const add = `svc lists add-contacts VIP ${contacts.join(' ')} -q >/dev/null`
    const line = `${add} && svc runs export --last -q -o ${format} >run.${format}`
    expect(await idsOf(line, `run.${format}`)).toEqual(contacts)
  })

  test.each(['csv', 'xlsx'])('an annotated file as %s', async (format) => {
    writeFileSync(join(folder, 'in.csv'), ['name,contact.id', ...contacts.map((id) => `A,${id}`)].join('\n'))
    const file = `annotated-${format}.${format}`
    expect(await idsOf(`svc lists add-contacts VIP --file in.csv --annotate ${file} -q >/dev/null`, file)).toEqual(
      contacts,
    )
  })
})

test('the id of a membership is never taken for that of its contact', { timeout: 60_000 }, async () => {
  for (const format of ['csv', 'tsv', 'xlsx', 'ndjson', 'json']) {
    const line = `svc lists members VIP --limit 2 -q --fields id,contact.id -o ${format} >both.${format}`
    const { code, stderr } = await shell(`${line}; svc ids check both.${format}`, { env, cwd: folder }).ended
    expect([format, code]).toEqual([format, 2])
    expect(stderr).toMatch(/"id", "contact(?:\.id)?"/i)
    expect(stderr).toContain('--column')
  }
})

test.each(['csv', 'xlsx', 'ndjson'])('an assigned ticket as %s', { timeout: 60_000 }, async (format) => {
  const line = `svc tickets assign ${tickets.active} --to ${employee} -q -o ${format} >ticket.${format}`
  expect(await idsOf(line, `ticket.${format}`)).toEqual([tickets.active])
})
