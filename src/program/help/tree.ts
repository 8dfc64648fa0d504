/** Commands with all the text of their help, for the manual page and the reference. */
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { treeOf, type Tree } from '../tree.ts'
import { helpOf, sentenceOf, usageOf } from './page.ts'

export interface Described extends Tree {
  readonly description: string
  readonly usage: string
  /** The text between the options and the examples. */
  readonly notes: string
  /** Whole command lines. */
  readonly examples: readonly string[]
  readonly commands: readonly Described[]
}

export function describe(command: CommandUnknownOpts): Described {
  return {
    ...treeOf(command),
    description: sentenceOf(command),
    usage: usageOf(command),
    ...afterOf(command),
    commands: command.commands.map(describe),
  }
}

/** What `addHelpText` added: notes, then examples of two blanks' indent. */
function afterOf(command: CommandUnknownOpts): Pick<Described, 'notes' | 'examples'> {
  const after = helpOf(command).slice(command.helpInformation().length)
  const [notes = '', examples = ''] = after.split(/^Examples:$/m)
  return { notes: notes.trim(), examples: linesOf(examples) }
}

/** A backslash at the end of a line joins it to the next. */
function linesOf(examples: string): string[] {
  return examples
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

/** Paragraphs, and indented blocks that keep their lines. */
export interface Block {
  readonly kind: 'text' | 'literal'
  readonly lines: readonly string[]
}

export function blocksOf(text: string): Block[] {
  const blocks: { kind: Block['kind']; lines: string[] }[] = []
  let open = false
  for (const line of text.split('\n')) {
    const kind = line.startsWith('  ') ? 'literal' : 'text'
    const last = blocks.at(-1)
    if (line.trim() === '') {
      open = false
    } else if (last !== undefined && last.kind === kind && open) {
      last.lines.push(line)
    } else {
      blocks.push({ kind, lines: [line] })
      open = true
    }
  }
  return blocks
}
