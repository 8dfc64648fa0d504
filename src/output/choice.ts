/** What `-o` and `--fields` may say of a view. */
import { usageError } from '../errors.ts'
import type { Format, View } from './result.ts'
import { safe } from './text.ts'

/** The formats that a view has, in the order of the help. */
export function formatsOf<T>(view: View<T>): Format[] {
  if (view.formats !== undefined) return [...view.formats]
  const formats: Format[] = ['table', 'json', 'ndjson', 'csv', 'tsv']
  if (view.id !== undefined) formats.push('ids')
  return [...formats, ...(view.extraFormats ?? [])]
}

/** The fields of `--fields a,b.c`. Throws exit 2 with the known ones of this format when one is unknown. */
export function checkFields<T>(view: View<T>, text: string, format: Format): string[] {
  const known = knownFields(view, format)
  if (known.length === 0) throw usageError('this command has no fields to choose from')
  const fields = [...new Set(text.split(',').map((field) => field.trim()))].filter((field) => field !== '')
  if (fields.length === 0) throw usageError('--fields names no field', `fields: ${known.join(', ')}`)
  for (const field of fields) {
    if (known.includes(field)) continue
    const near = nearest(field, known)
    const suggestion = near === undefined ? '' : `did you mean "${near}"?\n`
    throw usageError(`unknown field "${safe(field)}"`, `${suggestion}fields: ${known.join(', ')}`)
  }
  return fields
}

/** What is printed in this format may be something else than the rows of a table. */
function knownFields<T>({ computed, fields, document, streamed }: View<T>, format: Format): readonly string[] {
  if (format === 'ndjson' && streamed !== undefined) return streamed.fields
  if ((format === 'json' || format === 'ndjson') && document !== undefined) return document
  return [...new Set([...Object.keys(computed ?? {}), ...fields])]
}

function nearest(word: string, known: readonly string[]): string | undefined {
  const wanted = word.toLowerCase()
  const last = known.find((field) => field.toLowerCase().split('.').at(-1) === wanted)
  if (last !== undefined) return last
  const ranked = known
    .map((field) => ({ field, distance: editDistance(wanted.slice(0, 60), field.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)
  const best = ranked[0]
  return best !== undefined && best.distance <= Math.max(2, wanted.length / 3) ? best.field : undefined
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
