/** The help of every command as the build printed it, so that none needs the framework. */
import type { Host } from '../../host.ts'

/** Help by the words of the command (`lists list`; the empty string for svc itself), as JSON; undefined in the sources. */
declare const BUILT_PAGES: string | undefined
/** The width in cells for which they were printed. */
const builtWidth = 80

/** `svc`, `svc help`, `svc lists list --help`, `svc help lists list`: the words of the command whose help that is. */
function askedPage(words: readonly string[]): string | undefined {
  const last = words.at(-1)
  const path =
    words[0] === 'help' ? words.slice(1) : last === '--help' || last === '-h' ? words.slice(0, -1) : undefined
  if (path === undefined) return words.length === 0 ? '' : undefined
  return path.every((word) => /^[a-z][a-z-]*$/.test(word)) ? path.join(' ') : undefined
}

/** The help that a command line asks for; undefined when the framework has to make it. */
export function builtPage(host: Host): string | undefined {
  if (typeof BUILT_PAGES !== 'string') return undefined
  const path = askedPage(host.argv)
  if (path === undefined || (host.columns() ?? builtWidth) < builtWidth) return undefined
  const pages = JSON.parse(BUILT_PAGES) as Readonly<Record<string, string>>
  return Object.hasOwn(pages, path) ? pages[path] : undefined
}

/** All pages as JSON, for the build. */
export async function printPages(host: Host): Promise<string> {
  const { allPages } = await import('../program.ts')
  return JSON.stringify(await allPages(host))
}
