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
      'test/http/{attempt,attempts,exchanges,retry}.test.ts',
      'test/api/{paginate,people}.test.ts',
      'test/runs/{fold,halves,one-change,refused,reopen,sessions,summary,undo}.test.ts',
      'test/laws/operations.test.ts',
    ],
    setupFiles: ['test/each.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    env: { TZ: 'UTC' },
  },
})
