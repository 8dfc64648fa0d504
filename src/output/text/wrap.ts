/**
 * Lines of messages in the width of a terminal: broken at spaces, but never within a word, a command or an
 * option with its value.
 */

/** Stands for a space at which no line is broken. Text that is safe has none of it. */
const heldSpace = '\0'

/** A text in which no line is broken. */
export function hold(text: string): string {
  return text.replaceAll(' ', heldSpace)
}

const commandLine = /^ {2,}(?=(?:svc|npx|chmod) ).*/gm
const optionWithValue = /--[a-z][\w-]* (?:'[^'\n]*'|"[^"\n]*"|\S+)/g

/** Breaks lines that are wider; undefined: none. What is left of a line is indented by two more spaces. */
export function wrap(text: string, width: number | undefined): string {
  if (width === undefined) return text.replaceAll(heldSpace, ' ')
  const kept = text.replace(commandLine, hold).replace(optionWithValue, hold)
  const lines = kept.split('\n').map((line) => wrapLine(line, width))
  return lines.join('\n').replaceAll(heldSpace, ' ')
}

function wrapLine(line: string, width: number): string {
  if (cellsOf(line) <= width) return line
  const [indent = ''] = /^ */.exec(line) ?? []
  let wrapped = indent
  let taken = indent.length
  let isBegun = false
  for (const word of line.slice(indent.length).split(' ')) {
    const needed = cellsOf(word)
    if (isBegun && taken + 1 + needed > width) {
      wrapped += `\n${indent}  ${word}`
      taken = indent.length + 2 + needed
    } else {
      wrapped += isBegun ? ` ${word}` : word
      taken += needed + (isBegun ? 1 : 0)
    }
    isBegun = true
  }
  return wrapped
}

/** Characters of East Asian scripts take two cells, marks on another character none. */
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/g

/** Nearly how many cells a text takes. What measures exactly is loaded for tables alone. */
function cellsOf(text: string): number {
  return text.replace(/\p{M}/gu, '').length + (text.match(wide)?.length ?? 0)
}
