/** Errors about a command line, with the line that was probably meant. */
import type { Command as Parser, CommanderError, Option as ParserOption } from 'commander'
import type { Verb } from '../cli/verb.ts'
import { usageError, type SvcError } from '../errors.ts'
import { quote, shellWord } from '../words.ts'
import { verbs } from './commands.ts'

const noDelete = 'the service cannot delete lists; you can rename one'
const noLogin = 'a profile keeps the address of the service and its key'

/** Commands that people expect, and that the service or svc does not have under this name: the problem, and what to type instead. */
const knownMistakes: readonly (readonly [
  path: string,
  problem: string,
  command: string,
])[] = [
  ['lists rename', 'the command is lists update', 'svc lists update <list> --name <name>'],
  ['lists delete', noDelete, 'svc lists update <list> --name <name>'],
  ['lists remove', noDelete, 'svc lists update <list> --name <name>'],
  [
    'lists add',
    'contacts are added to a list with add-contacts',
    'svc lists add-contacts <list> --file <ids>',
  ],
  [
    'lists export',
    'to export the members of a list, use --out',
    'svc lists members <list> --out <file.csv>',
  ],
  [
    'contacts update',
    'the service cannot change contacts; you can merge two of them',
    'svc contacts merge <source> --into <target>',
  ],
  ['contacts search', 'the command is contacts find', 'svc contacts find <words>'],
  [
    'tickets list',
    'the service cannot list tickets; you can paste the address of a ticket',
    'svc tickets get <ticket>',
  ],
  [
    'tickets close',
    'the service cannot close tickets; you can assign one to somebody else',
    'svc tickets assign <ticket> --to <employee>',
  ],
  ['login', noLogin, 'svc profiles add <name>'],
  ['config', noLogin, 'svc profiles add <name>'],
  ['undo', 'the command is runs undo', 'svc runs undo <run>'],
]

/** The error for a line that commander refuses, with a line to type: a similar one, or another command. */
export function mistakeError(
  { path, named, verb }: { path: string; named: Parser; verb?: Verb | undefined },
  { message }: CommanderError,
): SvcError {
  const [problem = '', suggestion = ''] = message.replace(/^error: /, '').split('\n')
  const [, kind, unknown] = /^unknown (command|option) '(.*)'/s.exec(problem) ?? []
  if (unknown === undefined) {
    const error = usageError(problem.replaceAll("'", '"'), listingHint(problem, verb))
    return withHelp(path, error)
  }
  // Behind `=` is the value of an option, which can be anything, also a secret.
  const name = unknown.replace(/=.*/s, '')
  const typed = `${path} ${name}`.trim()
  const known = knownMistakes.find(([mistake]) => mistake === typed)
  if (known !== undefined) return usageError(known[1], `type:\n  ${known[2]}`)
  const similar = /^\(Did you mean (?:one of )?(.*)\?\)$/.exec(suggestion)?.[1]
  // The noun may be missing: `svc members VIP`.
  const verbsOfName = Object.keys(verbs).filter((each) => each.split(' ')[1] === name)
  const replacements = similar?.split(', ') ?? (path === '' ? verbsOfName : [])
  const lines = replacements.map((replacement) => {
    const flags = optionOf(replacement, named.options)?.flags ?? replacement
    return `  ${lineOf(path, flags)}\n`
  })
  const suggestions =
    lines.length > 0 ? `did you mean:\n${lines.join('')}` : wordHint(path, unknown, verb)
  return withHelp(path, usageError(`unknown ${kind} ${quote(name)}`), suggestions)
}

/** Suggests `--` before an unknown option that may be meant as a word. Empty if it looks like an option, or the verb takes no words. */
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
  if (argument?.name === 'run') return 'to see the runs:\n  svc runs list'
  return undefined
}

/** Adds a hint to a usage error that has none: the suggestions, then which help to read. Returns other errors as they are. */
export function withHelp(path: string, error: SvcError, suggestions = ''): SvcError {
  if (error.category !== 'usage') return error
  const help = `${suggestions}see: ${lineOf(path, '--help')}`
  return error.with({ hint: error.details.hint ?? help })
}

/** The option of a flag such as `--limit` or `-o`. */
export function optionOf(
  flag: string,
  options: readonly ParserOption[],
): ParserOption | undefined {
  return options.find(({ short, long }) => flag === long || flag === short)
}
