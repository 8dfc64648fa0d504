/**
 * For the verbs that look for people (`contacts list`, `get`, `find`, `match` and `duplicates`): the options that say which lists to read, and
 * the parts that `src/directory` needs for it. Nothing is read here. The files of these verbs in `commands/contacts` call it.
 */
import { defineOptions, type OptionValues } from '../cli/options.ts'
import type { Context } from '../cli/context.ts'
import type { DirectorySource } from '../directory/people.ts'
import { foundContactView } from '../views/found-contact.ts'
import { schemaOf } from './view-of.ts'

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

/** Contacts with the lists that they are on. */
export const foundContactsView = { ...foundContactView, schema: schemaOf('FoundContacts') }

export type DirectoryOptions = OptionValues<typeof inOption>

/** Throws exit 2 before anything is read. */
export async function directorySource(
  context: Context,
  { in: within }: DirectoryOptions,
): Promise<DirectorySource> {
  const { parseReference } = await import('../api/names.ts')
  for (const list of within) parseReference(list, 'list')
  return {
    within,
    accept: { ...context.acceptNear, note: context.note },
    api: await context.api(),
  }
}

/** The reader of values, with phone numbers as they are written in `--country`. Throws exit 2 for a country that does not exist. */
export async function valuesReader(context: Context) {
  const [{ phoneReader }, { valueReader }, { settings }] = await Promise.all([
    import('../directory/phone.ts'),
    import('../directory/identity.ts'),
    context.configuration(),
  ])
  return valueReader(phoneReader(settings.country.value))
}
