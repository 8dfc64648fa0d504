/**
 * Measures what the table of reliability in docs/figures.md promises: prints for each name there whether its figure is reached and what
 * was measured; on stderr, what came out of the tests and tools meanwhile.
 *   npm run figures                         everything; takes hours
 *   npm run figures -- --quick              the same with smaller numbers
 *   npm run figures -- worlds journal       only these
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { start } from '../harness/processes.mjs'
import { commandLine, oneOf, ownFolder, root } from '../harness/tool.mjs'

const path = join(ownFolder('figures'), 'figures')
const { quick, words: wanted } = commandLine({ quick: false }, true)

/** Runs a program to its end; returns whether that was 0, its output, and the last line that it printed. */
async function run(words, env = {}) {
  const all = { cwd: root, env: { ...process.env, ...env } }
  const { child, ended } = start(process.execPath, words, all)
  for (const stream of [child.stdout, child.stderr]) stream.pipe(process.stderr, { end: false })
  const { code, stdout, stderr } = await ended
  const last = (stdout || stderr).trimEnd().split('\n').at(-1)
  return { isMet: code === 0, output: stdout + stderr, measured: last }
}

/** A tool that ends with 0 when its promise is kept, and whose last line says what it found. `few`: its options when it has to be quick. */
const tool =
  (path, options = '', few = options) =>
  () =>
    run([`tools/${path}`, ...(quick ? few : options).split(' ').filter(Boolean)])

/** Worlds of these steps, with changes to work on, and kills, faults and power losses at any moment. */
const worldsOf = (steps) => {
  const options = `--steps contacts.delete,lists.add-contacts,weather,power,disk,clock,${steps} --commands`
  return tool('simulate/simulate.mjs', `${options} 50000`, `${options} 2000`)
}

const isWithin = {
  '=': (value, limit) => value === limit,
  '≥': (value, limit) => value >= limit,
  '≤': (value, limit) => value <= limit,
}

/**
 * Tests, all of which have to pass. In `words` each `[name ≥ 1]` is a number that they measured: the sum of all of that name, or
 * `[most name ≤ 1]` the largest. `env`: how much they try (`SVC_FIGURES_…`). Of tests that `mayFail`, none may say `never`.
 */
const tests =
  (files, words, { env = {}, mayFail = false, never, config = 'test/vitest.config.ts' } = {}) =>
  async () => {
    writeFileSync(path, '')
    const vitest = `node_modules/vitest/vitest.mjs run --config ${config} --reporter=dot ${files}`
    const more = Object.entries(env).map(([name, value]) => [`SVC_FIGURES_${name}`, String(value)])
    const found = await run(vitest.trim().split(' '), {
      SVC_FIGURES: path,
      ...Object.fromEntries(more),
    })
    const figures = readFileSync(path, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
    let isMet = (found.isMet || mayFail) && !(never !== undefined && found.output.includes(never))
    const measured = words.replaceAll(
      /\[(most )?([^\]]+) ([=≥≤]) (\d+)\]/g,
      (_, most, name, sign, limit) => {
        const values = figures.filter((figure) => figure.name === name).map(({ value }) => value)
        // Of none, the largest would be within every limit.
        const largest = values.length === 0 ? NaN : Math.max(...values)
        const value = most === undefined ? values.reduce((sum, value) => sum + value, 0) : largest
        isMet &&= isWithin[sign](value, Number(limit))
        return value.toLocaleString('en-US', { maximumFractionDigits: 1 })
      },
    )
    return { isMet, measured: found.isMet ? measured : `${measured} (tests failed)` }
  }

const strings = quick ? 2000 : 100_000
const outputs = 'tables,transcripts,errors as text,errors as json,questions,json,ndjson'.split(',')
const megabytes = quick ? 5 : 50

/** By name, how it is measured. */
const checks = {
  // Whole worlds, in which every statement is compared with what the service did; mistakes that they must show; and that real kills leave the same.
  worlds: tool('simulate/simulate.mjs', '--commands 1000000', '--commands 3000'),
  planted: tool('simulate/simulate.mjs', '--planted', '--planted --part 1/10'),
  real: tool('simulate/simulate.mjs', '--real 200', '--real 10'),
  // Worlds of little else: kills at any write while runs are removed, and commands that a scheduler repeats until they end by themselves.
  prune: worldsOf('prune,halfPrune'),
  schedulers: worldsOf('repeat,together'),
  lists: tests(
    'test/commands/changing-lists.test.ts test/api/paginate.test.ts',
    '[reads among writers that were called whole ≥ 1000] reads among writers in one process, [reads of lists that change ≥ 100] reads of lists that change: [members who stay and are missing = 0] who stay are missing, [reads of lists that never stand still and are taken for whole = 0] taken for whole',
    { env: { SEAMS: 6, READS: quick ? 3000 : 400_000 } },
  ),
  journal: tests(
    'test/runs/damage.test.ts',
    '[cuts of a run file ≥ 1] cuts, [changed bytes of a run file noticed ≥ 1] changed bytes, [stretches of a run file noticed ≥ 1] stretches: all noticed, no crash',
    { env: { CUT_STEP: 1 } },
  ),
  answers: tests(
    'test/faults/cut.test.ts',
    '[cuts of answers ≥ 1] cut answers: [cut answers taken for success = 0]',
    { env: { CUT_STEP: 1 } },
  ),
  deadlines: tests(
    'test/http/transport.test.ts -t deadlines',
    'at most [most milliseconds after a deadline ≤ 250] ms late',
  ),
  // Cells that svc reads against cells that LibreOffice shows, and ordinary workbooks of many programs.
  workbooks: tool('workbooks/workbooks.mjs'),
  names: tests(
    'test/people/names.test.ts',
    '[random pairs of names ≥ 10000] random pairs and [names judged by hand ≥ 300] by hand: equal',
    { env: { NAMES: 10_000 } },
  ),
  people: tests(
    'test/people/matching.test.ts',
    'match of [random people matched ≥ 10000] people, duplicates of [random people compared ≥ 10000]: equal',
    { env: { PEOPLE: 10_000 } },
  ),
  folders: tests(
    'test/config/hostile-folders.test.ts',
    '[hostile folders ≥ 26] folders, each of them twice, for 2 formats, [commands in a hostile folder ≥ 1] commands in a folder with all of it: [executions in hostile folders = 0] executions, [requests to another origin = 0] requests',
  ),
  strings: tests(
    'test/figures/strings.test.ts',
    `${outputs.map((output) => `[strings through ${output} ≥ ${strings}] through ${output}`).join(', ')}: [live control characters = 0] live; JSON equal`,
    { env: { STRINGS: strings } },
  ),
  random: tests('test/commands/people test/input/', 'all as they should be', {
    env: { RANDOM: quick ? 2 : 10 },
  }),
  texts: tests(
    'test/figures/texts.test.ts',
    '[most times for ten times the text ≤ 12] times at most, [most ms without a turn of the event loop ≤ 100] ms without a turn of the event loop',
    { env: { TEXT: quick ? 200_000 : 1_000_000 } },
  ),
  // The whole test run, each command's output searched; then every command again as a process, its files too. A test that fails for
  // another reason has had its output searched all the same.
  secrets: tests(
    quick ? 'test/canary test/commands' : '',
    '[secrets found = 0] in the output of [commands searched for secrets ≥ 1] commands and in [files searched for secrets ≥ 1] files',
    { mayFail: true, never: 'a secret stands in' },
  ),
  incomplete: tests(
    'test/figures/incomplete.test.ts',
    '[reads cut ≥ 1] reads cut, their outputs given to readers [incomplete inputs ≥ 1] times: [incomplete inputs taken for whole = 0] taken for whole',
    { env: { INCOMPLETE: quick ? 2 : 100 } },
  ),
  pipes: tests(
    'test/figures/pipes.test.ts',
    `[MB through a slow pipe, byte-exact ≥ ${megabytes}] and [MB through head, byte-exact ≥ 0] MB byte-exact, [most MB of peak memory ≤ 150] MB of memory`,
    { env: { MEGABYTES: megabytes } },
  ),
  hosts: tool('real/session-hosts.mjs', '', '--stops 1'),
  // Takes too long for `npm test`.
  pictures: tests('test/night/pictures.test.ts', 'all as they should be', {
    config: 'test/night/vitest.config.ts',
  }),
}

const all = Object.keys(checks)
for (const name of wanted.length === 0 ? all : oneOf('figure', wanted, all)) {
  const { isMet, measured } = await checks[name]()
  console.log(`${name}: ${isMet ? '' : 'NOT MET: '}${measured}`)
  if (!isMet) process.exitCode = 1
}
