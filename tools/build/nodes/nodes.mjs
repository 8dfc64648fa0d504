/**
 * The tests on every Node that is supported, each as its registry package: one after the other, for they need the machine for themselves.
 *
 *   npm run test:nodes                          all of them
 *   npm run test:nodes -- --node 22 --node 24   only these
 *   npm run test:nodes -- --node 22 test/http   only some tests
 *
 * Needs Linux x64. The build is made anew by each, and by the Node of this shell at the end. Exits 1 if a test failed.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { installed } from '../../harness/installed.mjs'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const { dependencies } = JSON.parse(readFileSync(join(root, 'tools/build/nodes/package.json'), 'utf8'))
const known = Object.keys(dependencies).map((name) => name.replace('node-', ''))
const { values, positionals } = parseArgs({
  options: { node: { type: 'string', multiple: true, default: known } },
  allowPositionals: true,
})
const unknown = values.node.find((name) => !known.includes(name))
if (unknown !== undefined) throw new Error(`there is no Node "${unknown}" here: ${known.join(', ')}`)
if (process.platform !== 'linux' || process.arch !== 'x64') throw new Error('these Nodes are for Linux x64')

const modules = installed('nodes')
const folder = mkdtempSync(join(tmpdir(), 'svc-nodes-'))
const run = (program, words, env) =>
  spawnSync(program, words, { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'] })

/** How many passed and failed; a file that could not be loaded has no tests to count, and neither has an error beside them. */
function counted(report, status) {
  if (!existsSync(report)) return { passed: 0, failed: 1 }
  const { numPassedTests: passed, numTotalTests: total, testResults } = JSON.parse(readFileSync(report, 'utf8'))
  const empty = testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0).length
  return { passed, failed: Math.max(total - passed + empty, status === 0 ? 0 : 1) }
}

/** Runs the tests on it. */
function testOn(name) {
  const bin = join(folder, name)
  mkdirSync(bin)
  symlinkSync(join(modules, `node-${name}/bin/node`), join(bin, 'node'))
  const node = join(bin, 'node')
  const env = { ...process.env, PATH: [bin, process.env.PATH].join(delimiter) }
  const report = join(folder, `${name}.json`)
  const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim()
  if (run(node, ['bin/build.mjs'], env).status !== 0) return { version, passed: 0, failed: 1 }
  const options = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', ...options]
  const { status } = run(node, [...vitest, ...positionals], env)
  return { version, ...counted(report, status) }
}

try {
  const results = values.node.map(testOn)
  for (const { version, passed, failed } of results) console.log(`Node ${version}: ${passed} passed, ${failed} failed`)
  if (results.some(({ failed }) => failed > 0)) process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
  run(process.execPath, ['bin/build.mjs'], process.env)
}
