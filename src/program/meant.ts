/**
 * Hints for words that a command cannot take: commands that take them, which can be typed as they stand. `usage.ts` asks it when it writes
 * the hint of such a mistake.
 */
import type { Operand } from '../cli/option.ts'
import { peopleByTable, reachOf } from '../input/id.ts'
import { join, say, svc, svcAsItIs, type Message, type ShownCommand } from '../message.ts'
import type { ValueKind } from '../values.ts'
import { shellWord } from '../words.ts'
import type { CommandLine } from './command-line.ts'
import type { TreeOption } from './tree.ts'

const tableEnding = /.\.(?:txt|csv|tsv|xlsx|json|ndjson)$/i

/** People that are searched for with a command each; more of them are a table. */
const mostSearches = 3

/** For words that should have been ids: the file that they name, or the search for the people whose addresses or numbers they are. */
export function meantByNoIds(
  line: CommandLine,
  words: readonly string[],
  isFile: (path: string) => boolean,
): Message | undefined {
  const tables = line.operands.filter(({ word }) => {
    if (!words.includes(word)) return false
    return tableEnding.test(word) || isFile(word)
  })
  const file = unusedOption(line, 'file')
  // A second party that is a contact goes with one contact, never with a file.
  const isOfOne = line.options.some(({ option }) => option.takes === 'contact')
  if (file !== undefined && tables.length > 0 && !isOfOne)
    return say`to read ids from a file:\n  ${lineWith(line, file, tables)}`
  const contacts = words.filter((word) => kindOf(line, word) === 'contact')
  return searchesFor(contacts)
}

/** For words that are more than a command takes: its option for them. */
export function meantByExcess(line: CommandLine): Message | undefined {
  const excess = line.operands.slice(line.command.arguments.length)
  const option = optionFor(line, excess)
  return option && say`did you mean:\n  ${lineWith(line, option, excess)}`
}

function optionFor(line: CommandLine, excess: readonly Operand[]): TreeOption | undefined {
  if (excess.some(({ word }) => tableEnding.test(word))) {
    const file = unusedOption(line, 'file')
    const takesAll = file?.isRepeatable === true || excess.length === 1
    return takesAll ? file : undefined
  }
  const text = excess.map(({ word }) => word).join(' ')
  const reach = reachOf(text)
  if (reach !== undefined) return unusedOption(line, reach)
  for (const key of ['name', 'search', 'in']) {
    const option = unusedOption(line, key)
    if (option !== undefined) return option
  }
  return undefined
}

/** An option of the command that takes a value more. */
function unusedOption({ command, given }: CommandLine, key: string): TreeOption | undefined {
  const option = command.options.find((each) => each.key === key && each.value !== undefined)
  const isUsed = given.has(key) && option?.isRepeatable !== true
  return isUsed ? undefined : option
}

/** The kind of value that the position of a word takes: its argument's kind, or its option's. */
function kindOf({ command, operands, options }: CommandLine, word: string): ValueKind | undefined {
  const place = operands.findIndex((operand) => operand.word === word)
  if (place < 0) {
    const typed = options.find(({ value }) => value === word)
    return typed?.option.takes
  }
  const argument = command.arguments[place] ?? command.arguments.at(-1)
  return argument?.takes
}

/** The line with an option before these words: before each file, else before all of them as one text. */
function lineWith(
  { words, dashes = words.length }: CommandLine,
  { long, takes }: TreeOption,
  operands: readonly Operand[],
): ShownCommand {
  const positions = operands.map(({ position }) => position)
  const texts = operands.map(({ word }) => word)
  const values = takes === 'file' ? texts : [texts.join(' ')]
  const typed = values.flatMap((value) => [long, value])
  // Behind `--` nothing is an option.
  const place = Math.min(positions[0] ?? dashes, dashes)
  const shown = words.flatMap((word, position) => {
    const isLeft = positions.includes(position) ? [] : [word]
    return position === place ? [...typed, ...isLeft] : isLeft
  })
  return svcAsItIs(shown.map(shellWord).join(' '))
}

/** Undefined where none is an address or a number. */
function searchesFor(words: readonly string[]): Message | undefined {
  // A number without quotes is several words.
  const whole = words.join(' ')
  const texts = reachOf(whole) === undefined ? words : [whole]
  const searches: ShownCommand[] = []
  for (const text of texts) {
    const reach = reachOf(text)
    if (reach === 'email') searches.push(svc`contacts find --email ${text}`)
    else if (reach !== undefined) searches.push(svc`contacts find --phone ${text}`)
  }
  if (searches.length === 0) return undefined
  if (searches.length > mostSearches) return peopleByTable
  const lines = searches.map((search) => say`\n  ${search}`)
  return say`to find people by phone number or address:${join(lines, '')}`
}
