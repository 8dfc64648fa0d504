/** Contacts that were saved by `svc contacts list --out people.ndjson`: found without a request, or refused. */
import { utimesSync } from 'node:fs'
import { expect, it } from 'vitest'
import { readSaved } from '../../src/people/saved.ts'
import { hostOf, idOf, refusal, temporaryFolder } from '../support/inputs.ts'

const folder = temporaryFolder()
const contact = (n: number, more: object = {}) =>
  JSON.stringify({ id: idOf(n), firstName: 'Ann', lists: [{ id: idOf(9), name: 'VIP' }], ...more })

/** Reads a file of this content, so many minutes after it was written. */
async function saved(content: string | Buffer, minutes = 0) {
  const path = folder.file('people.ndjson', content)
  const now = Date.UTC(2026, 2, 1)
  utimesSync(path, now / 1000, now / 1000)
  const notes: string[] = []
  const host = Object.assign(hostOf(), { now: () => now + minutes * 60_000 })
  const people = await readSaved(host, path, (text) => void notes.push(text))
  return { ...people, notes, path }
}

it('are found by id, each once, in the order of the file', async () => {
  const { all, find, place, path, extentNotes } = await saved(
    `${contact(1)}\r\n\n${contact(2, { identities: { phone: ['1'] }, other: 7 })}\n${contact(1)}\n`,
  )
  expect(all.map(({ id }) => id)).toEqual([idOf(1), idOf(2)])
  expect(find(idOf(2).toUpperCase())).toMatchObject({ identities: { phone: ['1'] }, other: 7 })
  expect([find(idOf(3)), place]).toEqual([undefined, ` in ${path}`])
  expect([extentNotes(true), extentNotes(false)[0]]).toEqual([
    [],
    expect.stringContaining('looked through the 2 contacts of '),
  ])
})

it.each([
  [-5, '0 minutes ago'],
  [1, '1 minute ago'],
  [119, '119 minutes ago'],
  [47 * 60, '47 hours ago'],
  [49 * 60, '2 days ago'],
])('after %i minutes a note says how old they are', async (minutes, age) => {
  expect((await saved(contact(1), minutes)).notes).toEqual([
    expect.stringContaining(`has 1 contact, saved ${age}`),
  ])
})

it.each([
  ['nothing', '', 'people.ndjson" has no contact'],
  ['no JSON', 'id,name\n', 'line 1 of '],
  ['a bad id', `${contact(1)}\n${contact(2, { id: 'x' })}`, 'line 2 of '],
  ['members of a list', JSON.stringify({ id: idOf(1), contact: { id: idOf(2) } }), 'line 1 of '],
  ['an array', `[${contact(1)}]`, 'line 1 of '],
  ['a name that is no text', contact(1, { lastName: 7 }), 'line 1 of '],
  ['a value that is no text', contact(1, { identities: { phone: [491711] } }), 'line 1 of '],
  ['a list without an id', contact(1, { lists: [{ name: 'VIP' }] }), 'line 1 of '],
])('%s is refused', async (_, content, words) => {
  const error = await refusal(saved(content))
  expect([error.exitCode, error.message]).toEqual([2, expect.stringContaining(words)])
})

it('another encoding is refused', async () => {
  const error = await refusal(saved(Buffer.from(contact(1, { lastName: 'é' }), 'latin1')))
  expect(error.message).toContain('is not UTF-8 text')
})

it('standard input is refused', async () => {
  const action = readSaved(hostOf(contact(1)), '-', () => undefined)
  expect((await refusal(action)).exitCode).toBe(2)
})
