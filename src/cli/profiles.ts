/**
 * The configuration file as the verbs of profiles read and change it: its profiles as rows, the one that a verb is for, and changes, which
 * are made whole or not at all.
 */
import type { Context } from './context.ts'
import { describeSecret } from '../config/credentials.ts'
import { readUserFile, type UserFile, readUserFileAt } from '../config/load.ts'
import { keyEnding, secretOf } from '../config/profile.ts'
import type { FileProfile } from '../config/schema.ts'
import { usageError, SvcError, exit, systemCode, fileError } from '../errors.ts'
import type { ProfileDocument } from '../views/documents.ts'
import { dirname, extname } from 'node:path'
import { makeFolders, replaceWhole } from '../output/whole.ts'
import type { Host } from '../host.ts'
import {
  configError,
  userFilePlace,
  withoutHome,
  type ConfigPlace,
} from '../config/paths.ts'
import type { TypedSettings } from '../config/settings.ts'
import { namesHint } from '../config/rules.ts'
import { findDistrust, refuseDistrust } from '../config/trust.ts'
import { isObject } from '../values.ts'

/** The profile that a verb is for. */
export const profileArgument = {
  name: 'profile',
  takes: 'profile',
  summary: 'a profile of the file; asked for on a terminal',
} as const

export function profileRows({ path, content }: UserFile): ProfileDocument[] {
  const { current } = content
  return [...content.profiles].map(([name, profile]) =>
    profileRow(name, profile, { path, current }),
  )
}

export function profileRow(
  name: string,
  profile: FileProfile,
  { path, current }: { readonly path: string; readonly current: string | undefined },
): ProfileDocument {
  return {
    name,
    current: name === current,
    baseUrl: profile.baseUrl,
    apiKey: keyEnding(profile.apiKey),
    secret: describeSecret(secretOf(profile, name, path)),
    protected: profile.protected === true,
  }
}

/** The typed or chosen profile. Throws exit 2 if there is none. */
export async function typedProfile(
  context: Context,
  typed: string | undefined,
): Promise<string> {
  const name =
    typed ?? (await context.questions.choose('Which profile?', () => choices(context)))
  if (name === undefined) throw usageError('the argument <profile> is missing')
  return name
}

async function choices({ host, options }: Pick<Context, 'host' | 'options'>) {
  const file = await readUserFile(host, options)
  const all = file === undefined ? [] : profileRows(file)
  const detailOf = ({ baseUrl, current }: ProfileDocument): string =>
    `${baseUrl}${current ? ', current' : ''}`
  return all.map((profile) => ({
    value: profile.name,
    name: profile.name,
    detail: detailOf(profile),
  }))
}

type ConfigOptions = Pick<TypedSettings, 'config'>

/** The new content of the file, made of the present one. */
type Edit = (file: UserFile | undefined) => Readonly<Record<string, unknown>>

/**
 * The file that svc would write. Throws exit 2 without a home, with `byHand` for one that is not JSON, and for a link, which could lead the
 * write and the secret anywhere.
 */
export function writableFile(
  host: Host,
  options: ConfigOptions,
  byHand: string,
): ConfigPlace {
  const place = userFilePlace(host, options)
  if (place === undefined)
    throw withoutHome(host, 'a configuration file', 'a file with --config or SVC_CONFIG')
  const { path, exists } = place
  if (extname(path) !== '.json')
    throw configError(`${path} is not .json, and svc writes only JSON`, byHand)
  if (exists && host.disk.lstatSync(path).isSymbolicLink())
    throw configError(
      `${path} is a symbolic link, and svc does not write a configuration through a link`,
      'edit the file that it leads to, or name that file with --config',
    )
  return place
}

/** In milliseconds: the wait after another svc was quicker, so many times. */
const retryEvery = 50
const mostAttempts = 100

/**
 * Changes the configuration file and returns its path. Throws exit 2 with `byHand` when the file is not JSON, and for a broken file or
 * a symbolic link; exit 10 when it cannot be written, exit 11 while another svc changes it.
 */
export async function change(
  host: Host,
  options: ConfigOptions,
  byHand: string,
  edit: Edit,
): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    const { path, exists } = writableFile(host, options, byHand)
    try {
      const version = versionOf(host, path)
      // An edit that needs a file says so before a folder is made for it.
      const raw = edit(exists ? await readUserFileAt(host, path) : undefined)
      await replace(host, path, version, raw)
      return path
    } catch (error) {
      if (systemCode(error) !== undefined)
        throw fileError('local', `${path} cannot be written`, error)
      const isBusy = error instanceof SvcError && error.category === 'busy'
      if (!isBusy || attempt === mostAttempts) throw error
      await host.sleep(retryEvery)
    }
  }
}

/** Replaces the file as it was read, or throws exit 11 when that is no longer there, or when another process is about to replace it. */
async function replace(
  host: Host,
  path: string,
  version: string,
  raw: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { checkUserFile } = await import('../config/schema.ts')
  const { problem } = checkUserFile(raw)
  if (problem !== undefined) throw configError(`nothing was written${problem}`)
  const bytes = Buffer.from(`${JSON.stringify(raw, null, 2)}\n`)
  // Its name is that of the version, so only one process at a time can replace that one.
  const draftPath = `${path}.${version}.part`
  const busy = new SvcError('busy', `another svc is changing ${path}`, {
    hint: `run the command again; if no other svc is running, remove ${draftPath}`,
  })
  await makeFolders(host, dirname(path))
  refuseDistrust(findDistrust(host, path), 'name a file of your own with --config')
  const replacing = replaceWhole(host, { path, draftPath }, bytes, () => {
    if (versionOf(host, path) !== version) throw busy
  })
  await replacing.catch((error: unknown) => {
    throw systemCode(error) === 'EEXIST' ? busy : error
  })
}

/** Tells a file from the one that takes its place. */
function versionOf({ disk }: Host, path: string): string {
  const stats = disk.lstatSync(path, { throwIfNoEntry: false })
  return stats === undefined ? 'new' : `${stats.ino}-${stats.ctimeMs}`
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
