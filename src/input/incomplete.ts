/** An input that says that it is not whole: the command that wrote it failed. Nothing acts on one. */
import { SvcError } from '../errors.ts'
import { isIncompleteLine } from '../output/incomplete.ts'
import { isObject } from '../values.ts'

/** Throws exit 2, whatever the options say. */
export function refuseIncomplete(input: string): never {
  throw new SvcError('usage', 'this input is incomplete: the command that wrote it failed', {
    hint: `run that command again, and use ${input} when it has ended with 0`,
    isInputIncomplete: true,
  })
}

/** Throws exit 2 for a text that is no JSON, or a word of the command line, and has the mark in a line, wherever it was put. */
export function refuseIncompleteText(input: string, text: string): void {
  if (text.split(/[\r\n]/).some(isIncompleteLine)) refuseIncomplete(input)
}

/** Throws exit 2 for a row that is the mark, or the bracket that opens a document of JSON. */
export function refuseIncompleteRow(input: string, cells: Iterable<string>): void {
  let first: string | undefined
  for (const cell of cells) {
    const text = cell.replace(/^[\s"]+/, '').trimEnd()
    if (text === '') continue
    if (first === undefined && isIncompleteLine(text)) refuseIncomplete(input)
    if (first !== undefined || (text !== '[' && text !== '{')) return
    first = text
  }
  if (first !== undefined) refuseIncomplete(input)
}

/** Throws exit 2 for a value of JSON that is the error with which an incomplete output ends, or an array with one. */
export function refuseErrorValue(input: string, value: unknown): void {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (values.some((each) => isObject(each) && each['type'] === 'error' && isObject(each['error'])))
    refuseIncomplete(input)
}
