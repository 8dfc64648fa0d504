/** From a command line to what its verb is called with. Throws exit 2 for the first mistake, in words that help. */
import type { Command } from '../cli/command.ts'
import type { CommandLine } from './command-line.ts'
import type { TreeOption } from './tree.ts'
import * as usage from './usage.ts'

type Values = Readonly<Record<string, unknown>>

/** A verb with the values of its words. */
export interface Call {
  readonly line: CommandLine
  readonly command: Command
  readonly arguments: readonly unknown[]
  /** Its options, by key. */
  readonly options: Values
  /** The same with those that every command takes. */
  readonly allOptions: Values
}

/** Undefined for a noun, or svc itself, without a command behind it. */
export async function callOf(line: CommandLine): Promise<Call | undefined> {
  const { commands, operands, unknown } = line
  const [program] = commands
  const { command, options } = line.command
  if (line.problem !== undefined) throw usage.withHelp(line, line.problem)
  const general = valuesOf(line, program.options)
  if (command === undefined) {
    if (operands.length > 0 && unknown?.operandsBefore !== 0) throw await usage.unknownCommand(line)
    if (unknown !== undefined) throw usage.unknownOption(line, unknown.word)
    return undefined
  }
  const own = valuesOf(line, options)
  refuseCombination(line, options)
  if (unknown !== undefined) throw usage.unknownOption(line, unknown.word)
  return { line, command, arguments: argumentsOf(line), options: own, allOptions: { ...general, ...own } }
}

/** Values of the options of one command, in the order of their definition. */
function valuesOf(line: CommandLine, options: readonly TreeOption[]): Values {
  const values = new Map<string, unknown>(options.map((option) => [option.key, valueWithout(option)]))
  for (const { option, text } of line.typed)
    if (options.includes(option)) values.set(option.key, valueOf(line, option, text, values.get(option.key)))
  if (line.awaiting !== undefined && options.includes(line.awaiting)) throw usage.missingValue(line, line.awaiting)
  return Object.fromEntries([...values].filter(([, value]) => value !== undefined))
}

function valueWithout({ isRepeatable, isNegated }: TreeOption): unknown {
  if (isRepeatable === true) return []
  return isNegated === true ? true : undefined
}

function valueOf(line: CommandLine, option: TreeOption, text: string | undefined, before: unknown): unknown {
  if (option.isCounted === true) return typeof before === 'number' ? before + 1 : 1
  if (text === undefined) return option.isNegated !== true
  if (Array.isArray(before)) return [...(before as readonly unknown[]), text]
  return parsed(line, option, text)
}

function parsed(line: CommandLine, { parse }: Pick<TreeOption, 'parse'>, text: string): unknown {
  if (parse === undefined) return text
  try {
    return parse(text)
  } catch (error) {
    throw usage.withHelp(line, error)
  }
}

function refuseCombination(line: CommandLine, options: readonly TreeOption[]): void {
  const missing = options.find(({ isRequired, key }) => isRequired === true && !line.given.has(key))
  if (missing !== undefined) throw usage.missingOption(line, missing)
  const given = options.filter(({ key }) => line.given.has(key))
  for (const option of given) {
    const other = given.find(({ key }) => option.conflicts?.includes(key))
    if (other !== undefined) throw usage.conflict(line, option, other)
  }
}

function argumentsOf(line: CommandLine): unknown[] {
  const { operands } = line
  const takes = line.command.arguments
  if (takes.some(({ isRequired }, at) => isRequired === true && at >= operands.length))
    throw usage.missingArgument(line)
  if (operands.length > takes.length && takes.at(-1)?.isVariadic !== true) throw usage.excessArgument(line)
  return takes.map((argument, at) => {
    const text = operands[at]
    if (argument.isVariadic === true) return operands.slice(at)
    return text === undefined ? undefined : parsed(line, argument, text)
  })
}
