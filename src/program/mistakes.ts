/** Errors about a command line, with the line that was probably meant. */
import type { CommanderError, Option as ParserOption } from 'commander'
import type { CommandTable } from '../cli/verb.ts'
import { usageError, type SvcError, say, svc, type ShownCommand } from '../errors.ts'
import type { Host } from '../host.ts'
import type { TypedLine } from '../options.ts'
import { quote, shellWord } from '../words.ts'

/** The error for a line that commander refuses, with a line to type: a similar one, or another command. */
export function mistakeError(
  { words, path }: TypedLine,
  { verbs }: CommandTable,
  { message }: CommanderError,
): SvcError {
  const [problem = '', suggestion = ''] = message.replace(/^error: /, '').split('\n')
  const error = usageError(problem.replaceAll("'", '"'))
  const wrong = /^unknown (?:command|option) '(.*)'/.exec(problem)?.[1]
  if (wrong === undefined) return withHelp(path, error)
  const known = knownMistakes.find(({ typed }) => typed.includes(`${path} ${wrong}`.trim()))
  if (known !== undefined) {
    const { command } = known
    return usageError(known.problem, command && say`type:\n  ${command}`)
  }
  const similar = /^\(Did you mean (?:one of )?(.*)\?\)$/.exec(suggestion)?.[1]
  // `svc members VIP` and `svc help delete`: the noun is missing.
  const withNoun = Object.keys(verbs).filter(
    (verb) => verb === `${verb.split(' ')[0]} ${wrong}`,
  )
  const meant = path === '' && withNoun.length > 0 ? withNoun : (similar?.split(', ') ?? [])
  // The last one: in `svc lists lists`, the first is a noun.
  const wrongIndex = words.lastIndexOf(wrong)
  const lines = meant.map((word) => {
    const corrected = words.map(shellWord).with(wrongIndex, word)
    return `  ${['svc', ...corrected].join(' ')}\n`
  })
  return withHelp(path, error, lines.length > 0 ? `did you mean:\n${lines.join('')}` : '')
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

/**
 * Throws a usage error for a word that begins with a dash and would be the value of the option before it, so that no
 * `--dry-run` is lost as a value. Only a person's own words may begin with a dash.
 */
export function refuseDashedValues(
  { words, options }: TypedLine,
  known: readonly ParserOption[],
) {
  const end = words.indexOf('--')
  const checked = end === -1 ? words : words.slice(0, end + 1)
  for (const [index, word] of checked.entries()) {
    if (!word.startsWith('-') || word === '-') continue
    const taker = optionOf(checked[index - 1], known)
    if (taker?.required !== true) continue
    // Of letters in one word, the first decides: commander would take `-vacation` apart, as it does `-qv`.
    const flag = word.startsWith('--') ? word.replace(/=.*/s, '') : word.slice(0, 2)
    const isOption = word === '--' || optionOf(flag, known) !== undefined
    const { takes } = options[taker.attributeName()] ?? {}
    if (!isOption && takes === 'text') continue
    const problem = isOption ? 'is an option' : 'begins with a dash'
    const file = takes === 'file' ? `; a file of that name is ./${shellWord(word)}` : ''
    throw usageError(
      `${taker.long} needs a value, and ${quote(word)} ${problem}`,
      `to use it as the value, write ${taker.long}=${shellWord(word)}${file}`,
    )
  }
}

/** The option of a flag such as `--limit` or `-o`. */
export function optionOf(
  flag: string | undefined,
  options: readonly ParserOption[],
): ParserOption | undefined {
  return options.find(
    ({ short, long }) => flag === long || (flag === short && flag !== undefined),
  )
}

/**
 * Throws a usage error for a dash or quotes that a word processor or a chat has put in place of those of a shell. svc would
 * take the option for an argument, and a shell makes several words of the text in such quotes.
 */
export function refuseTypography({ words }: TypedLine) {
  const typographic = words.find((word, index) => {
    const isDashed = /^-*[\u2010-\u2015\u2212\uff0d]+[a-z]/i.test(word)
    const opensQuote = /^[“”„«‘‚][^“”»’‘]*$/.test(word)
    const isClosed = () => words.slice(index + 1).some((other) => /[“”»’‘]$/.test(other))
    return isDashed || (opensQuote && isClosed())
  })
  if (typographic === undefined) return
  throw usageError(
    `${quote(typographic)} begins with a typographic dash or quote, which means nothing to a shell`,
    `type - or " in its place`,
  )
}

/** Throws a usage error for a word or variable that is not UTF-8. Node has replaced its bytes, so it would mean something else. */
export function refuseOtherEncodings({ words }: TypedLine, { env }: Pick<Host, 'env'>) {
  const variables = Object.entries(env).filter(([name]) => name.startsWith('SVC_'))
  const texts = [...words.map((word) => [`the word ${quote(word)}`, word]), ...variables]
  const broken = texts.find(([, text = '']) => text.includes('\uFFFD'))
  if (broken === undefined) return
  throw usageError(
    `${broken[0]} is not UTF-8`,
    'set a locale of UTF-8, such as LC_ALL=C.UTF-8, and type it again',
  )
}

interface KnownMistake {
  /** The words after `svc`. */
  typed: readonly string[]
  problem: string
  /** What to type instead, if svc can do something similar. */
  command?: ShownCommand
}

/** Commands that people expect, and that the service or svc does not have under this name. */
const knownMistakes: readonly KnownMistake[] = [
  {
    typed: ['lists delete', 'lists remove', 'lists rm'],
    problem: 'the service cannot delete lists; you can rename one',
    command: svc`lists update <list> --name <name>`,
  },
  {
    typed: ['lists remove-contacts', 'lists remove-contact'],
    problem:
      'the service cannot remove contacts from a list; you can add those that stay to a new list',
    command: svc`lists members <list> -o ids`,
  },
  {
    typed: ['lists add'],
    problem: 'contacts are added to a list with add-contacts',
    command: svc`lists add-contacts <list> --file <ids>`,
  },
  {
    typed: ['lists export'],
    problem: 'to export the members of a list, use --out',
    command: svc`lists members <list> --out <file.csv>`,
  },
  {
    typed: ['contacts export'],
    problem: 'to export contacts, use --out',
    command: svc`contacts list --out <file.csv>`,
  },
  {
    typed: ['contacts create', 'contacts add'],
    problem:
      'the service cannot create contacts: one is created when somebody writes to the company',
  },
  {
    typed: ['contacts update', 'contacts edit'],
    problem: 'the service cannot change contacts; you can merge two of them',
    command: svc`contacts merge <source> --into <target>`,
  },
  {
    typed: ['find', 'search', 'contacts search'],
    problem: 'the command is contacts find',
    command: svc`contacts find <words>`,
  },
  {
    typed: ['tickets list', 'tickets ls'],
    problem: 'the service cannot list tickets; you can paste the address of a ticket',
    command: svc`tickets get <ticket>`,
  },
  {
    typed: ['tickets close', 'tickets reply', 'tickets send'],
    problem: 'the service can neither close tickets nor send messages for svc',
  },
  {
    typed: ['login', 'configure', 'auth', 'config', 'init'],
    problem: 'an address of the service and its key are saved as a profile',
    command: svc`profiles add <name>`,
  },
  {
    typed: ['undo'],
    problem: 'the command is runs undo',
    command: svc`runs undo --last --dry-run`,
  },
]
