/**
 * How long an executable takes to start, beside Node of the same version with and without the build: in turns, in one run. In
 * parentheses: against that Node with an empty program.
 */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installed } from '../../harness/installed.mjs'
import { startSandbox } from '../../harness/processes.mjs'
import { bin as script } from '../../harness/tool.mjs'
import { runnerOf, targets } from '../targets.mjs'

/** Under an emulator a start takes seconds. */
const roundsOf = (target) => (target === 'linux-x64' ? 60 : 5)

export async function measure(target, program, folder) {
  const rounds = roundsOf(target)
  const { words, env: its } = runnerOf(target)
  const node = [...words, join(installed('release'), targets[target].node)]
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
  const times = Object.fromEntries(Object.keys(cases).map((name) => [name, []]))
  try {
    for (let round = 0; round < rounds; round += 1)
      for (const [name, [command, ...rest]] of Object.entries(cases)) {
        const started = performance.now()
        const { status, stderr } = spawnSync(command, rest, { env, encoding: 'utf8' })
        times[name].push(performance.now() - started)
        if (status !== 0) throw new Error(`${name}: ${stderr}`)
      }
  } finally {
    await sandbox.stop()
  }
  const pick = (name) => {
    const sorted = times[name].toSorted((a, b) => a - b)
    return { best: sorted[0], median: sorted[Math.floor(rounds / 2)] }
  }
  const floor = pick('bare Node')
  for (const name of Object.keys(times)) {
    const said = Object.entries(pick(name)).map(
      ([what, ms]) => `${what} ${ms.toFixed(1)} ms (${(ms / floor[what]).toFixed(2)})`,
    )
    console.log(`figure  ${target}: ${name}: ${said.join(', ')}`)
  }
}
