/** The help of a command, as commander prints it; advanced options are shown if `--all` asks for them. */
import { Help, type Command } from 'commander'
import { advanced } from '../../options.ts'
import { capitalize } from '../../words.ts'

/** Wider lines are not easier to read. */
export const pageWidth = 80

/** The topics of `svc help <topic>`, in the order in which they are listed. */
export const topicNames = [
  'id-files',
  'bulk',
  'spreadsheets',
  'configuration',
  'scripting',
  'exit-codes',
] as const

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
        ({ helpGroupHeading, hidden }) =>
          !isPrinting || (!hidden && (isAll || helpGroupHeading !== advanced)),
      ),
    subcommandTerm: (command) => command.name(),
    // Without its other name.
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
  /** Without it, the summary is the sentence. */
  description?: string | undefined
  usage?: string | undefined
  notes?: string | undefined
  examples?: readonly string[] | undefined
  /** The command that prints its advanced options too. */
  more?: string | undefined
}

/** Usage and sentence come before the options, notes and examples behind them. */
export function describe(
  parser: Command,
  { description, usage, notes, examples = [], more }: Description,
) {
  const sentences = description ?? `${capitalize(parser.summary())}.`
  parser.description(sentences.replaceAll(/\s+/g, ' ').trim())
  if (usage !== undefined) parser.usage(usage)
  const isRoot = parser.parent === null
  const parts = [
    isRoot
      ? 'You can put options anywhere after svc.'
      : 'Options of every command: svc --help',
    notes,
    ['Examples:', ...examples].join('\n  '),
    more && `All options: ${more}`,
    isRoot ? `Topics (svc help <topic>):\n  ${topicNames.join(', ')}` : undefined,
  ]
  parser.addHelpText(
    'after',
    `\n${parts.filter((part) => part !== undefined && part !== '').join('\n\n')}`,
  )
}
