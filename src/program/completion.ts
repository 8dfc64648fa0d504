/**
 * Answers the completion scripts of the shells: `svc __complete -- words...` prints the candidates for the last word. It
 * reads at most the configuration file, and sends nothing.
 */
import { globalOptions } from '../cli/option-groups.ts'
import type { Host } from '../host.ts'
import { longFlag, optionText, type Option, type Options } from '../options.ts'
import { commands } from './commands.ts'
import {
  commandsBelow,
  commonOptions,
  findCommand,
  findOption,
  isOption,
  type NamedCommand,
} from './line.ts'
import type { TextAnswer } from './parse.ts'

/** A word that can follow a line. */
interface Candidate {
  word: string
  description: string
}

/** Candidates, or files, which the shell itself completes best. */
type Candidates = readonly Candidate[] | 'files'

/** Prints a line `word<TAB>description` for each candidate, or the line `:files`. `asked` is `--` and the words. */
export async function complete(host: Host, asked: readonly string[]): Promise<TextAnswer> {
  const command = await findCommand(commands, asked.slice(1, -1))
  const found = await candidatesFor(asked.at(-1) ?? '', command, host)
  const lines =
    found === 'files'
      ? [':files']
      : found.map(({ word, description }) => `${word}\t${description}`)
  return { kind: 'text', text: lines.map((line) => `${line}\n`).join(''), to: 'stdout' }
}

/** The candidates for a word that begins, behind those that name the command. */
async function candidatesFor(
  begun: string,
  command: NamedCommand,
  host: Host,
): Promise<Candidates> {
  const { awaiting, argumentCount, path, verb } = command
  if (awaiting !== undefined) return valuesOf(awaiting, host)
  if (isOption(begun)) return optionCandidates(begun, command, host)
  if (verb === undefined) {
    const isUnknown = argumentCount > 0
    return isUnknown
      ? []
      : commandsBelow(commands, path).map(({ name, summary }) => ({
          word: name,
          description: summary,
        }))
  }
  const all = verb.arguments ?? []
  const argument = all[argumentCount] ?? all.findLast(({ isVariadic }) => isVariadic)
  return argument === undefined ? [] : valuesOf(argument, host)
}

/** The candidates for a word that begins as an option: `--li`, or `--limit=` with its value behind it. */
async function optionCandidates(
  begun: string,
  { options, verb }: NamedCommand,
  host: Host,
): Promise<Candidates> {
  const [flag = '', value] = begun.split(/=(.*)/s)
  if (value !== undefined) {
    const option = findOption(options, flag)
    const values = option === undefined ? [] : await valuesOf(option, host)
    if (values === 'files') return values
    return values.map((each) => ({ ...each, word: `${flag}=${each.word}` }))
  }
  // The options of the program are offered once a letter of one is typed.
  const isLetterTyped = /^--./.test(begun)
  const { help } = commonOptions
  const offered: Options = {
    ...verb?.options,
    ...(isLetterTyped ? globalOptions : {}),
    help,
  }
  return Object.entries(offered).map(([key, option]) => ({
    word: longFlag(key, option),
    description: optionText(option),
  }))
}

/** The candidates for the value of an option or argument. */
async function valuesOf(
  { takes, choices = [], suggestions = [] }: Option,
  host: Host,
): Promise<Candidates> {
  if (takes === 'file') return 'files'
  // With a broken configuration there are no names to offer.
  if (takes === 'profile') return profileCandidates(host).catch(() => [])
  return [...choices, ...suggestions].map((word) => ({ word, description: '' }))
}

async function profileCandidates(host: Host): Promise<Candidate[]> {
  const { readUserFile } = await import('../config/file.ts')
  const file = await readUserFile(host)
  const profiles = [...(file?.content.profiles ?? [])]
  return profiles.map(([word, { baseUrl }]) => ({
    word,
    description: new URL(baseUrl).host,
  }))
}
