/** How verbs read the contacts of lists, and show them. */
import { Option } from '@commander-js/extra-typings'
import { fullName } from '../api/by-name.ts'
import { readPeople, type FoundContact, type People } from '../api/people.ts'
import { id, text, type Columns, wide } from '../output/result.ts'
import type { Context } from './context.ts'
import { collect } from './verb.ts'

/** The option of verbs that read the contacts of all lists. */
export const inOption = new Option(
  '--in <list>',
  'read only this list, by id or name; repeatable',
).argParser(collect)

/** How contacts are shown with the lists that they are on. */
export const contactColumns = {
  CONTACT: id('id'),
  NAME: text(fullName),
  PHONE: text('identities.phone'),
  EMAIL: wide(text('identities.email')),
  LISTS: wide(text('lists.name')),
} satisfies Columns<FoundContact>

/** Reads the contacts of the lists of `--in`, or of all lists. Throws the error of a list that cannot be read completely. */
export async function readContacts(
  { api, note, line }: Context,
  { in: within = [] }: { in?: readonly string[] },
): Promise<People> {
  return readPeople({ api: await api(), within, words: line.words, note })
}
