/** Where the verbs that look for people read: lists of the service, all or some. */
import type { Command, OptionValues } from '@commander-js/extra-typings'
import { collect } from '../cli/options.ts'
import type { Context } from '../cli/verb.ts'
import type { DirectorySource } from '../directory/reading.ts'

export function inOption<A extends unknown[], O extends OptionValues>(command: Command<A, O>) {
  return command.option('--in <list>', 'read only this list, by id or name; repeatable', collect, [] as string[])
}

/** `--who` of the commands that change contacts. */
export function whoOption<A extends unknown[], O extends OptionValues>(command: Command<A, O>) {
  return command
    .optionsGroup('Safety (svc help bulk):')
    .option('--who', 'show names and lists in the dry run and the question')
    .optionsGroup('Options:')
}

/** Where they are read; nowhere unless that is asked for. */
export function peopleOf(context: Context, { who }: { readonly who?: true | undefined }) {
  return who === true ? { people: () => directorySource(context, { in: [] }) } : {}
}

export type DirectoryOptions = ReturnType<ReturnType<typeof inOption<[], { in: string[] }>>['opts']>

/** Throws exit 2 before anything is read. */
export async function directorySource(context: Context, { in: within }: DirectoryOptions): Promise<DirectorySource> {
  const [{ parseReference }, { noteNear }] = await Promise.all([import('../api/names.ts'), import('./near-names.ts')])
  for (const list of within) parseReference(list, 'list')
  return { within, accept: noteNear(context), warn: context.warn, api: await context.api() }
}

/** Phone numbers as they are written in `--country`. Throws exit 2 for a country that does not exist. */
export async function phonesOf(context: Context) {
  const [{ phoneReader }, { settings }] = await Promise.all([import('../directory/phone.ts'), context.configuration()])
  return phoneReader(settings.country.value)
}
