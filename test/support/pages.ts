/** The pages for users as data: their headings and blocks of code. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './svc.ts'

export interface Block {
  /** `sh` and `jq` are run. With a name behind it, a block is that file. All else is read. */
  readonly language: string
  readonly file: string | undefined
  readonly code: string
  readonly headings: readonly string[]
}

export interface Page {
  readonly path: string
  readonly text: string
}

const guides = 'guide scripting reliability'

export const readme = pageAt('README.md')
export const pages: readonly Page[] = [
  readme,
  ...guides.split(' ').map((name) => pageAt(`docs/${name}.md`)),
]

export function pageAt(path: string): Page {
  return { path, text: readFileSync(join(root, path), 'utf8') }
}

export function blocksOf({ text }: Page): Block[] {
  const blocks: Block[] = []
  let headings: string[] = []
  const pieces = text.matchAll(/^(#+) (.*)$|^```(\w+)(?: (\S+))?\n([^]*?)^```$/gm)
  for (const [, level, title, language = '', file, code = ''] of pieces) {
    if (level !== undefined) headings = [...headings.slice(0, level.length - 1), title ?? '']
    else blocks.push({ language, file, code, headings })
  }
  return blocks
}

/** The blocks of a page by the heading right above them, in order. */
export function sectionsOf(page: Page): Map<string, Block[]> {
  const sections = new Map<string, Block[]>()
  for (const block of blocksOf(page)) {
    const heading = block.headings.at(-1) ?? ''
    sections.set(heading, [...(sections.get(heading) ?? []), block])
  }
  return sections
}
