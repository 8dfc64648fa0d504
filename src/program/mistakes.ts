/** Errors about a command line, with the line that was probably meant. */
import type { CommanderError } from 'commander'
import type { CommandTable } from '../cli/verb.ts'
import { usageError, type SvcError } from '../errors.ts'
import type { Host } from '../host.ts'
import { say, svc, type Message } from '../message.ts'
import { longFlag, type Options, type TypedLine } from '../options.ts'
import { nearest, quote, shellWord } from '../words.ts'
import {
  commandsBelow,
  isKnownOption,
  wordsBeforeDashes,
  type NamedCommand,
} from './line.ts'

/** The error for a line that commander refuses, with a line to type: a similar one, another command, or an example. */
export function mistakeError(
  command: NamedCommand,
  table: CommandTable,
  { code, message }: CommanderError,
): SvcError {
  const { words, path, verb, valueWords } = command
  // The second line of the message is commander's own suggestion.
  const [problem = ''] = message.replace(/^error: /, '').split('\n')
  const error = usageError(problem.replaceAll("'", '"'))
  const example = verb?.examples?.[0]
  if (code === 'commander.excessArguments' && example !== undefined)
    return withHelp(path, error, `for example:\n  ${example}\n`)
  const wrong = /^unknown (?:command|option) '(.*)'/.exec(problem)?.[1]
  if (wrong === undefined) return withHelp(path, error)
  const known = knownMistakes.find(({ typed }) => typed.includes(`${path} ${wrong}`.trim()))
  if (known !== undefined) return usageError(known.problem, known.instead)
  // The last one: in `svc lists lists`, the first is a noun.
  const wrongIndex = words.findLastIndex(
    (word, index) => word === wrong && !valueWords.has(index),
  )
  const lines = wordsMeant(wrong, command, table).map((meant) => {
    const corrected = words.map((word, index) =>
      index === wrongIndex ? meant : shellWord(word),
    )
    return `  ${['svc', ...corrected].join(' ')}\n`
  })
  return withHelp(path, error, lines.length > 0 ? `did you mean:\n${lines.join('')}` : '')
}

/** The words that were probably meant by an unknown command or option. */
function wordsMeant(
  wrong: string,
  { path, options }: NamedCommand,
  table: CommandTable,
): string[] {
  if (wrong.startsWith('-')) {
    const flags = Object.entries(options).map(([key, option]) => longFlag(key, option))
    return nearest(wrong, flags).slice(0, 1)
  }
  const isNounMissing = path === ''
  const verbs = Object.keys(table.verbs).filter((words) => words.endsWith(` ${wrong}`))
  if (isNounMissing && verbs.length > 0) return verbs
  const commands = commandsBelow(table, path)
  const names = commands.flatMap(({ name, alias = name }) => [name, alias])
  const [near] = nearest(wrong, names)
  return commands
    .filter(({ name, alias }) => near !== undefined && [name, alias].includes(near))
    .map(({ name }) => name)
}

/** Throws a usage error for dashes and quotes that word processors and chats put in place of those of a shell. */
export function refuseTypography({ words, options }: NamedCommand) {
  const checked = wordsBeforeDashes(words)
  for (const word of checked) refuseTypographicDash(word, options)
  refuseTypographicQuotes(checked)
}

/** svc would take `–in` for an argument. */
function refuseTypographicDash(word: string, options: Options) {
  const [, dashes = '', name = ''] =
    /^([-\u2010-\u2015\u2212\uff0d]+)([a-z][a-z-]*)/.exec(word) ?? []
  const isTypographic = /[^-]/.test(dashes)
  const flag = `${name.length === 1 ? '-' : '--'}${name}`
  if (isTypographic && (flag === '--version' || isKnownOption(options, flag)))
    throw usageError(
      `${quote(word)} begins with a typographic dash, which is not a "-"`,
      `type: ${flag}`,
    )
}

/** A shell makes several words of a text in such quotes. */
function refuseTypographicQuotes(words: readonly string[]) {
  const opens = (word: string) => /^[“”„«‘‚]/.test(word)
  const closes = (word: string) => /[“”»’‘]$/.test(word)
  const first = words.findIndex((word) => opens(word) && !closes(word))
  const last = words.findLastIndex(closes)
  if (first === -1 || last <= first) return
  const quoted = words.slice(first, last + 1).join(' ')
  throw usageError(
    `the quotes of ${quoted} are typographic: a shell does not know them`,
    `type: ${shellWord(quoted.slice(1, -1))}`,
  )
}

/** Throws a usage error for a word or variable that is not UTF-8. Node has replaced its bytes, so it would mean something else. */
export function refuseOtherEncodings({ words }: TypedLine, { env }: Pick<Host, 'env'>) {
  const isBroken = (text = '') => text.includes('\uFFFD')
  const word = words.find((each) => isBroken(each))
  const variable = Object.keys(env).find(
    (name) => name.startsWith('SVC_') && isBroken(env[name]),
  )
  if (word === undefined && variable === undefined) return
  throw usageError(
    `${word === undefined ? variable : `the word ${quote(word)}`} is not UTF-8`,
    'set a locale of UTF-8, such as LC_ALL=C.UTF-8, and type it again',
  )
}

/**
 * Adds to a usage error without a hint which help to read, after `meant`: lines that were probably meant. Returns other
 * errors as they are.
 */
export function withHelp(path: string, error: SvcError, meant = ''): SvcError {
  if (error.category !== 'usage') return error
  const help = `see: ${['svc', path, '--help'].filter((word) => word !== '').join(' ')}`
  return error.with({ hint: error.details.hint ?? `${meant}${help}` })
}

interface KnownMistake {
  /** The words after `svc`. */
  typed: readonly string[]
  problem: string
  instead: Message
}

/** Commands that people expect, and that the service or svc does not have under this name. */
const knownMistakes: readonly KnownMistake[] = [
  {
    typed: ['lists delete', 'lists remove', 'lists rm'],
    problem: 'the service cannot delete lists',
    instead: say`you can rename one:\n  ${svc`lists update <list> --name <name>`}`,
  },
  {
    typed: ['lists remove-contacts', 'lists remove-contact'],
    problem: 'the service cannot remove contacts from a list',
    instead: say`you can add those that stay to a new list:\n  ${svc`lists members <list> -o ids`}`,
  },
  {
    typed: ['lists add'],
    problem: 'contacts are added to a list with add-contacts',
    instead: say`type:\n  ${svc`lists add-contacts <list> --file <ids>`}`,
  },
  {
    typed: ['lists export'],
    problem: 'to export the members of a list, use --out',
    instead: say`type:\n  ${svc`lists members <list> --out <file.csv>`}`,
  },
  {
    typed: ['contacts export'],
    problem: 'to export contacts, use --out',
    instead: say`type:\n  ${svc`contacts list --out <file.csv>`}`,
  },
  {
    typed: ['contacts create', 'contacts add'],
    problem: 'the service cannot create contacts',
    instead: 'a contact is created when somebody writes to the company',
  },
  {
    typed: ['contacts update', 'contacts edit'],
    problem: 'the service cannot change contacts',
    instead: say`you can merge two of them:\n  ${svc`contacts merge <source> --into <target>`}`,
  },
  {
    typed: ['find', 'search', 'contacts search'],
    problem: 'the command is contacts find',
    instead: say`type:\n  ${svc`contacts find <words>`}`,
  },
  {
    typed: ['tickets list', 'tickets ls'],
    problem: 'the service cannot list tickets',
    instead: say`copy the address of a ticket from the service:\n  ${svc`tickets get <ticket>`}`,
  },
  {
    typed: ['tickets close', 'tickets reply', 'tickets send'],
    problem: 'the service can neither close tickets nor send messages',
    instead: 'do it in the service itself',
  },
  {
    typed: ['login', 'configure', 'auth', 'config', 'init'],
    problem: 'an address of the service and its key are saved as a profile',
    instead: say`type:\n  ${svc`profiles add <name>`}\nto see what is used now:\n  ${svc`doctor`}`,
  },
  {
    typed: ['undo'],
    problem: 'the command is runs undo',
    instead: say`to see what would be undone:\n  ${svc`runs undo --last --dry-run`}`,
  },
]
