/** Runs one command line, from its words to its exit code. `svc --version` is answered before anything else is loaded. */
import { type Host, version } from './host.ts'
import type { TextAnswer } from './program/parser.ts'

/**
 * Runs a command line and returns its exit code. Never throws. If a signal ended it, the process ends by that signal when
 * everything is written, and this never returns. `cacheCode` makes Node cache the compiled code of what is loaded later. It is
 * not called for the version, because it takes longer than that answer.
 */
export async function main(host: Host, cacheCode?: () => Promise<void>): Promise<number> {
  const [first = '', ...rest] = host.argv
  try {
    if (['-V', '--version'].includes(first) && rest.length === 0)
      return await print(host, { text: `${version}\n`, to: 'stdout', exitCode: 0 })
    await cacheCode?.()
    if (first === '__complete') {
      const { complete } = await import('./program/completion.ts')
      return await print(host, await complete(host, rest))
    }
    const { parse } = await import('./program/parser.ts')
    const parsed = await parse(host, host.argv)
    if (parsed.kind === 'text') return await print(host, parsed)
    if (parsed.kind === 'refused') return await report(host, parsed.error, parsed.values)
    const { actOnLine } = await import('./program/act.ts')
    return await actOnLine(host, parsed)
  } catch (thrown) {
    return report(host, thrown)
  }
}

/** Prints a text that no verb makes, such as the help. Returns the exit code. */
async function print(
  host: Host,
  { text, to, exitCode }: Pick<TextAnswer, 'text' | 'to' | 'exitCode'>,
) {
  // `rest` could not be written at once.
  const rest = host.writeAtOnce?.(text, to) ?? Buffer.from(text)
  if (rest.length > 0)
    await (await import('./output/streams.ts')).writeBytes(host, host[to], [rest])
  return exitCode
}

/** Prints an error. `values` are those of the options that were read. Returns the exit code. */
async function report(
  host: Host,
  thrown: unknown,
  values?: Readonly<Record<string, unknown>>,
) {
  const { makeMessages, toSvcError } = await import('./program/report.ts')
  const error = toSvcError(thrown)
  makeMessages(host, values).error(error)
  return error.exitCode
}
