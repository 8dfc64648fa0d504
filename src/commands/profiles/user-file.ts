/**
 * The configuration file as the verbs of profiles read and change it: its profiles as rows, the one that a verb is for, and changes, which
 * are made whole or not at all.
 */
import type { Context } from '../../cli/context.ts'
import { describeSecret, secretSource } from '../../config/credentials.ts'
import {
  readUserFile,
  type UserFile,
  checkConfigFolder,
  readUserFileAt,
} from '../../config/load.ts'
import { keyEnding } from '../../config/profile.ts'
import type { FileProfile } from '../../config/schema.ts'
import { usageError, SvcError, exit, systemCode } from '../../errors.ts'
import type { Profile } from '../../views/documents.ts'
import type { Message } from '../../message.ts'
import { dirname, extname } from 'node:path'
import { fileError } from '../../errno.ts'
import { makeFolders, replaceWhole } from '../../disk/whole.ts'
import type { Host } from '../../host.ts'
import { userFilePlace, withoutHome, type ConfigPlace } from '../../config/paths.ts'
import type { TypedSettings } from '../../config/settings.ts'
import { namesHint } from '../../config/rules.ts'
import { isObject } from '../../values.ts'

/** The profile that a verb is for. */
export const profileArgument = {
  name: 'profile',
  takes: 'profile',
  summary: 'a profile of the file; asked for on a terminal',
} as const

export function profileRows({ path, content }: UserFile): Profile[] {
  const { current } = content
  return [...content.profiles].map(([name, profile]) =>
    profileRow(name, profile, { path, current }),
  )
}

export function profileRow(
  name: string,
  profile: FileProfile,
  { path, current }: { readonly path: string; readonly current: string | undefined },
): Profile {
  return {
    name,
    current: name === current,
    baseUrl: profile.baseUrl,
    apiKey: keyEnding(profile.apiKey),
    secret: describeSecret(secretSource(profile, name, path)),
    protected: profile.protected === true,
  }
}

/** The profile as it was typed, or as it was chosen. Throws exit 2 when there is none. */
export async function typedProfile(
  context: Context,
  typed: string | undefined,
): Promise<string> {
  const name =
    typed ?? (await context.questions.choose('Which profile?', () => choices(context)))
  if (name === undefined) throw usageError('the argument <name> is missing')
  return name
}

async function choices({ host, options }: Pick<Context, 'host' | 'options'>) {
  const file = await readUserFile(host, options)
  const all = file === undefined ? [] : profileRows(file)
  const detailOf = ({ baseUrl, current }: Profile): string =>
    `${baseUrl}${current ? ', current' : ''}`
  return all.map((profile) => ({
    value: profile.name,
    name: profile.name,
    detail: detailOf(profile),
  }))
}

type Edit = (file: UserFile | undefined) => Readonly<Record<string, unknown>>

/** The file that svc would write. Throws exit 2 without a home. */
function configPlace(host: Host, options: Pick<TypedSettings, 'config'>): ConfigPlace {
  const place = userFilePlace(host, options)
  if (place !== undefined) return place
  throw withoutHome(host, 'a configuration file', 'a file with --config or SVC_CONFIG')
}

/** The same, of JSON. Throws exit 2 with `byHand` for another one, and for a link, which could lead the write and the secret anywhere. */
export function writableFile(
  host: Host,
  options: Pick<TypedSettings, 'config'>,
  byHand: string,
): ConfigPlace {
  const place = configPlace(host, options)
  const { path } = place
  if (extname(path) !== '.json')
    throw new SvcError('config', `${path} is not .json, and svc writes JSON only`, {
      hint: byHand,
    })
  if (place.exists && host.disk.lstatSync(path).isSymbolicLink())
    throw new SvcError(
      'config',
      `${path} is a symbolic link, and svc writes no configuration through one`,
      {
        hint: 'edit the file that it leads to, or name that file with --config',
      },
    )
  return place
}

/**
 * Changes the configuration file and returns its path. Throws exit 2 with `byHand` when the file is not JSON, and for a broken file or
 * a symbolic link; exit 10 when it cannot be written, exit 11 when another svc changed it meanwhile.
 */
export async function change(
  host: Host,
  options: Pick<TypedSettings, 'config'>,
  byHand: string,
  edit: Edit,
): Promise<string> {
  const { checkUserFile } = await import('../../config/schema.ts')
  const place = writableFile(host, options, byHand)
  const { path } = place
  const stamp = stampOf(host, path)
  // An edit that needs a file says so before a folder is made for it.
  const raw = edit(place.exists ? await readUserFileAt(host, place) : undefined)
  const { problem } = checkUserFile(raw)
  if (problem !== undefined) throw new SvcError('config', `nothing was written${problem}`)
  const bytes = Buffer.from(`${JSON.stringify(raw, null, 2)}\n`)
  const check = (): void => {
    if (stampOf(host, path) === stamp) return
    throw new SvcError('busy', `another svc changed ${path} at the same time`, {
      hint: 'run the command again',
    })
  }
  try {
    await makeFolders(host, dirname(path))
    if (!place.named) checkConfigFolder(host, dirname(path))
    await replaceWhole(host, path, [bytes], check)
  } catch (error) {
    if (systemCode(error) === undefined) throw error
    throw fileError('local', `${path} cannot be written`, error)
  }
  return path
}

/** Tells a file from the one that takes its place; empty where there is none. */
function stampOf({ disk }: Host, path: string): string {
  const stats = disk.lstatSync(path, { throwIfNoEntry: false })
  return stats === undefined ? '' : `${stats.ino} ${stats.ctimeMs}`
}

/** Throws exit 2 when there is a profile of this name. */
export function refuseTaken(file: UserFile | undefined, name: string, hint: Message): void {
  if (file?.content.profiles.has(name) === true)
    throw usageError(`there is a profile "${name}" already`, hint)
}

/** The file and its profiles as they were written. Throws exit 4, naming those that exist, when `name` is none of them. */
export function existing(file: UserFile | undefined, name: string) {
  const known = [...(file?.content.profiles.keys() ?? [])]
  if (file === undefined || !known.includes(name)) {
    throw new SvcError('config', `there is no profile "${name}"`, {
      exitCode: exit.auth,
      hint: namesHint(name, known),
    })
  }
  return { raw: file.raw, profiles: writtenProfiles(file), current: file.content.current }
}

/** The profiles as they are in the file. */
export function writtenProfiles(
  file: UserFile | undefined,
): Readonly<Record<string, unknown>> {
  const { profiles } = file?.raw ?? {}
  return isObject(profiles) ? profiles : {}
}
