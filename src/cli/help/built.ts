/** The help of every command as the build printed it, so that none needs the framework. */
import type { Host } from '../../host.ts'

/** Help by the words of the command (`lists list`; the empty string for svc itself), as JSON; undefined in the sources. */
declare const BUILT_PAGES: string | undefined
/** The width in cells for which they were printed. */
const builtWidth = 80

/** The help of the command that the words name; undefined when the framework has to make it, or to say that there is none. */
export function builtPage(host: Host, path: string): string | undefined {
  if (typeof BUILT_PAGES !== 'string' || (host.columns() ?? builtWidth) < builtWidth) return undefined
  const pages = JSON.parse(BUILT_PAGES) as Readonly<Record<string, string>>
  return Object.hasOwn(pages, path) ? pages[path] : undefined
}

/** All pages as JSON, for the build. */
export async function printPages(host: Host): Promise<string> {
  const { allPages } = await import('../program.ts')
  return JSON.stringify(await allPages(host))
}
