/** Checks of `svc doctor` that look at this machine (file modes, the state folder, the completion of the shell), and the findings that all checks make. */
import { say, svc, type Message } from '../../message.ts'
import { basename, join } from 'node:path'
import { folderError } from '../../errno.ts'
import { SvcError, systemCode } from '../../errors.ts'
import { missingFolders } from '../../disk/whole.ts'
import type { Host } from '../../host.ts'
import { readUserFile } from '../../config/load.ts'
import { secretPath, secretSource } from '../../config/credentials.ts'
import { homeFolder, variable } from '../../config/environment.ts'
import { stateDir } from '../../config/paths.ts'
import { groupDigits, humanSize, shellWord } from '../../words.ts'
import type { Finding } from '../../views/documents.ts'
import type { Context } from '../../cli/context.ts'

/** Files that hold secrets, and who else can read them. The configuration itself was checked when it was read. */
export async function checkFiles({ host, options }: Context): Promise<ToldFinding> {
  if (host.platform === 'win32') return skip('files', 'there are no file modes on Windows')
  const file = await readUserFile(host, options)
  const named = variable(host, 'SVC_API_SECRET_FILE')
  const profiles = [...(file?.content.profiles ?? [])]
  const sources = profiles.map(([name, profile]) => secretSource(profile, name, file?.path ?? ''))
  const secretFiles = sources.flatMap((source) => (source.kind === 'file' ? [source.path] : []))
  if (named !== undefined) secretFiles.push(secretPath(host, named, 'SVC_API_SECRET_FILE'))
  const home = homeFolder(host) ?? ''
  const open = [...new Set(secretFiles.map((path) => path.replace(/^~(?=[/\\])/, home)))].filter(
    (path) => isReadableByAll(host, path),
  )
  if (file === undefined && secretFiles.length === 0)
    return ok('files', 'no file contains a secret')
  if (open.length === 0) return ok('files', 'no secret file is readable by everybody')
  const words = `others can read the secret in ${open.join(', ')}`
  return warn('files', words, `  chmod 600 ${open.map(shellWord).join(' ')}`)
}

/** A group may be meant to read a mounted secret; everybody never is. */
function isReadableByAll({ disk }: Host, path: string): boolean {
  try {
    const stats = disk.statSync(path)
    return stats.isFile() && (stats.mode & 0o004) !== 0
  } catch (error) {
    // The command that reads the secret says what is wrong with its file.
    if (systemCode(error) === undefined) throw error
    return false
  }
}

/** Whether journals can be written: makes what a run would, and takes it away again. */
export async function checkStateFolder({ host, options }: Context): Promise<ToldFinding> {
  const waysOut =
    'bulk runs are recorded there; name another folder with --state-dir or SVC_STATE_DIR'
  const made: string[] = []
  let folder = 'the state folder'
  try {
    folder = stateDir(host, options).value
    const [{ RunStore }, { runsFolder }] = await Promise.all([
      import('../../bulk/runs/store.ts'),
      import('../../bulk/runs/folders.ts'),
    ])
    const store = new RunStore(host, () => folder)
    const { runs, bytes } = store.measure()
    made.push(...missingFolders(host, runsFolder(folder)))
    await store.prepare()
    const probe = host.disk.mkdtempSync(join(runsFolder(folder), '.doctor-'))
    made.push(probe)
    host.disk.writeFileSync(join(probe, 'journal.ndjson'), Buffer.alloc(4096), {
      flag: 'wx',
      mode: 0o600,
      flush: true,
    })
    const held = `${groupDigits(runs)} ${runs === 1 ? 'run' : 'runs'}, ${humanSize(bytes)}`
    const what = made.includes(folder) ? 'the first bulk run creates it' : held
    return ok('state folder', `${folder} (${what})`)
  } catch (error) {
    return failure('state folder', folderError(`${folder} cannot be written`, error, waysOut))
  } finally {
    for (const path of made.reverse()) removeProbe(host, path)
  }
}

/** Removes a folder that doctor made; one that another svc has begun to use meanwhile stays. */
function removeProbe({ disk }: Host, folder: string): void {
  try {
    disk.rmSync(join(folder, 'journal.ndjson'), { force: true })
    disk.rmdirSync(folder)
  } catch (error) {
    if (systemCode(error) === undefined) throw error
  }
}

/** Looks for the script where `svc completion --help` says to put it. */
export async function checkCompletion({ host }: Context): Promise<ToldFinding> {
  const home = homeFolder(host)
  const shell = basename(variable(host, 'SHELL') ?? '')
  if (home === undefined || !['bash', 'zsh', 'fish'].includes(shell))
    return skip('completion', 'svc has no script for this shell')
  const config = variable(host, 'XDG_CONFIG_HOME') ?? join(home, '.config')
  const places: Record<string, string> = {
    bash: join(home, '.bashrc'),
    zsh: join(variable(host, 'ZDOTDIR') ?? home, '.zshrc'),
    fish: join(config, 'fish/completions/svc.fish'),
  }
  const place = places[shell] ?? ''
  if (mentionsCompletion(host, place)) return ok('completion', `${shell}: ${place}`)
  return skip(
    'completion',
    `not found for ${shell}; to set it up:`,
    say`  ${svc`completion --help`}`,
  )
}

function mentionsCompletion({ disk }: Host, path: string): boolean {
  try {
    return /svc[ -]completion|__complete --/.test(disk.readFileSync(path, 'utf8'))
  } catch {
    return false
  }
}

/** A finding whose remedy has its commands as parts. */
export type ToldFinding = Omit<Finding, 'remedy'> & { readonly remedy: Message | null }

export function ok(check: string, message: string): ToldFinding {
  return { check, state: 'ok', message, remedy: null, exitCode: 0 }
}

export function warn(check: string, message: string, remedy: Message): ToldFinding {
  return { check, state: 'warn', message, remedy, exitCode: 0 }
}

export function skip(check: string, message: string, remedy: Message | null = null): ToldFinding {
  return { check, state: 'skip', message, remedy, exitCode: 0 }
}

/** A check that returns what is well, or throws what is wrong. */
export async function lookAt(
  check: string,
  look: () => string | Promise<string>,
): Promise<ToldFinding> {
  try {
    return ok(check, await look())
  } catch (error) {
    return failure(check, error)
  }
}

/** A failure in the error's own words. Throws what is no finding. */
export function failure(check: string, error: unknown, exitCode?: number): ToldFinding {
  if (!(error instanceof SvcError) || error.category === 'interrupted') throw error
  const { message, details } = error
  return {
    check,
    state: 'fail',
    message,
    remedy: details.hint ?? null,
    exitCode: exitCode ?? error.exitCode,
  }
}
