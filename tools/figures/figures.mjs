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

const folder = ownFolder('figures')
const { quick, words: wanted } = commandLine({ quick: false }, true)

/** Runs a program to its end; returns whether that was 0, its output, and the last line that it printed. */
async function run(words, env = {}) {
  const { child, ended } = start(process.execPath, words, {
    cwd: root,
    env: { ...process.env, ...env },
  })
  for (const stream of [child.stdout, child.stderr]) stream.pipe(process.stderr, { end: false })
  const { code, stdout, stderr } = await ended
  return {
    ok: code === 0,
    output: stdout + stderr,
    last: (stdout || stderr).trimEnd().split('\n').at(-1),
  }
}

/** Runs test files; returns whether they passed, and the numbers that they measured: their sum, the largest. */
async function tests({ files, only, env, config = 'test/vitest.config.ts' }) {
  const path = join(folder, 'figures')
  writeFileSync(path, '')
  const vitest = `node_modules/vitest/vitest.mjs run --config ${config} --reporter=dot`
  const words = [...vitest.split(' '), ...files, ...(only === undefined ? [] : ['-t', only])]
  const { ok, output } = await run(words, { SVC_FIGURES: path, ...env })
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean)
  const figures = lines.map((line) => JSON.parse(line))
  const valuesOf = (wanted) =>
    figures.filter(({ name }) => name === wanted).map(({ value }) => value)
  return {
    ok,
    output,
    sum: (name) => valuesOf(name).reduce((sum, value) => sum + value, 0),
    // Without any, -Infinity would be within every limit.
    most: (name) => Math.max(...valuesOf(name), ...(valuesOf(name).length === 0 ? [NaN] : [])),
  }
}

const grouped = (number) => number.toLocaleString('en-US', { maximumFractionDigits: 1 })

/** A tool that ends with 0 when its promise is kept, and whose last line says what it found. `few`: its options when it has to be quick. */
const tool = (path, options = '', few = options) => ({
  words: [`tools/${path}`, ...(quick ? few : options).split(' ').filter(Boolean)],
})

/** Worlds of these steps, with changes to work on, and kills, faults and power losses at any moment. */
const worldsOf = (steps) => {
  const options = `--steps contacts.delete,lists.add-contacts,weather,power,disk,clock,${steps} --commands`
  return tool('simulate/simulate.mjs', `${options} 50000`, `${options} 2000`)
}

/** Tests that take too long for `npm test`; all of them have to pass. */
const night = (name) => ({
  files: [`test/night/${name}.test.ts`],
  config: 'test/night/vitest.config.ts',
  judge: ({ ok }) => [ok, ok ? 'all as they should be' : 'NOT all as they should be'],
})

/** By name, how it is measured: by a tool, or by tests, of whose numbers `judge` says whether they suffice and what was measured. */
const checks = {
  // Whole worlds, in which every statement is compared with what the service did; mistakes that they must show; and that real kills leave the same.
  worlds: tool('simulate/simulate.mjs', '--commands 1000000', '--commands 3000'),
  planted: tool('simulate/simulate.mjs', '--planted', '--planted --part 1/10'),
  real: tool('simulate/simulate.mjs', '--real 200', '--real 10'),
  // Worlds of little else: kills at any write while runs are removed, and commands that a scheduler repeats until they end by themselves.
  prune: worldsOf('prune,halfPrune'),
  schedulers: worldsOf('repeat,together'),
  lists: {
    files: ['test/commands/changing-lists.test.ts'],
    env: { SVC_FIGURES_SEAMS: '6' },
    judge({ ok, sum }) {
      const reads = sum('reads of lists that change')
      const missing = sum('members who stay and are missing')
      const taken = sum('reads of lists that never stand still and are taken for whole')
      return [
        ok && reads >= 100 && missing + taken === 0,
        `${reads} reads of lists that change: ${missing} who stay are missing, ${taken} taken for whole`,
      ]
    },
  },
  journal: {
    files: ['test/runs/damage.test.ts'],
    env: { SVC_FIGURES_CUT_STEP: '1' },
    judge({ ok, sum }) {
      const cuts = sum('cuts of a run file')
      const changes = sum('changed bytes of a run file noticed')
      const stretches = sum('stretches of a run file noticed')
      return [
        ok && cuts > 0 && changes > 0 && stretches > 0,
        `${grouped(cuts)} cuts, ${grouped(changes)} changed bytes, ${grouped(stretches)} stretches: ${ok ? '0 crashes, 0 undetected' : 'FAILED'}`,
      ]
    },
  },
  answers: {
    files: ['test/faults/cut.test.ts'],
    env: { SVC_FIGURES_CUT_STEP: '1' },
    judge({ sum }) {
      const [cuts, taken] = [sum('cuts of answers'), sum('cut answers taken for success')]
      return [cuts > 0 && taken === 0, `${grouped(cuts)} cut answers: ${taken}`]
    },
  },
  deadlines: {
    files: ['test/http/transport.test.ts'],
    only: 'deadlines',
    judge({ most }) {
      const late = most('milliseconds after a deadline')
      return [late < 250, `at most ${Math.ceil(late)} ms late`]
    },
  },
  // Cells that svc reads against cells that LibreOffice shows, and ordinary workbooks of many programs.
  workbooks: tool('workbooks/workbooks.mjs'),
  names: {
    files: ['test/features/people/names.test.ts'],
    env: { SVC_FIGURES_NAMES: '10000' },
    judge({ ok, sum }) {
      const [byHand, random] = [sum('names judged by hand'), sum('random pairs of names')]
      const words = `${grouped(random)} random pairs and ${byHand} by hand`
      return [random >= 10_000 && byHand >= 300, `${words}: ${ok ? 'equal' : 'NOT equal'}`]
    },
  },
  people: {
    files: ['test/features/people/matching.test.ts'],
    env: { SVC_FIGURES_PEOPLE: '10000' },
    judge({ ok, sum }) {
      const [matched, compared] = [sum('random people matched'), sum('random people compared')]
      const words = `match of ${grouped(matched)} people, duplicates of ${grouped(compared)}`
      return [Math.min(matched, compared) >= 10_000, `${words}: ${ok ? 'equal' : 'NOT equal'}`]
    },
  },
  folders: {
    files: ['test/config/hostile-folders.test.ts'],
    judge({ sum }) {
      const [folders, executions] = [sum('hostile folders'), sum('executions in hostile folders')]
      const [commands, foreign] = [
        sum('commands in a hostile folder'),
        sum('requests to another origin'),
      ]
      return [
        folders >= 26 && commands > 0 && executions + foreign === 0,
        `${folders / 2} folders with each of 2 formats, ${commands} commands in a folder with all of it: ${executions} executions, ${foreign} requests`,
      ]
    },
  },
  strings: {
    files: ['test/figures/strings.test.ts'],
    env: { SVC_FIGURES_STRINGS: quick ? '2000' : '100000' },
    judge({ ok, sum }) {
      const outputs = [
        'tables',
        'transcripts',
        'errors as text',
        'errors as json',
        'questions',
        'json',
        'ndjson',
      ]
      const least = Math.min(...outputs.map((output) => sum(`strings through ${output}`)))
      const live = sum('live control characters')
      return [
        String(least) === this.env.SVC_FIGURES_STRINGS && live === 0,
        `${grouped(least)} strings through each: ${live} live; JSON ${ok ? 'equal' : 'NOT equal'}`,
      ]
    },
  },
  random: {
    files: ['commands/people', 'directory/', 'input/'].map((name) => `test/${name}`),
    env: { SVC_FIGURES_RANDOM: quick ? '2' : '10' },
    judge: ({ ok }) => [ok, ok ? '0 wrong' : 'NOT all right'],
  },
  texts: {
    files: ['test/figures/texts.test.ts'],
    env: { SVC_FIGURES_TEXT: quick ? '200000' : '1000000' },
    judge({ most }) {
      const [times, wait] = [
        most('times for ten times the text'),
        most('ms without a turn of the event loop'),
      ]
      return [
        times <= 12 && wait <= 100,
        `${grouped(times)} times at most, ${grouped(wait)} ms without a turn of the event loop`,
      ]
    },
  },
  secrets: {
    // The whole test run, each command's output searched; then every command again as a process, its files too.
    files: quick ? ['test/canary', 'test/commands'] : [],
    // A test that fails for another reason has had its output searched all the same.
    mayFail: true,
    judge({ ok, output, sum }) {
      const [commands, files] = [
        sum('commands searched for secrets'),
        sum('files searched for secrets'),
      ]
      const found = sum('secrets found')
      return [
        commands > 0 && files > 0 && found === 0 && !output.includes('a secret stands in'),
        `${found} in the output of ${grouped(commands)} commands and in ${grouped(files)} files${ok ? '' : ' (other tests failed)'}`,
      ]
    },
  },
  incomplete: {
    files: ['test/figures/incomplete.test.ts'],
    env: { SVC_FIGURES_INCOMPLETE: quick ? '2' : '100' },
    judge({ ok, sum }) {
      const [cuts, inputs, taken] = [
        sum('reads cut'),
        sum('incomplete inputs'),
        sum('incomplete inputs taken for whole'),
      ]
      return [
        ok && cuts > 0 && taken === 0,
        `${grouped(cuts)} reads cut, their outputs given to readers ${grouped(inputs)} times: ${taken} taken for whole`,
      ]
    },
  },
  pipes: {
    files: ['test/figures/pipes.test.ts'],
    env: { SVC_FIGURES_MEGABYTES: quick ? '5' : '50' },
    judge({ ok, sum, most }) {
      const peak = most('MB of peak memory')
      const [slow, head] = [
        sum('MB through a slow pipe, byte-exact'),
        sum('MB through head, byte-exact'),
      ]
      return [
        slow >= Number(this.env.SVC_FIGURES_MEGABYTES) && peak < 150,
        `${grouped(slow)} and ${grouped(head)} MB ${ok ? 'byte-exact' : 'FAILED'}, ${grouped(peak)} MB of memory`,
      ]
    },
  },
  plans: {
    files: ['test/features/plans/altered.test.ts'],
    env: { SVC_FIGURES_PLANS: quick ? '2000' : '33334' },
    judge({ sum }) {
      const [judged, sent] = [sum('altered plans judged'), sum('altered plans sent')]
      const isRight = judged === 3 * Number(this.env.SVC_FIGURES_PLANS) && sent === 0
      return [isRight, `${grouped(judged)}: ${sent} requests`]
    },
  },
  hosts: tool('real/session-hosts.mjs', '', '--stops 1'),
  pictures: night('pictures'),
}

async function measure(check) {
  if (check.words !== undefined) {
    const { ok, last } = await run(check.words)
    return [ok, last]
  }
  const found = await tests(check)
  const [isReached, measured] = check.judge(found)
  return [isReached && (found.ok || check.mayFail === true), measured]
}

for (const name of wanted.length === 0
  ? Object.keys(checks)
  : oneOf('figure', wanted, Object.keys(checks))) {
  const [met, measured] = await measure(checks[name])
  console.log(`${name}: ${met ? '' : 'NOT MET: '}${measured}`)
  if (!met) process.exitCode = 1
}
