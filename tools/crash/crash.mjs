/**
 * The crash tests of `npm test`, long: nothing is lost, doubled or falsely claimed, however svc ends and whatever the service does.
 *   npm run crash                    all of them; takes hours
 *   npm run crash -- kill chaos      only these
 *   npm run crash -- --quick         the same with smaller numbers
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { commandLine, oneOf, root } from '../harness/tool.mjs'

/** By name: the tool, what it is told, and what it is told when it has to be quick. */
const tests = {
  kill: ['kill.mjs', ['--kills', '1000'], ['--kills', '30']],
  chaos: ['chaos.mjs', ['--runs', '1000'], ['--runs', '30']],
  once: ['once-jobs.mjs', ['--jobs', '1000'], ['--jobs', '10']],
  pairs: ['pairs.mjs', ['--times', '200'], ['--times', '2']],
  'out-dir': ['out-dir.mjs', ['--kills', '200'], ['--kills', '20']],
  prune: ['prune-kills.mjs', [], ['--every', '25']],
  plans: ['plans.mjs', [], ['--every', '6', '--pairs', '5']],
  signatures: ['signatures.mjs', [], ['--signatures', '50']],
  power: ['power-loss/power-loss.mjs', ['--mutants'], ['--scale', '0.2', '--randoms', '1', '--resumes', '20']],
  hosts: ['lock-hosts.mjs', [], ['--stops', '1']],
  mutants: ['mutants/mutants.mjs', [], ['--by', 'model']],
}
const all = Object.keys(tests)
const { words, quick } = commandLine({ quick: false }, true)
const failed = (words.length > 0 ? oneOf('test', words, all) : all).filter((name) => {
  const [tool, long, short] = tests[name]
  console.log(`${name}: ${[tool, ...(quick ? short : long)].join(' ')}`)
  const line = [join(root, 'tools/crash', tool), ...(quick ? short : long)]
  return spawnSync(process.execPath, line, { cwd: root, stdio: 'inherit' }).status !== 0
})
console.log(failed.length > 0 ? `failed: ${failed.join(', ')}` : 'all kept')
process.exitCode = failed.length > 0 ? 1 : 0
