/** The help text of one command: a sentence, usage, arguments, options in groups, commands, notes, examples. */
import { advanced } from '../../cli/option.ts'
import { argumentName, bracket, flagsOf, type Branch, type Tree } from '../tree.ts'

/** Words on a wider terminal are no easier to read. */
export const pageWidth = 80

const globalOptions =
  'Global options (-p, -o, --json, --fields, -q, -v, -y and more): svc help options'

export type Term = readonly [term: string, description: string]
/** Terms under a heading. */
export type Section = readonly [heading: string, terms: readonly Term[]]

interface PageOptions {
  /** The width of the terminal in cells; undefined when there is none. */
  readonly columns?: number | undefined
  /** With the advanced options. */
  readonly isAll?: boolean
}

/** The page of `--help`. */
export async function helpOf(
  command: Tree,
  { columns: width = pageWidth, isAll = false }: PageOptions,
): Promise<string> {
  const columns = Math.min(width, pageWidth)
  const isRoot = command.path === 'svc'
  const head = [wrap(command.description, columns), wrap(`Usage: ${command.usage}`, columns)].join(
    '\n\n',
  )
  const examples =
    command.examples.length === 0
      ? []
      : [['Examples:', ...command.examples.map((line) => `  ${line}`)].join('\n')]
  const commands = sections(await commandTerms(command), columns)
  // It fits a screen.
  if (isRoot) return `${[head, ...commands, ...examples].join('\n')}\n`
  const groups = optionTerms(command)
  const shown = isAll ? groups : groups.filter(([heading]) => heading !== advanced)
  const more = shown.length < groups.length ? ['more: --help --all'] : []
  const parts = [
    head,
    ...commands,
    ...sections([['Arguments:', argumentTerms(command)], ...shown], columns, more.length > 0),
    wrap(globalOptions, columns),
    ...(command.notes === '' ? [] : [command.notes]),
    ...examples,
  ]
  return `${[parts.join('\n\n'), ...more].join('\n')}\n`
}

/** The commands below one, by their headings. */
async function commandTerms({ commands }: Tree): Promise<Section[]> {
  const headingOf = ({ group = 'Commands:' }: Branch): string => group
  const headings = [...new Set(commands.map(headingOf))].map(async (heading): Promise<Section> => {
    const terms = commands.filter((each) => headingOf(each) === heading).map(commandTerm)
    return [heading, await Promise.all(terms)]
  })
  return Promise.all(headings)
}

async function commandTerm({ name, summary, load }: Branch): Promise<Term> {
  if (summary !== undefined) return [name, summary]
  const command = await load()
  return [[name, ...command.arguments.map(bracket)].join(' '), command.summary]
}

/** The help of the global options: `svc help options`. */
export function optionsPage(program: Tree, width = pageWidth): string {
  const columns = Math.min(width, pageWidth)
  // They are found before the program is there.
  const others: readonly Term[] = [
    ['-h, --help', 'print the help of a command'],
    ['-V, --version', 'print the version'],
  ]
  const parts = [
    wrap('Global options. You can put them anywhere after svc.', columns),
    ...sections([...optionTerms(program), ['Other:', others]], columns),
  ]
  return `${parts.join('\n\n')}\n`
}

export function argumentTerms(command: Pick<Tree, 'arguments'>): Term[] {
  return command.arguments.map((each) => [argumentName(each), each.summary])
}

/** Options by their headings, in order of appearance, those without one of their own first. */
export function optionTerms({
  options,
}: Pick<Tree, 'options'>): [heading: string, terms: Term[]][] {
  const groups = new Map<string, Term[]>()
  for (const option of options) {
    const { group = 'Options:', text } = option
    groups.set(group, [...(groups.get(group) ?? []), [flagsOf(option), text]])
  }
  const isOwn = (heading: string): number => Number(heading === 'Options:')
  return [...groups].sort(([left], [right]) => isOwn(right) - isOwn(left))
}

/** Items under their headings, without lines between them where they are many; the terms of all of them share a column. */
function sections(groups: readonly Section[], columns: number, isDense = false): string[] {
  const width = Math.max(...groups.flatMap(([, terms]) => terms.map(([term]) => term.length)), 0)
  const texts = groups
    .filter(([, terms]) => terms.length > 0)
    .map(([heading, terms]) =>
      [heading, ...terms.map((term) => itemText(term, width, columns))].join('\n'),
    )
  return isDense ? [texts.join('\n')] : texts
}

/** On fewer columns than this, a term has a line of its own. */
const twoColumns = 60

function itemText([term, description]: Term, width: number, columns: number): string {
  const indent = columns >= twoColumns ? width + 4 : 6
  const first =
    columns >= twoColumns ? `  ${term.padEnd(width)}  ` : `  ${term}\n${' '.repeat(indent)}`
  return first + wrap(description, columns - indent).replaceAll('\n', `\n${' '.repeat(indent)}`)
}

/** In fewer columns than this a text is easier to read as it is. */
const leastColumns = 24

/** A text in lines of so many columns, broken between words. */
function wrap(text: string, columns: number): string {
  if (columns < leastColumns) return text
  const lines: string[] = []
  let line = ''
  for (const chunk of text.match(/\s*\S+/g) ?? []) {
    if (line !== '' && line.length + chunk.length > columns) {
      lines.push(line)
      line = chunk.trimStart()
    } else line += chunk
  }
  return [...lines, line].join('\n')
}
