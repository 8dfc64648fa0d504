/** What `npm run check` holds: types, lint, format, unused code, the package, the bundled packages, the architecture. */
import { spawnSync } from 'node:child_process'
import { commandLine, oneOf, root } from '../harness/tool.mjs'

const steps = {
  types: ['tsc -p .'],
  lint: ['oxlint --type-aware --deny-warnings --report-unused-disable-directives'],
  format: ['prettier --check --log-level warn .'],
  unused: ['knip', 'knip --production'],
  package: ['publint --strict'],
  bundle: ['node tools/build/bundle.mjs'],
  architecture: ['vitest run --config test/vitest.config.ts test/architecture.test.ts'],
}
const all = Object.keys(steps)
const { words } = commandLine({}, true)
const failed = (words.length > 0 ? oneOf('step', words, all) : all).filter((name) =>
  steps[name].some((line) => {
    console.log(`${name}: ${line}`)
    return spawnSync(line, { cwd: root, shell: true, stdio: 'inherit' }).status !== 0
  }),
)
if (failed.length > 0) console.error(`failed: ${failed.join(', ')}`)
process.exitCode = failed.length > 0 ? 1 : 0
