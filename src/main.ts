/** Runs one command line, from its words to its exit code. `svc --version` is answered before anything else is loaded. */
import { type Host, version } from './host.ts'
import type { TypedLine } from './cli/options.ts'
import type { TextAnswer } from './program/parse.ts'

/**
 * Runs a command line and returns its exit code. Never throws. If a signal ended it, the process ends by that signal when
 * everything is written, and this never returns. `cacheCode` makes Node cache the compiled code of what is loaded later. It is
 * not called for the version, because it takes longer than that answer.
 */
export async function main(host: Host, cacheCode?: () => Promise<void>): Promise<number> {
  // `parse` fills in the path, options and values of this object, also before it throws. Errors are printed to match.
  const line: TypedLine = { words: host.argv, path: '', options: {}, values: {} }
  try {
    const [first = '', ...rest] = host.argv
    if (['-V', '--version'].includes(first) && rest.length === 0)
      return await print(host, { kind: 'text', text: `${version}\n`, to: 'stdout' })
    await cacheCode?.()
    if (first === '__complete') {
      const { complete } = await import('./program/completion.ts')
      return await print(host, await complete(host, rest))
    }
    const { parse } = await import('./program/parse.ts')
    const call = await parse(host, line)
    if (call.kind === 'text') return await print(host, call)
    const { runLine } = await import('./program/act.ts')
    return await runLine(host, call)
  } catch (thrown) {
    const { makeMessages, toSvcError } = await import('./program/report.ts')
    const messages = makeMessages(host, line)
    const error = toSvcError(thrown)
    messages.error(error)
    return error.exitCode
  }
}

/** Prints a text that no verb makes, such as the help. Returns the exit code. */
async function print(host: Host, { text, to }: TextAnswer) {
  // `rest` could not be written at once.
  const rest = host.writeAtOnce?.(text, to) ?? Buffer.from(text)
  if (rest.length > 0)
    await (await import('./output/streams.ts')).writeBytes(host, host[to], [rest])
  // `exitCodes` is not loaded for this.
  return to === 'stdout' ? 0 : 2
}
