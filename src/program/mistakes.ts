/** Mistakes in a command line: what commander refuses in the words of svc, with the line that was probably meant. */
import type { CommanderError } from 'commander'
import { flagsOf, globalOptions, longFlag, type Option, type Verb } from '../cli/verb.ts'
import { usageError, type SvcError } from '../errors.ts'
import type { Host } from '../host.ts'
import { minSecretLength } from '../safe-text.ts'
import { joinPresent, quote, shellWord } from '../words.ts'
import { verbs } from './commands.ts'

/** The line that was refused, as far as commander has read it. */
interface RefusedLine {
  words: readonly string[]
  path: string
  named: { args: readonly string[] }
  verb?: Verb | undefined
}

/** What other tools call the verbs of svc. If several verbs of a noun have a word, the first is meant. */
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

/** What cannot be done by these words, and what a person can do instead. */
const impossible: readonly (readonly [path: string, words: string, ...text: string[]])[] = [
  [
    'lists',
    'delete remove rm del destroy drop clean prune purge remove-contacts',
    'the service can neither delete a list nor take a contact off one',
    'you can rename a list:\n  svc lists update <list> --name <name>',
  ],
  [
    'contacts',
    'create new make add import update edit rename change modify set',
    'the service can neither create nor change a contact',
    'you can add contacts to a list, and merge two of them:\n  svc lists add-contacts <list> <id>\n  svc contacts merge <source> --into <target>',
  ],
  [
    'tickets',
    'list ls all find search create new close delete rm update edit',
    'the service can neither list nor close tickets',
    'you can paste the address of a ticket:\n  svc tickets history <ticket>',
  ],
  [
    'employees',
    'create new add update edit rename delete remove rm',
    'the service cannot change employees',
    'you can list them:\n  svc employees list',
  ],
  [
    '',
    'login auth config configure init setup',
    'a profile keeps the address of the service and its key',
    'type:\n  svc profiles add <name>',
  ],
]

/** The commands that list what can stand for a word in brackets. */
const listings: Readonly<Record<string, string>> = {
  list: 'svc lists list',
  employee: 'svc employees list',
  profile: 'svc profiles list',
  run: 'svc runs list',
}

/** The options that a word too many may be meant for. */
const wordOptions = ['name', 'search', 'in']

/** The error for a line that commander refuses. */
export function mistakeError(
  line: RefusedLine,
  { code, message }: CommanderError,
): SvcError {
  const [problem = '', suggestion = ''] = message.split(/\n(?=\(Did you mean .*\)$)/)
  const [, word = ''] = /'([^]*)'$/.exec(problem) ?? []
  const [, names] = /^\(Did you mean (?:one of )?(.*)\?\)$/.exec(suggestion) ?? []
  const similar = names?.split(', ') ?? []
  if (code === 'commander.unknownCommand') return unknownCommand(line.path, word, similar)
  if (code === 'commander.unknownOption') return unknownOption(line, word, similar)
  if (code === 'commander.missingArgument') return missingError(line.path, `<${word}>`)
  if (code === 'commander.excessArguments') return tooManyWords(line)
  const flags = (message.match(/--[a-z-]+/g) ?? []).join(' and ')
  const isConflict = code === 'commander.conflictingOption'
  const wrong = isConflict ? 'cannot be used together' : 'has no value'
  return withHelp(line.path, usageError(`${flags} ${wrong}`))
}

/** The error for an argument or option that is missing: `<list>` or `--to <employee>`. */
export function missingError(path: string, flags: string): SvcError {
  const [, value = ''] = /<([a-z]+)>/.exec(flags) ?? []
  const listing = listings[value]
  const hint = listing === undefined ? undefined : `to see the ${value}s:\n  ${listing}`
  return withHelp(path, usageError(`${flags} is missing`, hint))
}

/** Adds a hint to a usage error that has none: the lines that may be meant, and which help to read. Returns other errors as they are. */
export function withHelp(path: string, error: SvcError, lines: readonly string[] = []) {
  if (error.category !== 'usage' || error.details.hint !== undefined) return error
  const meant = lines.length === 0 ? '' : `did you mean:\n  ${lines.join('\n  ')}\n`
  return error.with({ hint: `${meant}see: ${lineOf(path, '--help')}` })
}

const lineOf = (...words: readonly string[]) => joinPresent(['svc', ...words], ' ')

function unknownCommand(path: string, word: string, similar: readonly string[]) {
  const means = ([, words]: readonly string[]) => words?.split(' ').includes(word) === true
  const cannot = impossible.find((row) => row[0] === path && means(row))
  if (cannot !== undefined) return usageError(cannot[2] ?? '', cannot[3])
  const known = Object.entries(otherWords).filter(means)
  const verb = known.find(([name]) => verbs[lineOf(path, name).slice(4)] !== undefined)
  // The noun may be missing: `svc members VIP`.
  const ofNouns = Object.keys(verbs).filter((each) => each.endsWith(` ${word}`))
  const others = similar.length > 0 || path !== '' ? similar : ofNouns
  const lines = (verb === undefined ? others : [verb[0]]).map((name) => lineOf(path, name))
  const typed = lineOf(path, word).slice(4)
  return withHelp(path, usageError(`unknown command ${quote(typed)}`), lines)
}

function unknownOption(
  { path, verb }: RefusedLine,
  typed: string,
  similar: readonly string[],
) {
  // Behind `=` is the value of an option, which can be anything, also a secret.
  const [name = ''] = typed.split('=')
  const options = Object.entries<Option>({ ...verb?.options, ...globalOptions })
  if (options.some(([key]) => longFlag(key) === name))
    return usageError(`${name} takes no value`, `type ${name} alone, or leave it out`)
  const meant = options.filter(([key]) => similar.includes(longFlag(key)))
  const lines = meant.map(([key, option]) => lineOf(path, flagsOf(key, option)))
  // The sign of something cut off also hides the beginning of a secret.
  const shown = quote(name === typed ? name : `${name}=…`)
  return withHelp(path, usageError(`unknown option ${shown}`), lines)
}

/** Words too many are mostly the rest of a name without quotes, or meant for an option. */
function tooManyWords({ words, path, named: { args }, verb }: RefusedLine) {
  const taken = verb?.arguments?.length ?? 0
  const extra = args.slice(taken)
  const end = words.lastIndexOf(extra.at(-1) ?? '') + 1
  const start = end - extra.length
  const before = words[start - 1] ?? ''
  const option = wordOptions.find((key) => verb?.options?.[key] !== undefined)
  const flag = option === undefined ? '' : longFlag(option)
  const isValue = ![...path.split(' '), ...args].includes(before)
  const isRest = isValue || (flag === '' && before === args[taken - 1])
  const lines = []
  if (![before, ...extra].some((word) => word.startsWith('-'))) {
    if (isRest) lines.push(lineWith(words, start - 1, end))
    else if (flag !== '') lines.push(lineWith(words, start, end, flag))
  }
  return withHelp(path, usageError(`too many words: ${extra.map(quote).join(' ')}`), lines)
}

/** The line that was typed, with some of its words as one in quotes, perhaps behind a flag. */
function lineWith(words: readonly string[], start: number, end: number, flag = '') {
  const name = words.slice(start, end).join(' ')
  // The quotes that people type, where these change nothing in it.
  const quoted = /["$`\\!]/.test(name) ? shellWord(name) : `"${name}"`
  const others = words.map(shellWord)
  return lineOf(...others.slice(0, start), flag, quoted, ...others.slice(end))
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
