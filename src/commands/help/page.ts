/** The help text of one command: a sentence, usage, arguments, options in groups, commands, examples. */
import { Option, type CommandUnknownOpts, type Help } from '@commander-js/extra-typings'

/** Words on a wider terminal are no easier to read. */
export const pageWidth = 80

/** A plain option for the list; before any command it is read by `main` itself. */
const versionOption = new Option('-V, --version', 'print the version')

type Item = readonly [term: string, description: string]

/** What commander calls to make the text in front of `addHelpText`. */
export function formatPage(command: CommandUnknownOpts, helper: Help): string {
  const isRoot = command.parent === null
  const listed = command.commands.map((each): [string, Item] => [
    each.helpGroup() || 'Commands:',
    [isRoot ? each.name() : termOf(each), helper.subcommandDescription(each)],
  ])
  const given = command.registeredArguments.map((each): [string, Item] => ['Arguments:', [each.name(), each.description]])
  const own = [...command.options, ...(isRoot ? [versionOption] : [])]
    .filter((each) => !each.hidden)
    .map((each): [string, Item] => [each.helpGroupHeading ?? 'Options:', [each.flags, each.description]])
  const sections = grouped([...listed, ...given, ...own])
  const width = Math.max(...[...sections.values()].flat().map(([term]) => term.length), 0)
  const parts = [
    helper.boxWrap(command.description(), helper.helpWidth ?? pageWidth),
    `Usage: ${helper.commandUsage(command)}`,
    ...[...sections].map(([heading, items]) =>
      [heading, ...items.map(([term, description]) => helper.formatItem(term, width, description, helper))].join('\n'),
    ),
    ...(isRoot ? [] : ['Global options (-p, -o, --json, --fields, -q, -v, -y and more): svc --help']),
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

function termOf(command: CommandUnknownOpts): string {
  const words = command.registeredArguments.map((each) => {
    const name = `${each.name()}${each.variadic ? '...' : ''}`
    return each.required ? `<${name}>` : `[${name}]`
  })
  return [command.name(), ...words].join(' ')
}

function grouped(entries: readonly [string, Item][]): Map<string, Item[]> {
  const groups = new Map<string, Item[]>()
  for (const [heading, item] of entries) groups.set(heading, [...(groups.get(heading) ?? []), item])
  return groups
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
