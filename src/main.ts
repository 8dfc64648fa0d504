/** One command line in, one exit code out. What needs no parser is answered here, everything else in `program/invoke.ts`. */
import { shortcutOf } from './program/argv.ts'
import type { Host } from './host.ts'
import type { CommandLine } from './program/command-line.ts'
import { version } from './version.ts'

/** Runs the program. Never throws; when a signal ended it, the host dies by that signal after everything is written. */
export async function main(host: Host): Promise<number> {
  try {
    const answer = await answerAtOnce(host)
    if (typeof answer !== 'string') {
      const { invoke } = await import('./program/invoke.ts')
      return await invoke(host, answer)
    }
    await write(host, answer)
    return 0
  } catch (error) {
    const { reportAlone } = await import('./program/report.ts')
    return reportAlone(host, error)
  }
}

/** What can be said without the parser, or the line that it has to read. Throws exit 2 for a mistake that is certain. */
async function answerAtOnce(host: Host): Promise<string | CommandLine> {
  const shortcut = shortcutOf(host.argv)
  if (shortcut?.kind === 'version') return `${version}\n`
  const { answer, completions } = await import('./program/answers.ts')
  return shortcut === undefined ? answer(host) : completions(host, shortcut)
}

async function write(host: Host, text: string): Promise<void> {
  const rest = host.writeAtOnce?.(text, 'stdout') ?? text
  if (rest.length === 0) return
  const { writeText } = await import('./output/sink.ts')
  await writeText(host, rest)
}
