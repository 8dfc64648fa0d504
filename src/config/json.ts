/**
 * Strict JSON for configuration files. `JSON.parse` alone silently keeps the last of two equal keys, and its
 * messages quote the text around a mistake, which may be a secret. Errors here give the line and column
 * instead.
 */
import { messageOf, SvcError } from '../errors.ts'

/** Parses a file's text. Throws exit 2 with the line and column, both from 1, of a mistake or a duplicate key. */
export function parseJsonFile(path: string, text: string): unknown {
  const problemAt = (offset: number, problem: string): SvcError => {
    const before = text.slice(0, offset).split(/\r\n|\r|\n/)
    const column = Array.from(before.at(-1) ?? '').length + 1
    return new SvcError('config', `${path}:${before.length}:${column}: ${problem}`)
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    const offset = offsetOf(text, messageOf(error))
    const isWhole = offset < text.length
    throw problemAt(offset, isWhole ? 'malformed JSON' : 'the file ends too early')
  }
  const duplicate = duplicateKey(text)
  if (duplicate === undefined) return value
  throw problemAt(duplicate.index, `duplicate key ${JSON.stringify(duplicate.key)}`)
}

/** The first duplicate key. `text` is valid JSON, so its strings and brackets are enough to find it. */
function duplicateKey(text: string) {
  const open: Set<string>[] = []
  for (const { 0: mark, 1: string, 2: colon, index } of text.matchAll(
    /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}[\]]/g,
  )) {
    if (mark === '{' || mark === '[') open.push(new Set())
    else if (mark === '}' || mark === ']') open.pop()
    else if (string !== undefined && colon !== undefined) {
      const key = String(JSON.parse(string))
      if (open.at(-1)?.has(key) === true) return { key, index }
      open.at(-1)?.add(key)
    }
  }
  return undefined
}

/** The offset of a mistake. V8 gives the position, except for an unexpected token or an early end. */
function offsetOf(text: string, message: string): number {
  const [, position] = /JSON at position (\d+)/.exec(message) ?? []
  if (position !== undefined) return Number(position)
  if (!isUnexpectedToken(text)) return text.length
  // The token is the last character of the shortest prefix that fails in the same way.
  let without = 0
  let having = text.length
  while (having - without > 1) {
    const middle = Math.floor((without + having) / 2)
    if (isUnexpectedToken(text.slice(0, middle))) having = middle
    else without = middle
  }
  return without
}

function isUnexpectedToken(text: string): boolean {
  try {
    JSON.parse(text)
    return false
  } catch (error) {
    return messageOf(error).startsWith('Unexpected token')
  }
}
