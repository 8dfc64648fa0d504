/**
 * For the verbs that look for people (`contacts list`, `get`, `find`, `match` and `duplicates`): the options that say which lists to read, the source
 * that `api/people.ts` reads, and the columns of what it finds. Nothing is read here.
 */
import type { Context } from './context.ts'
import type { DirectorySource, FoundContact } from '../api/people.ts'
import { fullName, parseReference } from '../api/names.ts'
import { columnOf, columnsFor, type View } from '../output/result.ts'
import { schemaOf } from './view-of.ts'
import { defineOptions, type OptionValues } from '../options.ts'

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
then the exit code is 7. svc cannot see two changes: as many contacts leave a
list as join it between two requests, or a contact moves to a list that was
already read. Such a contact may be missing. To be sure, run the command again
when nobody changes the lists.`

/** A truncated number is useless: room for nearly every one with its plus. */
export const phoneFloor = 14

/** Contacts with the lists that they are on. */
export const foundContactsView: View<FoundContact> = {
  columns: columnsFor(
    'id as CONTACT',
    'name',
    { ...columnOf('identities.phone as PHONE'), floor: phoneFloor },
    'identities.email as EMAIL',
    'lists.name as LISTS',
  ),
  computed: { name: fullName },
  id: ({ id }) => id,
  schema: schemaOf('FoundContacts'),
}

export type DirectoryOptions = OptionValues<typeof inOption>

/** Throws exit 2 before anything is read. */
export async function directorySource(
  context: Context,
  { in: within }: DirectoryOptions,
): Promise<DirectorySource> {
  for (const list of within) parseReference(list, 'list')
  return {
    within,
    accept: { ...context.acceptNear, note: context.note },
    api: await context.api(),
    isTold: context.messages.verbose > 0,
  }
}
