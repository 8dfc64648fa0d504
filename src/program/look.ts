/**
 * The look of messages. It is known before the options are checked, so that usage errors have it too.
 */
import { typedText, type TypedLine } from '../cli/options.ts'
import { textOfVariable } from '../config/settings.ts'
import type { OptionKey } from '../config/table.ts'
import type { Host } from '../host.ts'

type Environment = Pick<Host, 'env'>

/** The options of a line. */
type Line = Pick<TypedLine, 'given'>

export function errorFormatOf(host: Environment, line: Line): 'text' | 'json' {
  return textOf('errorFormat', host, line) === 'json' ? 'json' : 'text'
}

/** Whether messages may have colors. A file's `color: never` is known only later. */
export function allowsColor(host: Environment, line: Line): boolean {
  return textOf('color', host, line) !== 'never' && host.env['TERM'] !== 'dumb'
}

function textOf(key: OptionKey, host: Environment, line: Line): string | undefined {
  return typedText(line, key) ?? textOfVariable(key, host)
}
