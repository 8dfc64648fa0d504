import { availableParallelism } from 'node:os'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// Tests make folders of this mode, whatever the machine's usual one.
process.umask(0o022)

export const root = new URL('..', import.meta.url).pathname
/** Tests that change what others in their process would meet: undici keeps a faked timer, and episodes make small requests. */
const alone = ['test/cli/signals.test.ts', 'test/steps/*.test.ts']

/** Tests that need seconds of real time, many processes, a terminal or long loops: `npm run test:slow`, before a push. */
const slow = [
  'test/promises/speed/*.test.ts',
  'test/promises/package/*.test.ts',
  'test/promises/secrets/{canary,repeated,typed}.test.ts',
  'test/promises/trust/hostile-folders.test.ts',
  'test/promises/demo.test.ts',
  'test/laws/examples.test.ts',
  'test/promises/workbooks/bombs.test.ts',
  'test/promises/texts/{incomplete,pipes,strings,texts}.test.ts',
  'test/promises/recipes.test.ts',
  'test/promises/faults/signals.test.ts',
]

/** These files begin first, and the longest of all before them: one of them alone at the end would keep the other processes waiting. */
const longest = /test\/commands\/transcripts\.test/
const long =
  /test\/(laws\/examples|promises\/(demo|recipes|secrets\/\w+|texts\/(incomplete|texts)|trust\/hostile-folders|workbooks\/bombs|faults\/(requests|signals))|steps\/steps|input\/(open|table)|runs\/run|http\/transport|output\/questions)\.test/

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const rank = ({ moduleId }: TestSpecification): number =>
      [longest, long, /./].findIndex((pattern) => pattern.test(moduleId))
    return sorted.toSorted((one, other) => rank(one) - rank(other))
  }
}

/** Pages of Markdown and scripts of shells are texts, as in the build. */
export const filesAsText = {
  name: 'files-as-text',
  transform: (code: string, id: string) =>
    /\.(?:md|bash|fish|zsh)$/.test(id) ? `export default ${JSON.stringify(code)}` : undefined,
}

/** A process runs many test files and loads their imports once: loading them for each file takes a quarter of the time. */
export function project(
  name: string,
  isolate: boolean,
  files: { include: string[]; exclude?: string[] },
): TestProjectInlineConfiguration {
  return {
    plugins: [filesAsText],
    test: {
      name,
      root,
      isolate,
      ...files,
      setupFiles: ['test/support/each.ts'],
      // A worker thread cannot change directory, raise a signal or drop its rights.
      pool: 'forks',
      // Many short commands leave garbage: collecting it less often saves a twentieth of the time. Tests of memory collect it themselves.
      execArgv: ['--min-semi-space-size=16', '--expose-gc'],
      // Only for a test that hangs: a busy machine takes several times as long.
      testTimeout: 600_000,
      hookTimeout: 600_000,
      expect: { poll: { timeout: 120_000 } },
      env: { TZ: 'UTC' },
    },
  }
}

export default defineConfig({
  test: {
    root,
    globalSetup: ['test/support/setup.ts'],
    // A page that is missing fails; only `npm run docs` writes one.
    update: 'none',
    sequence: { sequencer: LongestFirst },
    // vitest would leave one processor free, but many tests wait for time or for other processes.
    maxWorkers: availableParallelism() + 2,
    projects: [
      project('shared', false, {
        include: ['test/**/*.test.ts'],
        exclude: [...alone, ...slow],
      }),
      project('slow', false, { include: slow }),
      project('alone', true, { include: alone }),
    ],
  },
})
