/** The README as data: its headings and blocks of code. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../svc.ts'

export interface Block {
  /** `sh` is run by a test, `console` is not. */
  readonly language: string
  readonly code: string
  /** The headings above it, the nearest last. */
  readonly headings: readonly string[]
}

export const readme = readFileSync(join(root, 'README.md'), 'utf8')

export function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = []
  let headings: string[] = []
  const pieces = markdown.matchAll(/^(#+) (.*)$|^( *)```(\w+)\n([^]*?)^ *```$/gm)
  for (const [, level, title, margin = '', language = '', code = ''] of pieces) {
    if (level !== undefined) headings = [...headings.slice(0, level.length - 1), title ?? '']
    else blocks.push({ language, code: code.replaceAll(new RegExp(`^${margin}`, 'gm'), ''), headings })
  }
  return blocks
}

/** The rows of the table under a heading, without its head; cells trimmed. */
export function tableUnder(heading: string): string[][] {
  const start = readme.search(new RegExp(`^#+ ${heading}$`, 'm'))
  const [, table = ''] = /\n((?:\|.*\n)+)/.exec(readme.slice(start)) ?? []
  return table
    .trim()
    .split('\n')
    .slice(2)
    .map((row) =>
      row
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    )
}
