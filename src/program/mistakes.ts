/** Mistakes in a command line: what commander refuses in the words of svc, with the line that was probably meant. */
import type { Command as Parser, CommanderError } from 'commander'
import { longFlag, type Verb } from '../cli/verb.ts'
import { usageError, type SvcError } from '../errors.ts'
import { joinPresent, quote, shellWord } from '../words.ts'
import { verbs } from './commands.ts'

/** The line that was refused, as far as commander has read it. */
interface RefusedLine {
  words: readonly string[]
  path: string
  named: Parser
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
  const [, unknown = ''] =
    /unknown \w+ '([^]*?)'(?:\n\(Did you mean [^\n]*\))?$/.exec(message) ?? []
  const similar = /\(Did you mean (?:one of )?([^()\n]*)\?\)$/
    .exec(message)?.[1]
    ?.split(', ')
  switch (code) {
    case 'commander.unknownCommand':
      return unknownCommand(line, unknown, similar)
    case 'commander.unknownOption':
      return unknownOption(line, unknown, similar)
    case 'commander.missingArgument':
      return missingError(line.path, `<${/'(.*)'/.exec(message)?.[1]}>`)
    case 'commander.excessArguments':
      return tooManyWords(line)
    default: {
      const flags = message.match(/--[a-z-]+/g) ?? []
      const isConflict = code === 'commander.conflictingOption'
      const problem = isConflict ? 'cannot be used together' : 'has no value'
      return withHelp(line.path, usageError(`${flags.join(' and ')} ${problem}`))
    }
  }
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

function unknownCommand(
  { path }: RefusedLine,
  word: string,
  similar: readonly string[] = [],
) {
  const meanings = otherWords.filter(([, words]) => words.split(' ').includes(word))
  const meant = [word, ...meanings.flatMap(([names]) => names.split(' '))]
  const verb = meant.find((name) => verbs[`${path} ${name}`] !== undefined)
  const cannot = impossible.find(
    ([noun, names]) =>
      noun === path && names.split(' ').some((name) => meant.includes(name)),
  )
  if (cannot !== undefined && verb === undefined) return usageError(cannot[2], cannot[3])
  // The noun may be missing: `svc members VIP`.
  const called = (names: readonly string[]) =>
    Object.keys(verbs).filter((each) =>
      names.some((name) => each === name || each.endsWith(` ${name}`)),
    )
  const [exactly, nearly] = [called([word]), called(meant)]
  const ofAnyNoun = exactly.length > 0 ? exactly : nearly
  const found = verb === undefined ? similar : [verb]
  const lines = found.map((name) => lineOf(path, name))
  if (lines.length === 0 && path === '')
    lines.push(...ofAnyNoun.map((each) => lineOf(each)))
  const typed = quote(joinPresent([path, word], ' '))
  return withHelp(path, usageError(`unknown command ${typed}`), didYouMean(lines))
}

function unknownOption(
  { path, named, verb }: RefusedLine,
  unknown: string,
  similar: readonly string[] = [],
) {
  // Behind `=` is the value of an option, which can be anything, also a secret.
  const [name = ''] = unknown.split('=')
  const all = [...named.options, ...(named.parent?.parent ?? named.parent ?? named).options]
  const known = all.find(({ long }) => long === name)
  if (known !== undefined)
    return withHelp(
      path,
      usageError(`${name} takes no value`, `type ${name} alone, or leave it out`),
    )
  // The sign of something cut off also hides the beginning of a secret.
  const error = usageError(`unknown option ${quote(name === unknown ? name : `${name}=…`)}`)
  const flags = similar.map((flag) => all.find(({ long }) => long === flag)?.flags ?? flag)
  const lines = flags.map((each) => lineOf(path, each))
  // Anything else that begins with a dash may be meant as a word.
  const isWord = !/=|^--?[a-z][\w-]*$/i.test(unknown) && (verb?.arguments ?? []).length > 0
  const asWord = `to use it as a word and not as an option:\n  ${lineOf(path, '--', shellWord(unknown))}`
  return withHelp(path, error, lines.length === 0 && isWord ? asWord : didYouMean(lines))
}

/** Words too many are mostly a name without quotes, or meant for an option. */
function tooManyWords({ words, path, named, verb }: RefusedLine) {
  const { args } = named
  const taken = (verb?.arguments ?? []).length
  const extra = args.slice(taken)
  const error = usageError(`too many words: ${extra.map(quote).join(' ')}`)
  const others = withoutWords(words, [...path.split(' '), ...args]).map(shellWord)
  const inQuotes = (text: readonly string[]) => doubleQuoted(text.join(' '))
  const before = words[words.indexOf(extra[0] ?? '') - 1] ?? ''
  const lead = [path, ...args.slice(0, taken).map(shellWord)]
  if (others.at(-1) === shellWord(before) && !before.startsWith('-')) {
    const value = inQuotes([before, ...extra])
    return withHelp(path, error, quotesHint([...lead, ...others.slice(0, -1), value]))
  }
  const option = wordOptions.find((key) => verb?.options?.[key] !== undefined)
  if (option !== undefined)
    return withHelp(
      path,
      error,
      didYouMean([lineOf(...lead, longFlag(option), inQuotes(extra), ...others)]),
    )
  if (taken !== 1) return withHelp(path, error)
  return withHelp(path, error, quotesHint([path, inQuotes(args), ...others]))
}

const quotesHint = (words: readonly string[]) =>
  `a name of several words needs quotes:\n  ${lineOf(...words)}`

/** A text in the quotes that people type, where these change nothing in it. */
const doubleQuoted = (text: string) =>
  /["$`\\!]/.test(text) ? shellWord(text) : `"${text}"`

/** Words without the first of each of others. */
function withoutWords(words: readonly string[], others: readonly string[]) {
  const left = [...words]
  for (const word of others) {
    const at = left.indexOf(word)
    if (at >= 0) left.splice(at, 1)
  }
  return left
}
