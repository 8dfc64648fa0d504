/** One command line in, one exit code out. What needs nothing to be run is answered here, everything else in `program/invoke.ts`. */
import { shortcutOf } from './program/argv.ts'
import type { Host } from './host.ts'
import type { Call } from './program/call.ts'
import type { Answer } from './program/help/answer.ts'
import { version } from './version.ts'

/** Runs the program. Never throws; when a signal ended it, the host dies by that signal after everything is written. */
export async function main(host: Host): Promise<number> {
  try {
    const answer = await answerAtOnce(host)
    if ('line' in answer) {
      const { invoke } = await import('./program/invoke.ts')
      return await invoke(host, answer)
    }
    const { text, to } = answer
    const rest = host.writeAtOnce?.(text, to) ?? text
    if (rest.length > 0) await (await import('./output/sink.ts')).writeText(host, host[to], rest)
    return to === 'stdout' ? 0 : 2
  } catch (error) {
    const { reportAlone } = await import('./program/report.ts')
    return reportAlone(host, error)
  }
}

/** A text that needs nothing to be run, or the verb to run. Throws exit 2 for a mistake of the command line. */
async function answerAtOnce(host: Host): Promise<Answer | Call> {
  const shortcut = shortcutOf(host.argv)
  if (shortcut?.kind === 'version') return { text: `${version}\n`, to: 'stdout' }
  if (shortcut?.kind === 'help') return (await import('./program/help/answer.ts')).help(host)
  if (shortcut !== undefined)
    return (await import('./program/completion/complete.ts')).complete(host, shortcut)
  return (await import('./program/answers.ts')).answer(host)
}
