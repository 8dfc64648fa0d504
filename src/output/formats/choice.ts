/**
 * Formats and fields that a view has: the values of `-o` and `--fields`. A command line is checked against
 * them before its verb runs, so that no request is sent for a mistyped field.
 */
import { closest } from '../../words.ts'
import { usageError } from '../../errors.ts'
import { fieldsOf } from '../fields.ts'
import type { PrintOptions, View } from '../result.ts'
import { formatFacts, formats, type Format } from '../format.ts'
import { safe } from '../../safe-text.ts'

/** The formats that a view has, in the order of the help. */
export function formatsOf<T>(view: View<T>): Format[] {
  if (view.formats !== undefined) return [...view.formats]
  return formats.filter((format) => {
    const { shows } = formatFacts[format]
    if (shows === 'ids') return view.id !== undefined
    return shows !== 'conversation' || view.message !== undefined
  })
}

/** Choices that go with a format unless something else is typed. `limit`: as configured, for where people read. */
export function formatDefaults<T>(
  view: View<T>,
  format: Format,
  fields: readonly string[] | undefined,
  limit: number | 'all' = 50,
): Pick<PrintOptions, 'shown' | 'rowLimit' | 'order'> {
  const { shows, isForPeople = false } = formatFacts[format]
  const isConversation = shows === 'conversation'
  const columns = shows === 'cells' ? view.columns : []
  const columnFields = columns.map(({ field }) => field)
  // A configuration file never cuts what goes to another program: rows that are missing there delete the wrong ones elsewhere.
  return {
    shown: isConversation ? ['sender'] : (fields ?? columnFields),
    rowLimit: isForPeople && limit !== 'all' ? limit : Infinity,
    order: isConversation ? 'oldest' : undefined,
  }
}

/** The fields of `--fields a,b.c`. Throws exit 2 with the known ones of this format when one is unknown. */
export async function checkFields<T>(
  view: View<T>,
  text: string,
  format: Format,
): Promise<string[]> {
  const choices = await fieldsOf(view, format)
  if (choices.length === 0) throw usageError('this command has no fields to choose from')
  const typed = text.split(',').map((part) => {
    const word = part.trim()
    const named = view.columns.find(({ title }) => {
      return title.toLowerCase() === word.toLowerCase()
    })
    const column = named?.field ?? word
    if (!choices.includes(word)) return column
    // In cells `contact` is the column CONTACT, the id; in JSON it is the whole object.
    const isCell = formatFacts[format].shows === 'cells'
    return isCell && column.startsWith(`${word}.`) ? column : word
  })
  // A field that was typed twice is shown once; `a,,b` and a trailing comma are slips of the hand.
  const fields = [...new Set(typed)].filter((field) => field !== '')
  const help = `fields: ${choices.join(', ')}`
  if (fields.length === 0) throw usageError('--fields does not name a field', help)
  const unknown = fields.find((field) => !choices.includes(field))
  if (unknown === undefined) return fields
  const near = closest(unknown, choices)
  const suggestion = near === undefined ? '' : `did you mean "${near}"?\n`
  throw usageError(`unknown field "${safe(unknown)}"`, suggestion + help)
}
