/**
 * The look of messages. It is known before the options are checked, so that usage errors have it too.
 */
import { typedText, type TypedLine } from '../cli/options.ts'
import { textOfVariable } from '../config/settings.ts'
import type { OptionKey } from '../config/table.ts'
import type { Host } from '../host.ts'

type Variables = Pick<Host, 'env'>

/** The options of a line. */
type LineOptions = Pick<TypedLine, 'given'>

export function errorFormatOf(host: Variables, line: LineOptions): 'text' | 'json' {
  return textOf('errorFormat', host, line) === 'json' ? 'json' : 'text'
}

/** Whether messages may have colors. A file's `color: never` is known only later. */
export function allowsColor(host: Variables, line: LineOptions): boolean {
  return textOf('color', host, line) !== 'never' && host.env['TERM'] !== 'dumb'
}

function textOf(key: OptionKey, host: Variables, line: LineOptions): string | undefined {
  return typedText(line, key) ?? textOfVariable(key, host)
}
