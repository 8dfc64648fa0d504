/**
 * Lists on a command line: the one that a verb of lists is about, and those whose members are read by the verbs that look
 * for people (`contacts list`, `get`, `find`, `match` and `duplicates`).
 */
import { listChoices } from '../api/choices.ts'
import { allLists, findList, fullName, parseReference } from '../api/names.ts'
import type { FoundContact, People, PeopleSource } from '../api/people.ts'
import type { ContactList } from '../api/schemas.ts'
import { SvcError, usageError } from '../errors.ts'
import { say } from '../message.ts'
import { defineOptions, type OptionValues } from '../options.ts'
import type { Columns } from '../output/result.ts'
import type { Context } from './context.ts'

export const listArgument = {
  name: 'list',
  takes: 'list',
  summary: 'list id or name; asked for on a terminal',
} as const

/** One list as lines of heading and value. */
export const listColumns: Columns<ContactList> = {
  ID: 'id',
  NAME: 'name',
  DESCRIPTION: 'description',
  CONTACTS: 'contactsCount',
  CREATED: 'createdAt',
  UPDATED: 'updatedAt',
}

/**
 * The list that was typed, or that a person at the terminal chose. Of a typed id only the id is known. Throws exit 2 if no
 * list was given, or if the text can be neither an id nor a name. If a name only nearly matches a list, a read uses that
 * list and says so, and a change throws exit 1 with the command to type.
 */
export async function resolveList(
  context: Context,
  typed: string | undefined,
  use: 'read' | 'change' = 'read',
) {
  const choices = async () => listChoices(await context.api())
  const list = typed ?? (await context.questions.choose('Which list?', choices))
  if (list === undefined) throw usageError('missing required argument "list"')
  parseReference(list, 'list')
  const options =
    use === 'read'
      ? { ...context.nameOptions, noteSimilar: context.note }
      : context.nameOptions
  return findList(await context.api(), list, options)
}

/** All lists, before a list gets a name. A failure says that nothing was `done`: `created`. */
export async function readLists(context: Context, done: string): Promise<ContactList[]> {
  try {
    return await allLists(await context.api())
  } catch (error) {
    if (!(error instanceof SvcError) || error.category === 'interrupted') throw error
    const hint = say`nothing was ${done}: svc reads the lists first\n${error.details.hint ?? ''}`
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

/** Changes that a read of lists cannot see, for the help. */
export const unseenChanges = `If a list changes while svc reads it, svc reads it again, up to four times;
then the exit code is 7. A contact that moves to a list that was already read
may be missing. To be sure, run the command again when nobody changes the lists.`

/** Contacts with the lists that they are on. */
export const contactColumns = {
  CONTACT: 'id',
  NAME: fullName,
  PHONE: 'identities.phone',
  EMAIL: 'identities.email',
  LISTS: 'lists.name',
} satisfies Columns<FoundContact>

/** A contact that was asked for by its id. If it is on no list, only its id is known. */
export interface SoughtContact extends FoundContact {
  found: boolean
}

export const soughtColumns: Columns<SoughtContact> = { ...contactColumns, FOUND: 'found' }

/** The contacts of these ids, in their order. */
export function soughtContacts(people: People, ids: Iterable<string>): SoughtContact[] {
  return Array.from(ids, (id) => {
    const contact = people.find(id)
    return { ...(contact ?? { id, lists: [] }), found: contact !== undefined }
  })
}

/** The lists of --in as `api/people.ts` reads them. Throws exit 2 before anything is read. */
export async function peopleSource(
  context: Context,
  { in: within }: OptionValues<typeof inOption>,
): Promise<PeopleSource> {
  for (const list of within) parseReference(list, 'list')
  return {
    within,
    nameOptions: { ...context.nameOptions, noteSimilar: context.note },
    note: context.note,
    api: await context.api(),
  }
}
