/**
 * How long an executable takes to start, beside Node of the same version with and without the build: in turns, in one run. In
 * parentheses: against that Node with an empty program.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inTurn, median } from '../../bench/measure.mjs'
import { installed } from '../../harness/installed.mjs'
import { startSandbox } from '../../harness/processes.mjs'
import { bin as script, run } from '../../harness/tool.mjs'
import { runnerOf, targets } from '../targets.mjs'

/** Under an emulator a start takes seconds. */
const roundsOf = (target) => (target === 'linux-x64' ? 60 : 5)

export async function measure(target, program, folder) {
  const { words, env: its } = runnerOf(target)
  const node = [...words, join(installed('tools/release'), targets[target].node)]
  const empty = join(folder, 'empty.cjs')
  writeFileSync(empty, '')
  const sandbox = await startSandbox([])
  // Node reads such a file of certificates at every start.
  const { NODE_EXTRA_CA_CERTS: _own, NODE_OPTIONS: _options, ...rest } = process.env
  const env = { ...rest, ...its, ...sandbox.env }
  const request = ['lists', 'list', '--json', '--limit', '20']
  const cases = {
    'bare Node': [...node, empty],
    'svc --version': [program, '--version'],
    'svc, one request': [program, ...request],
    'the same Node with the npm build, one request': [...node, script, ...request],
  }
  const ended = ([command, ...rest]) => {
    const started = performance.now()
    run(command, rest, { env })
    return performance.now() - started
  }
  const timed = Object.entries(cases).map(([name, words]) => [name, () => ended(words)])
  const times = inTurn(Object.fromEntries(timed), roundsOf(target))
  await sandbox.stop()
  const pick = (name) => ({ best: Math.min(...times[name]), median: median(times[name]) })
  const floor = pick('bare Node')
  for (const name of Object.keys(times)) {
    const said = Object.entries(pick(name)).map(
      ([what, ms]) => `${what} ${ms.toFixed(1)} ms (${(ms / floor[what]).toFixed(2)})`,
    )
    console.log(`figure  ${target}: ${name}: ${said.join(', ')}`)
  }
}
