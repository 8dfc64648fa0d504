/** Every `console` block: what its commands show is what the page shows. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../svc.ts'
import { draw } from '../transcripts/run.ts'
import { pages } from '../readme/pages.ts'

test.each(
  pages
    .filter(({ text }) => text.includes('```console\n'))
    .map((page) => [page.path, page] as const),
)('%s shows what the terminal shows (npm run docs draws it anew)', async (path, page) => {
  await expect(await draw(page)).toMatchFileSnapshot(join(root, path))
})
