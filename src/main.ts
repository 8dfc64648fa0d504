/** One command line in, one exit code out. What needs no framework is answered here, everything else in `invocation.ts`. */
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

/** What needs neither the framework nor a configuration: the version, help, what a shell asks on a tab, and svc itself. */
async function answerAtOnce(host: Host): Promise<string | undefined> {
  const [first, second] = host.argv
  if (first === '-V' || first === '--version') return `${version}\n`
  if (first === '__complete') {
    if (second === '--pages') return (await import('./cli/help/built.ts')).printPages(host)
    return (await import('./cli/completion/built.ts')).answerShell(host)
  }
  if (first === '__lookup') return (await import('./http/system-lookup.ts')).systemLookup(second ?? '')
  const last = host.argv.at(-1)
  const asksHelp = first === undefined || first === 'help' || last === '--help' || last === '-h'
  return asksHelp ? (await import('./cli/help/built.ts')).builtPage(host) : undefined
}
