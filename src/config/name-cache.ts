/**
 * Names of lists and employees from earlier answers, for completion alone: it never asks the service. A file for each key and base URL in
 * the user's cache folder, readable by this user alone. Names only, each for a day. SVC_NO_CACHE=1: none is read or kept. `cli/context.ts`
 * keeps them after a read, and `program/completion.ts` offers them.
 */
import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import { folderProblem, makeFolders } from '../disk/folder.ts'
import type { Host } from '../host.ts'
import { cacheFolder } from './environment.ts'
import type { Profile } from './profile.ts'

export type NameKind = 'lists' | 'employees'

/** When each name was last seen, in milliseconds since 1970. */
type Seen = Record<NameKind, Map<string, number>>

const keptFor = 24 * 60 * 60 * 1000
/** More cannot be chosen from, and would make completion slow. */
const mostNames = 5000
const mostBytes = 2 << 20

/** Undefined where names are not kept. */
function fileOf(host: Host, { baseUrl, apiKey }: Profile): string | undefined {
  const folder = cacheFolder(host)
  const hash = createHash('sha256').update(`${baseUrl}\n${apiKey}`).digest('hex').slice(0, 16)
  return folder === undefined ? undefined : join(folder, `names-${hash}.json`)
}

/** Names of the last day. */
export function recalledNames(host: Host, profile: Profile, kind: NameKind): string[] {
  const path = fileOf(host, profile)
  return path === undefined ? [] : [...read(host, path)[kind].keys()]
}

/** Adds names to those that are kept. A folder that cannot be used keeps none, and no command fails for that. */
export function rememberNames(
  host: Host,
  profile: Profile,
  names: Readonly<Record<NameKind, ReadonlySet<string>>>,
) {
  const path = fileOf(host, profile)
  if (path === undefined) return
  const seen = read(host, path)
  for (const kind of ['lists', 'employees'] as const) {
    for (const name of names[kind]) seen[kind].delete(name)
    const newest = [...names[kind]].map((name) => [name, host.now()] as const)
    seen[kind] = new Map([...newest, ...seen[kind]].slice(0, mostNames))
  }
  const { disk } = host
  const draft = `${path}.${host.pid}.part`
  try {
    makeFolders(host, dirname(path))
    if (
      disk.lstatSync(dirname(path)).isSymbolicLink() ||
      folderProblem(host, dirname(path)) !== undefined
    )
      return
    const content = JSON.stringify({ lists: [...seen.lists], employees: [...seen.employees] })
    disk.writeFileSync(draft, content, { flag: 'wx', mode: 0o600 })
    disk.renameSync(draft, path)
  } catch {
    // Completion offers fewer names.
  }
}

/** Nothing from a file that others could have written, that is too large, or that cannot be read. */
function read(host: Host, path: string): Seen {
  const { disk } = host
  try {
    const stats = disk.lstatSync(path)
    const { uid, mode, size } = stats
    const isOurs = host.userId === undefined || (uid === host.userId && (mode & 0o077) === 0)
    const isPlain = stats.isFile() && !disk.lstatSync(dirname(path)).isSymbolicLink()
    if (!isPlain || !isOurs || size > mostBytes) return { lists: new Map(), employees: new Map() }
    const { lists, employees } = JSON.parse(disk.readFileSync(path, 'utf8')) as Partial<
      Record<NameKind, unknown>
    >
    return { lists: fresh(lists, host.now()), employees: fresh(employees, host.now()) }
  } catch {
    return { lists: new Map(), employees: new Map() }
  }
}

function fresh(pairs: unknown, now: number): Map<string, number> {
  const entries = Array.isArray(pairs) ? (pairs as unknown[]) : []
  return new Map(entries.filter(isPair).filter(([, at]) => at <= now && now - at < keptFor))
}

function isPair(value: unknown): value is [string, number] {
  return Array.isArray(value) && typeof value[0] === 'string' && typeof value[1] === 'number'
}
