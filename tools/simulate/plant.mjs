/** Plants one mistake after the other in the program and looks whether whom its row names finds it: a test by its words, or the simulator. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { checkReplacements } from '../harness/program.mjs'
import { refuse, root } from '../harness/tool.mjs'
import { planted } from './planted.mjs'

/** Seconds of processor time in which the simulator has to find a mistake. */
const seconds = 60
/** Limits that end a process that hangs: seconds of processor time, and seconds of the clock. */
const limits = { processor: 240, clock: 1800 }

/** What a mistake changes in the program. */
export const editsOf = (mistake) =>
  (planted.get(mistake) ?? refuse(`there is no mistake "${mistake}"`)).edits

/** Ends a process with all that it started; nothing, when nothing of it runs any more. */
function endGroup({ pid = 0 }) {
  spawnSync('kill', ['-KILL', '--', `-${pid}`], { stdio: 'ignore' })
}

/** Runs Node to its end, or to a limit: then it `hangs`. */
async function run(words, env = {}) {
  const limited = ['-c', `ulimit -t ${limits.processor}; exec "$@"`, 'sh', process.execPath]
  const child = spawn('sh', [...limited, ...words], {
    cwd: root,
    detached: true,
    env: { ...process.env, TZ: 'UTC', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const timer = setTimeout(endGroup, limits.clock * 1000, child)
  const texts = [child.stdout, child.stderr].map((stream) => text(stream))
  const [, signal] = await once(child, 'exit')
  clearTimeout(timer)
  endGroup(child)
  const [stdout, stderr] = await Promise.all(texts)
  return { stdout, stderr, hangs: signal !== null }
}

async function simulate(words) {
  const { stdout, stderr, hangs } = await run(['tools/simulate/simulate.mjs', ...words])
  const lines = stdout.split('\n')
  const found = lines.filter((line) => line.startsWith('FALSE'))
  const took = Number(/in (\d+\.\d) s/.exec(stderr)?.[1])
  const summary = hangs ? 'it hangs' : lines.findLast((line) => line !== '')
  const isPlayed = !Number.isNaN(took)
  return {
    found,
    seed: /^FALSE seed (\d+)/.exec(found[0] ?? '')?.[1],
    took,
    problem: isPlayed ? summary : `${summary ?? ''} ${stderr.slice(-2000)}`,
  }
}

/** Found by a seed that finds it again, and finds nothing without it. */
async function findBySimulator(name, { steps }, from) {
  const among = steps === undefined ? [] : ['--steps', steps]
  const searching = ['--hours', '100000', '--bail', '--seconds', `${seconds}`]
  const mistake = ['--plant', name, ...among]
  const first = await simulate([...mistake, '--seed', `${from}`, ...searching])
  const { found, seed, took, problem } = first
  if (seed === undefined) return { isFound: false, told: `not found in ${took} s (${problem})` }
  const one = ['--seed', seed, '--hours', '1']
  const isAgain = (await simulate([...mistake, ...one])).found.join('\n') === found.join('\n')
  const isClean = (await simulate([...among, ...one])).found.length === 0
  const isFound = isAgain && isClean && took <= seconds
  const replayed = `${isAgain ? 'again by it' : 'not again by it'}${isClean ? '' : ', without it too'}`
  return {
    isFound,
    told: `${[...among, ...one].join(' ')}, ${took} s, ${replayed}: ${found[0].slice(0, 200)}`,
  }
}

/** Outcomes of the tests of a file whose names have these words; none when it hangs. */
async function outcomesOf({ test, words }, planted = '') {
  const vitest = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--reporter=json']
  const config = ['--config', 'test/night/planted.config.ts']
  const pattern = words.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const named = [`test/${test}.test.ts`, '--testNamePattern', pattern]
  const { stdout, stderr } = await run([...vitest, ...config, ...named], { SVC_PLANTED: planted })
  const report = stdout.split('\n').findLast((line) => line.startsWith('{'))
  const { testResults = [] } = report === undefined ? {} : JSON.parse(report)
  const tests = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'passed' || status === 'failed')
  const why = tests.flatMap(({ failureMessages }) => failureMessages)[0] ?? stderr
  return { outcomes: tests.map(({ status }) => status), why: why.split('\n')[0] }
}

/** Found by a test that fails with it, and passes without it. */
async function findByTest(name, row) {
  const { outcomes, why } = await outcomesOf(row, name)
  const without = await outcomesOf(row)
  const isPassed = without.outcomes.includes('passed') && !without.outcomes.includes('failed')
  const isFailed = outcomes.includes('failed')
  const outcome = `${isFailed ? 'fails' : 'does not fail'}${isPassed ? '' : ', and does not pass without it'}`
  const told = `test/${row.test}.test.ts, "${row.words}": ${outcome}: ${why.slice(0, 200)}`
  return { isFound: isFailed && isPassed, told }
}

/** Returns how many were not found, or not by whom their row names. */
export async function plantAll({ only, part, by, seed: from }) {
  for (const { edits } of planted.values()) checkReplacements(edits)
  const [nth, parts] = part.split('/').map(Number)
  const isBy = ({ test }) => by === '' || (test === undefined ? 'simulator' : 'tests') === by
  const chosen = [...planted].filter(
    ([name, row], index) => name.includes(only) && index % parts === nth - 1 && isBy(row),
  )
  const counts = { tests: 0, simulator: 0, nobody: 0 }
  for (const [name, row] of chosen) {
    const isOfTest = row.test !== undefined
    const { isFound, told } = isOfTest
      ? await findByTest(name, row)
      : await findBySimulator(name, row, from)
    const finder = isOfTest ? 'tests' : 'simulator'
    counts[isFound ? finder : 'nobody'] += 1
    console.log(`${isFound ? 'found' : 'NOT FOUND'}: ${name}: ${told}`)
  }
  const { tests, simulator, nobody } = counts
  console.log(
    `${chosen.length} planted: ${tests} found by tests, ${simulator} by the simulator, ${nobody} not found`,
  )
  return nobody
}
