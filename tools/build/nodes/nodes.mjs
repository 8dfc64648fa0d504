/**
 * The tests on every Node that is supported, each as its registry package: one after the other, for they need the machine for themselves.
 *
 *   node tools/build/nodes/nodes.mjs                          all of them
 *   node tools/build/nodes/nodes.mjs --node 22 --node 24      only these
 *   node tools/build/nodes/nodes.mjs --node 22 test/http      only some tests
 *
 * Needs Linux x64. The build is made anew by each, and by the Node of this shell at the end. Exits 1 if a test failed.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { installed } from '../../harness/installed.mjs'
import { commandLine, oneOf, ownFolder, refuse, root } from '../../harness/tool.mjs'

const { dependencies } = JSON.parse(
  readFileSync(join(root, 'tools/build/nodes/package.json'), 'utf8'),
)
const known = Object.keys(dependencies).map((name) => name.replace('node-', ''))
const { node: wanted, words } = commandLine({ node: known }, true)
oneOf('Node', wanted, known)
if (process.platform !== 'linux' || process.arch !== 'x64') refuse('these Nodes are for Linux x64')

const modules = installed('tools/build/nodes')
const folder = ownFolder('nodes')
const run = (program, words, env) =>
  spawnSync(program, words, { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'] })

/** How many passed and failed; a file that could not be loaded has no tests to count, and neither has an error beside them. */
function counted(report, status) {
  if (!existsSync(report)) return { passed: 0, failed: 1 }
  const {
    numPassedTests: passed,
    numTotalTests: total,
    testResults,
  } = JSON.parse(readFileSync(report, 'utf8'))
  const empty = testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  ).length
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
  const vitest = [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--config',
    'test/vitest.config.ts',
    ...options,
  ]
  const { status } = run(node, [...vitest, ...words], env)
  return { version, ...counted(report, status) }
}

try {
  const results = wanted.map(testOn)
  for (const { version, passed, failed } of results)
    console.log(`Node ${version}: ${passed} passed, ${failed} failed`)
  if (results.some(({ failed }) => failed > 0)) process.exitCode = 1
} finally {
  run(process.execPath, ['bin/build.mjs'], process.env)
}
