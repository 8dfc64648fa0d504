/** Tests of a program that is wrong on purpose: SVC_MUTANT holds what is replaced in the sources. */
import { join } from 'node:path'
import { checkReplacements, replaced } from '../../harness/program.mjs'
import { root } from '../../harness/tool.mjs'

const edits = JSON.parse(process.env.SVC_MUTANT ?? '[]')
checkReplacements(edits)

// oxlint-disable-next-line import/no-default-export -- vitest reads the default export
export default {
  plugins: [
    {
      name: 'mutant',
      enforce: 'pre',
      transform: (code, path) =>
        replaced(
          code,
          edits.filter(({ file }) => path === join(root, file)),
        ),
    },
  ],
  test: {
    root,
    include: ['test/bulk/outcomes.test.ts', 'test/bulk/undo.test.ts'],
    pool: 'forks',
    setupFiles: ['test/each.ts'],
    testTimeout: 30_000,
    env: { TZ: 'UTC' },
  },
}
