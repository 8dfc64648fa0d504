/** The candidates for the last word of a command line. Reads the configuration file at most; sends and runs nothing. */
import type { Argument, CommandUnknownOpts, Option } from '@commander-js/extra-typings'
import type { Host } from '../../host.ts'
import { findOption, pathOf, readCommandLine, type CommandLine } from '../command-line.ts'
import { valuesOf } from './values.ts'

type Candidate = readonly [value: string, description: string]

/** What a position takes: candidates, or a file, which the shell knows best. */
export type Values = readonly Candidate[] | 'files'

/** `value<TAB>description` lines, or the line `:files`. */
export async function complete(program: CommandUnknownOpts, words: readonly string[], host: Host): Promise<string> {
  const line = readCommandLine(program, words.slice(0, -1))
  const values = await candidates(program, line, words.at(-1) ?? '', host)
  if (values === 'files') return ':files\n'
  return values
    .filter(([value]) => !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(value))
    .map(([value, description]) => `${value}\t${description.replaceAll(/\s+/g, ' ')}\n`)
    .join('')
}

async function candidates(program: CommandUnknownOpts, line: CommandLine, word: string, host: Host): Promise<Values> {
  const { command, awaiting, afterDashes } = line
  if (awaiting !== undefined) return optionValues(line, awaiting, word, host)
  if (!afterDashes && word.startsWith('-') && word !== '-') {
    const equals = word.startsWith('--') ? word.indexOf('=') : -1
    if (equals < 0) return optionsOf(program, command)
    const flag = word.slice(0, equals)
    const option = findOption(command, flag)
    if (option === undefined || !option.required) return []
    const values = await optionValues(line, option, word.slice(equals + 1), host)
    return values === 'files' ? values : values.map(([value, description]) => [`${flag}=${value}`, description])
  }
  if (command.commands.length > 0) {
    if (line.operands.length > 0 || afterDashes) return []
    return command.commands.map((each) => [each.name(), each.summary()])
  }
  return argumentValues(line, word, host)
}

function optionsOf(program: CommandUnknownOpts, command: CommandUnknownOpts): Candidate[] {
  const all = command === program ? program.options : [...command.options, ...program.options]
  return [
    ...all
      .filter(({ hidden }) => !hidden)
      .flatMap((option): Candidate[] => [[option.long ?? option.flags, option.description]]),
    ['--help', 'print the help of a command'],
    ...(command === program ? [['--version', 'print the version'] as const] : []),
  ]
}

async function optionValues(line: CommandLine, option: Option, word: string, host: Host): Promise<Values> {
  return valuesOf({ line, what: option.long ?? '', placeholder: placeholderOf(option), word, host })
}

/** `<file>` of `--receipts <file>`. */
function placeholderOf(option: Option): string {
  return /[<[]([^>\]]*)[>\]]/.exec(option.flags)?.[1] ?? ''
}

async function argumentValues(line: CommandLine, word: string, host: Host): Promise<Values> {
  const { command, operands } = line
  const argument: Argument | undefined =
    command.registeredArguments[operands.length] ?? command.registeredArguments.findLast((each) => each.variadic)
  if (argument === undefined) return []
  return valuesOf({ line, what: `${pathOf(command)} ${argument.name()}`, placeholder: argument.name(), word, host })
}
