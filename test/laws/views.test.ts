/** What holds for the view of every command: its fields are those of its schema, and columns name some of them. */
import { describe, expect, test } from 'vitest'
import * as service from '../../src/api/schemas.ts'
import { fieldsOf, pathsOf } from '../../src/output/fields.ts'
import { buildProgram } from '../../src/program/program.ts'
import { shownBy } from '../../src/program/shown.ts'
import { verbs } from '../commands/place.ts'

const paths = verbs.map(({ path }) => path)

describe.each(paths)('%s', (path) => {
  test.each([['one'], ['a file']])('each column of %s is a field of its schema or a computed one', async (what) => {
    const words = path.split(' ').slice(1)
    const isFile = what === 'a file' && /^svc (?:contacts merge|tickets assign)$/.test(path)
    const shown = await shownBy(buildProgram, { columns: () => 80 }, words, isFile ? ['--file=x'] : [])
    const view = shown?.view ?? { columns: [] }
    const fields = await fieldsOf(view, 'table')
    for (const { field } of view.columns) expect(fields).toContain(field)
    expect([path, view.columns.length > 0 && (await fieldsOf(view, 'json')).length === 0]).toEqual([path, false])
  })
})

test('the paths of a schema are found, through arrays and options', () => {
  expect(pathsOf(service.Message)).toContain('attachments.fileName')
  expect(pathsOf(service.ListMember)).toContain('contact.identities.socialC_username')
  expect(pathsOf(service.ContactList)).toEqual(['id', 'name', 'description', 'contactsCount', 'createdAt', 'updatedAt'])
})
