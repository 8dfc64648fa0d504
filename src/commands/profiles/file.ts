/**
 * The shared parts of the verbs of profiles: rows of profiles, the profile that a verb is about, and edits of the configuration
 * file.
 */
import { dirname, extname } from 'node:path'
import { checkUserFile, readUserFileAt, type UserFile } from '../../config/file.ts'
import { findConfigPath, noHomeError, type ConfigPath } from '../../config/paths.ts'
import { keyEnding, secretSourceOf, unknownProfileError } from '../../config/profile.ts'
import { describeSecret } from '../../config/secret.ts'
import { makeFolders } from '../../disk/folders.ts'
import { writeWhole } from '../../disk/whole.ts'
import { configError, fileError, systemCode } from '../../errors.ts'
import type { Host } from '../../host.ts'
import { isObject } from '../../values.ts'

/** The profile that a verb is about. */
export const profileArgument = {
  name: 'profile',
  takes: 'profile',
  summary: 'a profile of the file',
  isRequired: true,
} as const

/** The profiles of the file as rows; no rows without a file. */
export function profileRows(host: Host, file: UserFile | undefined) {
  const names = [...(file?.content.profiles.keys() ?? [])]
  return names.map((name) => profileRow(host, file, name))
}

/** A profile as a row. Throws a config error if the file does not have the profile. */
export function profileRow(host: Host, file: UserFile | undefined, name: string) {
  const profile = file?.content.profiles.get(name)
  if (file === undefined || profile === undefined) throw unknownProfileError(file, name)
  const { path, content } = file
  const { baseUrl, apiKey, country = null, rate = null, maxDelete = null } = profile
  return {
    name,
    current: name === content.current,
    baseUrl,
    apiKey: keyEnding(apiKey),
    secret: describeSecret(secretSourceOf(host, profile, { name, path })),
    protected: profile.protected === true,
    readOnly: profile.readOnly === true,
    maxDelete,
    country,
    rate,
  }
}

type ProfileRow = ReturnType<typeof profileRow>

/** The host of a profile, as in questions: `api.example.com`. */
export function hostOf({ baseUrl }: ProfileRow) {
  return new URL(baseUrl).host
}

/** The rules of a profile in words: `protected, maxDelete 1000`. */
export function rulesOf({ protected: isProtected, readOnly, maxDelete }: ProfileRow) {
  const rules = []
  if (isProtected) rules.push('protected')
  if (readOnly) rules.push('readOnly')
  if (maxDelete !== null) rules.push(`maxDelete ${maxDelete}`)
  return rules.join(', ')
}

/** Returns the file if it has the profile. Throws a config error otherwise, with the profiles that exist. */
export function requireProfile(file: UserFile | undefined, name: string): UserFile {
  if (file?.content.profiles.has(name) === true) return file
  throw unknownProfileError(file, name)
}

/** The unchecked content of the file. */
type RawContent = UserFile['raw']

/** The unchecked profiles of the file, by their names. */
export function rawProfiles(file: UserFile | undefined): RawContent {
  const { profiles } = file?.raw ?? {}
  return isObject(profiles) ? profiles : {}
}

/**
 * Finds the configuration file that svc can write. Throws a config error without a home folder, and for a file that is not
 * JSON. `hintForYaml` then says what the user can write into it.
 */
export function writableFile(host: Host, hintForYaml: string): ConfigPath {
  const found = findConfigPath(host)
  if (found === undefined) throw noHomeError('a configuration file', 'SVC_CONFIG')
  if (extname(found.path) === '.json') return found
  throw configError(
    `${found.path} is not a .json file, and svc writes only JSON`,
    hintForYaml,
  )
}

/**
 * Replaces the configuration file, whole or not at all. `edit` returns the new content, and gets the present file, or undefined
 * without one. Throws a config error as `writableFile` does, for a broken file, and for a place that cannot be written.
 */
export async function editUserFile(
  host: Host,
  hintForYaml: string,
  edit: (file: UserFile | undefined) => RawContent,
): Promise<UserFile> {
  const { path, exists } = writableFile(host, hintForYaml)
  // Before a folder is made, because `edit` can refuse that there is no file.
  const raw = edit(exists ? await readUserFileAt(host, path) : undefined)
  const content = checkUserFile(path, raw)
  try {
    // If the path is a link, it stays, and the file behind it is replaced.
    const target = exists ? host.disk.realpathSync(path) : path
    makeFolders(host, dirname(target))
    const bytes = Buffer.from(`${JSON.stringify(raw, null, 2)}\n`)
    await writeWhole(host, target, [bytes], true)
    return { path, content, raw }
  } catch (error) {
    if (systemCode(error) === undefined) throw error
    throw fileError('local', `${path} cannot be written`, error)
  }
}
