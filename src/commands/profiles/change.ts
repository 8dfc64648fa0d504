/** What the verbs that change the file share: changing the file, or saying what to change by hand. */
import { SvcError, exit, usageError } from '../../errors.ts'
import type { Host } from '../../host.ts'
import type { UserFile } from '../../config/load.ts'
import type { GlobalOptions } from '../../config/settings.ts'
import { isProfileName, namesHint, profileNameRule } from '../../config/rules.ts'

/** Changes the configuration file and returns its path. Throws exit 2 with `byHand` when the file is not JSON. */
export async function change(
  host: Host,
  options: GlobalOptions,
  byHand: string,
  edit: (file: UserFile | undefined) => Record<string, unknown>,
): Promise<string> {
  const { changeUserFile, isWritableFormat, writablePlace } = await import('../../config/write.ts')
  const place = writablePlace(host, options)
  if (!isWritableFormat(place)) {
    throw new SvcError('config', `${place.path} is not .json, and svc writes JSON only`, { hint: byHand })
  }
  // An edit that needs a file says so before a folder is made for it.
  if (!place.exists) edit(undefined)
  await changeUserFile(host, place, edit)
  return place.path
}

/** Throws exit 2 for what cannot be the name of a profile. */
export function refuseName(name: string): void {
  if (!isProfileName(name)) throw usageError(`"${name}" cannot be the name of a profile`, profileNameRule)
}

/** Throws exit 2 when there is a profile of this name. */
export function refuseTaken(file: UserFile | undefined, name: string, hint: string): void {
  if (file?.content.profiles.has(name) === true) throw usageError(`there is a profile "${name}" already`, hint)
}

interface Existing {
  /** The whole file as it was written. */
  readonly raw: Readonly<Record<string, unknown>>
  /** Its profiles as they were written. */
  readonly profiles: Readonly<Record<string, unknown>>
  readonly current: string | undefined
}

/** The file as it was written. Throws exit 4, naming the profiles that exist, when `name` is none of them. */
export function existing(file: UserFile | undefined, name: string): Existing {
  const known = [...(file?.content.profiles.keys() ?? [])]
  if (file === undefined || !known.includes(name)) {
    throw new SvcError('config', `there is no profile "${name}"`, {
      exitCode: exit.auth,
      hint: namesHint(name, known),
    })
  }
  return { raw: file.raw, profiles: writtenProfiles(file), current: file.content.current }
}

/** The profiles as they stand in the file. */
export function writtenProfiles(file: UserFile | undefined): Readonly<Record<string, unknown>> {
  const { profiles } = file?.raw ?? {}
  return typeof profiles === 'object' && profiles !== null ? { ...profiles } : {}
}
