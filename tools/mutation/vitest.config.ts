import { defineConfig } from 'vitest/config'

/**
 * The tests of the mutated files themselves. Left out is what runs the built program (a mutant is not in it) and what waits for deadlines.
 */
export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: [
      'test/http/{signature,attempt,attempts,exchanges,open,proxy}.test.ts',
      'test/bulk/{events,outcomes,totals,isolate,journal,replay}.test.ts',
      'test/output/{safe,width}.test.ts',
      'test/config/{origin,load,write,profile,json}.test.ts',
    ],
    setupFiles: ['test/each.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    env: { TZ: 'UTC' },
  },
})
