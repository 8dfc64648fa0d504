/** What is wrong with a command line, and the line that was meant. */
import type { Command as Parser, CommanderError } from 'commander'
import { globalOptions } from '../cli/global-options.ts'
import type { Commands } from '../cli/verb.ts'
import { SvcError, usageError } from '../errors.ts'
import type { Host } from '../host.ts'
import { say, svc, type Message } from '../message.ts'
import { longFlag, type Options, type TypedLine } from '../options.ts'
import { quote, shellWord } from '../words.ts'
import { hasOption, ownWords, type LineBeingRead } from './options.ts'

/** Commander's message, and what was meant: a whole line, another command, or an example for a word too many. */
export function mistakeOf(
  parser: Parser,
  line: LineBeingRead,
  commands: Commands,
  { code, message }: CommanderError,
): unknown {
  const [text = '', suggestion = ''] = message.replace(/^error: /, '').split('\n')
  const error = usageError(text.replaceAll("'", '"'))
  if (code === 'commander.excessArguments' && line.example !== undefined)
    return withHelp(line, error, `for example:\n  ${line.example}\n`)
  const [, wrong = ''] = /^unknown (?:command|option) '(.*)'/.exec(text) ?? []
  const path = `${line.path} ${wrong}`.trim()
  const other = otherWords.find(({ typed }) => typed.includes(path))
  if (other !== undefined) return usageError(other.problem, other.instead)
  const verbs = Object.keys(commands.verbs).filter((each) => each.endsWith(` ${wrong}`))
  const meant = path === wrong && verbs.length > 0 ? verbs : namesIn(suggestion, parser)
  const lines = meant.map((each) => `  ${corrected(line, wrong, each)}\n`)
  return withHelp(line, error, lines.length > 0 ? `did you mean:\n${lines.join('')}` : '')
}

/** The names of `(Did you mean one of a, b?)`, without those in the singular. */
function namesIn(suggestion: string, { commands }: Parser) {
  const [, names = ''] = /^\(Did you mean (?:one of )?(.*)\?\)$/.exec(suggestion) ?? []
  const found = names.split(', ').filter((name) => name !== '')
  const nameOf = (name: string) =>
    commands.find((each) => each.aliases().includes(name))?.name() ?? name
  return [...new Set(found.map(nameOf))]
}

/** The whole line with other words in place of the wrong one, as it can be typed. */
function corrected({ words }: TypedLine, wrong: string, meant: string) {
  const all: Options = globalOptions
  const withValue = Object.entries(all).flatMap(([key, option]) =>
    option.value === undefined ? [] : [longFlag(key, option), `-${option.short ?? ''}`],
  )
  const at = words.findIndex(
    (word, place) => word === wrong && !withValue.includes(words[place - 1] ?? ''),
  )
  const typed = words.map((word, place) => (place === at ? meant : shellWord(word)))
  return ['svc', ...typed].join(' ')
}

/**
 * Throws exit 2 for typographic dashes and quotes, which word processors and chats put in place of those that a shell and svc
 * know: an option would be read as a word, and a name as several.
 */
export function refuseTypography(parser: Parser, { words }: TypedLine) {
  const own = ownWords(words)
  for (const word of own) {
    const [, dashes = '', name = ''] =
      /^([-\u2010-\u2015\u2212\uff0d]+)([a-z][a-z-]*)/.exec(word) ?? []
    const flag = `${name.length === 1 ? '-' : '--'}${name}`
    if (/[^-]/.test(dashes) && hasOption(parser, flag))
      throw usageError(
        `${quote(word)} begins with a typographic dash, which is no "-"`,
        `type: ${flag}`,
      )
  }
  const first = own.findIndex((word) => /^[“”„«‘‚]/.test(word) && !/[“”»’‘]$/.test(word))
  const last = own.findLastIndex((word) => /[“”»’‘]$/.test(word))
  if (first === -1 || last <= first) return
  const quoted = own.slice(first, last + 1).join(' ')
  throw usageError(
    `the quotes of ${quoted} are typographic: a shell does not know them`,
    `type: ${shellWord(quoted.slice(1, -1))}`,
  )
}

/** Throws exit 2 for a word or variable that is not UTF-8: Node has replaced its bytes, so another thing would be meant. */
export function refuseOtherEncodings({ words }: TypedLine, { env }: Pick<Host, 'env'>) {
  const isBroken = (text = '') => text.includes('\uFFFD')
  const word = words.find((each) => isBroken(each))
  const name = Object.keys(env).find(
    (each) => each.startsWith('SVC_') && isBroken(env[each]),
  )
  if (word === undefined && name === undefined) return
  throw usageError(
    `${word === undefined ? name : `the word ${quote(word)}`} is not UTF-8`,
    'set a locale of UTF-8, such as LC_ALL=C.UTF-8, and type it again',
  )
}

/**
 * A usage error, with the help to read if it has no hint of its own. Other errors stay unchanged. `meant`: lines with what was
 * meant, which come first.
 */
export function withHelp({ path }: Pick<TypedLine, 'path'>, error: unknown, meant = '') {
  if (!(error instanceof SvcError) || error.category !== 'usage') return error
  const { hint = `${meant}see: ${`svc ${path}`.trim()} --help` } = error.details
  return error.with({ hint })
}

/** What people type that svc does not have, or that has another name, with what to do instead. */
const otherWords: readonly {
  typed: readonly string[]
  problem: string
  instead: Message
}[] = [
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
    typed: ['lists export', 'contacts export'],
    problem: 'the members of a list are written to a file with --out',
    instead: say`type:\n  ${svc`lists members <list> --out <file.csv>`}`,
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
    problem: 'people are found with a command of contacts',
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
    problem: 'a connection to the service is saved as a profile',
    instead: say`type:\n  ${svc`profiles add <name>`}\nto see what is used now:\n  ${svc`doctor`}`,
  },
  {
    typed: ['undo'],
    problem: 'a run is undone with a command of runs',
    instead: say`to see what would be undone:\n  ${svc`runs undo --last --dry-run`}`,
  },
]
