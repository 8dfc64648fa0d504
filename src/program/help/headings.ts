import type { TypedLine } from '../../cli/line.ts'
import type { Host } from '../../host.ts'
import { allowsColor } from '../before-parsing.ts'

/** A help text as it is shown: with bold headings where its stream is a terminal that may have colors. */
export function withHeadings(
  host: Host,
  line: TypedLine,
  text: string,
  stream: 'stdout' | 'stderr' = 'stdout',
): string {
  if (!host.isTerminal[stream] || !allowsColor(host, line)) return text
  return text.replaceAll(/^(?:[A-Z].*:$|Usage:)/gm, '\u001b[1m$&\u001b[0m')
}
