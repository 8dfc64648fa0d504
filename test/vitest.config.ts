import { availableParallelism } from 'node:os'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'

// Folders that tests make are their own, whatever is usual here.
process.umask(0o022)

const root = new URL('..', import.meta.url).pathname
// undici keeps a timer for as long as the process lives: one that was faked never rings again.
const withFakeTimers = ['test/cli/signals.test.ts', 'test/output/counter.test.ts']

/** What test files import is loaded once for each process, and a process runs many: loading it for each of them takes a quarter of the time. */
function project(
  name: string,
  isolate: boolean,
  files: { include: string[]; exclude?: string[] },
): TestProjectInlineConfiguration {
  return {
    test: {
      name,
      root,
      isolate,
      ...files,
      setupFiles: ['test/each.ts'],
      // A worker thread cannot change directory, raise a signal or drop its rights.
      pool: 'forks',
      // For what hangs: a busy machine takes several times as long.
      testTimeout: 180_000,
      hookTimeout: 180_000,
      env: { TZ: 'UTC' },
    },
  }
}

export default defineConfig({
  test: {
    root,
    globalSetup: ['test/setup.ts'],
    // vitest would leave one processor free; many tests wait: for time, and for processes of their own.
    maxWorkers: availableParallelism() + 2,
    projects: [
      project('shared', false, { include: ['test/**/*.test.ts'], exclude: withFakeTimers }),
      project('alone', true, { include: withFakeTimers }),
    ],
  },
})
