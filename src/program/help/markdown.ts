/** The reference as Markdown: the tree of commands. Topics are pages of their own beside it, from which help and the manual page have them too. */
import { topics } from './topics.ts'
import { argumentTerms, optionTerms, type Section } from './page.ts'
import type { WholeTree } from '../tree.ts'
import { blocksOf, commandLines } from './blocks.ts'

export function markdown(root: WholeTree): string {
  const parts = [
    '# The commands of svc',
    plain(root.description),
    fence([root.usage]),
    table('Option', optionTerms(root)),
    ...root.commands.flatMap((command) => chapter(command)),
    '# Topics',
    topics
      .map(({ name, title }) => `- [\`svc help ${name}\`](topics/${name}.md): ${plain(title)}`)
      .join('\n'),
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

function chapter(command: WholeTree): string[] {
  const level = command.path.split(' ').length
  return [
    `${'#'.repeat(level)} ${command.path}`,
    plain(command.description),
    fence([command.usage]),
    table('Argument', [['', argumentTerms(command)]]),
    table('Option', optionTerms(command)),
    ...prose(command.notes),
    ...(command.examples.length === 0 ? [] : [fence(commandLines(command))]),
    ...command.commands.flatMap((each) => chapter(each)),
  ]
}

function prose(text: string): string[] {
  return blocksOf(text).map(({ kind, lines }) =>
    kind === 'literal' ? fence(lines.map((line) => line.slice(2))) : plain(lines.join('\n')),
  )
}

function fence(lines: readonly string[]): string {
  return ['```text', ...lines, '```'].join('\n')
}

/** A table with a row for each heading of its groups, but for the usual one. */
function table(title: string, groups: readonly Section[]): string {
  const cell = (text: string): string => text.replaceAll('|', '\\|')
  const rows = groups.flatMap(([heading, terms]) => [
    ...(heading === '' || heading === 'Options:' ? [] : [`| **${heading}** | |`]),
    ...terms.map(([term, description]) => `| \`${cell(term)}\` | ${cell(plain(description))} |`),
  ])
  return rows.length === 0 ? '' : [`| ${title} | Meaning |`, '|---|---|', ...rows].join('\n')
}

/** Characters that Markdown would take for markup. */
function plain(text: string): string {
  return text.replaceAll(/[\\`*_<>[\]#]/g, '\\$&')
}
