/** Mistakes in a command line: what commander refuses in the words of svc, with the line that was probably meant. */
import type { CommanderError } from 'commander'
import { flagsOf, globalOptions, longFlag, type Option, type Verb } from '../cli/verb.ts'
import { usageError, type SvcError } from '../errors.ts'
import { joinPresent, quote, shellWord } from '../words.ts'
import { verbs } from './commands.ts'

/** The line that was refused, as far as commander has read it. */
interface RefusedLine {
  words: readonly string[]
  path: string
  named: { args: readonly string[] }
  verb?: Verb | undefined
}

/** The verbs of svc, and the words that other tools have for them. Of several verbs, the first that a noun has is meant. */
const otherWords: readonly (readonly [verbs: string, words: string])[] = [
  ['get show history list', 'get show view read describe info cat'],
  ['list', 'list ls all index'],
  ['find list', 'find search grep lookup query filter'],
  ['create add', 'create new make'],
  ['add-contacts add create', 'add append import insert'],
  ['update', 'update edit rename change modify set'],
  ['delete remove', 'delete remove rm del destroy drop clean prune purge'],
  ['members export list', 'members export contacts dump download'],
  ['history show list', 'history log logs messages events status'],
  ['resume', 'resume continue retry restart'],
  ['close', 'close cancel stop abort end'],
  ['undo', 'undo revert rollback restore'],
  ['assign', 'assign reassign transfer move'],
  ['merge', 'merge combine join'],
  ['use', 'use switch select'],
  ['start exec', 'start exec run serve'],
  ['duplicates', 'duplicates dedupe duplicate'],
  ['profiles add', 'login auth config configure init setup'],
]

/** What the service cannot do, by noun and verb, and what a person can do instead. */
const impossible: readonly (readonly [
  noun: string,
  verbs: string,
  problem: string,
  hint: string,
])[] = [
  [
    'lists',
    'delete',
    'the service can neither delete a list nor take a contact off one',
    'you can rename a list:\n  svc lists update <list> --name <name>',
  ],
  [
    'contacts',
    'create add-contacts update',
    'the service can neither create nor change a contact',
    'you can add contacts to a list, and merge two of them:\n  svc lists add-contacts <list> <id>\n  svc contacts merge <source> --into <target>',
  ],
  [
    'tickets',
    'list find create close delete update members',
    'the service can neither list nor close tickets',
    'you can paste the address of a ticket:\n  svc tickets history <ticket>',
  ],
  [
    'employees',
    'create add-contacts update delete',
    'the service cannot change employees',
    'you can list them:\n  svc employees list',
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
  const [, names = ''] = /^\(Did you mean (?:one of )?(.*)\?\)$/.exec(suggestion) ?? []
  const similar = names.split(', ')
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

/** Adds a hint to a usage error that has none: the suggestion, and which help to read. Returns other errors as they are. */
export function withHelp(path: string, error: SvcError, suggestion?: string): SvcError {
  if (error.category !== 'usage' || error.details.hint !== undefined) return error
  const help = `see: ${lineOf(path, '--help')}`
  return error.with({ hint: joinPresent([suggestion, help], '\n') })
}

const lineOf = (...words: readonly string[]) => joinPresent(['svc', ...words], ' ')

const didYouMean = (lines: readonly string[]) =>
  lines.length === 0 ? undefined : `did you mean:\n  ${lines.join('\n  ')}`

function unknownCommand(path: string, word: string, similar: readonly string[]) {
  const others = otherWords.filter(([, words]) => words.split(' ').includes(word))
  const meant = [word, ...others.flatMap(([names]) => names.split(' '))]
  const verb = meant.find((name) => verbs[`${path} ${name}`] !== undefined)
  const cannot = impossible.find(
    ([noun, names]) =>
      noun === path && names.split(' ').some((name) => meant.includes(name)),
  )
  if (cannot !== undefined && verb === undefined) return usageError(cannot[2], cannot[3])
  const called = (names: readonly string[]) =>
    Object.keys(verbs).filter((each) =>
      names.some((name) => ` ${each}`.endsWith(` ${name}`)),
    )
  // The noun may be missing: `svc members VIP`.
  const [exactly, nearly] = path === '' ? [called([word]), called(meant)] : [[], []]
  const found = [verb === undefined ? similar : [verb], exactly, nearly].find(
    (names) => names.join('') !== '',
  )
  const typed = quote(joinPresent([path, word], ' '))
  const lines = (found ?? []).map((name) => lineOf(path, name))
  return withHelp(path, usageError(`unknown command ${typed}`), didYouMean(lines))
}

function unknownOption(
  { path, verb }: RefusedLine,
  unknown: string,
  similar: readonly string[],
) {
  // Behind `=` is the value of an option, which can be anything, also a secret.
  const [name = ''] = unknown.split('=')
  const options = Object.entries<Option>({ ...verb?.options, ...globalOptions })
  if (options.some(([key]) => longFlag(key) === name))
    return usageError(`${name} takes no value`, `type ${name} alone, or leave it out`)
  // The sign of something cut off also hides the beginning of a secret.
  const error = usageError(`unknown option ${quote(name === unknown ? name : `${name}=…`)}`)
  const meant = options.filter(([key]) => similar.includes(longFlag(key)))
  const lines = meant.map(([key, option]) => lineOf(path, flagsOf(key, option)))
  // Anything else that begins with a dash may be meant as a word.
  const takesWords = (verb?.arguments ?? []).length > 0
  if (lines.length > 0 || !takesWords || /=|^--?[a-z][\w-]*$/i.test(unknown))
    return withHelp(path, error, didYouMean(lines))
  const line = lineOf(path, '--', shellWord(unknown))
  return withHelp(path, error, `to use it as a word and not as an option:\n  ${line}`)
}

/** Words too many are mostly parts of a name without quotes, or meant for an option. */
function tooManyWords({ words, path, named: { args }, verb }: RefusedLine) {
  const taken = verb?.arguments?.length ?? 0
  const extra = args.slice(taken)
  const error = usageError(`too many words: ${extra.map(quote).join(' ')}`)
  const end = words.lastIndexOf(extra.at(-1) ?? '') + 1
  const start = end - extra.length
  const before = words[start - 1] ?? ''
  const isValue = ![...path.split(' '), ...args].includes(before)
  const option = wordOptions.find((key) => verb?.options?.[key] !== undefined)
  const isName = isValue || (option === undefined && before === args[taken - 1])
  if ([before, ...extra].some((word) => word.startsWith('-'))) return withHelp(path, error)
  if (isName) {
    const line = lineWith(words, [start - 1, end])
    return withHelp(path, error, `a name of several words needs quotes:\n  ${line}`)
  }
  if (option === undefined) return withHelp(path, error)
  return withHelp(
    path,
    error,
    didYouMean([lineWith(words, [start, end], longFlag(option))]),
  )
}

/** The line that was typed, with some of its words as one in quotes, perhaps behind a flag. */
function lineWith(words: readonly string[], [start, end]: [number, number], flag = '') {
  const name = words.slice(start, end).join(' ')
  // The quotes that people type, where these change nothing in it.
  const quoted = /["$`\\!]/.test(name) ? shellWord(name) : `"${name}"`
  const others = words.map(shellWord)
  return lineOf(...others.slice(0, start), flag, quoted, ...others.slice(end))
}
