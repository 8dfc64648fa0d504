/** One command line in, one exit code out. What needs no framework is answered here, everything else in `program/invoke.ts`. */
import { shortcutOf } from './program/argv.ts'
import type { Host } from './host.ts'
import { version } from './version.ts'

/** Runs the program. Never throws; when a signal ended it, the host dies by that signal after everything is written. */
export async function main(host: Host): Promise<number> {
  try {
    const known = await answerAtOnce(host)
    if (known !== undefined) {
      await write(host, known)
      return 0
    }
  } catch (error) {
    const { reportAlone } = await import('./program/report.ts')
    return reportAlone(host, error)
  }
  const { invoke } = await import('./program/invoke.ts')
  return invoke(host)
}

async function answerAtOnce(host: Host): Promise<string | undefined> {
  const shortcut = shortcutOf(host.argv)
  switch (shortcut?.kind) {
    case undefined:
      return undefined
    case 'version':
      return `${version}\n`
    case 'complete': {
      const { complete } = await import('./program/completion/complete.ts')
      const { wholeTree } = await import('./program/program.ts')
      return complete(await wholeTree(), shortcut.words, host, shortcut.isBrief)
    }
  }
}

async function write(host: Host, text: string): Promise<void> {
  const rest = host.writeAtOnce?.(text, 'stdout') ?? text
  if (rest.length === 0) return
  const { writeText } = await import('./output/sink.ts')
  await writeText(host.stdout, rest)
}
