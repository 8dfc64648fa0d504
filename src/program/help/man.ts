/** The manual page as roff with the man macros, from the tree of commands. */
import { topics } from './topics.ts'
import { argumentTerms, optionTerms, type Term } from './page.ts'
import type { WholeTree } from '../tree.ts'
import { blocksOf, commandLines } from './blocks.ts'

export function manualPage(root: WholeTree, version: string): string {
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
    ...prose(root.description),
    ...prose(
      'Data goes to standard output and nothing else does; notes, progress, warnings and errors go to standard error. ' +
        'You can put options anywhere after svc.',
    ),
    '.SH GLOBAL OPTIONS',
    ...optionTerms(root).flatMap(([heading, terms]) => [
      `.SS ${roffQuote(heading.replace(/:$/, ''))}`,
      ...terms.flatMap(term),
    ]),
    '.SH COMMANDS',
    ...root.commands.flatMap((command) =>
      command.commands.length === 0 ? section(command) : command.commands.flatMap(section),
    ),
    ...topics.flatMap(({ name, title, text }) => [
      `.SH ${roffQuote(name.toUpperCase().replaceAll('-', ' '))}`,
      ...prose(`${title}.\n\n${text}`),
    ]),
    '.SH SEE ALSO',
    ...prose('svc --help, svc help <command>'),
  ]
  return `${lines.join('\n')}\n`
}

function section(command: WholeTree): string[] {
  return [
    `.SS ${roffQuote(command.path)}`,
    ...prose(command.description),
    '.PP',
    `.B ${roff(command.usage)}`,
    ...argumentTerms(command).flatMap(term),
    ...optionTerms(command).flatMap(([, terms]) => terms.flatMap(term)),
    ...prose(command.notes),
    ...(command.examples.length === 0 ? [] : literal(commandLines(command))),
  ]
}

function term([name, description]: Term): string[] {
  return ['.TP', `.B ${roff(name)}`, guardDot(roff(description))]
}

function prose(text: string): string[] {
  return blocksOf(text).flatMap(({ kind, lines }) =>
    kind === 'literal'
      ? literal(lines.map((line) => line.slice(2)))
      : ['.PP', ...lines.map((line) => guardDot(roff(line)))],
  )
}

function literal(lines: readonly string[]): string[] {
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
