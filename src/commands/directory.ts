/** Where the verbs that look for people read: lists of the service, all or some, or a snapshot. */
import type { Command, OptionValues } from '@commander-js/extra-typings'
import { collect } from '../cli/options.ts'
import type { Context } from '../cli/verb.ts'
import { parseReference } from '../api/names.ts'
import type { DirectorySource } from '../directory/reading.ts'
import { noteNear } from './near-names.ts'

/** `--in`, `--from` and what goes with it. */
export function directoryOptions<A extends unknown[], O extends OptionValues>(command: Command<A, O>) {
  return command.option('--in <list>', 'read only this list, by id or name; repeatable', collect, [] as string[])
}

export interface DirectoryOptions {
  readonly in: readonly string[]
}

/** Throws exit 2 before anything is read. */
export async function directorySource(context: Context, { in: within }: DirectoryOptions): Promise<DirectorySource> {
  for (const list of within) parseReference(list, 'list')
  const choice = { within, accept: noteNear(context), warn: context.warn }
  return { ...choice, api: await context.api() }
}

/** Phone numbers as they are written in `--country`. Throws exit 2 for a country that does not exist. */
export async function phonesOf(context: Context) {
  const [{ phoneReader }, { settings }] = await Promise.all([import('../directory/phone.ts'), context.configuration()])
  return phoneReader(settings.country.value)
}
