import { defineConfig } from 'vitest/config'
import { filesAsText } from '../../test/vitest.config.ts'

/** The tests that lead to the mutated files. Left out are those that need many processes or real time. */
export default defineConfig({
  plugins: [filesAsText],
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: [
      'test/{api,http,jobs,runs}/*.test.ts',
      'test/commands/{contacts,lists,tickets}/*.test.ts',
      'test/promises/faults/{answers,requests}.test.ts',
      'test/promises/reads/*.test.ts',
      'test/simulator/simulator.test.ts',
    ],
    // Mutated code is not the code that the simulator plants mistakes in.
    testNamePattern: /^(?!.*the mistakes that the simulator plants)/,
    globalSetup: ['test/support/setup.ts'],
    setupFiles: ['test/support/each.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    env: { TZ: 'UTC' },
  },
})
