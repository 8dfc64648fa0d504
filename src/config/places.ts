/** The lines of mistakes in a configuration file, counted from 1. */
import { messageOf } from '../errors.ts'

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

/** Finds the line of the last key of a path in JSON or YAML by its indentation, or the line of the last key that is found. */
export function lineOfKey(text: string, path: readonly string[]): number {
  let rest = text.split('\n').map((written, index) => ({
    // Comments and blank lines end no block.
    written: written.replace(/^\s*(?:#.*)?$/, ''),
    indentation: written.search(/\S|$/),
    line: index + 1,
  }))
  let block = rest
  let line = 1
  for (const key of path) {
    const name = key.replaceAll(/\W/g, String.raw`\$&`)
    const pattern = new RegExp(String.raw`(?<=(?:^|[{,])\s*)(["']?)${name}\1\s*:`)
    const columnOf = ({ written }: (typeof rest)[number]) => written.search(pattern)
    const hasKey = (each: (typeof rest)[number]) => columnOf(each) >= 0
    const inBlock = block
      .filter(hasKey)
      .sort((one, other) => columnOf(one) - columnOf(other))
    // JSON may have no indentation.
    const found = inBlock[0] ?? rest.find(hasKey)
    if (found === undefined) break
    const { indentation, written } = found
    line = found.line
    const below = rest.filter((each) => each.line > line)
    rest = [{ ...found, written: written.slice(columnOf(found) + key.length) }, ...below]
    const end = below.findIndex(
      (each) => each.written !== '' && each.indentation <= indentation,
    )
    block = end < 0 ? rest : rest.slice(0, end + 1)
  }
  return line
}
