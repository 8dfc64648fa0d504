/** The help text of one command: a sentence, usage, arguments, options in groups, commands, examples. */
import { Option, type Argument, type CommandUnknownOpts, type Help } from '@commander-js/extra-typings'
import { pathOf } from '../tree.ts'

/** Words on a wider terminal are no easier to read. */
export const pageWidth = 80

/** For the list only: they are found before the program is there. */
const otherOptions = [
  new Option('-h, --help', 'print the help of a command'),
  new Option('-V, --version', 'print the version'),
]

type Item = readonly [term: string, description: string]

const globalOptions = 'Global options (-p, -o, --json, --fields, -q, -v, -y and more): svc help options'

/** What commander calls to make the text in front of `addHelpText`. */
export function formatPage(command: CommandUnknownOpts, helper: Help): string {
  const isRoot = command.parent === null
  const columns = helper.helpWidth ?? pageWidth
  const commands = command.commands.map((each): [string, Item] => [
    'Commands:',
    [isRoot ? each.name() : [each.name(), ...each.registeredArguments.map(bracketed)].join(' '), each.summary()],
  ])
  const given = command.registeredArguments.map((each): [string, Item] => [
    'Arguments:',
    [nameOf(each), each.description],
  ])
  const own = isRoot ? [] : optionItems(command.options, 'Options:')
  const options = own.sort(([left], [right]) => Number(right === 'Options:') - Number(left === 'Options:'))
  const parts = [
    helper.boxWrap(sentenceOf(command), columns),
    helper.boxWrap(`Usage: ${usageOf(command)}`, columns),
    ...sections(commands, helper),
    ...sections([...given, ...options], helper),
    ...(isRoot ? [] : [helper.boxWrap(globalOptions, columns)]),
  ]
  return `${parts.join('\n\n')}\n`
}

/** The help of the global options: `svc help options`. */
export function optionsPage(program: CommandUnknownOpts): string {
  const helper = program.createHelp()
  const helpWidth = program.configureOutput().getOutHelpWidth?.() ?? pageWidth
  helper.prepareContext({ helpWidth })
  const parts = [
    helper.boxWrap('Global options. They may stand anywhere after svc.', helpWidth),
    ...sections(optionItems([...program.options, ...otherOptions], 'Other:'), helper),
  ]
  return `${parts.join('\n\n')}\n`
}

/** Options with their headings: a command's own ones, and in groups those that it shares with others. */
function optionItems(options: readonly Option[], heading: string): [string, Item][] {
  return options
    .filter((each) => !each.hidden)
    .map((each) => [each.helpGroupHeading ?? heading, [each.flags, each.description]])
}

/** What a command does: its description, or its summary as a sentence. */
export function sentenceOf(command: CommandUnknownOpts): string {
  const described = command.description().replaceAll(/\s+/g, ' ').trim()
  if (described !== '') return described
  const summary = command.summary()
  return `${summary.slice(0, 1).toUpperCase()}${summary.slice(1)}.`
}

export function usageOf(command: CommandUnknownOpts): string {
  return `${pathOf(command)} ${command.commands.length > 0 ? '<command> [options]' : command.usage()}`
}

function nameOf(argument: Argument): string {
  return `${argument.name()}${argument.variadic ? '...' : ''}`
}

function bracketed(argument: Argument): string {
  return argument.required ? `<${nameOf(argument)}>` : `[${nameOf(argument)}]`
}

/** Items under their headings, in order of appearance; the terms of all of them share a column. */
function sections(entries: readonly [string, Item][], helper: Help): string[] {
  const groups = new Map<string, Item[]>()
  for (const [heading, item] of entries) groups.set(heading, [...(groups.get(heading) ?? []), item])
  const width = Math.max(...entries.map(([, [term]]) => term.length), 0)
  return [...groups].map(([heading, items]) =>
    [heading, ...items.map(([term, description]) => itemText(term, width, description, helper))].join('\n'),
  )
}

/** Of fewer columns than this, a term has a line of its own. */
const twoColumns = 60

function itemText(term: string, width: number, description: string, helper: Help): string {
  const columns = helper.helpWidth ?? pageWidth
  if (columns >= twoColumns) return helper.formatItem(term, width, description, helper)
  const lines = helper.boxWrap(description, columns - 6).split('\n')
  return [`  ${term}`, ...lines.map((line) => `      ${line}`)].join('\n')
}

/** The command that the words behind `svc` name. */
export function commandAt(program: CommandUnknownOpts, names: readonly string[]): CommandUnknownOpts {
  let command = program
  for (const name of names) command = command.commands.find((each) => each.name() === name) ?? command
  return command
}

/** The whole help text, with notes and examples: what `--help` prints. */
export function helpOf(command: CommandUnknownOpts): string {
  const parts: string[] = []
  const before = command.configureOutput()
  command.configureOutput({ writeOut: (text) => parts.push(text) })
  command.outputHelp()
  command.configureOutput(before)
  return parts.join('')
}
