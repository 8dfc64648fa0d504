/** The options that several verbs have, and those of every command. */
import { Argument, Option, type InferOptions } from '@commander-js/extra-typings'
import type * as commander from 'commander'
import { parseCountry, parseTimeout, parseWait, usualSettings } from '../config/settings.ts'
import { usageError } from '../errors.ts'
import { formats } from '../output/result.ts'
import { formatDuration, parseChoice, parseCount, parseLimit } from '../values.ts'

export type OptionList = readonly commander.Option[]

/** The value of one option, by its key. */
type OptionValue<O> =
  O extends Option<infer F, infer P, infer D, infer V, infer M, infer C>
    ? InferOptions<unknown, F, D, V, M, P, C>
    : never

/** The values of options by their keys: `dryRun` for `--dry-run`. */
export type OptionValues<O extends OptionList> = {
  [Each in O[number] as keyof OptionValue<Each>]?: NonNullable<
    OptionValue<Each>[keyof OptionValue<Each>]
  >
}

/** An option whose value `parse` reads, or refuses with a usage error. `name` is what messages call the option. */
export function parsedOption<const Flags extends string, Value>(
  flags: Flags,
  summary: string,
  parse: (text: string, name: string) => Value,
) {
  const option = new Option(flags, summary)
  return option.argParser<Value>((text) => parse(text, option.long ?? ''))
}

/** An option that takes some of `choices`, separated by commas. */
export function choicesOption<const Flags extends string, Choice extends string>(
  flags: Flags,
  summary: string,
  choices: readonly Choice[],
) {
  const option = parsedOption(flags, `${summary}: ${choices.join(', ')}`, (text, name) =>
    text.split(',').map((word) => parseChoice(word.trim(), name, choices)),
  )
  option.argChoices = [...choices]
  return option
}

/** The parser of an option that can be given several times. Other options of a verb can be given once. */
export const collect = (text: string, all: string[] | undefined) => [...(all ?? []), text]

/** The options of every command, in the order of the help. */
export const globalOptions = [
  new Option(
    '-p, --profile <name>',
    'which profile (SVC_PROFILE; default: the current one)',
  ),
  new Option('-o, --output <format>', `${formats.join(', ')} (default: table)`).choices(
    formats,
  ),
  new Option('--json', 'the same as -o json').conflicts('output'),
  new Option(
    '--out <file>',
    'write the output of a read to this file; its extension sets the format',
  ),
  new Option('--fields <a,b>', 'choose columns by heading, and their order'),
  new Option('-q, --quiet', 'show only errors on stderr').conflicts('verbose'),
  new Option('-v, --verbose', 'show each request'),
  new Option('-y, --yes', 'answer yes to every confirmation'),
  parsedOption(
    '--timeout <duration>',
    `the time limit of one attempt (SVC_TIMEOUT; default: ${formatDuration(usualSettings.timeout)})`,
    parseTimeout,
  ),
  parsedOption(
    '--wait <duration>',
    `how long a request that failed temporarily is retried (SVC_WAIT; default: ${formatDuration(usualSettings.wait)})`,
    parseWait,
  ),
  new Option('-h, --help', 'print the help of a command'),
] as const

/** The option of verbs that list rows. */
export const limitOption = parsedOption(
  '--limit <n|all>',
  'the maximum number of rows (default: 50 for table, all for other formats)',
  parseLimit,
)

/** The option of verbs that read phone numbers. */
export const countryOption = parsedOption(
  '--country <CC>',
  'country of numbers without + or 00, such as DE (SVC_COUNTRY)',
  parseCountry,
)

/** The option of the first moment of what is shown. `rows` says in the help what that is. */
export const sinceOption = (rows: string) =>
  new Option(
    '--since <time>',
    `only ${rows} from this time on: 2026-03-01, 2026-03-01T10:00:00Z, 2d, today or yesterday (local midnight)`,
  )

/** The argument for ids of contacts. */
export const idsArgument = new Argument('[id...]', 'contact ids; - for standard input')

function parseDelimiter(text: string, name: string) {
  if ([',', ';', '|', '\t'].includes(text)) return text
  if (text === 'tab') return '\t'
  throw usageError(`${name} takes "," ";" "|" or tab`)
}

/** The options of a table, whatever it has. */
export const tableOptions = [
  new Option('--sheet <name>', 'the sheet of a workbook, if several have content'),
  parsedOption(
    '--heading-row <n>',
    'the row of the headings; 0: there are none (default: 1)',
    (text, name) => parseCount(text, name, { min: 0, max: 1 << 20 }),
  ),
  parsedOption('--delimiter <c>', 'of a csv: "," ";" "|" or tab', parseDelimiter),
] as const

/** The options of a file of ids. */
export const fileOptions = [
  new Option('--file <path>', 'a file of ids (svc help id-files), or - for standard input'),
  new Option('--column <name|n>', 'the column with the ids: its heading or number'),
] as const

/** The options of each input of ids or pairs. */
export const inputOptions = [
  ...tableOptions,
  new Option(
    '--where <column=value>',
    'only rows whose cell is this, whatever its letter case; repeatable',
  ).argParser(collect),
  new Option('--without <file>', 'without the ids of this file'),
  new Option('--allow-empty', 'accept an input without any id (default: exit 2)'),
] as const
