/**
 * Measures what the table of reliability in docs/figures.md says, and prints it as that table; on stderr, what the tests and tools say.
 *   npm run figures                         everything; takes hours
 *   npm run figures -- --quick              the same with smaller numbers
 *   npm run figures -- kills journal        only these
 *   npm run crash                           only the crash tests
 */
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandLine, oneOf, ownFolder, root } from '../harness/tool.mjs'

const vitest = join(root, 'node_modules/vitest/vitest.mjs')
const folder = ownFolder('figures')
const { quick, words: wanted } = commandLine({ quick: false }, true)

/** Runs a program to its end and returns its code and output. */
async function run(words, env = {}) {
  const child = spawn(process.execPath, words, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => (output += chunk))
    stream.pipe(process.stderr, { end: false })
  }
  const code = await new Promise((resolve) => child.once('close', resolve))
  return { ok: code === 0, output }
}

/** Runs test files; returns whether they passed, and the numbers that they measured: their sum, the largest. */
async function tests({ files, only, env }) {
  const path = join(folder, 'figures')
  writeFileSync(path, '')
  const words = [vitest, 'run', '--config', 'test/vitest.config.ts', '--reporter=dot', ...files]
  const { ok, output } = await run([...words, ...(only === undefined ? [] : ['-t', only])], {
    SVC_FIGURES: path,
    ...env,
  })
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean)
  const figures = lines.map((line) => JSON.parse(line))
  const valuesOf = (wanted) => figures.filter(({ name }) => name === wanted).map(({ value }) => value)
  return {
    ok,
    output,
    sum: (name) => valuesOf(name).reduce((sum, value) => sum + value, 0),
    // Without any, -Infinity would be within every limit.
    most: (name) => Math.max(...valuesOf(name), ...(valuesOf(name).length === 0 ? [NaN] : [])),
  }
}

const grouped = (number) => number.toLocaleString('en-US', { maximumFractionDigits: 1 })

/** A tool that ends with 0 when its promise is kept, and whose last line says what it found. `few`: its words when it has to be quick. */
const tool = (promise, figure, words, few = words) => ({ promise, figure, words: (quick ? few : words).split(' ') })

/**
 * By name: the promise, the figure that it must reach, and how it is measured: by a tool, or by tests, of whose numbers `judge` says
 * whether it is met and what was measured.
 */
const checks = {
  kills: tool(
    'kill -9 at random moments, resumes included',
    '1,000 kills, 0 ids lost, doubled or falsely claimed',
    'tools/crash/kill.mjs --kills 1000',
    'tools/crash/kill.mjs --kills 100',
  ),
  chaos: tool(
    'random faults over every change',
    '1,000 runs, claims equal to the record',
    'tools/crash/chaos.mjs --runs 1000',
    'tools/crash/chaos.mjs --runs 50',
  ),
  model: {
    promise: 'faults and crashes over the pure functions',
    figure: 'every path of 2 batches × 2 ids × 3 attempts, 0 false claims',
    files: ['test/bulk/model.test.ts'],
    only: 'no claim is false',
    env: { SVC_FIGURES_MODEL: quick ? '1' : '2' },
    judge({ sum }) {
      const [paths, wrong] = [sum('paths of the model'), sum('false claims in the model')]
      return [paths > 400_000 && wrong === 0, `${grouped(paths)} paths, ${wrong} false`]
    },
  },
  variants: {
    promise: 'deliberately wrong rules in that model',
    figure: 'at least 10, all caught',
    files: ['test/bulk/model.test.ts'],
    only: 'rules that are wrong are caught',
    judge({ ok, sum }) {
      const caught = sum('wrong rules caught')
      return [caught >= 10, ok ? `${caught} of ${caught} caught` : `${caught} caught, not all`]
    },
  },
  undo: {
    promise:
      'runs undo after answers that were lost, attempts applied late, and colleagues who assign the same employee',
    figure: '0 changes of others undone, 0 undone changes that come back',
    files: ['test/bulk/undo.test.ts'],
    only: 'at random',
    env: { SVC_FIGURES_UNDO: quick ? '10' : '100' },
    judge({ sum }) {
      const [undone, theirs] = [sum('undone assigns'), sum('changes of others that were undone')]
      const back = sum('undone assigns that came back')
      return [undone > 5 && theirs + back === 0, `${grouped(undone)} undone: ${theirs} of others, ${back} came back`]
    },
  },
  journal: {
    promise: 'journal cut at every byte; a random byte changed',
    figure: '0 crashes, 0 undetected',
    files: ['replay', 'run-files', 'cut'].map((name) => `test/bulk/${name}.test.ts`),
    env: { SVC_FIGURES_CUT_STEP: '1' },
    judge({ ok, sum }) {
      const inFiles = sum('changed bytes of the files of a run noticed')
      const resumed = sum('journals cut at a byte and resumed')
      const [cuts, changes] = [sum('cuts of the journal'), sum('changed bytes of the journal noticed') + inFiles]
      return [
        cuts > 0 && resumed > 300 && inFiles > 0 && changes > inFiles,
        `${grouped(cuts)} cuts, ${grouped(resumed)} of a run that was then resumed, ${grouped(changes)} changes: ${ok ? '0 crashes, 0 undetected' : 'FAILED'}`,
      ]
    },
  },
  answers: {
    promise: 'an answer cut at every byte, each operation',
    figure: '0 taken for success',
    files: ['test/faults/cut.test.ts'],
    env: { SVC_FIGURES_CUT_STEP: '1' },
    judge({ sum }) {
      const [cuts, taken] = [sum('cuts of answers'), sum('cut answers taken for success')]
      return [cuts > 0 && taken === 0, `${grouped(cuts)} cut answers: ${taken}`]
    },
  },
  resent: {
    promise: 'ambiguous merges and creates sent again by themselves',
    figure: '0',
    files: ['test/faults/matrix.test.ts', 'test/faults/late.test.ts'],
    env: { SVC_FIGURES_MATRIX: '1' },
    judge({ sum }) {
      const [all, again] = [sum('ambiguous merges and creates'), sum('of them sent again')]
      return [all > 0 && again === 0, `${again} of ${grouped(all)}`]
    },
  },
  sets: {
    promise: '`lists diff` against set algebra',
    figure: '10,000 random pairs, all equal',
    files: ['test/directory/reading.test.ts'],
    env: { SVC_FIGURES_PAIRS: '10000' },
    judge: ({ ok }) => [ok, ok ? '10,000 equal' : 'NOT equal'],
  },
  deadlines: {
    promise: 'deadlines when the service hangs, dead proxies included',
    figure: 'within 250 ms',
    files: ['test/http/transport.test.ts'],
    only: 'deadlines',
    judge({ most }) {
      const late = most('milliseconds after a deadline')
      return [late < 250, `at most ${Math.ceil(late)} ms late`]
    },
  },
  workbooks: tool(
    'workbooks: what svc reads against what LibreOffice shows; ordinary ones of many programs',
    '200 crafted archives and sheets: 0 ids read that are not shown; 60 of at least five programs: all read',
    'tools/workbooks/workbooks.mjs --trust',
  ),
  names: tool(
    'deadlines with a name server that never answers, to the end of the process',
    'within 250 ms',
    'tools/bench/silent-dns.mjs',
  ),
  folders: {
    promise: 'hostile folders',
    figure: '0 executions, 0 requests to another origin',
    files: ['test/config/hostile-folders.test.ts', 'test/figures/folders.test.ts'],
    judge({ sum }) {
      const [folders, executions] = [sum('hostile folders'), sum('executions in hostile folders')]
      const [commands, foreign] = [sum('commands in a hostile folder'), sum('requests to another origin')]
      return [
        folders >= 28 && commands > 0 && executions + foreign === 0,
        `${folders / 2} folders with each of 2 formats, ${commands} commands in a folder with all of it: ${executions} executions, ${foreign} requests`,
      ]
    },
  },
  strings: {
    promise: 'random strings through table, transcript, errors and prompts',
    figure: '0 live control characters in 100,000; JSON equal after a round trip',
    files: ['test/figures/strings.test.ts'],
    env: { SVC_FIGURES_STRINGS: quick ? '2000' : '100000' },
    judge({ ok, sum }) {
      const outputs = ['tables', 'transcripts', 'errors as text', 'errors as json', 'questions', 'json', 'ndjson']
      const least = Math.min(...outputs.map((output) => sum(`strings through ${output}`)))
      const live = sum('live control characters')
      return [
        String(least) === this.env.SVC_FIGURES_STRINGS && live === 0,
        `${grouped(least)} strings through each: ${live} live; JSON ${ok ? 'equal' : 'NOT equal'}`,
      ]
    },
  },
  texts: {
    promise: 'texts of 1,000,000 characters of any class through every output',
    figure: '10 times the length in 12 times the time at most, signals heard within 100 ms',
    files: ['test/figures/texts.test.ts'],
    env: { SVC_FIGURES_TEXT: quick ? '200000' : '1000000' },
    judge({ most }) {
      const [times, wait] = [most('times for ten times the text'), most('ms without a turn of the event loop')]
      return [
        times <= 12 && wait <= 100,
        `${grouped(times)} times at most, ${grouped(wait)} ms without a turn of the event loop`,
      ]
    },
  },
  secrets: {
    promise: 'secrets in all output, logs and journals of the test run',
    figure: '0',
    // The whole test run, each command's output searched; then every command again as a process, its files too.
    files: quick ? ['test/canary', 'test/commands'] : [],
    // A test that fails for another reason has had its output searched all the same.
    mayFail: true,
    judge({ ok, output, sum }) {
      const [commands, files] = [sum('commands searched for secrets'), sum('files searched for secrets')]
      const found = sum('secrets found')
      return [
        commands > 0 && files > 0 && found === 0 && !output.includes('a secret stands in'),
        `${found} in the output of ${grouped(commands)} commands and in ${grouped(files)} files${ok ? '' : ' (other tests failed)'}`,
      ]
    },
  },
  pipes: {
    promise: '50 MB through a slow pipe and through `head`',
    figure: 'byte-exact, under 150 MB of memory',
    files: ['test/figures/pipes.test.ts'],
    env: { SVC_FIGURES_MEGABYTES: quick ? '5' : '50' },
    judge({ ok, sum, most }) {
      const peak = most('MB of peak memory')
      const [slow, head] = [sum('MB through a slow pipe, byte-exact'), sum('MB through head, byte-exact')]
      return [
        slow >= Number(this.env.SVC_FIGURES_MEGABYTES) && peak < 150,
        `${grouped(slow)} and ${grouped(head)} MB ${ok ? 'byte-exact' : 'FAILED'}, ${grouped(peak)} MB of memory`,
      ]
    },
  },
  signals: {
    promise: 'signals at random moments',
    figure: 'always resumable, ends by the signal',
    files: ['test/bulk/signals.test.ts'],
    only: 'signals at random moments',
    env: { SVC_FIGURES_SIGNALS: quick ? '12' : '150' },
    judge({ ok, sum }) {
      const [died, before] = [sum('runs that died by their signal'), sum('runs that ended before their signal')]
      return [
        died > 0 && String(died + before) === this.env.SVC_FIGURES_SIGNALS,
        `${died} died by their signal, ${before} had ended; ${sum('interrupted runs that were resumed to their end')} resumed, ${ok ? '0' : 'SOME'} not`,
      ]
    },
  },
  damage: tool(
    'a byte of the build changed, a file cut off, exchanged or gone',
    '500 corruptions × 7 commands: 0 crashes, 0 wrong outputs',
    'tools/build/damage.mjs --corruptions 500',
    'tools/build/damage.mjs --corruptions 50',
  ),
  power: tool(
    'power loss: the log of writes and syncs of a run, replayed with any unsynced pages lost, at every point',
    '0 false claims, 0 runs that cannot be read; every sync that is taken out is noticed',
    'tools/crash/power-loss/power-loss.mjs --mutants',
    'tools/crash/power-loss/power-loss.mjs --scale 0.2 --randoms 1 --resumes 20',
  ),
  pairs: tool(
    'resume, retry, --once and prune of the same run started together, in every pair',
    '200 times each: 0 ids sent twice, 0 false claims',
    'tools/crash/pairs.mjs --times 200',
    'tools/crash/pairs.mjs --times 5',
  ),
  plans: {
    promise: 'plans and signatures that were altered, under a policy that wants approvals',
    figure: '100,000 judged by the pure functions, 1,000 through ssh-keygen: 0 requests',
    files: ['test/plans/altered.test.ts'],
    env: {
      SVC_FIGURES_PLANS: quick ? '5000' : '100000',
      SVC_FIGURES_SIGNED_PLANS: quick ? '50' : '1000',
      SVC_FIGURES_KEYGEN: '/usr/bin/ssh-keygen',
    },
    judge({ sum }) {
      const { SVC_FIGURES_PLANS: pure, SVC_FIGURES_SIGNED_PLANS: signed } = this.env
      const [judged, keygen] = [sum('altered plans judged'), sum('altered plans through ssh-keygen')]
      const sent = sum('altered plans sent') + sum('requests of altered plans')
      return [
        `${judged} ${keygen}` === `${pure} ${signed}` && sent === 0,
        `${grouped(judged)} and ${grouped(keygen)}: ${sent} requests`,
      ]
    },
  },
  signatures: tool(
    'good and bad signatures, judged by ssh-keygen and by its stand-in in the tests',
    '1,000: 0 judged differently',
    'tools/crash/signatures.mjs',
    'tools/crash/signatures.mjs --signatures 50',
  ),
  apply: tool(
    'approved plans, killed before each write of an apply, and applied twice together',
    'every write and 200 pairs: each applied exactly once',
    'tools/crash/plans.mjs',
    'tools/crash/plans.mjs --every 6 --pairs 5',
  ),
  prune: tool(
    'prune and keepRuns killed at every write',
    '0 names answered from a record while their run is there',
    'tools/crash/prune-kills.mjs',
    'tools/crash/prune-kills.mjs --every 3',
  ),
  once: tool(
    'a scheduler that repeats the same --once command, killed at random moments',
    '1,000 jobs, each done exactly once, summary equal to the record',
    'tools/crash/once-jobs.mjs --jobs 1000',
    'tools/crash/once-jobs.mjs --jobs 30',
  ),
  rehearse: tool(
    'svc sandbox rehearse: scripts with planted bugs, and right ones, the recipes of README and docs among them',
    '30 bugs found with the request and the fault named, 10 right ones without an alarm',
    'tools/rehearse/rehearse.mjs',
    'tools/rehearse/rehearse.mjs --scripts 5',
  ),
  annotate: tool(
    '--annotate of a --once command that is killed at random moments and given again',
    '200 kills, 0 files that are not whole, 0 wrong outcomes',
    'tools/crash/once-jobs.mjs --kills 200',
    'tools/crash/once-jobs.mjs --kills 10',
  ),
  'out-dir': tool(
    'conversations written into a folder by a command that is killed at random moments and given again',
    '200 kills, 0 files that are not whole, all there at the end',
    'tools/crash/out-dir.mjs --kills 200',
    'tools/crash/out-dir.mjs --kills 20',
  ),
  superseded: tool(
    'a superseded holder of a lock woken at 200 moments of its successor',
    '0 files of another process lost',
    'tools/crash/superseded.mjs --moments 200',
    'tools/crash/superseded.mjs --moments 20',
  ),
  hosts: tool(
    'two hosts, two pid namespaces, two boots on one state folder; a holder stopped, taken over and continued',
    '0 locks stolen from a holder that renews, 0 false claims',
    'tools/crash/lock-hosts.mjs',
    'tools/crash/lock-hosts.mjs --stops 1',
  ),
  mutants: tool(
    'the program broken on purpose: never deleted, never gone, a rule forgotten, a sync left out',
    'each noticed by the kill test, chaos and the model',
    'tools/crash/mutants/mutants.mjs',
    'tools/crash/mutants/mutants.mjs --by model',
  ),
  duplicates: tool(
    'answers that come twice, up to 5 ms late, on connections that are kept',
    '0 taken for the answer to another request',
    'tools/crash/duplicates.mjs --runs 20',
    'tools/crash/duplicates.mjs --runs 1',
  ),
  load: tool(
    'the sandbox under 200 clients for 60 s, and under large bodies that are refused',
    'within 150 MB',
    'tools/bench/sandbox-memory.mjs',
    'tools/bench/sandbox-memory.mjs --seconds 10',
  ),
  browser: tool(
    'what a foreign page in a real browser can do with a sandbox',
    '20 requests, 0 that read or change anything',
    'tools/browser/sandbox.mjs',
  ),
}

async function measure(check) {
  if (check.words !== undefined) {
    const { ok, output } = await run(check.words)
    return [ok, output.trimEnd().split('\n').at(-1)]
  }
  const found = await tests(check)
  const [isReached, measured] = check.judge(found)
  return [isReached && (found.ok || check.mayFail === true), measured]
}

const names = wanted.length === 0 ? Object.keys(checks) : oneOf('figure', wanted, Object.keys(checks))

const rows = []
for (const name of names) {
  const { promise, figure } = checks[name]
  const [met, measured] = await measure(checks[name])
  const command = `\`npm run figures -- ${quick ? '--quick ' : ''}${name}\``
  rows.push(`| ${promise} | ${figure} | ${met ? '' : 'NOT MET: '}${measured} | ${command} |`)
  if (!met) process.exitCode = 1
}
console.log(['| promise | figure | measured | command |', '|---|---|---|---|', ...rows].join('\n'))
