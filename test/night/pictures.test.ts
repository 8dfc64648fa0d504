/** Every `console` block: its commands run on a terminal of 80 columns, and what they show is what the page shows. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../svc.ts'
import { pages, sectionsOf, type Block, type Page } from '../readme/pages.ts'
import { pictures, shownIn } from '../readme/run.ts'

/** Runs, sandboxes and their folders have other names each time, but one name in all outputs of a section. */
function numbered(outputs: readonly string[]): string[] {
  const names: string[] = []
  return outputs.map((output) =>
    output.replaceAll(/\d{8}T\d{6}Z-[\da-f]{4}|127\.0\.0\.1:\d+|\/\S*svc-sandbox-\w+/g, (name) => {
      if (!names.includes(name)) names.push(name)
      return `<name ${names.indexOf(name)}>`
    }),
  )
}

/** What is different each time. */
function steady(text: string): string {
  return text
    .replaceAll(/\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?)?/g, '<time>')
    .replaceAll(/\b\d\d:\d\d\b/g, '<time>')
    .replaceAll(/\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b/g, '<day>')
    .replaceAll(/\b\d+(?:m|h|d|mo|y|s) ago\b|just now/g, '<age>')
    .replaceAll(/\b\d+(?:\.\d+)? m?s\b|\b\d+m\d+s\b|"durationMs": \d+/g, '<duration>')
    .replaceAll(/"by": "[^"]*"/g, '"by": <who>')
    .replaceAll(/ {2,}/g, '  ')
}

/** A line of three dots stands for any lines. */
function isShown(shown: string, output: string): boolean {
  const pieces = steady(shown).split(/^\.\.\.\n/m)
  const pattern = pieces.map((piece) => piece.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('(?:.*\\n)*')
  return new RegExp(`^${pattern}$`).test(steady(output))
}

/** The page with each output as it is now; the page itself where that comes to the same. */
async function redrawn(page: Page): Promise<string> {
  let { text } = page
  for (const blocks of sectionsOf(page).values()) {
    if (!blocks.some(({ language }) => language === 'console')) continue
    const drawings = [...(await pictures(blocks))]
    const shown = numbered(drawings.flatMap(([block]) => shownIn(block).map(({ output }) => output)))
    const now = numbered(drawings.flatMap(([, outputs]) => outputs))
    const isSame = shown.every((output, index) => isShown(output, now[index] ?? ''))
    for (const [block, outputs] of drawings) text = text.replace(block.code, () => withOutputs(block, outputs, isSame))
  }
  return text
}

function withOutputs(block: Block, outputs: readonly string[], isSame: boolean): string {
  const parts = shownIn(block).map(({ command, output }, index) => {
    const now = outputs[index] ?? ''
    const isKept = isSame || (/^\.\.\.$/m.test(output) && isShown(output, now))
    return `$ ${command}\n${isKept ? output : now}`
  })
  return parts.join('')
}

const drawn = pages.filter((page) => page.text.includes('```console\n'))

test.each(drawn.map((page) => [page.path, page] as const))(
  '%s shows what the terminal shows (npm run docs draws it anew)',
  async (path, page) => {
    await expect(await redrawn(page)).toMatchFileSnapshot(join(root, path))
  },
)
