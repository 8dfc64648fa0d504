/**
 * The configuration file as the verbs of profiles read and edit it: its profiles as rows, the one that a verb is for, and
 * edits, each of which is made whole or not at all.
 */
import { basename, dirname, extname, join } from 'node:path'
import type { Context } from './context.ts'
import { describeSecret } from '../config/credentials.ts'
import { readUserFile, type UserFile, readUserFileAt } from '../config/load.ts'
import { keyEnding, noProfile, secretOf } from '../config/profile.ts'
import type { FileProfile } from '../config/schema.ts'
import { usageError, SvcError, systemCode, fileError } from '../errors.ts'
import type { ProfileDocument } from '../views/documents.ts'
import { finishDraft, makeFolders, writeNew } from '../output/whole.ts'
import type { Host } from '../host.ts'
import {
  configError,
  userFilePlace,
  noHomeError,
  type ConfigPlace,
} from '../config/paths.ts'
import type { TypedSettings } from '../config/settings.ts'
import { findDistrust, refuseDistrust } from '../config/trust.ts'
import { isObject } from '../values.ts'

/** The profile that a verb is for. */
export const profileArgument = {
  name: 'profile',
  takes: 'profile',
  summary: 'a profile of the file; asked for on a terminal',
} as const

/** The profiles of the file, which is undefined if there is none. */
export function profileRows(file: UserFile | undefined): ProfileDocument[] {
  if (file === undefined) return []
  const { path, content } = file
  const { current, profiles } = content
  return [...profiles].map(([name, profile]) =>
    profileRow(name, profile, { path, current }),
  )
}

export function profileRow(
  name: string,
  profile: FileProfile,
  { path, current }: { path: string; current: string | undefined },
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
  if (name === undefined) throw usageError('missing required argument "profile"')
  return name
}

/** The profiles that a question offers. */
async function choices({ host, options }: Pick<Context, 'host' | 'options'>) {
  const all = profileRows(await readUserFile(host, options))
  return all.map(({ name, baseUrl, current }) => ({
    value: name,
    name,
    detail: current ? `${baseUrl}, current` : baseUrl,
  }))
}

/** The file, which has this profile. Throws exit 4 if it has not, naming those that exist. */
export function fileWithProfile(file: UserFile | undefined, name: string): UserFile {
  if (file?.content.profiles.has(name) === true) return file
  throw noProfile(file, name)
}

/** The content of the file as it is written. */
type RawContent = UserFile['raw']

/** The profiles as they are in the file, unchecked. */
export function rawProfiles(file: UserFile | undefined): RawContent {
  const { profiles } = file?.raw ?? {}
  return isObject(profiles) ? profiles : {}
}

type ConfigOptions = Pick<TypedSettings, 'config'>

/**
 * The configuration file for svc to write. Throws exit 2 without a home folder, for a symbolic link, and for a file that is
 * not JSON, with `hintForYaml`: what the user can write into it.
 */
export function writableFile(
  host: Host,
  options: ConfigOptions,
  hintForYaml: string,
): ConfigPlace {
  const place = userFilePlace(host, options)
  if (place === undefined)
    throw noHomeError(host, 'a configuration file', 'a file with --config or SVC_CONFIG')
  const { path, exists } = place
  if (extname(path) !== '.json')
    throw configError(`${path} is not a .json file, and svc writes only JSON`, hintForYaml)
  // A link could lead the secret to another place.
  if (exists && host.disk.lstatSync(path).isSymbolicLink())
    throw configError(
      `${path} is a symbolic link, and svc does not write a configuration through a link`,
      'edit the file that it points to, or name that file with --config',
    )
  return place
}

/** Milliseconds until svc tries again after another svc was faster, and how often it tries. */
const retryEvery = 50
const mostAttempts = 100
/** Milliseconds after which a svc that was killed left this file behind. A lock lasts one rename. */
const staleLockAfter = 2000
/** The same for a draft, which lasts one sync. */
const staleDraftAfter = 60_000

/**
 * Edits the configuration file. `edit` makes the new content of the present file, which is undefined if there is none; it is
 * called again if another svc was faster. Throws exit 2 as `writableFile` does, and for a broken file; exit 10 when the file
 * cannot be written, exit 11 when other svcs edit it all the time.
 */
export async function editUserFile<Raw extends RawContent>(
  host: Host,
  options: ConfigOptions,
  hintForYaml: string,
  edit: (file: UserFile | undefined) => Raw,
) {
  for (let attempt = 1; ; attempt += 1) {
    const { path, exists } = writableFile(host, options, hintForYaml)
    try {
      // Before the read, so that a change in between is noticed.
      const version = versionOf(host, path)
      const before = exists ? await readUserFileAt(host, path) : undefined
      // An edit that needs a file says so before a folder is made for it.
      const raw = edit(before)
      await replaceVersion(host, path, version, raw)
      return { path, before, raw }
    } catch (error) {
      if (systemCode(error) !== undefined)
        throw fileError('local', `${path} cannot be written`, error)
      const isBusy = error instanceof SvcError && error.category === 'busy'
      if (!isBusy || attempt === mostAttempts) throw error
      await host.sleep(retryEvery)
    }
  }
}

/** Replaces one version of the file. Throws exit 11 if another svc has replaced it, or is about to. */
async function replaceVersion(host: Host, path: string, version: string, raw: RawContent) {
  const { checkUserFile } = await import('../config/schema.ts')
  const { problemSuffix } = checkUserFile(raw)
  if (problemSuffix !== undefined) throw configError(`nothing was written${problemSuffix}`)
  const bytes = Buffer.from(`${JSON.stringify(raw, null, 2)}\n`)
  await makeFolders(host, dirname(path))
  refuseDistrust(findDistrust(host, path), 'name a file of your own with --config')
  removeOldDrafts(host, path)
  const draftPath = `${path}.${host.randomBytes(8).toString('hex')}.part`
  const draft = await writeNew(host, draftPath, [bytes])
  await finishDraft(draft, () =>
    withLock(host, `${path}.${version}.turn`, async () => {
      if (versionOf(host, path) !== version) throw busy()
      await draft.move(path, { isReplacing: true })
    }),
  )
}

/** Tells a file from the one that takes its place. */
function versionOf({ disk }: Host, path: string) {
  const stats = disk.lstatSync(path, { throwIfNoEntry: false })
  return stats === undefined ? 'new' : `${stats.ino}-${stats.ctimeMs}`
}

/**
 * Does a step that is for one process at a time: the one that made the lock file. Throws exit 11 while another has it. A
 * svc that was killed blocks nobody: its lock is removed.
 */
async function withLock(host: Host, lockPath: string, step: () => Promise<void>) {
  const { disk } = host
  try {
    disk.closeSync(disk.openSync(lockPath, 'wx', 0o600))
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error
    removeIfOlder(host, lockPath, staleLockAfter)
    throw busy()
  }
  try {
    await step()
  } finally {
    disk.rmSync(lockPath, { force: true })
  }
}

function busy() {
  return new SvcError('busy', 'another svc is changing the configuration file', {
    hint: 'run the command again',
  })
}

/** Removes drafts that svcs of this user left behind when they were killed: a secret can be in them. */
function removeOldDrafts(host: Host, path: string) {
  const folder = dirname(path)
  const start = `${basename(path)}.`
  for (const name of host.disk.readdirSync(folder)) {
    const isDraft =
      name.startsWith(start) && /^[0-9a-f]{16}\.part$/.test(name.slice(start.length))
    if (isDraft) removeIfOlder(host, join(folder, name), staleDraftAfter)
  }
}

/** Removes a file of this user that was written more than so many milliseconds ago. */
function removeIfOlder(host: Host, path: string, age: number) {
  const { disk, userId } = host
  const stats = disk.lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined || host.now() - stats.mtimeMs <= age) return
  // Windows has no user ids.
  if (userId === undefined || stats.uid === userId) disk.rmSync(path, { force: true })
}
