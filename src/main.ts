/**
 * One command line in, one exit code out. What needs nothing to be run is answered here, everything else in `program/invoke.ts`.
 * `bin/svc.js` calls it, and so do tests, each with a host of its own.
 */
import { shortcutOf } from './program/shortcuts.ts'
import type { Host } from './host.ts'
import type { CommandLine } from './program/command-line.ts'
import type { Answer } from './program/help/answer.ts'
import { version } from './version.ts'

/** Runs the program. Never throws; when a signal ended it, the host dies by that signal after everything is written. */
export async function main(host: Host): Promise<number> {
  let line: CommandLine | undefined
  try {
    const shortcut = shortcutOf(host.argv)
    if (shortcut?.kind === 'version')
      return await print(host, { kind: 'text', text: `${version}\n`, to: 'stdout' })
    if (shortcut?.kind === 'complete') {
      const { complete } = await import('./program/completion.ts')
      return await print(host, await complete(host, shortcut))
    }
    if (shortcut?.kind === 'help') {
      const { readWords, helpFor } = await import('./program/help/answer.ts')
      line = await readWords(host.argv)
      return await print(host, await helpFor(host, line, 'stdout'))
    }
    const { readWords, answer: answerTo } = await import('./program/answers.ts')
    line = await readWords(host.argv)
    const answer = await answerTo(host, line)
    if (answer.kind === 'text') return await print(host, answer)
    const { invoke } = await import('./program/invoke.ts')
    return await invoke(host, answer)
  } catch (error) {
    const { reportAlone } = await import('./program/report.ts')
    return reportAlone(host, line, error)
  }
}

/** Prints a text that needs nothing to be run. Returns the exit code. */
async function print(host: Host, { text, to }: Answer): Promise<number> {
  const rest = host.writeAtOnce?.(text, to) ?? text
  if (rest.length > 0) await (await import('./output/sink.ts')).writeText(host, host[to], rest)
  return to === 'stdout' ? 0 : 2
}
