/** Tests of `npm test` with a mistake planted in what they import: `SVC_PLANTED` names it. */
import { defineConfig } from 'vitest/config'
import { project, root } from '../vitest.config.ts'
// @ts-expect-error -- a tool, which has no types
import * as program from '../../tools/harness/program.mjs'
// @ts-expect-error -- a tool, which has no types
import * as mistakes from '../../tools/simulate/planted.mjs'

interface Edit {
  readonly file: string
  readonly from: string
  readonly to: string
}

const { replaced } = program as { replaced: (text: string, edits: readonly Edit[]) => string }
const { planted } = mistakes as { planted: ReadonlyMap<string, { readonly edits: Edit[] }> }
const edits = planted.get(process.env['SVC_PLANTED'] ?? '')?.edits ?? []

const plant = {
  name: 'plant',
  enforce: 'pre' as const,
  transform(code: string, id: string) {
    const its = edits.filter(({ file }) => id === `${root}${file}`)
    return its.length === 0 ? undefined : replaced(code, its)
  },
}

const { plugins = [], test } = project('planted', false, { include: ['test/**/*.test.ts'] })
export default defineConfig({
  plugins: [plant, ...plugins],
  test: {
    ...test,
    globalSetup: ['test/setup.ts'],
    maxWorkers: 1,
    // A mistake can make it wait for ever.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
