/**
 * All commands and topics as one text, of the table of commands: the manual page as roff with the man macros (docs/svc.1), and the reference as
 * Markdown (docs/reference.md). `npm run docs` writes them by `test/laws/documents.test.ts`.
 */
import { topics as pages } from '../../src/commands/help.ts'
import { commandLines, type Page } from './tree.ts'

/** The topics with their titles, and their text with code indented in place of fences and backticks. */
const topics = Object.entries(pages).map(([name, page]) => {
  const parts = page.split(/^```(?:text|sh)?\n/m)
  const plain = parts.map((part, index) =>
    // Code is between two fences.
    index % 2 === 1
      ? part.replace(/^(?=.)/gm, '  ')
      : part.replaceAll('`', '').replaceAll('\\.', '.').replace(/^## /gm, ''),
  )
  const [title = '', ...paragraphs] = plain.join('').trim().split('\n\n')
  return { name, title: title.replace('# ', ''), text: paragraphs.join('\n\n') }
})

type Term = readonly [term: string, description: string]

function argumentTerms({ arguments: takes }: Page): Term[] {
  return takes.map((each) => [each.variadic ? `${each.name()}...` : each.name(), each.description])
}

function optionTerms({ options }: Page): Term[] {
  return options.map(({ flags, description }) => [flags, description])
}

export function manualPage(root: Page, version: string): string {
  const lines = [
    `.TH SVC 1 "" "svc ${version}" "User Commands"`,
    // Words are not stretched: commands stand in the text.
    '.ad l',
    '.nh',
    '.SH NAME',
    `svc \\- ${roff(root.summary)}`,
    '.SH SYNOPSIS',
    `.B svc`,
    roff(root.usage.replace(/^svc /, '')),
    '.SH DESCRIPTION',
    ...roffProse(root.description),
    ...roffProse(
      'Only data goes to standard output. Notes, progress, warnings and errors go to standard error. ' +
        'You can put options anywhere after svc.',
    ),
    '.SH GLOBAL OPTIONS',
    ...optionTerms(root).flatMap(roffTerm),
    '.SH COMMANDS',
    ...root.commands.flatMap((command) =>
      command.commands.length === 0 ? roffSection(command) : command.commands.flatMap(roffSection),
    ),
    ...topics.flatMap(({ name, title, text }) => [
      `.SH ${roffQuote(name.toUpperCase().replaceAll('-', ' '))}`,
      ...roffProse(`${title}.\n\n${text}`),
    ]),
    '.SH SEE ALSO',
    ...roffProse('svc --help, svc help <command>'),
  ]
  return `${lines.join('\n')}\n`
}

function roffSection(command: Page): string[] {
  return [
    `.SS ${roffQuote(command.path)}`,
    ...roffProse(command.description),
    '.PP',
    `.B ${roff(command.usage)}`,
    ...argumentTerms(command).flatMap(roffTerm),
    ...optionTerms(command).flatMap(roffTerm),
    ...roffProse(command.notes),
    ...(command.examples.length === 0 ? [] : roffBlock(commandLines(command))),
  ]
}

function roffTerm([name, description]: Term): string[] {
  return ['.TP', `.B ${roff(name)}`, guardDot(roff(description))]
}

function roffProse(text: string): string[] {
  return blocksOf(text).flatMap(({ kind, lines }) =>
    kind === 'literal'
      ? roffBlock(lines.map((line) => line.slice(2)))
      : ['.PP', ...lines.map((line) => guardDot(roff(line)))],
  )
}

function roffBlock(lines: readonly string[]): string[] {
  return ['.PP', '.RS 2', '.nf', ...lines.map((line) => guardDot(roff(line))), '.fi', '.RE']
}

/** Text as roff prints it: backslashes, and dashes that can be copied. */
function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replaceAll('"', '\\(dq')
    .replaceAll('`', '\\(ga')
    .replaceAll('^', '\\(ha')
    .replaceAll('~', '\\(ti')
}

/** A heading as one argument of a macro. */
function roffQuote(text: string): string {
  return `"${roff(text)}"`
}

/** A line that begins with a dot would be a request. */
function guardDot(line: string): string {
  return line.startsWith('.') ? `\\&${line}` : line
}

/** The reference as Markdown: the tree of commands. Topics are pages of their own beside it, from which help and the manual page have them too. */
export function markdown(root: Page): string {
  const parts = [
    '# The commands of svc',
    escapeMarkdown(root.description),
    fence([root.usage]),
    table('Option', optionTerms(root)),
    ...root.commands.flatMap((command) => chapter(command)),
    '# Topics',
    topics
      .map(
        ({ name, title }) =>
          `- [\`svc help ${name}\`](topics/${name}.md): ${escapeMarkdown(title)}`,
      )
      .join('\n'),
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

function chapter(command: Page): string[] {
  const level = command.path.split(' ').length
  return [
    `${'#'.repeat(level)} ${command.path}`,
    escapeMarkdown(command.description),
    fence([command.usage]),
    table('Argument', argumentTerms(command)),
    table('Option', optionTerms(command)),
    ...markdownProse(command.notes),
    ...(command.examples.length === 0 ? [] : [fence(commandLines(command))]),
    ...command.commands.flatMap((each) => chapter(each)),
  ]
}

function markdownProse(text: string): string[] {
  return blocksOf(text).map(({ kind, lines }) =>
    kind === 'literal'
      ? fence(lines.map((line) => line.slice(2)))
      : escapeMarkdown(lines.join('\n')),
  )
}

function fence(lines: readonly string[]): string {
  return ['```text', ...lines, '```'].join('\n')
}

function table(title: string, terms: readonly Term[]): string {
  const cell = (text: string): string => text.replaceAll('|', '\\|')
  const rows = terms.map(
    ([term, description]) => `| \`${cell(term)}\` | ${cell(escapeMarkdown(description))} |`,
  )
  return rows.length === 0 ? '' : [`| ${title} | Meaning |`, '|---|---|', ...rows].join('\n')
}

/** Characters that Markdown would take for markup. */
function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_<>[\]#]/g, '\\$&')
}

/** Paragraphs, and indented blocks that keep their lines. */
interface Block {
  readonly kind: 'text' | 'literal'
  readonly lines: readonly string[]
}

function blocksOf(text: string): Block[] {
  const blocks: { kind: Block['kind']; lines: string[] }[] = []
  let isOpen = false
  for (const line of text.split('\n')) {
    const kind = line.startsWith('  ') ? 'literal' : 'text'
    const last = blocks.at(-1)
    if (line.trim() === '') isOpen = false
    else if (last !== undefined && last.kind === kind && isOpen) last.lines.push(line)
    else {
      blocks.push({ kind, lines: [line] })
      isOpen = true
    }
  }
  return blocks
}
