import { defineConfig } from 'vitest/config'
import { filesAsText } from '../../test/vitest.config.ts'

/** The tests that lead to the mutated files. Left out are those that need many processes or real time. */
export default defineConfig({
  plugins: [filesAsText],
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: [
      'test/commands/{changing-lists,tickets}.test.ts',
      'test/commands/{contacts,lists,tickets}/*.test.ts',
      'test/promises/faults/requests.test.ts',
      'test/api/*.test.ts',
      'test/promises/faults/answers.test.ts',
      'test/http/{attempt,attempts,exchanges,pace,proxy,retry,signature,tls,transport}.test.ts',
      'test/jobs/pairs.test.ts',
      'test/runs/{engine,lines,receipts,record,refusals,state,summary,undo}.test.ts',
    ],
    globalSetup: ['test/support/setup.ts'],
    setupFiles: ['test/support/each.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    env: { TZ: 'UTC' },
  },
})
