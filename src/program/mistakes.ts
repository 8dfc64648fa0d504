/** Mistakes in a command line: what commander refuses in the words of svc, with the line that was probably meant. */
import type { Command, CommanderError } from 'commander'
import { usageError, type SvcError } from '../errors.ts'
import type { Host } from '../host.ts'
import { minSecretLength } from '../safe-text.ts'
import { joinOr, joinPresent, quote, shellWord } from '../words.ts'
import { verbs } from './commands.ts'

/** A line as far as commander has read it. */
export interface ReadLine {
  words: readonly string[]
  /** The words of the command, as far as it is known: `lists add-contacts`. */
  path: string
  /** The parser of svc itself. */
  root: Command
  /** The parser of the command that the line names. */
  named: Command
}

/** Words of other tools for the verbs of svc. If several verbs of a noun have a word, the first is meant. */
const otherWords: Readonly<Record<string, string>> = {
  members: 'export contacts dump download',
  history: 'log logs messages show view read get describe export download',
  get: 'show view read describe info cat',
  show: 'get view read describe info cat history log logs status',
  find: 'search grep lookup query filter',
  list: 'ls all index search find show get export history log logs',
  'add-contacts': 'add append import insert',
  create: 'new make add',
  add: 'new make create',
  update: 'edit rename change modify set',
  delete: 'remove rm del destroy drop clean prune purge',
  remove: 'delete rm del destroy drop clean prune purge',
  resume: 'continue retry restart',
  close: 'cancel stop abort end',
  undo: 'revert rollback restore',
  assign: 'reassign transfer move',
  merge: 'combine join',
  duplicates: 'dedupe duplicate',
  use: 'switch select',
  exec: 'run shell',
  start: 'run serve',
}

/** Changes that the service cannot make, by noun: the words for it, the problem, and what a person can do instead. */
const impossible: Readonly<Record<string, readonly string[]>> = {
  lists: [
    'delete remove rm del destroy drop clean prune purge remove-contacts',
    'the service can neither delete a list nor take a contact off one',
    'you can rename a list:\n  svc lists update <list> --name <name>',
  ],
  contacts: [
    'create new make add import update edit rename change modify set',
    'the service can neither create nor change a contact',
    'you can add contacts to a list, and merge two of them:\n  svc lists add-contacts <list> <id>\n  svc contacts merge <source> --into <target>',
  ],
  tickets: [
    'list ls all find search create new close delete rm update edit',
    'the service can neither list nor close tickets',
    'you can paste the address of a ticket:\n  svc tickets history <ticket>',
  ],
}

/** A message of commander, and what it suggests on a line of its own. A value in the message ends with a quote. */
const refusal = /^error: (.*?)(?:\n\(Did you mean (?:one of )?([^\n]*)\?\))?$/s

/** The options that a word too many may be meant for. */
const wordOptions = ['--name', '--search', '--in', '--into']

/** The error for a line that commander refuses. */
export function mistakeError(line: ReadLine, { code, message }: CommanderError): SvcError {
  const { path, root, named } = line
  const [, problem = '', names] = refusal.exec(message) ?? []
  // Behind `=` is the value of an option, which can be anything, also a secret.
  const [, word = ''] = /'([^=]*)(?:=.*)?'$/s.exec(problem) ?? []
  if (code === 'commander.unknownCommand') {
    const own = unknownCommand(path, word)
    if (own !== undefined) return own
  }
  if (code === 'commander.missingArgument') return missingError(path, word)
  if (code === 'commander.excessArguments') return tooManyWords(line)
  if (code === 'commander.invalidArgument') return choiceError(path, problem)
  if ([...root.options, ...named.options].some(({ long }) => long === word))
    return usageError(`${word} takes no value`, `type ${word} alone, or leave it out`)
  const [flag = '', other] = problem.match(/--[a-z-]+/g) ?? []
  const ownWords: Readonly<Record<string, string>> = {
    'commander.optionMissingArgument': `${flag} has no value`,
    'commander.conflictingOption': `${flag} and ${other} cannot be used together`,
  }
  const shown = problem.replace(/=.*'$/s, `=…'`).replaceAll("'", '"')
  const similar = names?.split(', ').map((name) => joinPresent([path, name], ' '))
  return withHelp(path, usageError(ownWords[code] ?? shown), similar)
}

/** The error for an argument that is missing: `list`. */
function missingError(path: string, name: string) {
  const isListed = verbs[`${name}s list`] !== undefined
  const hint = isListed ? `to see the ${name}s:\n  svc ${name}s list` : undefined
  return withHelp(path, usageError(`<${name}> is missing`, hint))
}

/** The error for a value that is none of the choices. */
function choiceError(path: string, problem: string) {
  const [, value = '', choices = ''] =
    /(?:argument|value) '(.*)' is invalid.* Allowed choices are (.*)\.$/s.exec(problem) ??
    []
  const [subject = path] = problem.match(/--[a-z-]+/) ?? []
  const wanted = joinOr(choices.split(', '))
  return withHelp(path, usageError(`${subject} takes ${wanted}, not ${quote(value)}`))
}

/** Adds a hint to a usage error that has none: the lines that may be meant, and which help to read. Returns other errors as they are. */
export function withHelp(path: string, error: SvcError, lines: readonly string[] = []) {
  if (error.category !== 'usage' || error.details.hint !== undefined) return error
  const help = joinPresent(['see: svc', path, '--help'], ' ')
  const meant = ['did you mean:', ...lines].join('\n  svc ')
  return error.with({ hint: lines.length === 0 ? help : `${meant}\n${help}` })
}

/** The error for a word that other tools have for a verb, or for what the service cannot do; undefined for another word. */
function unknownCommand(path: string, word: string) {
  const hasWord = (words = '') => words.split(' ').includes(word)
  const [words, problem = '', hint] = impossible[path] ?? []
  if (hasWord(words)) return usageError(problem, hint)
  const lines = Object.keys(otherWords)
    .filter((name) => hasWord(otherWords[name]))
    .map((name) => `${path} ${name}`)
  const line = lines.find((each) => verbs[each] !== undefined)
  if (line === undefined) return undefined
  return withHelp(path, usageError(`unknown command "${path} ${word}"`), [line])
}

/** Words too many are mostly the rest of a name without quotes, or meant for an option. */
function tooManyWords({ words, path, named }: ReadLine) {
  const { args, registeredArguments, options } = named
  const extra = args.slice(registeredArguments.length)
  const error = usageError(`too many words: ${extra.map(quote).join(' ')}`)
  const end = words.lastIndexOf(extra.at(-1) ?? '') + 1
  const start = end - extra.length
  const before = words[start - 1] ?? ''
  const flag = wordOptions.find(
    (each) => !words.includes(each) && options.some(({ long }) => long === each),
  )
  const isValue = !before.startsWith('-') && ![...path.split(' '), ...args].includes(before)
  const isArgument = before === args[registeredArguments.length - 1]
  if (isValue || (flag === undefined && isArgument))
    return withHelp(path, error, [lineWith(words, start - 1, end)])
  const isMeant = flag !== undefined && !words.includes('--')
  return withHelp(path, error, isMeant ? [lineWith(words, start, end, flag)] : [])
}

/** The line that was typed, with some of its words as one in quotes, perhaps behind a flag. */
function lineWith(words: readonly string[], start: number, end: number, flag = '') {
  const name = words.slice(start, end).join(' ')
  // The quotes that people type, where these change nothing in it.
  const quoted = /["$`\\!]/.test(name) ? shellWord(name) : `"${name}"`
  const line = words.map(shellWord).toSpliced(start, end - start, flag, quoted)
  return joinPresent(line, ' ')
}

/** Throws a usage error if a word has the API secret in it. Messages quote words, and cut them where no secret is found anymore. */
export function refuseSecret({ env }: Host, words: readonly string[]) {
  const secret = env['SVC_API_SECRET']?.trim() ?? ''
  if (secret.length < minSecretLength || !words.some((word) => word.includes(secret)))
    return
  throw usageError(
    'the command line contains the API secret of SVC_API_SECRET',
    'other users of this machine can see command lines; for other ways to give it:\n  svc help configuration',
  )
}
