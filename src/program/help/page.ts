/**
 * The help of a command, as commander prints it: without the global options, which have a page of their own, and without the advanced ones
 * unless `--all` asks for them. `parse.ts` describes each command by it, and `help.ts` prints the page of the global options.
 */
import { Command, Help, Option } from 'commander'
import { globalOptions } from '../../cli/global-options.ts'
import { advanced, flagsOf, optionText } from '../../cli/options.ts'
import { capitalize } from '../../words.ts'

/** Settings of the help of one command line. */
interface Look {
  readonly isAll: boolean
  readonly isBold: boolean
}

/** A command whose help is a page, as is that of each command below it. */
export class Parser extends Command {
  readonly #look: Look

  constructor(name: string, look: Look) {
    super(name)
    this.#look = look
  }

  override createCommand(name = ''): Parser {
    return new Parser(name, this.#look)
  }

  override createHelp(): Help {
    return new Page(this.#look)
  }
}

class Page extends Help {
  readonly #look: Look
  #isPrinting = false

  constructor(look: Look) {
    super()
    this.#look = look
    this.minWidthToWrap = 10
  }

  override formatHelp(command: Command, helper: Help): string {
    this.#isPrinting = true
    return super.formatHelp(command, helper)
  }

  /** All options are suggested for a misspelled one; some are shown. */
  override visibleOptions({ options }: Command): Option[] {
    const isShown = ({ helpGroupHeading, hidden }: Option): boolean =>
      !hidden && (this.#look.isAll || helpGroupHeading !== advanced)
    return options.filter((each) => !this.#isPrinting || isShown(each))
  }

  override subcommandTerm(command: Command): string {
    return command.name()
  }

  override styleTitle(title: string): string {
    return this.#look.isBold ? `\u001b[1m${title}\u001b[0m` : title
  }
}

/** Words on a wider terminal are no easier to read. */
export const pageWidth = 80

interface Description {
  readonly description: string
  readonly usage?: string | undefined
  readonly notes?: string | undefined
  readonly examples: readonly string[]
  readonly hasMore?: boolean
}

export function describe(
  parser: Command,
  { description, usage, notes, examples, hasMore = false }: Description,
): void {
  parser.description(description.replaceAll(/\s+/g, ' ').trim())
  if (usage !== undefined) parser.usage(usage)
  const isRoot = parser.parent === null
  const parts = [
    // The help of svc itself has no line to spare, and names the page beside `help`.
    ...(isRoot ? [] : ['Global options: svc help options']),
    ...(notes === undefined ? [] : [notes]),
    ...(examples.length === 0
      ? []
      : [['Examples:', ...examples.map((line) => `  ${line}`)].join('\n')]),
    ...(hasMore ? ['more: --help --all'] : []),
  ]
  parser.addHelpText('after', `${isRoot ? '' : '\n'}${parts.join('\n\n')}`)
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
    parser.addOption(
      new Option(flagsOf(key, option), optionText(option)).helpGroup(option.group ?? 'Options:'),
    )
  return parser.option('-V, --version', 'print the version').helpInformation()
}
