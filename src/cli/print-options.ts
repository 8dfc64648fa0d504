/** From options and settings to what stdout and stderr look like. Loaded with the configuration. */
import { usageError } from '../errors.ts'
import { colorLevel, type GlobalOptions, type Settings } from '../config/settings.ts'
import { isAccessible, type Host } from '../host.ts'
import { checkFields, formatDefaults, formatsOf } from '../output/questions/choice.ts'
import type { Format, PrintOptions, View } from '../output/result.ts'
import type { Messages } from '../output/stderr.ts'
import { askedFormat } from './global-options.ts'

/** Throws exit 2 for a format or fields that the view does not have. */
export function printOptions<T>(view: View<T>, options: GlobalOptions, settings: Settings, host: Host): PrintOptions {
  const format = chooseFormat(view, options, settings)
  if (options.fields !== undefined && format === 'ids') throw usageError('--fields does not go with -o ids')
  const isTerminal = host.isTerminal.stdout
  const fields = options.fields === undefined ? undefined : checkFields(view, options.fields, format)
  return {
    ...formatDefaults(view, format, fields, settings.limit.value),
    format,
    fields,
    header: options.header !== false,
    csvRaw: options.csvRaw === true,
    jsonRaw: options.jsonRaw === true,
    truncate: options.truncate !== false,
    records: isAccessible(host.env),
    utc: settings.utc.value,
    color: colorLevel(settings.color.value, host.env, isTerminal),
    width: isTerminal ? (host.columns() ?? 80) : undefined,
    now: host.now(),
  }
}

function chooseFormat<T>(view: View<T>, options: GlobalOptions, settings: Settings): Format {
  const asked = askedFormat(options)
  if (asked === undefined) return configuredFormat(view, settings) ?? view.defaultFormat ?? 'table'
  const formats = formatsOf(view)
  if (formats.includes(asked)) return asked
  throw usageError(`this command has no format "${asked}"`, `it has: ${formats.join(', ')}`)
}

/** From the environment or a file, a format is a preference: a command that lacks it uses its own default. */
function configuredFormat<T>(view: View<T>, { output }: Settings): Format | undefined {
  return output.source !== 'built-in' && formatsOf(view).includes(output.value) ? output.value : undefined
}

/** What settings say of messages, where the command line, which was looked at before, says nothing. */
export function applySettings<T>(messages: Messages, view: View<T>, options: GlobalOptions, settings: Settings): void {
  if (settings.color.value === 'never') messages.color = false
  if (options.output !== undefined || options.errorFormat !== undefined) return
  // Whoever prefers JSON gets errors as JSON too; a command that prints JSON by itself changes nothing.
  const format = configuredFormat(view, settings)
  if (format === 'json' || format === 'ndjson') messages.format = 'json'
}

/** What a bulk run shows while it works. A dumb terminal and a screen reader get a line now and then. */
export function progressMode(
  { progress }: Settings,
  { quiet }: GlobalOptions,
  { env, isTerminal }: Pick<Host, 'env' | 'isTerminal'>,
): 'bar' | 'lines' | 'json' | 'none' {
  const wanted = progress.value
  if (quiet === true || wanted === 'none') return 'none'
  if (wanted === 'json') return 'json'
  if (wanted === 'auto' && !isTerminal.stderr) return 'none'
  return env['TERM'] === 'dumb' || isAccessible(env) ? 'lines' : 'bar'
}
