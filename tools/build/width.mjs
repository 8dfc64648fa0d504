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
test/commands/sandbox/exec.test.ts
test/commands/sandbox/start.test.ts
test/people/compare.test.ts
test/people/exports.test.ts
test/people/match.test.ts
test/promises/description/check.ts
test/promises/faults/answers.test.ts
test/promises/faults/cut.test.ts
test/promises/faults/deadlines.test.ts
test/promises/faults/signals.test.ts
test/promises/secrets/canary.test.ts
test/promises/texts/strings.test.ts
test/promises/texts/texts.test.ts
test/promises/trust/hostile-folders.test.ts
test/runs/database.test.ts
test/runs/run.test.ts
test/safe-text.test.ts
test/steps/judge.ts
test/support/distortions.ts
test/support/transcripts/run.ts
test/support/workbooks.ts
test/vitest.config.ts
test/workbook/workbook.test.ts
tools/harness/program.mjs
tools/release/executables.mjs
tools/simulate/full-output.mjs
tools/simulate/real.mjs
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
