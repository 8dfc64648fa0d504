import { defineConfig } from 'vitest/config'
import { filesAsText } from '../../test/vitest.config.ts'

/** The tests of the mutated files themselves. Left out are those that run the program, in this process or its build: each takes a second and more. */
export default defineConfig({
  plugins: [filesAsText],
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: [
      'test/http/{attempt,attempts,retry}.test.ts',
      'test/api/{pages,chunks}.test.ts',
      'test/input/pairs.test.ts',
      'test/runs/{log,claims}.test.ts',
    ],
    setupFiles: ['test/each.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    env: { TZ: 'UTC' },
  },
})
