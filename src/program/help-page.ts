/** The help of a command, which commander prints. */
import type { Command, Help } from 'commander'
import { advanced } from '../options.ts'
import { capitalize } from '../words.ts'

/** The maximum width, because wider lines are not easier to read. */
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

/** Changes to commander's layout. `showsAdvanced` is true for `--help --all`. */
export function pageLayout(showsAdvanced: boolean): Partial<Help> {
  return {
    minWidthToWrap: 10,
    visibleOptions: ({ options }) =>
      options.filter(({ helpGroupHeading, hidden }) => {
        const isShown = showsAdvanced || helpGroupHeading !== advanced
        return isShown && !hidden
      }),
    // commander would add the alias and the arguments.
    subcommandTerm: (command) => command.name(),
    // commander would add the alias.
    commandUsage(command) {
      const names = [command.name()]
      for (let above = command.parent; above !== null; above = above.parent)
        names.unshift(above.name())
      return `${names.join(' ')} ${command.usage()}`
    },
    // Bold. commander removes it if colors are off.
    styleTitle: (title) => `\u001b[1m${title}\u001b[0m`,
  }
}

interface Description {
  /** Without it, the summary becomes the sentence. */
  description?: string | undefined
  usage?: string | undefined
  notes?: string | undefined
  examples?: readonly string[] | undefined
  /** The command that prints the advanced options too. */
  allOptionsCommand?: string | undefined
}

/** Describes a command. Usage and sentences come before the options, and notes and examples after them. */
export function describe(
  parser: Command,
  { description, usage, notes, examples = [], allOptionsCommand }: Description,
) {
  const sentences = description ?? `${capitalize(parser.summary())}.`
  parser.description(sentences.replaceAll(/\s+/g, ' ').trim())
  if (usage !== undefined) parser.usage(usage)
  const isRoot = parser.parent === null
  const blocks = [
    isRoot
      ? 'You can put options anywhere after svc.'
      : 'Options of every command: svc --help',
    notes,
    ['Examples:', ...examples].join('\n  '),
    allOptionsCommand && `All options: ${allOptionsCommand}`,
    isRoot ? `Topics (svc help <topic>):\n  ${topicNames.join(', ')}` : undefined,
  ]
  const present = blocks.filter((block) => block !== undefined && block !== '')
  parser.addHelpText('after', `\n${present.join('\n\n')}`)
}
