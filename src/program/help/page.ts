/**
 * The help text of one command: a sentence, usage, arguments, options in groups, commands, notes, examples. `answer.ts` prints it for
 * `--help`, `help.ts` for `svc help <words>`, and `manual.ts` takes its sections.
 */
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
  const description = wrap(command.description, columns)
  const usage = wrap(`Usage: ${command.usage}`, columns)
  const head = `${description}\n\n${usage}`
  const examples = exampleSection(command)
  const commands = sections(await commandTerms(command), columns)
  // It fits a screen.
  if (isRoot) return `${[head, ...commands, ...examples].join('\n')}\n`
  const groups = optionTerms(command)
  const shown = isAll ? groups : groups.filter(([heading]) => heading !== advanced)
  const hasMore = shown.length < groups.length
  const ownArguments: Section = ['Arguments:', argumentTerms(command)]
  const parts = [
    head,
    ...commands,
    ...sections([ownArguments, ...shown], columns, hasMore),
    wrap(globalOptions, columns),
    ...(command.notes === '' ? [] : [command.notes]),
    ...examples,
  ]
  const page = `${parts.join('\n\n')}\n`
  return hasMore ? `${page}more: --help --all\n` : page
}

function exampleSection({ examples }: Tree): string[] {
  if (examples.length === 0) return []
  const lines = examples.map((line) => `  ${line}`)
  return [['Examples:', ...lines].join('\n')]
}

/** The commands below one, by their headings. */
async function commandTerms({ commands }: Tree): Promise<Section[]> {
  const headingOf = ({ group = 'Commands:' }: Branch): string => group
  const sectionOf = async (heading: string): Promise<Section> => {
    const branches = commands.filter((each) => headingOf(each) === heading)
    const terms = await Promise.all(branches.map(commandTerm))
    return [heading, terms]
  }
  const headings = new Set(commands.map(headingOf))
  return Promise.all(Array.from(headings, sectionOf))
}

async function commandTerm({ name, summary, load }: Branch): Promise<Term> {
  if (summary !== undefined) return [name, summary]
  const command = await load()
  const words = [name, ...command.arguments.map(bracket)]
  return [words.join(' '), command.summary]
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
    const terms = groups.get(group) ?? []
    terms.push([flagsOf(option), text])
    groups.set(group, terms)
  }
  const isOwn = (heading: string): number => Number(heading === 'Options:')
  return [...groups].sort(([left], [right]) => isOwn(right) - isOwn(left))
}

/** Items under their headings, without lines between them where they are many; the terms of all of them share a column. */
function sections(groups: readonly Section[], columns: number, isDense = false): string[] {
  const all = groups.flatMap(([, terms]) => terms)
  const width = Math.max(...all.map(([term]) => term.length), 0)
  const texts: string[] = []
  for (const [heading, terms] of groups) {
    if (terms.length === 0) continue
    const items = terms.map((term) => itemText(term, width, columns))
    texts.push([heading, ...items].join('\n'))
  }
  return isDense ? [texts.join('\n')] : texts
}

/** On fewer columns than this, a term has a line of its own. */
const twoColumns = 60

function itemText([term, description]: Term, width: number, columns: number): string {
  const isBeside = columns >= twoColumns
  const indent = isBeside ? width + 4 : 6
  const newLine = `\n${' '.repeat(indent)}`
  const first = isBeside ? `  ${term.padEnd(width)}  ` : `  ${term}${newLine}`
  return first + wrap(description, columns - indent).replaceAll('\n', newLine)
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
