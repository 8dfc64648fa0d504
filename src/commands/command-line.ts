/** What a command line says so far, without running it: for completion, for `-V`, and for pointing to the right help. */
import type { CommandUnknownOpts, Option } from '@commander-js/extra-typings'

export interface CommandLine {
  /** The deepest command that the words name. */
  readonly command: CommandUnknownOpts
  /** Words that are neither commands nor options nor an option's value. */
  readonly operands: readonly string[]
  /** Options that were given, by key, with their last value; `true` for one that takes none. */
  readonly given: ReadonlyMap<string, string | true>
  /** The option whose value the next word is. */
  readonly awaiting: Option | undefined
  /** `--` was given: nothing after it is an option. */
  readonly afterDashes: boolean
}

/** Reads words as commander would: options may stand anywhere, and a required value takes whatever word is next. */
export function readCommandLine(program: CommandUnknownOpts, words: readonly string[]): CommandLine {
  let command = program
  const operands: string[] = []
  const given = new Map<string, string | true>()
  let awaiting: Option | undefined
  let afterDashes = false
  for (const word of words) {
    if (awaiting !== undefined) {
      given.set(awaiting.attributeName(), word)
      awaiting = undefined
    } else if (word === '--' && !afterDashes) {
      afterDashes = true
    } else if (!afterDashes && word.startsWith('-') && word !== '-') {
      const equals = word.startsWith('--') ? word.indexOf('=') : -1
      const option = findOption(command, equals < 0 ? word : word.slice(0, equals))
      if (option === undefined) continue
      if (equals >= 0) given.set(option.attributeName(), word.slice(equals + 1))
      else if (option.required) awaiting = option
      else given.set(option.attributeName(), true)
    } else {
      const sub = operands.length === 0 && !afterDashes ? findCommand(command, word) : undefined
      if (sub === undefined) operands.push(word)
      else command = sub
    }
  }
  return { command, operands, given, awaiting, afterDashes }
}

/** An option of the command or of the whole program. */
export function findOption(command: CommandUnknownOpts, flag: string): Option | undefined {
  const own = command.options.find((option) => option.short === flag || option.long === flag)
  return own ?? (command.parent === null ? undefined : findOption(command.parent, flag))
}

export function findCommand(command: CommandUnknownOpts, word: string): CommandUnknownOpts | undefined {
  return command.commands.find((each) => each.name() === word)
}

/** `svc lists get`. */
export function pathOf(command: CommandUnknownOpts): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`
}

/** `-V` counts only as a whole word before any command. */
export function asksVersion(program: CommandUnknownOpts, words: readonly string[]): boolean {
  const before = words.findIndex((word) => word === '-V' || word === '--version')
  if (before < 0) return false
  const { command, operands, awaiting, afterDashes } = readCommandLine(program, words.slice(0, before))
  return command === program && operands.length === 0 && awaiting === undefined && !afterDashes
}
