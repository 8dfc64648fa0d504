/**
 * The help of a command, as commander prints it: without the global options, which have a page of their own,
 * and without the advanced ones unless `--all` asks for them.
 */
import { Command, Help, Option } from 'commander'
import { globalOptions } from '../../cli/global-options.ts'
import { capitalize } from '../../words.ts'
import { advanced, flagsOf, optionText } from '../../options.ts'

/** Wider lines are not easier to read. */
export const pageWidth = 80

/** Changes of the layout of commander's help. `isAll`: with the advanced options. */
export function pageLayout(isAll: boolean): Partial<Help> {
  let isPrinting = false
  return {
    minWidthToWrap: 10,
    formatHelp: (command, helper) => {
      isPrinting = true
      return new Help().formatHelp(command, helper)
    },
    // Suggestions for a misspelled option come from all options, but only some are shown.
    visibleOptions: ({ options }) =>
      options.filter(
        ({ helpGroupHeading, hidden, long }) =>
          !isPrinting ||
          (!hidden && (isAll || helpGroupHeading !== advanced) && long !== '--version'),
      ),
    subcommandTerm: (command) => command.name(),
    // Without its short name.
    commandUsage(command) {
      const names = [command.name()]
      for (let above = command.parent; above !== null; above = above.parent)
        names.unshift(above.name())
      return `${names.join(' ')} ${command.usage()}`
    },
    // commander removes it if colors are off.
    styleTitle: (title) => `\u001b[1m${title}\u001b[0m`,
  }
}

interface Description {
  description: string
  usage?: string | undefined
  notes?: string | undefined
  examples?: readonly string[] | undefined
  /** The command that prints its advanced options too. */
  more?: string | undefined
}

export function describe(
  parser: Command,
  { description, usage, notes, examples = [], more }: Description,
) {
  parser.description(description.replaceAll(/\s+/g, ' ').trim())
  if (usage !== undefined) parser.usage(usage)
  const isRoot = parser.parent === null
  const parts = [
    // The help of svc itself has no line to spare, so it names the page next to `help`.
    isRoot ? undefined : 'Global options: svc help options',
    notes,
    ['Examples:', ...examples].join('\n  '),
    more && `All options: ${more}`,
  ]
  parser.addHelpText(
    'after',
    `\n${parts.filter((part) => part !== undefined && part !== '').join('\n\n')}`,
  )
}

export function sentence(summary: string): string {
  return `${capitalize(summary)}.`
}

/** The help of the global options: `svc help options`. */
export function optionsPage(columns: number): string {
  const parser = new Command('svc')
    .description('Global options. You can put them anywhere after svc.')
    .usage('[options] <command>')
    .helpOption('-h, --help', 'print the help of a command')
    .configureHelp({ helpWidth: columns })
  for (const [key, option] of Object.entries(globalOptions))
    parser.addOption(new Option(flagsOf(key, option), optionText(option)))
  return parser.option('-V, --version', 'print the version').helpInformation()
}
