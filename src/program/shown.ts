/** View and formats of the command of a line, before anything runs. */
import { formatsOf } from '../output/formats/choice.ts'
import { formats, type Format, type View } from '../output/result.ts'
import type { CommandLine } from './command-line.ts'

/** The view of its rows, of a bulk run where a file makes it one; undefined of a noun. */
export function viewShown({ command: { command }, given }: CommandLine): View<never> | undefined {
  return given.has('file') ? (command?.bulkShows ?? command?.shows) : command?.shows
}

/** The formats that it has; all of them before there is a command. */
export function formatsShown(line: CommandLine): readonly Format[] {
  const view = viewShown(line)
  const { plain } = line.command.command ?? {}
  if (view === undefined) return formats
  if (plain === undefined) return formatsOf(view)
  return plain === 'json' ? ['table', 'json'] : ['table']
}
