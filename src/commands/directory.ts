/** Where the verbs that look for people read: lists of the service, all or some, or a snapshot. */
import type { Command, OptionValues } from '@commander-js/extra-typings'
import { collect } from '../cli/options.ts'
import type { Context } from '../cli/verb.ts'
import type { DirectorySource } from '../directory/reading.ts'
import type { Owner } from '../directory/snapshot.ts'
import { parseDuration } from '../values.ts'

const dayMs = 24 * 60 * 60 * 1000

export function inOption<A extends unknown[], O extends OptionValues>(command: Command<A, O>) {
  return command.option('--in <list>', 'read only this list, by id or name; repeatable', collect, [] as string[])
}

/** `--in`, and `--from` with what goes with it. */
export function directoryOptions<A extends unknown[], O extends OptionValues>(command: Command<A, O>) {
  return inOption(command)
    .option('--from <file>', 'read a snapshot (svc contacts list --snapshot) instead of the service')
    .option('--max-age <duration>', 'the oldest snapshot to accept (default: 24h)', (text) =>
      parseDuration(text, '--max-age'),
    )
    .option('--new-key', 'accept a snapshot that was made with another key')
}

/** `--who` and where it reads, of the commands that change contacts. */
export function whoOptions<A extends unknown[], O extends OptionValues>(command: Command<A, O>) {
  return command
    .optionsGroup('Safety (svc help bulk):')
    .option('--who', 'show names and lists in the dry run and the question')
    .option('--from <file>', 'like --who, but from a snapshot of svc contacts list')
    .optionsGroup('Advanced:')
    .option('--max-age <duration>', 'the oldest snapshot to accept (default: 24h)', (text) =>
      parseDuration(text, '--max-age'),
    )
    .optionsGroup('Options:')
}

/** Where they are read; nowhere unless that is asked for. */
export function peopleOf(context: Context, options: Omit<DirectoryOptions, 'in'> & { who?: true | undefined }) {
  if (options.who !== true && options.from === undefined) return {}
  return { people: () => directorySource(context, { ...options, in: [] }) }
}

export type DirectoryOptions = ReturnType<ReturnType<typeof directoryOptions<[], { in: string[] }>>['opts']>

/** Throws exit 2 before anything is read. */
export async function directorySource(context: Context, options: DirectoryOptions): Promise<DirectorySource> {
  const { in: within, from, maxAge = dayMs, newKey = false } = options
  const [{ parseReference }, { noteNear }] = await Promise.all([import('../api/names.ts'), import('./near-names.ts')])
  for (const list of within) parseReference(list, 'list')
  const choice = { within, accept: noteNear(context), warn: context.warn }
  if (from === undefined) return { ...choice, api: await context.api() }
  const [{ openSnapshot }, owner] = await Promise.all([import('../directory/snapshot.ts'), ownerOf(context)])
  return { ...choice, snapshot: await openSnapshot(from, { ...owner, now: context.host.now(), maxAge, newKey }) }
}

export async function ownerOf(context: Context): Promise<Owner> {
  const [{ keyFingerprint }, configuration] = await Promise.all([
    import('../bulk/record/run.ts'),
    context.configuration(),
  ])
  const { baseUrl, apiKey } = configuration.profile()
  return { baseUrl, key: keyFingerprint(apiKey) }
}

/** Phone numbers as they are written in `--country`. Throws exit 2 for a country that does not exist. */
export async function phonesOf(context: Context) {
  const [{ phoneReader }, { settings }] = await Promise.all([import('../directory/phone.ts'), context.configuration()])
  return phoneReader(settings.country.value)
}
