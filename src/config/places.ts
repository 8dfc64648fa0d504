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
    // Two different ends: if the messages are equal, the mistake stands before them. They quote a few characters around it.
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

/** Finds the line of the last key of a path in JSON or YAML; if a key is missing, that of the last one that is found. */
export function lineOfKey(text: string, path: readonly string[]): number {
  let position = 0
  let behind = 0
  for (const [n, key] of path.entries()) {
    const name = key.replaceAll(/\W/g, String.raw`\$&`)
    // The value of a key in the middle of the path begins with a brace, or on the next line.
    const value = n === path.length - 1 ? '' : String.raw`\s*(?:\{|#|$)`
    const pattern = String.raw`(?<=^\s*|[{,]\s*)["']?${name}["']?\s*:${value}`
    const match = new RegExp(pattern, 'm').exec(text.slice(behind))
    if (match === null) break
    position = behind + match.index
    behind = position + match[0].length
  }
  return lineOf(text, position)
}
