import { chmodSync } from 'node:fs'
import { defineConfig, type Plugin } from 'vitest/config'
import { filesAsText, root } from '../../test/vitest.config.ts'

/**
 * Stryker asks for worker threads, which cannot change directory. Its copy is closed to other
 * users, as whom some tests start the build.
 */
const inProcesses: Plugin = {
  name: 'in-processes',
  configureVitest({ project }) {
    project.config.pool = 'forks'
    chmodSync(root, 0o755)
  },
}

/** The tests that use the mutated files, except those that need many processes or real time. */
export default defineConfig({
  plugins: [filesAsText, inProcesses],
  test: {
    root,
    include: [
      'test/{input,people,runs,steps}/*.test.ts',
      'test/commands/{contacts,lists,tickets}/*.test.ts',
      'test/promises/faults/{answers,requests}.test.ts',
      'tools/mutation/transcripts.test.ts',
    ],
    globalSetup: ['test/support/setup.ts'],
    setupFiles: ['test/support/each.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // A tenth of the random cases: they run again for each mistake.
    env: { TZ: 'UTC', SVC_TEST_TIMES: '0.1' },
  },
})
