import { defineConfig } from 'vitest/config'
import { markdownAsText } from '../../test/vitest.config.ts'

/**
 * The tests of the mutated files themselves. Left out is what runs the built program (a mutant is not in it) and what waits for deadlines.
 */
export default defineConfig({
  plugins: [markdownAsText],
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: [
      'test/http/{signature,attempt,attempts,authorities,exchanges,lookup,open,proxy,retry}.test.ts',
      'test/runs/{crash,damage,ending-words,file,fold,halves,lines,once,one-change,reading,refused,resume,run,same,sessions,summary,take,undo}.test.ts',
      'test/laws/operations.test.ts',
      'test/output/{safe,width,widths}.test.ts',
      'test/config/{origin,load,write,profile,json}.test.ts',
    ],
    setupFiles: ['test/each.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    env: { TZ: 'UTC' },
  },
})
