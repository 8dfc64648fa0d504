/** One command line in, one exit code out. The version is answered before anything is loaded. */
import type { Host } from './host.ts'
import type { TypedLine } from './options.ts'
import type { TextAnswer } from './program/parse.ts'
import { version } from './version.ts'

/**
 * Runs the program. Never throws; when a signal ended it, the host dies by that signal after everything is written.
 * `keepCode` has Node keep the compiled code of what is loaded later; for the version that would take longer than the
 * answer.
 */
export async function main(host: Host, keepCode?: () => Promise<void>): Promise<number> {
  let line: TypedLine = { words: host.argv, path: '', given: new Map(), options: {} }
  try {
    const [first = '', ...rest] = host.argv
    if (['-V', '--version'].includes(first) && rest.length === 0)
      return await print(host, { kind: 'text', text: `${version}\n`, to: 'stdout' })
    await keepCode?.()
    if (first === '__complete') {
      const { complete } = await import('./program/completion.ts')
      return await print(host, await complete(host, rest))
    }
    const { parse } = await import('./program/parse.ts')
    const { commands } = await import('./program/commands.ts')
    const { newLine } = await import('./program/line.ts')
    const being = newLine(host.argv)
    line = being
    const call = await parse(host, commands, being)
    if (call.kind === 'text') return await print(host, call)
    const { runLine } = await import('./program/run.ts')
    return await runLine(host, call)
  } catch (thrown) {
    const { hideTypedSecrets, messagesOf, toSvcError } = await import('./program/report.ts')
    const messages = messagesOf(host, line)
    await hideTypedSecrets(host, line, messages)
    const error = toSvcError(thrown)
    messages.error(error)
    return error.exitCode
  }
}

/** Prints a text that needs nothing to be run. Returns the exit code. */
async function print(host: Host, { text, to }: TextAnswer) {
  const rest = host.writeAtOnce?.(text, to) ?? Buffer.from(text)
  if (rest.length > 0)
    await (await import('./output/sink.ts')).writeBytes(host, host[to], [rest])
  return to === 'stdout' ? 0 : 2
}
