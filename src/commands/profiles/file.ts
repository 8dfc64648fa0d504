/**
 * The configuration file as the verbs of profiles read and edit it: its profiles as rows, the one that a verb is for, and
 * edits, each of which is made whole or not at all.
 */
import { dirname, extname } from 'node:path'
import type { Context } from '../../cli/context.ts'
import { readUserFile, readUserFileAt, type UserFile } from '../../config/file.ts'
import { findConfigPath, noHomeError, type ConfigPath } from '../../config/paths.ts'
import { keyEnding, unknownProfileError, secretSourceOf } from '../../config/profile.ts'
import { describeSecret } from '../../config/secret.ts'
import { configError, usageError } from '../../errors.ts'
import { fileError, systemCode } from '../../system-errors.ts'
import type { Host } from '../../host.ts'
import { isObject } from '../../json.ts'
import { makeFolders, writeWhole } from '../../output/whole.ts'

/** The profile that a verb is for. */
export const profileArgument = {
  name: 'profile',
  takes: 'profile',
  summary: 'a profile of the file; asked for on a terminal',
} as const

/** The profiles of the file, which is undefined if there is none. */
export function profileRows(host: Host, file: UserFile | undefined) {
  const names = [...(file?.content.profiles.keys() ?? [])]
  return names.map((name) => profileRow(host, file, name))
}

/** A profile as a row. Throws exit 2 if the file has no such profile. */
export function profileRow(host: Host, file: UserFile | undefined, name: string) {
  const profile = file?.content.profiles.get(name)
  if (file === undefined || profile === undefined) throw unknownProfileError(file, name)
  const { path, content } = file
  return {
    name,
    current: name === content.current,
    baseUrl: profile.baseUrl,
    apiKey: keyEnding(profile.apiKey),
    secret: describeSecret(secretSourceOf(host, profile, { name, path })),
    protected: profile.protected === true,
  }
}

/** The typed or chosen profile. Throws exit 2 if there is none. */
export async function typedProfile(
  context: Context,
  typed: string | undefined,
): Promise<string> {
  const { host, questions } = context
  const choices = async () => {
    const all = profileRows(host, await readUserFile(host))
    return all.map(({ name, baseUrl, current }) => ({
      value: name,
      name,
      detail: current ? `${baseUrl}, current` : baseUrl,
    }))
  }
  const name = typed ?? (await questions.choose('Which profile?', choices))
  if (name === undefined) throw usageError('missing required argument "profile"')
  return name
}

/** The file, which has this profile. Throws exit 2 if it has not, naming those that exist. */
export function fileWithProfile(file: UserFile | undefined, name: string): UserFile {
  if (file?.content.profiles.has(name) === true) return file
  throw unknownProfileError(file, name)
}

/** The content of the file as it is written. */
type RawContent = UserFile['raw']

/** The profiles as they are in the file, unchecked. */
export function rawProfiles(file: UserFile | undefined): RawContent {
  const { profiles } = file?.raw ?? {}
  return isObject(profiles) ? profiles : {}
}

/**
 * The configuration file for svc to write. Throws exit 2 without a home folder, and for a file that is not JSON, with
 * `hintForYaml`: what the user can write into it.
 */
export function writableFile(host: Host, hintForYaml: string): ConfigPath {
  const place = findConfigPath(host)
  if (place === undefined) throw noHomeError('a configuration file', 'SVC_CONFIG')
  if (extname(place.path) === '.json') return place
  throw configError(
    `${place.path} is not a .json file, and svc writes only JSON`,
    hintForYaml,
  )
}

/**
 * Replaces the configuration file. `edit` makes the new content of the present file, which is undefined if there is none.
 * Throws exit 2 as `writableFile` does, and for a broken file or a place that cannot be written.
 */
export async function editUserFile(
  host: Host,
  hintForYaml: string,
  edit: (file: UserFile | undefined) => RawContent,
): Promise<UserFile> {
  const { path, exists } = writableFile(host, hintForYaml)
  // An edit that needs a file says so before a folder is made for it.
  const raw = edit(exists ? await readUserFileAt(host, path) : undefined)
  const { checkUserFile } = await import('../../config/schema.ts')
  const content = checkUserFile(path, raw)
  try {
    // A link keeps its place: the file that it points to is replaced.
    const target = exists ? host.disk.realpathSync(path) : path
    await makeFolders(host, dirname(target))
    const bytes = Buffer.from(`${JSON.stringify(raw, null, 2)}\n`)
    const file = { path: target, what: 'the configuration', isReplacing: true }
    await writeWhole(host, file, [bytes])
    return { path, content, raw }
  } catch (error) {
    if (systemCode(error) === undefined) throw error
    throw fileError('local', `${path} cannot be written`, error)
  }
}
