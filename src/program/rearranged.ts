/** A command line whose words stand in the wrong places: told by what each word is where it belongs. */
import { existsSync } from 'node:fs'
import { shellWord } from '../words.ts'
import type { CommandLine } from './command-line.ts'
import { findOption } from './tree.ts'

type Kind = 'id' | 'phone' | 'email' | 'file' | 'name'

interface Item {
  readonly kind: Kind
  readonly text: string
}

/** What may stand for an argument, the likeliest first. */
const fitting: Readonly<Record<string, readonly Kind[]>> = {
  list: ['name', 'id'],
  ticket: ['id'],
  tickets: ['id'],
  source: ['id'],
  id: ['id'],
}

/** The options that take what has no place among the arguments. */
const optionsFor: Readonly<Record<Kind, readonly string[]>> = {
  id: ['--into', '--to'],
  phone: ['--phone'],
  email: ['--email'],
  file: ['--file'],
  name: ['--to', '--name', '--search'],
}

/** The command that was probably meant, as it is typed; undefined when each word is where it belongs, or belongs nowhere. */
export function rearranged(line: CommandLine): string | undefined {
  const { command, commands, given, operands, optionWords } = line
  const items = itemsOf(line)
  const words: string[] = []
  for (const { name, variadic } of command.arguments) {
    const kinds = Object.hasOwn(fitting, name) ? (fitting[name] ?? []) : []
    const first = kinds.map((kind) => items.findIndex((item) => item.kind === kind)).find((at) => at >= 0)
    const taken = variadic
      ? items.filter(({ kind }) => kinds.includes(kind))
      : items.slice(first ?? 0, (first ?? -1) + 1)
    for (const item of taken) words.push(...items.splice(items.indexOf(item), 1).map(({ text }) => text))
  }
  if (items.length === 0 && words.every((word, index) => word === operands[index])) return undefined
  for (const { kind, text } of items) {
    const free = optionsFor[kind].find((long) => {
      const option = findOption(commands.slice(1), long)
      return option !== undefined && !words.includes(long) && (option.repeatable || !given.has(option.key))
    })
    if (free === undefined) return undefined
    words.push(free, text)
  }
  return [command.path, ...[...words, ...optionWords].map(shellWord)].join(' ')
}

/** The operands as what they are; a name or a number that was typed without quotes comes as several words. */
function itemsOf({ operands, operandPlaces }: CommandLine): Item[] {
  const items: Item[] = []
  for (const [index, text] of operands.entries()) {
    const kind = kindOf(text)
    const before = items.at(-1)
    const isNext = index > 0 && operandPlaces[index] === (operandPlaces[index - 1] ?? 0) + 1
    const isMore =
      (before?.kind === 'name' && kind === 'name' && !/\s/.test(text + operands[index - 1])) ||
      (before?.kind === 'phone' && /^[\d()./-]+$/.test(text))
    if (before !== undefined && isNext && isMore)
      items.splice(-1, 1, { kind: before.kind, text: `${before.text} ${text}` })
    else items.push({ kind, text })
  }
  return items
}

function kindOf(word: string): Kind {
  // A mistyped one is still an id.
  if (
    word === '-' ||
    /^(?=.*\d)[0-9a-z]{20,28}$/i.test(word) ||
    /(?:^|[^0-9a-f])[0-9a-f]{24}(?:$|[^0-9a-f])/i.test(word)
  )
    return 'id'
  if (/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(word)) return 'email'
  if (/^\+?[\d\s()./-]+$/.test(word) && (word.startsWith('+') || word.replaceAll(/\D/g, '').length >= 7)) return 'phone'
  return existsSync(word) || /\.(?:txt|csv|tsv|json|ndjson|xlsx)$/i.test(word) ? 'file' : 'name'
}
