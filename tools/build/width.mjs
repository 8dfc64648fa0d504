/**
 * `npm run check:width`: no line of TypeScript or JavaScript is wider than 100 columns. Rows of
 * tables and titles of tests are texts, and can be.
 */
import { readdirSync, readFileSync } from 'node:fs'

const width = 100

/** A row of a table of cases, and the title of a test. */
const text = / \| |^\s*(?:it|test|describe)\b[^(]*\(['"`]/

/** Files whose lines are still to be wrapped. Nothing is added here. */
const allowed = new Set(
  `
test/bin/svc.test.ts
test/cli/signals.test.ts
test/commands/contacts/delete.test.ts
test/commands/contacts/merge.test.ts
test/commands/lists/add-contacts.test.ts
test/commands/sandbox/exec.test.ts
test/commands/sandbox/start.test.ts
test/commands/tickets/assign.test.ts
test/disk/files.test.ts
test/errors.test.ts
test/input/items.test.ts
test/input/stdin.test.ts
test/node-host.test.ts
test/parsing.test.ts
test/people/compare.test.ts
test/people/exports.test.ts
test/people/match.test.ts
test/people/search.test.ts
test/people/truth.test.ts
test/promises/description/check.ts
test/promises/description/sandbox.test.ts
test/promises/faults/answers.test.ts
test/promises/faults/cut.test.ts
test/promises/faults/deadlines.test.ts
test/promises/faults/requests.test.ts
test/promises/faults/signals.test.ts
test/promises/faults/tls.test.ts
test/promises/package/npm-package.test.ts
test/promises/recipes.test.ts
test/promises/secrets/canary.test.ts
test/promises/secrets/repeated.test.ts
test/promises/secrets/typed.test.ts
test/promises/speed/modules.cjs
test/promises/texts/incomplete.test.ts
test/promises/texts/strings.test.ts
test/promises/texts/texts.test.ts
test/promises/trust/hostile-folders.test.ts
test/promises/trust/rules.test.ts
test/promises/workbooks/bombs.test.ts
test/runs/database.test.ts
test/runs/run.test.ts
test/runs/summary.test.ts
test/safe-text.test.ts
test/sandbox/company.test.ts
test/sandbox/server.test.ts
test/steps/commands.ts
test/steps/episode.ts
test/steps/judge.ts
test/steps/service.ts
test/steps/steps.test.ts
test/steps/world.ts
test/support/bulk-world.ts
test/support/distortions.ts
test/support/fake-host.ts
test/support/hostile.ts
test/support/loopback.ts
test/support/manual.ts
test/support/operation-service.ts
test/support/pages.ts
test/support/sandbox-record.ts
test/support/screen.ts
test/support/setup.ts
test/support/small-batches.ts
test/support/spawned.ts
test/support/streams.ts
test/support/svc.ts
test/support/table.ts
test/support/texts.ts
test/support/tool-sandbox.ts
test/support/transcripts/desk.ts
test/support/transcripts/run.ts
test/support/workbooks.ts
test/support/zip.ts
test/vitest.config.ts
test/wording.test.ts
test/workbook/workbook.test.ts
tools/harness/processes.mjs
tools/harness/program.mjs
tools/harness/small-batches.cjs
tools/harness/tool.mjs
tools/release/executables.mjs
tools/simulate/full-disk.mjs
tools/simulate/full-output.mjs
tools/simulate/races.mjs
tools/simulate/real.mjs
tools/simulate/simulate.mjs
`
    .trim()
    .split(/\s+/),
)

const files = ['src', 'bin', 'test', 'tools'].flatMap((folder) =>
  readdirSync(folder, { recursive: true })
    .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
    .filter((path) => /\.(?:ts|js|mjs|cjs)$/.test(path)),
)
for (const file of files.toSorted()) {
  const lines = readFileSync(file, 'utf8').split('\n')
  for (const [at, line] of lines.entries()) {
    const isText = file.startsWith('test/') && text.test(line)
    if (line.length <= width || isText || allowed.has(file)) continue
    console.log(`${file}:${at + 1}: ${line.length} columns`)
    process.exitCode = 1
  }
}
