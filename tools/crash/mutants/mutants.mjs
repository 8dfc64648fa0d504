/**
 * Tests that cannot fail prove nothing: the program is broken on purpose in one place after another, and each test that
 * the list names must notice.
 *   node tools/crash/mutants/mutants.mjs [--only <part of a name>] [--by kill,model] [--kills 60] [--runs 80] [--seed 7]
 *   node tools/crash/mutants/mutants.mjs --list     only whether every one of them can still be made
 */
import { join } from 'node:path'
import { start } from '../../harness/processes.mjs'
import { buildProgram, checkReplacements } from '../../harness/program.mjs'
import { commandLine, oneOf, ownFolder, refuse, root } from '../../harness/tool.mjs'
import { mutants } from './list.mjs'

const by = 'model,undo,kill,chaos,power,prune,superseded'
const values = commandLine({ only: '', by, kills: 60, runs: 80, seed: 1, list: false })
const seed = ['--seed', `${values.seed}`]
const chosen = mutants.filter(({ name }) => name.includes(values.only))
if (chosen.length === 0) refuse(`no mutant has "${values.only}" in its name`)

const mistake = /: (?:lost|doubled|false|weak): /
const few = 'tools/crash/power-loss/power-loss.mjs --scenario delete,once --scale 0.1 --randoms 0 --resumes 20'
const vitest = 'node_modules/vitest/vitest.mjs run --config tools/crash/mutants/vitest.config.mjs'

/** How each test is run upon a program: the words after `node`, and what of its output says that it noticed. */
const tests = {
  model: () => ({
    words: [...vitest.split(' '), 'test/bulk/outcomes.test.ts'],
    noticed: /AssertionError|false claim/,
  }),
  undo: () => ({ words: [...vitest.split(' '), 'test/bulk/undo.test.ts'], noticed: /AssertionError/ }),
  kill: ({ program }) => ({
    words: ['tools/crash/kill.mjs', '--kills', `${values.kills}`, ...seed, '--program', program, '--bail'],
    noticed: mistake,
  }),
  chaos: ({ program, chaos = [] }) => ({
    words: ['tools/crash/chaos.mjs', '--runs', `${values.runs}`, ...seed, '--program', program, '--bail', ...chaos],
    noticed: mistake,
  }),
  prune: ({ program }) => ({
    words: ['tools/crash/prune-kills.mjs', '--program', program, '--bail'],
    noticed: /, killed before write \d+: false: /,
  }),
  superseded: ({ edits }) => ({
    words: ['tools/crash/superseded.mjs', '--moments', '40', '--edits', JSON.stringify(edits)],
    noticed: /[1-9]\d* files of another process lost/,
  }),
  power: ({ edits }) => ({
    words: [...few.split(' '), ...seed, '--edits', JSON.stringify(edits)],
    noticed: /[1-9]\d* (?:false claims|runs that cannot be read)/,
  }),
}
const asked = oneOf('test', values.by.split(','), Object.keys(tests))

/** Milliseconds: many times what a test takes for the program as it is. */
const longest = 15 * 60_000

async function run(words, edits) {
  const env = { ...process.env, SVC_MUTANT: JSON.stringify(edits) }
  const { child, ended } = start(process.execPath, words, { cwd: root, env, detached: true })
  let isEndless = false
  // By this signal a test ends the sandboxes that it started, which have sessions of their own.
  const end = (signal = 'SIGTERM') => process.kill(-(child.pid ?? 0), signal)
  const endWithUs = () => end()
  process.once('exit', endWithUs)
  const timer = setTimeout(() => {
    isEndless = true
    end()
    setTimeout(() => child.exitCode ?? child.signalCode ?? end('SIGKILL'), 5_000).unref()
  }, longest)
  const { code, stdout, stderr } = await ended
  clearTimeout(timer)
  process.off('exit', endWithUs)
  return { code, output: stdout + stderr, isEndless }
}

/** `passed`, `noticed`, or why it is neither: a test that breaks for another reason has noticed nothing. */
async function verdictOf(name, subject) {
  const test = tests[name](subject)
  const { code, output, isEndless } = await run(test.words, subject.edits)
  // A test that never ends fails wherever it is run.
  if (isEndless && subject !== whole) return 'noticed'
  if (code === 0) return 'passed'
  return test.noticed.test(output) ? `noticed` : `stopped with ${code}:\n${output}`
}

for (const { edits } of mutants) checkReplacements(edits)
console.log(`${mutants.length} mutants can be made`)
if (values.list) process.exit(0)

const folder = ownFolder('mutants')
/** The program as it is. */
const whole = { edits: [], program: '' }
let checked = 0
let unnoticed = 0
whole.program = await buildProgram(join(folder, 'whole'))
for (const name of asked.filter((test) => chosen.some(({ noticedBy }) => noticedBy.includes(test)))) {
  const verdict = await verdictOf(name, whole)
  console.log(`the program as it is, ${name}: ${verdict}`)
  if (verdict !== 'passed') throw new Error('a test that fails for the program as it is notices nothing')
}
for (const [number, { name, edits, noticedBy, chaos }] of chosen.entries()) {
  const program = await buildProgram(join(folder, String(number)), edits)
  for (const test of noticedBy.filter((one) => asked.includes(one))) {
    const verdict = await verdictOf(test, { edits, program, chaos })
    checked += 1
    if (verdict !== 'noticed') unnoticed += 1
    console.log(`${name}, ${test}: ${verdict === 'passed' ? 'NOT NOTICED' : verdict}`)
  }
}
console.log(`${chosen.length} mutants, ${checked} times to be noticed, ${unnoticed} not noticed`)
process.exitCode = unnoticed === 0 ? 0 : 1
