/** Laws for the view of every command: its fields are those of its schema, and columns name some of them. */
import { expect, test } from 'vitest'
import { fieldsOf } from '../../src/output/fields.ts'
import { verbs } from '../tree.ts'

const views = verbs.flatMap(({ path, command }) => [
  [path, command?.shows] as const,
  ...(command?.bulkShows === undefined ? [] : [[`${path} --file`, command.bulkShows] as const]),
])

test.each(views)(
  '%s: each column is a field of its schema or a computed one',
  async (path, view) => {
    if (view === undefined) throw new Error(`${path} shows nothing`)
    const fields = await fieldsOf(view, 'table')
    for (const { field } of view.columns) expect(fields).toContain(field)
    expect(view.columns.length > 0 && (await fieldsOf(view, 'json')).length === 0).toBe(false)
  },
)
