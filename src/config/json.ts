/**
 * JSON as a configuration file may hold it. `JSON.parse` alone lets the last of two equal keys win in silence, and its messages quote the
 * text around a mistake, which may be a secret. Here a mistake is named by its kind and place. `load.ts` reads configuration by it, and
 * `plans/policy-files.ts` policies.
 */
import { messageOf, SvcError } from '../errors.ts'

/** Where reading stopped, and why; line and column count from 1. */
export class JsonProblem extends Error {
  override readonly name = 'JsonProblem'
  readonly line: number
  readonly column: number

  constructor(reason: string, text: string, offset: number) {
    super(reason)
    const before = text.slice(0, offset).split(/\r\n|\r|\n/)
    this.line = before.length
    this.column = Array.from(before.at(-1) ?? '').length + 1
  }
}

/** No configuration is nested deeper than a handful of levels. */
const deepest = 32

/** The value of a JSON text. Throws JsonProblem for malformed JSON, a duplicate key, and deep nesting. */
export function parseJson(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw syntaxProblem(text, messageOf(error))
  }
  checkKeys(text)
  return value
}

/** The value of a file's text. Throws exit 2 with the place of the mistake. */
export function parseJsonFile(path: string, text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error
    throw new SvcError(
      'config',
      `${path}:${error.line}:${error.column}: malformed JSON: ${error.message}`,
    )
  }
}

/** `text` is valid JSON, so its strings and brackets tell all that is asked here. */
function checkKeys(text: string): void {
  const open: Set<string>[] = []
  for (const { 0: mark, 1: string, 2: colon, index } of text.matchAll(
    /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}[\]]/g,
  )) {
    if (mark === '{' || mark === '[') open.push(new Set())
    else if (mark === '}' || mark === ']') open.pop()
    else if (string !== undefined && colon !== undefined) {
      const key = String(JSON.parse(string))
      if (open.at(-1)?.has(key) === true)
        throw new JsonProblem(`duplicate key ${JSON.stringify(key)}`, text, index)
      open.at(-1)?.add(key)
    }
    if (open.length > deepest) throw new JsonProblem('the nesting is too deep', text, index)
  }
}

/** From what V8 says: it gives the position of each mistake but an unexpected token, which it quotes, and an early end. */
function syntaxProblem(text: string, message: string): JsonProblem {
  if (message.startsWith('Unexpected token'))
    return new JsonProblem('unexpected token', text, tokenOffset(text))
  const [, reason, offset] = /^(.+) (?:in|after) JSON at position (\d+)/.exec(message) ?? []
  if (reason === undefined) return new JsonProblem('the file ends too early', text, text.length)
  return new JsonProblem(
    `${reason.charAt(0).toLowerCase()}${reason.slice(1)}`,
    text,
    Number(offset),
  )
}

/** The last character of the shortest beginning of the text that has the unexpected token too. */
function tokenOffset(text: string): number {
  let without = 0
  let having = text.length
  while (having - without > 1) {
    const middle = Math.floor((without + having) / 2)
    if (hasUnexpectedToken(text.slice(0, middle))) having = middle
    else without = middle
  }
  return without
}

function hasUnexpectedToken(text: string): boolean {
  try {
    JSON.parse(text)
    return false
  } catch (error) {
    return messageOf(error).startsWith('Unexpected token')
  }
}
