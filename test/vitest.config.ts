import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

// Folders that tests make are their own, whatever is usual here.
process.umask(0o022)

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/setup.ts'],
    // A worker thread cannot change directory, raise a signal or drop its rights.
    pool: 'forks',
    // vitest would leave one processor free; many tests wait: for time, and for processes of their own.
    maxWorkers: availableParallelism() + 2,
    // For what hangs: a busy machine takes several times as long.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    env: { TZ: 'UTC' },
  },
})
