/** How verbs name, read, show and change contact lists, and read the contacts on them. */
import { Argument, Option } from '@commander-js/extra-typings'
import { allLists, findList, fullName } from '../api/by-name.ts'
import { readPeople, type FoundContact, type People } from '../api/people.ts'
import type { ContactList } from '../api/schemas.ts'
import { SvcError } from '../errors.ts'
import { id, number, text, time, type Columns, wide } from '../output/result.ts'
import { joinPresent } from '../words.ts'
import type { Context } from './context.ts'
import { collect } from './options.ts'

/** The argument for a list. */
export const listArgument = new Argument('<list>', 'list id or name')

/** How one list is shown. */
export const listColumns: Columns<ContactList> = {
  ID: id('id'),
  NAME: text('name'),
  DESCRIPTION: text('description'),
  CONTACTS: number('contactsCount'),
  CREATED: time('createdAt'),
  UPDATED: time('updatedAt'),
}

/** Finds the list that was typed. For a typed id, it returns only the id. */
export async function resolveList(context: Context, typed: string) {
  return findList(await context.api(), typed, context.line.words)
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
 * Sends a change, which may finish after a first signal. If the answer is lost, the error gets the hint, which says how to check
 * whether the change was made.
 */
export async function sendChange<T>(
  { signals }: Context,
  send: () => Promise<T>,
  hintIfLost: () => string,
): Promise<T> {
  try {
    return await signals.shield(send)
  } catch (error) {
    if (!(error instanceof SvcError) || error.details.ambiguous !== true) throw error
    throw error.with({ hint: hintIfLost() })
  }
}

/** The option of verbs that read the contacts of all lists. */
export const inOption = new Option(
  '--in <list>',
  'only those on this list (id or name), or on any of several; repeatable',
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
