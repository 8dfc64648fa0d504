/** The help text of one command: a sentence, usage, arguments, options in groups, commands, examples. */
import type { CommandUnknownOpts, Help } from '@commander-js/extra-typings'
import { flagsOf, pathOf, treeOf, type Tree, type TreeArgument } from '../tree.ts'

/** Words on a wider terminal are no easier to read. */
export const pageWidth = 80

const globalOptions = 'Global options (-p, -o, --json, --fields, -q, -v, -y and more): svc help options'

export type Term = readonly [term: string, description: string]
/** Terms under a heading. */
type Section = readonly [heading: string, terms: readonly Term[]]

/** Options that few people need: shown by `--all`, and in the reference. */
export const advanced = 'Advanced:'

/** What commander calls to make the text in front of `addHelpText`. */
export function formatPage(command: CommandUnknownOpts, helper: Help, isAll: boolean): string {
  const tree = treeOf(command)
  const isRoot = command.parent === null
  const columns = helper.helpWidth ?? pageWidth
  const head = [helper.boxWrap(sentenceOf(command), columns), helper.boxWrap(`Usage: ${usageOf(command)}`, columns)]
  // It fits a screen.
  if (isRoot) return `${head.join('\n\n')}\n${sections(commandTerms(command), helper).join('\n')}\n`
  const groups = optionTerms(tree)
  const shown = isAll ? groups : groups.filter(([heading]) => heading !== advanced)
  const isOwn = (heading: string): number => Number(heading === 'Options:')
  shown.sort(([left], [right]) => isOwn(right) - isOwn(left))
  const parts = [
    ...head,
    ...sections(commandTerms(command), helper),
    ...sections([['Arguments:', argumentTerms(tree)], ...shown], helper),
    [
      ...(shown.length < groups.length ? ['More options: --help --all'] : []),
      helper.boxWrap(globalOptions, columns),
    ].join('\n'),
  ]
  return `${parts.join('\n\n')}\n`
}

/** The commands below one, by their headings. */
function commandTerms(command: CommandUnknownOpts): Section[] {
  const headings = [...new Set(command.commands.map((each) => each.helpGroup() || 'Commands:'))]
  const termOf = (each: CommandUnknownOpts): Term => {
    const words = command.parent === null ? [] : treeOf(each).arguments.map(bracketed)
    return [[each.name(), ...words].join(' '), each.summary()]
  }
  return headings.map((heading) => {
    return [heading, command.commands.filter((each) => (each.helpGroup() || 'Commands:') === heading).map(termOf)]
  })
}

/** The help of the global options: `svc help options`. */
export function optionsPage(program: CommandUnknownOpts): string {
  const helper = program.createHelp()
  const helpWidth = program.configureOutput().getOutHelpWidth?.() ?? pageWidth
  helper.prepareContext({ helpWidth })
  // They are found before the program is there.
  const others: readonly Term[] = [
    ['-h, --help', 'print the help of a command'],
    ['-V, --version', 'print the version'],
  ]
  const parts = [
    helper.boxWrap('Global options. You can put them anywhere after svc.', helpWidth),
    ...sections([...optionTerms(treeOf(program)), ['Other:', others]], helper),
  ]
  return `${parts.join('\n\n')}\n`
}

export function argumentTerms(command: Tree): Term[] {
  return command.arguments.map((each) => [nameOf(each), each.description])
}

/** Options by their headings, in order of appearance. */
export function optionTerms({ options }: Tree): [heading: string, terms: Term[]][] {
  const groups = new Map<string, Term[]>()
  for (const option of options) {
    const { group = 'Options:', description } = option
    groups.set(group, [...(groups.get(group) ?? []), [flagsOf(option), description]])
  }
  return [...groups]
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

function nameOf({ name, variadic }: TreeArgument): string {
  return `${name}${variadic ? '...' : ''}`
}

function bracketed(argument: TreeArgument): string {
  return argument.required ? `<${nameOf(argument)}>` : `[${nameOf(argument)}]`
}

/** Items under their headings; the terms of all of them share a column. */
function sections(groups: readonly Section[], helper: Help): string[] {
  const width = Math.max(...groups.flatMap(([, terms]) => terms.map(([term]) => term.length)), 0)
  return groups
    .filter(([, terms]) => terms.length > 0)
    .map(([heading, terms]) =>
      [heading, ...terms.map(([term, description]) => itemText(term, width, description, helper))].join('\n'),
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
