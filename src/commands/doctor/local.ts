/** What lies on this machine: file modes, the state folder, the completion of the shell. */
import { constants, accessSync, closeSync, existsSync, openSync, readFileSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { messageOf, systemCode, exit } from '../../errors.ts'
import { readUserFile } from '../../profiles/file.ts'
import { homeFolder, resolvePath, variable } from '../../profiles/place.ts'
import { secretSource, stateDir } from '../../profiles/profile.ts'
import { shellWord } from '../../profiles/shell.ts'
import type { Tools } from '../../verb.ts'
import { fail, ok, skip, warn, type Finding } from './finding.ts'

/** Files that hold secrets, and who else can read them. The configuration itself was checked when it was read. */
export async function checkFiles({ host, options }: Tools): Promise<Finding> {
  if (host.platform === 'win32') return skip('files', 'there are no file modes on Windows')
  const file = await readUserFile(host, options)
  const home = homeFolder(host) ?? ''
  const named = variable(host, 'SVC_API_SECRET_FILE')
  const secretFiles = [
    ...[...(file?.content.profiles ?? [])].flatMap(([name, profile]) => {
      const source = secretSource(profile, name, file?.path ?? '')
      return source.kind === 'file' ? [source.path] : []
    }),
    ...(named === undefined ? [] : [named.startsWith('~') ? named : resolvePath(host, named, 'SVC_API_SECRET_FILE')]),
  ].map((path) => path.replace(/^~(?=[/\\])/, home))
  const open = [...new Set(secretFiles)].filter(readableByAll)
  if (file === undefined && secretFiles.length === 0) return ok('files', 'no file holds a secret')
  if (open.length === 0) return ok('files', 'no secret file can be read by everybody')
  return warn(
    'files',
    `others can read the secret in ${open.join(', ')}`,
    `  chmod 600 ${open.map(shellWord).join(' ')}`,
  )
}

/** A group may be meant to read a mounted secret; everybody never is. */
function readableByAll(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats?.isFile() === true && (stats.mode & 0o004) !== 0
}

/** Whether journals can be written, leaving nothing behind. */
export async function checkStateFolder({ host, options }: Tools): Promise<Finding> {
  const remedy = 'bulk runs are recorded there; name another folder with --state-dir or SVC_STATE_DIR'
  let folder: string
  try {
    folder = stateDir(host, options).value
  } catch (error) {
    return fail('state folder', messageOf(error), remedy, exit.local)
  }
  try {
    const exists = existsSync(folder)
    if (exists) tryWriting(folder, host.pid)
    else accessSync(nearest(folder), constants.W_OK | constants.X_OK)
    return ok('state folder', exists ? folder : `${folder} (made by the first bulk run)`)
  } catch (error) {
    const why = new Map([
      ['EACCES', 'permission denied'],
      ['EPERM', 'permission denied'],
      ['EROFS', 'the file system is read-only'],
      ['ENOTDIR', 'a part of the path is not a folder'],
      ['ENOSPC', 'the disk is full'],
    ]).get(systemCode(error) ?? '')
    return fail('state folder', `${folder} cannot be written: ${why ?? messageOf(error)}`, remedy, exit.local)
  }
}

function tryWriting(folder: string, pid: number): void {
  const probe = join(folder, `.svc-doctor-${pid}`)
  closeSync(openSync(probe, 'wx', 0o600))
  rmSync(probe)
}

/** The nearest folder above that exists. */
function nearest(folder: string): string {
  const parent = dirname(folder)
  if (parent === folder) return folder
  // A file in the way shows itself as ENOTDIR.
  if (!existsSync(parent)) return nearest(parent)
  if (!statSync(parent).isDirectory()) throw Object.assign(new Error(`${parent} is not a folder`), { code: 'ENOTDIR' })
  return parent
}

/** Looks for the script where `svc completion --help` says to put it. */
export async function checkCompletion({ host }: Tools): Promise<Finding> {
  const home = homeFolder(host)
  const shell = basename(variable(host, 'SHELL') ?? '')
  if (home === undefined || !['bash', 'zsh', 'fish'].includes(shell))
    return skip('completion', 'no shell that svc has a script for')
  const config = variable(host, 'XDG_CONFIG_HOME') ?? join(home, '.config')
  const places: Record<string, readonly string[]> = {
    bash: ['.bashrc', '.bash_profile', '.profile', '.local/share/bash-completion/completions/svc'].map((name) =>
      join(home, name),
    ),
    zsh: [join(variable(host, 'ZDOTDIR') ?? home, '.zshrc')],
    fish: [join(config, 'fish/completions/svc.fish'), join(config, 'fish/config.fish')],
  }
  const found = places[shell]?.find((path) => mentionsCompletion(path))
  if (found !== undefined) return ok('completion', `${shell}: ${found}`)
  return skip('completion', `not set up for ${shell}, as far as can be seen; how to:`, '  svc completion --help')
}

function mentionsCompletion(path: string): boolean {
  try {
    return /svc[ -]completion|__complete --/.test(readFileSync(path, 'utf8'))
  } catch {
    return false
  }
}
