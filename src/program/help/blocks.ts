/** Texts of the help in other forms: paragraphs and blocks, and examples as whole command lines. */
import type { Tree } from '../tree.ts'

/** The examples of a command, each in one line: a backslash at the end of a line joins it to the next. */
export function commandLines({ examples }: Pick<Tree, 'examples'>): string[] {
  return examples.map((example) => example.replaceAll(/\\\n\s*/g, ''))
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
