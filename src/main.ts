/** One command line in, one exit code out. What needs no framework is answered here, everything else in `invocation.ts`. */
import type { Host } from './host.ts'
import { version } from './version.ts'

/** The help of the whole program as the build printed it, so that it needs no framework; undefined in the sources. */
declare const BUILT_HELP: string | undefined
/** The width in cells for which it was printed. */
const builtWidth = 80

/** Runs the program. Never throws; when a signal ended it, the host dies by that signal after everything is written. */
export async function main(host: Host): Promise<number> {
  const known = answerAtOnce(host)
  const asked = host.argv[0] === '__complete'
  if (known === undefined && !asked) {
    const { invoke } = await import('./invocation.ts')
    return invoke(host)
  }
  const { writeText } = await import('./output/sink.ts')
  try {
    await writeText(host.stdout, known ?? (await (await import('./completion.ts')).answerShell(host)))
    return 0
  } catch (error) {
    const { reportAlone } = await import('./invocation.ts')
    return reportAlone(host, error)
  }
}

/** What needs neither the framework nor a configuration. */
function answerAtOnce(host: Host): string | undefined {
  const [word, ...more] = host.argv
  if (word === '-V' || word === '--version') return `${version}\n`
  const asksHelp = word === undefined || ((word === '--help' || word === '-h' || word === 'help') && more.length === 0)
  if (!asksHelp || typeof BUILT_HELP !== 'string') return undefined
  return (host.columns() ?? builtWidth) < builtWidth ? undefined : BUILT_HELP
}
