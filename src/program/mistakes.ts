/** Errors about a command line, with the line that was probably meant. */
import type { Command as Parser, CommanderError, Option as ParserOption } from 'commander'
import type { Verb } from '../cli/verb.ts'
import { usageError, type SvcError } from '../errors.ts'
import type { TypedLine } from '../cli/options.ts'
import { pluralize, quote, shellWord } from '../words.ts'
import { nouns, verbs } from './commands.ts'

interface KnownMistake {
  /** The lines without `svc`. */
  lines: readonly string[]
  problem: string
  /** The command to type instead. */
  command: string
}

/** Commands that people expect, and that the service or svc does not have under this name. */
const knownMistakes: readonly KnownMistake[] = [
  {
    lines: ['lists delete', 'lists remove'],
    problem: 'the service cannot delete lists; you can rename one',
    command: 'svc lists update <list> --name <name>',
  },
  {
    lines: ['lists add'],
    problem: 'contacts are added to a list with add-contacts',
    command: 'svc lists add-contacts <list> --file <ids>',
  },
  {
    lines: ['lists export'],
    problem: 'to export the members of a list, use --out',
    command: 'svc lists members <list> --out <file.csv>',
  },
  {
    lines: ['contacts update'],
    problem: 'the service cannot change contacts; you can merge two of them',
    command: 'svc contacts merge <source> --into <target>',
  },
  {
    lines: ['contacts search'],
    problem: 'the command is contacts find',
    command: 'svc contacts find <words>',
  },
  {
    lines: ['tickets list'],
    problem: 'the service cannot list tickets; you can paste the address of a ticket',
    command: 'svc tickets get <ticket>',
  },
  {
    lines: ['tickets close'],
    problem: 'the service cannot close tickets; you can assign one to somebody else',
    command: 'svc tickets assign <ticket> --to <employee>',
  },
  {
    lines: ['login', 'config'],
    problem: 'a profile keeps the address of the service and its key',
    command: 'svc profiles add <name>',
  },
  {
    lines: ['undo'],
    problem: 'the command is runs undo',
    command: 'svc runs undo <run>',
  },
]

/** A line that commander refuses, and as far as it was read: the parser of the command that it names, and the verb. */
interface MistakenLine {
  line: TypedLine
  named: Parser
  verb?: Verb | undefined
}

/** More words than the verb takes, in svc's words, with an example. */
function tooManyError(
  path: string,
  problem: string,
  verb: Verb | undefined,
): SvcError | undefined {
  const [, most, count] =
    /^too many arguments.* Expected (\d+) .* got (\d+)/.exec(problem) ?? []
  if (most === undefined) return undefined
  return usageError(
    `svc ${path} takes ${pluralize(Number(most), 'argument')}, not ${count}`,
    verb?.examples && `for example:\n  ${verb.examples[0]}`,
  )
}

/** The error for a line that commander refuses, with a line to type: a similar one, or another command. */
export function mistakeError(
  { line, named, verb }: MistakenLine,
  { message }: CommanderError,
): SvcError {
  const { path } = line
  const [problem = '', suggestion = ''] = message.replace(/^error: /, '').split('\n')
  const [, kind, unknown] = /^unknown (command|option) '(.*)'/s.exec(problem) ?? []
  if (unknown === undefined) {
    const tooMany = tooManyError(path, problem, verb)
    if (tooMany !== undefined) return tooMany
    const error = usageError(problem.replaceAll("'", '"'), listingHint(problem, verb))
    return withHelp(path, error)
  }
  // Behind `=` is the value of an option, which can be anything, also a secret.
  const name = unknown.replace(/=.*/s, '')
  const error = usageError(`unknown ${kind} ${quote(name)}`)
  const known = knownMistakes.find(({ lines }) => lines.includes(`${path} ${name}`.trim()))
  if (known !== undefined) return usageError(known.problem, `type:\n  ${known.command}`)
  // The noun is missing: `svc members VIP`. `svc help delete` comes here too, because help parses only its words.
  const verbsOfName = Object.keys(verbs).filter((each) => each.split(' ')[1] === name)
  const similar = /^\(Did you mean (?:one of )?(.*)\?\)$/.exec(suggestion)?.[1]
  const isNounMissing = path === '' && verbsOfName.length > 0
  const replacements =
    pluralOf(name, line) ?? (isNounMissing ? verbsOfName : (similar?.split(', ') ?? []))
  const lines = replacements.map((replacement) => {
    const flags = optionOf(replacement, named.options)?.flags ?? replacement
    return `  ${lineOf(path, flags)}\n`
  })
  if (lines.length > 0) return withHelp(path, error, `did you mean:\n${lines.join('')}`)
  return withHelp(path, error, wordHint(path, unknown, verb))
}

/** The noun that was typed without its s, with the verb behind it if it has that one. */
function pluralOf(name: string, { path, words }: TypedLine) {
  const noun = `${name}s`
  if (path !== '' || !Object.hasOwn(nouns, noun)) return undefined
  const line = `${noun} ${words[words.indexOf(name) + 1] ?? ''}`
  return [Object.hasOwn(verbs, line) ? line : noun]
}

/** The line with `--` before an unknown option that may be meant as a word. Empty if it is like an option, or the verb takes no words. */
function wordHint(path: string, unknown: string, verb: Verb | undefined) {
  const takesWords = (verb?.arguments ?? []).length > 0
  if (!takesWords || /=|^--?[a-z][\w-]*$/i.test(unknown)) return ''
  const line = lineOf(path, '--', shellWord(unknown))
  return `to use it as a word and not as an option:\n  ${line}\n`
}

const lineOf = (...words: readonly string[]) =>
  ['svc', ...words].filter((word) => word !== '').join(' ')

/** For an argument that is missing: the command that lists what it can be. */
function listingHint(problem: string, verb: Verb | undefined): string | undefined {
  const missing = /^missing required argument '(.*)'$/.exec(problem)?.[1]
  const argument = verb?.arguments?.find(({ name }) => name === missing)
  if (argument?.takes === 'list') return 'to see the lists:\n  svc lists list'
  if (argument?.takes === 'profile') return 'to see the profiles:\n  svc profiles list'
  return undefined
}

/** Adds a hint to a usage error that has none: the suggestions, then which help to read. Returns other errors as they are. */
export function withHelp(path: string, error: SvcError, suggestions = ''): SvcError {
  if (error.category !== 'usage') return error
  const help = `${suggestions}see: ${lineOf(path, '--help')}`
  return error.with({ hint: error.details.hint ?? help })
}

/** Throws a usage error for an option in place of a value, which commander would take as the value. */
export function refuseLostValues(words: readonly string[], known: readonly ParserOption[]) {
  const end = words.indexOf('--')
  // With `--` itself: in `--file --`, commander would take it as the value.
  for (const [index, word] of words.slice(0, end < 0 ? words.length : end + 1).entries()) {
    const before = optionOf(words[index - 1] ?? '', known)
    // To commander, `-vacation` is the option `-v` and more, so the first letter decides.
    const flag = word.startsWith('--') ? word.replace(/=.*/s, '') : word.slice(0, 2)
    const isOption = word === '--' || optionOf(flag, known) !== undefined
    // For commander, `required` says that the option must have a value.
    if (before?.required !== true || !isOption) continue
    throw usageError(
      `${before.long} needs a value, and ${quote(word)} is an option`,
      `to use it as the value, write ${before.long}=${shellWord(word)}`,
    )
  }
}

/** The option of a flag such as `--limit` or `-o`. */
export function optionOf(
  flag: string,
  options: readonly ParserOption[],
): ParserOption | undefined {
  return options.find(({ short, long }) => flag === long || flag === short)
}
