/** What verbs of lists and contacts share: the list that was typed, the contacts of lists or of a file, and their columns. */
import { allLists, findList, fullName, refuseEmptyName } from '../api/by-name.ts'
import { readPeople, type FoundContact, type People } from '../api/people.ts'
import type { ContactList } from '../api/schemas.ts'
import { SvcError } from '../errors.ts'
import { joinPresent } from '../words.ts'
import { defineOptions, type OptionValues } from './options.ts'
import { id, number, text, time, wide, type Columns } from '../output/result.ts'
import type { Context } from './context.ts'

export const listArgument = {
  name: 'list',
  takes: 'list',
  summary: 'list id or name',
  isRequired: true,
} as const

/** How one list is shown. */
export const listColumns: Columns<ContactList> = {
  ID: id('id'),
  NAME: text('name'),
  DESCRIPTION: text('description'),
  CONTACTS: number('contactsCount'),
  CREATED: time('createdAt'),
  UPDATED: time('updatedAt'),
}

/**
 * Finds the list that was typed. For a typed id, it returns only the id. If a name is only similar, a read uses that list with
 * a note, and a change throws exit 1 with the command to type.
 */
export async function resolveList(
  context: Context,
  typed: string,
  use: 'read' | 'change' = 'read',
) {
  refuseEmptyName(typed, 'list')
  const nameOptions = use === 'read' ? readNameOptions(context) : context.nameOptions
  return findList(await context.api(), typed, nameOptions)
}

/** How a read resolves a name: it uses a list whose name is only similar, and says so. */
function readNameOptions({ nameOptions, note }: Context) {
  return { ...nameOptions, noteSimilar: note }
}

/**
 * Reads all lists before one gets a new name. If that fails, the hint says that nothing was changed; `done` is the word of the verb
 * for it, such as `created`.
 */
export async function readLists(
  context: Context,
  done: string,
): Promise<readonly ContactList[]> {
  try {
    return await allLists(await context.api())
  } catch (error) {
    if (!(error instanceof SvcError) || error.category === 'interrupted') throw error
    const what = `nothing was ${done}: svc reads the lists first`
    throw error.with({ hint: joinPresent([what, error.details.hint], '\n') })
  }
}

/**
 * Sends a change, which may finish after a first signal. If the answer is lost, the error gets this hint, which says how to check
 * whether the change was made.
 */
export async function sendChange<T>(
  { signals }: Context,
  send: () => Promise<T>,
  hint: string,
): Promise<T> {
  try {
    return await signals.shield(send)
  } catch (error) {
    if (!(error instanceof SvcError) || error.details.ambiguous !== true) throw error
    throw error.with({ hint })
  }
}

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
