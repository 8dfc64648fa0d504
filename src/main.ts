/** One command line in, one exit code out. What needs no framework is answered here, everything else in `cli/invoke.ts`. */
import { shortcutOf } from './cli/argv.ts'
import { withHeadings } from './cli/help/headings.ts'
import type { Host } from './host.ts'
import { version } from './version.ts'

/** Runs the program. Never throws; when a signal ended it, the host dies by that signal after everything is written. */
export async function main(host: Host): Promise<number> {
  try {
    const known = await answerAtOnce(host)
    if (known !== undefined) {
      const { writeText } = await import('./output/sink.ts')
      await writeText(host.stdout, known)
      return 0
    }
  } catch (error) {
    const { reportAlone } = await import('./cli/invoke.ts')
    return reportAlone(host, error)
  }
  const { invoke } = await import('./cli/invoke.ts')
  return invoke(host)
}

async function answerAtOnce(host: Host): Promise<string | undefined> {
  const shortcut = shortcutOf(host.argv)
  switch (shortcut?.kind) {
    case undefined:
      return undefined
    case 'version':
      return `${version}\n`
    case 'help':
      return helpAtOnce(host, shortcut.path)
    case 'pages':
      return (await import('./cli/help/built.ts')).printPages(host)
    case 'complete':
      return (await import('./cli/completion/built.ts')).answerShell(host, shortcut.words)
    case 'tree':
      return (await import('./cli/completion/built.ts')).printTree()
    case 'lookup':
      return (await import('./http/system-lookup.ts')).systemLookup(shortcut.name)
  }
}

async function helpAtOnce(host: Host, path: string): Promise<string | undefined> {
  const page = (await import('./cli/help/built.ts')).builtPage(host, path)
  return page === undefined ? undefined : withHeadings(host, page)
}
