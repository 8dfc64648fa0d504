/** The options, the reading and the columns that several verbs of contacts share. */
import { fullName, refuseEmptyName } from '../api/by-name.ts'
import { readPeople, type FoundContact, type People } from '../api/people.ts'
import { id, text, wide, type Columns } from '../output/result.ts'
import type { Context } from './context.ts'
import { readNameOptions } from './lists.ts'
import { defineOptions, type OptionValues } from './options.ts'

export const inOption = defineOptions({
  in: {
    value: 'list',
    takes: 'list',
    summary: 'read only this list, by id or name',
    isRepeatable: true,
  },
})

/** Where people are looked for: on lists, or in a file. */
export const sourceOptions = defineOptions({
  ...inOption,
  from: {
    value: 'file',
    takes: 'file',
    summary: 'instead, what "svc contacts list --out" saved (.ndjson)',
    isSingle: true,
    conflicts: ['in'],
  },
})

/** How contacts are shown with the lists that they are on. */
export const contactColumns = {
  CONTACT: id('id'),
  NAME: text(fullName),
  PHONE: text('identities.phone'),
  EMAIL: wide(text('identities.email')),
  LISTS: wide(text('lists.name')),
} satisfies Columns<FoundContact>

/**
 * Reads the contacts of the file of `--from`, of the lists of `--in`, or of all lists. Throws a usage error for an empty
 * name, and the error of a list or file that cannot be read completely.
 */
export async function readContacts(
  context: Context,
  { in: within, from }: OptionValues<typeof inOption> & { from?: string | undefined },
): Promise<People> {
  const { host, note } = context
  if (from !== undefined) {
    const { readSaved } = await import('../people/saved.ts')
    return readSaved(host, from, note)
  }
  for (const list of within) refuseEmptyName(list, 'list')
  const api = await context.api()
  return readPeople({ api, within, note, nameOptions: readNameOptions(context) })
}
