/** On which lines of a configuration file its mistakes are, counted from 1. */
import { messageOf } from '../errors.ts'

/** Returns the line of a position. */
export function lineOf(text: string, position: number): number {
  return text.slice(0, position).split('\n').length
}

/** Finds the first line with which a text is not JSON anymore. `JSON.parse` does not always name it. */
export function firstBrokenLine(json: string): number {
  const lines = json.split('\n')
  /** So many lines can begin a JSON text. */
  let sound = 0
  /** So many lines cannot. */
  let broken = lines.length
  while (broken - sound > 1) {
    const middle = Math.floor((sound + broken) / 2)
    if (canBeginJson(lines.slice(0, middle).join('\n'))) sound = middle
    else broken = middle
  }
  return broken
}

/** Whether a text that follows could make JSON of this beginning: what `JSON.parse` says then depends on what follows. */
function canBeginJson(beginning: string) {
  // An error quotes a few characters around a mistake. The spaces keep the two endings out of such a quotation.
  const oneProblem = jsonProblem(`${beginning}\n${' '.repeat(40)}!`)
  const otherProblem = jsonProblem(`${beginning}\n${' '.repeat(50)}?`)
  return oneProblem !== otherProblem
}

function jsonProblem(text: string) {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}

/** Finds the line of the last key of a path in JSON or YAML; if a key is missing, that of the last one that is found. */
export function lineOfKey(text: string, path: readonly string[]): number {
  let position = 0
  let searchStart = 0
  for (const [n, key] of path.entries()) {
    const isLast = n === path.length - 1
    const match = keyPattern(key, !isLast).exec(text.slice(searchStart))
    if (match === null) break
    position = searchStart + match.index
    searchStart = position + match[0].length
  }
  return lineOf(text, position)
}

/** A pattern of a key with its colon. The value of a key with others below it begins with a brace, or on the next line. */
function keyPattern(key: string, hasKeysBelow: boolean) {
  const name = key.replaceAll(/\W/g, String.raw`\$&`)
  const value = hasKeysBelow ? String.raw`\s*(?:\{|#|$)` : ''
  return new RegExp(String.raw`(?<=^\s*|[{,]\s*)["']?${name}["']?\s*:${value}`, 'm')
}
