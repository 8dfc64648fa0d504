/** Parts of the pages in `docs/topics` that come from the registries: `npm run docs` writes them before the manual page. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { operations } from '../../src/api/operations.ts'
import { wrap } from '../../src/output/text/width.ts'
import { root } from '../svc.ts'
import { pageAt } from './pages.ts'

/** A part of a page between two texts. */
const parts: Readonly<Record<string, readonly [before: string, text: string, behind: string][]>> = {
  faults: [
    [
      'or one of\n           ',
      wrap(Object.keys(operations).join(', '), 62).join(`\n${' '.repeat(11)}`),
      '\nwhen ',
    ],
  ],
}

test.each(Object.keys(parts))('topic %s', async (topic) => {
  const { path, text } = pageAt(`docs/topics/${topic}.md`)
  const filled = (parts[topic] ?? []).reduce((page, [before, part, behind]) => {
    const from = page.indexOf(before) + before.length
    const to = page.indexOf(behind, from)
    expect([from >= before.length, to > 0], before).toEqual([true, true])
    return `${page.slice(0, from)}${part}${page.slice(to)}`
  }, text)
  await expect(filled).toMatchFileSnapshot(join(root, path))
})
