/** The shared parts of the verbs of profiles: rows of profiles, and edits of the configuration file. */
import { dirname, extname } from 'node:path'
import { checkUserFile, readUserFileAt, type UserFile } from '../config/file.ts'
import { findConfigPath, noHomeError } from '../config/paths.ts'
import { keyEnding, noProfileError } from '../config/profile.ts'
import { secretOf } from '../config/secret.ts'
import { makeFolders } from '../disk/folders.ts'
import { checkPlace, writeWhole } from '../disk/whole.ts'
import { configError, fileError, systemCode } from '../errors.ts'
import type { Host } from '../host.ts'
import { isObject } from '../json.ts'

/** The profile that a verb is about. */
export const profileArgument = {
  name: 'profile',
  takes: 'profile',
  summary: 'a profile of the file',
  isRequired: true,
} as const

/** Returns a profile and its file. Throws a config error if the file does not have it, with the profiles that exist. */
export function requireProfile(file: UserFile | undefined, name: string) {
  const profile = file?.content.profiles.get(name)
  if (file !== undefined && profile !== undefined) return { file, profile }
  throw noProfileError(file, `there is no profile "${name}"`)
}

/** A profile of the file as a row. */
export function profileRow(host: Host, userFile: UserFile | undefined, name: string) {
  const { file, profile } = requireProfile(userFile, name)
  return {
    name,
    current: name === file.content.current,
    baseUrl: profile.baseUrl,
    apiKey: keyEnding(profile.apiKey),
    secret: secretOf(host, profile, file.path).place,
    protected: profile.protected === true,
    readOnly: profile.readOnly === true,
    maxDelete: profile.maxDelete ?? null,
    country: profile.country ?? null,
    rate: profile.rate ?? null,
  }
}

type ProfileRow = ReturnType<typeof profileRow>

/** The service of a profile, as in questions: `api.example.com`. */
export function serviceOf({ baseUrl }: ProfileRow) {
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

/** The unchecked content of the file. */
type RawContent = UserFile['raw']

/** The unchecked profiles of the file, by their names. */
export function rawProfiles(file: UserFile | undefined): RawContent {
  const { profiles } = file?.raw ?? {}
  return isObject(profiles) ? profiles : {}
}

/**
 * Replaces the configuration file, whole or not at all. `edit` gets the present file, or undefined without one, and returns the new
 * content. Before `edit` asks anything, throws a config error without a home folder, for a file that is not JSON, and for a broken
 * one; and a usage error if a file that is there cannot be replaced. Throws an error with exit code 1 if writing fails.
 */
export async function editUserFile(
  host: Host,
  edit: (file: UserFile | undefined) => RawContent | Promise<RawContent>,
): Promise<UserFile> {
  const found = findConfigPath(host)
  if (found === undefined) throw noHomeError('a configuration file', 'SVC_CONFIG')
  const { path, exists } = found
  if (extname(path) !== '.json')
    throw configError(
      `${path} is not a .json file, and svc writes only JSON`,
      'change it yourself; for examples:\n  svc help configuration',
    )
  const present = exists ? readUserFileAt(host, path) : undefined
  // If the path is a link, it stays, and the file behind it is replaced.
  const target = exists ? host.disk.realpathSync(path) : path
  if (exists) checkPlace(host, target, { isReplacing: true })
  const raw = await edit(present)
  const content = checkUserFile(path, raw)
  try {
    makeFolders(host, dirname(target))
    const bytes = Buffer.from(`${JSON.stringify(raw, null, 2)}\n`)
    await writeWhole(host, target, [bytes], { isReplacing: true })
    return { path, content, raw }
  } catch (error) {
    if (systemCode(error) === undefined) throw error
    throw fileError('local', `${path} cannot be written`, error)
  }
}
