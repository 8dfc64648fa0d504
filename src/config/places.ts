/** The lines of mistakes in a configuration file, counted from 1. */
import { messageOf } from '../errors.ts'

/** Returns the line of a position. */
export function lineOf(text: string, position: number): number {
  return text.slice(0, position).split('\n').length
}

/** Finds the line on which a text stops being JSON: from there on, the parser's message does not depend on what follows. */
export function brokenLine(json: string): number {
  const lines = json.split('\n')
  let first = 1
  let last = lines.length
  while (first < last) {
    const middle = Math.floor((first + last) / 2)
    const start = lines.slice(0, middle).join('\n')
    // Messages have a position, or quote a few characters around it.
    const problem = jsonProblem(`${start}\n${' '.repeat(40)}!`)
    if (problem === jsonProblem(`${start}\n${' '.repeat(50)}?`)) last = middle
    else first = middle + 1
  }
  return first
}

function jsonProblem(text: string) {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}

/** Finds the line of the last key of a path in JSON or YAML, or that of the last key that is found. */
export function lineOfKey(text: string, path: readonly string[]): number {
  let position = 0
  for (const [n, key] of path.entries()) {
    const name = key.replaceAll(/\W/g, String.raw`\$&`)
    // The value of a key in the middle of the path begins with a brace, or on the next line.
    const value = n === path.length - 1 ? '' : String.raw`\s*(?:\{|#|$)`
    const pattern = String.raw`(?<=^\s*|[{,]\s*)["']?${name}["']?\s*:${value}`
    const found = text.slice(position).search(new RegExp(pattern, 'm'))
    if (found < 0) break
    position += found + key.length
  }
  return lineOf(text, position)
}
