/** The reference as Markdown: the tree of commands. Texts of topics are in `svc help <topic>` and the manual page alone. */
import { topics } from './topics.ts'
import { argumentTerms, optionTerms, type Term } from './page.ts'
import type { WholeTree } from '../tree.ts'
import { blocksOf, commandLines } from './blocks.ts'

export function markdown(root: WholeTree): string {
  const parts = [
    '# The commands of svc',
    plain(root.description),
    fenced([root.usage]),
    ...optionTerms(root).flatMap(([heading, terms]) => [`### ${heading.replace(/:$/, '')}`, table('Option', terms)]),
    ...root.commands.flatMap((command) => chapter(command)),
    '# Topics',
    topics.map(({ name, title }) => `- \`svc help ${name}\`: ${plain(title)}`).join('\n'),
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

function chapter(command: WholeTree): string[] {
  const level = command.path.split(' ').length
  return [
    `${'#'.repeat(level)} ${command.path}`,
    plain(command.description),
    fenced([command.usage]),
    table('Argument', argumentTerms(command)),
    ...optionTerms(command).flatMap(([heading, terms]) => [
      ...(heading === 'Options:' ? [] : [`**${heading}**`]),
      table('Option', terms),
    ]),
    ...prose(command.notes),
    ...(command.examples.length === 0 ? [] : [fenced(commandLines(command))]),
    ...command.commands.flatMap((each) => chapter(each)),
  ]
}

function prose(text: string): string[] {
  return blocksOf(text).map(({ kind, lines }) =>
    kind === 'literal' ? fenced(lines.map((line) => line.slice(2))) : plain(lines.join('\n')),
  )
}

function fenced(lines: readonly string[]): string {
  return ['```text', ...lines, '```'].join('\n')
}

function table(heading: string, terms: readonly Term[]): string {
  if (terms.length === 0) return ''
  const cell = (text: string): string => text.replaceAll('|', '\\|')
  return [
    `| ${heading} | Meaning |`,
    '|---|---|',
    ...terms.map(([term, description]) => `| \`${cell(term)}\` | ${cell(plain(description))} |`),
  ].join('\n')
}

/** Characters that Markdown would take for markup. */
function plain(text: string): string {
  return text.replaceAll(/[\\`*_<>[\]#]/g, '\\$&')
}
