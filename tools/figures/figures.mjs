/**
 * Measures what the table of reliability in docs/figures.md says, and prints it as that table.
 *   npm run figures                         everything; takes hours
 *   npm run figures -- --quick              the same with smaller numbers
 *   npm run figures -- kills journal        only these
 */
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandLine, oneOf, ownFolder, root } from '../harness/tool.mjs'

const vitest = join(root, 'node_modules/vitest/vitest.mjs')
const folder = ownFolder('figures')
const values = commandLine({ quick: false, kills: undefined, runs: undefined }, true)
const { quick } = values

/** Runs a program to its end and returns its code and output; the output is shown when it fails. */
async function run(words, env = {}) {
  const child = spawn(process.execPath, words, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (output += chunk))
  const code = await new Promise((resolve) => child.once('close', resolve))
  if (code !== 0) process.stderr.write(`${output}\n`)
  return { ok: code === 0, output }
}

/** Runs test files; returns whether they passed, and the numbers that they measured: how many, their sum, the largest. */
async function tests(files, { only, env } = {}) {
  const path = join(folder, 'figures')
  writeFileSync(path, '')
  const words = [vitest, 'run', '--config', 'test/vitest.config.ts', '--reporter=dot', ...files]
  const { ok, output } = await run([...words, ...(only === undefined ? [] : ['-t', only])], {
    SVC_FIGURES: path,
    ...env,
  })
  const sums = new Map()
  const most = new Map()
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    if (line === '') continue
    const { name, value } = JSON.parse(line)
    sums.set(name, (sums.get(name) ?? 0) + value)
    most.set(name, Math.max(most.get(name) ?? -Infinity, value))
  }
  return { ok, output, sum: (name) => sums.get(name) ?? 0, most: (name) => most.get(name) ?? NaN }
}

const grouped = (number) => number.toLocaleString('en-US', { maximumFractionDigits: 1 })

/** A tool that ends with 0 when its promise is kept, and whose last line says what it found. */
function tool(promise, figure, words, fewer = words) {
  return {
    promise,
    figure,
    async measure() {
      const { ok, output } = await run(quick ? fewer : words)
      const [last = ''] = output.trim().split('\n').slice(-1)
      return { met: ok, measured: last }
    },
  }
}

/** By name: the promise, the figure that it must reach, and how it is measured. */
const checks = {
  kills: {
    promise: 'kill -9 at random moments, resumes included',
    figure: '1,000 kills, 0 ids lost, doubled or falsely claimed',
    async measure() {
      const kills = values.kills ?? (quick ? '100' : '1000')
      const { ok, output } = await run(['tools/crash/kill.mjs', '--kills', kills])
      const [, ...numbers] = /(\d+) kills, (\d+) lost, (\d+) doubled, (\d+) falsely claimed/.exec(output) ?? []
      const [made = 0, lost, doubled, wrong] = numbers.map(Number)
      const inResumes = Number(/(\d+) of the kills in resumes/.exec(output)?.[1])
      const met = ok && made === Number(kills) && lost + doubled + wrong === 0
      return {
        met,
        measured: `${grouped(made)} kills (${grouped(inResumes)} of resumes): ${lost} lost, ${doubled} doubled, ${wrong} false`,
      }
    },
  },
  chaos: {
    promise: 'random faults over every change',
    figure: '1,000 runs, claims equal to the record',
    async measure() {
      const runs = values.runs ?? (quick ? '50' : '1000')
      const { ok, output } = await run(['tools/crash/chaos.mjs', '--runs', runs])
      const [, ...numbers] = /(\d+) chaos runs, (\d+) lost, (\d+) doubled, (\d+) falsely claimed/.exec(output) ?? []
      const [made = 0, lost, doubled, wrong] = numbers.map(Number)
      return {
        met: ok && made === Number(runs) && lost + doubled + wrong === 0,
        measured: `${grouped(made)} runs: ${lost} lost, ${doubled} doubled, ${wrong} false`,
      }
    },
  },
  model: {
    promise: 'faults and crashes over the pure functions',
    figure: 'every path of 2 batches × 2 ids × 3 attempts, 0 false claims',
    async measure() {
      const { ok, sum } = await tests(['test/bulk/model.test.ts'], {
        only: 'no claim is false',
        env: { SVC_FIGURES_MODEL: quick ? '1' : '2' },
      })
      const [paths, wrong] = [sum('paths of the model'), sum('false claims in the model')]
      return { met: ok && paths > 400_000 && wrong === 0, measured: `${grouped(paths)} paths, ${wrong} false` }
    },
  },
  variants: {
    promise: 'deliberately wrong rules in that model',
    figure: 'at least 10, all caught',
    async measure() {
      const { ok, sum } = await tests(['test/bulk/model.test.ts'], { only: 'rules that are wrong are caught' })
      const caught = sum('wrong rules caught')
      return { met: ok && caught >= 10, measured: ok ? `${caught} of ${caught} caught` : `${caught} caught, not all` }
    },
  },
  undo: {
    promise:
      'runs undo after answers that were lost, attempts applied late, and colleagues who assign the same employee',
    figure: '0 changes of others undone, 0 undone changes that come back',
    async measure() {
      const { ok, sum } = await tests(['test/bulk/undo.test.ts'], {
        only: 'at random',
        env: { SVC_FIGURES_UNDO: quick ? '10' : '100' },
      })
      const [undone, theirs, back] = [
        sum('undone assigns'),
        sum('changes of others that were undone'),
        sum('undone assigns that came back'),
      ]
      return {
        met: ok && undone > 5 && theirs + back === 0,
        measured: `${grouped(undone)} undone: ${theirs} of others, ${back} came back`,
      }
    },
  },
  journal: {
    promise: 'journal cut at every byte; a random byte changed',
    figure: '0 crashes, 0 undetected',
    async measure() {
      const files = ['replay', 'run-files', 'cut'].map((name) => `test/bulk/${name}.test.ts`)
      const { ok, sum } = await tests(files, { env: { SVC_FIGURES_CUT_STEP: '1' } })
      const inFiles = sum('changed bytes of the files of a run noticed')
      const resumed = sum('journals cut at a byte and resumed')
      const [cuts, changes] = [sum('cuts of the journal'), sum('changed bytes of the journal noticed') + inFiles]
      return {
        met: ok && cuts > 0 && resumed > 300 && inFiles > 0 && changes > inFiles,
        measured: `${grouped(cuts)} cuts, ${grouped(resumed)} of a run that was then resumed, ${grouped(changes)} changes: ${ok ? '0 crashes, 0 undetected' : 'FAILED'}`,
      }
    },
  },
  answers: {
    promise: 'an answer cut at every byte, each operation',
    figure: '0 taken for success',
    async measure() {
      const { ok, sum } = await tests(['test/faults/cut.test.ts'])
      const [cuts, taken] = [sum('cuts of answers'), sum('cut answers taken for success')]
      return { met: ok && cuts > 0 && taken === 0, measured: `${grouped(cuts)} cut answers: ${taken}` }
    },
  },
  resent: {
    promise: 'ambiguous merges and creates sent again by themselves',
    figure: '0',
    async measure() {
      const { ok, sum } = await tests(['test/faults/matrix.test.ts'], { env: { SVC_FIGURES_MATRIX: '1' } })
      const [all, again] = [sum('ambiguous merges and creates'), sum('of them sent again')]
      return { met: ok && all > 0 && again === 0, measured: `${again} of ${grouped(all)}` }
    },
  },
  deadlines: {
    promise: 'deadlines when the service hangs, dead proxies included',
    figure: 'within 250 ms',
    async measure() {
      const { ok, most } = await tests(['test/http/transport.test.ts'], { only: 'deadlines' })
      const late = most('milliseconds after a deadline')
      return { met: ok && late < 250, measured: `at most ${Math.ceil(late)} ms late` }
    },
  },
  workbooks: tool(
    'workbooks: what svc reads against what LibreOffice shows; ordinary ones of many programs',
    '200 crafted archives and sheets: 0 ids read that are not shown; 60 of at least five programs: all read',
    ['tools/workbooks/workbooks.mjs', '--trust'],
  ),
  names: tool('deadlines with a name server that never answers, to the end of the process', 'within 250 ms', [
    'tools/bench/silent-dns.mjs',
  ]),
  folders: {
    promise: 'hostile folders',
    figure: '0 executions, 0 requests to another origin',
    async measure() {
      const { ok, sum } = await tests(['test/config/hostile-folders.test.ts', 'test/figures/folders.test.ts'])
      const [folders, executions] = [sum('hostile folders'), sum('executions in hostile folders')]
      const [commands, foreign] = [sum('commands in a hostile folder'), sum('requests to another origin')]
      return {
        met: ok && folders >= 28 && commands > 0 && executions + foreign === 0,
        measured: `${folders / 2} folders with each of 2 formats, ${commands} commands in a folder with all of it: ${executions} executions, ${foreign} requests`,
      }
    },
  },
  strings: {
    promise: 'random strings through table, transcript, errors and prompts',
    figure: '0 live control characters in 100,000; JSON equal after a round trip',
    async measure() {
      const wanted = quick ? 2_000 : 100_000
      const { ok, sum } = await tests(['test/figures/strings.test.ts'], {
        env: { SVC_FIGURES_STRINGS: String(wanted) },
      })
      const outputs = ['tables', 'transcripts', 'errors as text', 'errors as json', 'questions', 'json', 'ndjson']
      const least = Math.min(...outputs.map((output) => sum(`strings through ${output}`)))
      const live = sum('live control characters')
      return {
        met: ok && least === wanted && live === 0,
        measured: `${grouped(least)} strings through each: ${live} live; JSON ${ok ? 'equal' : 'NOT equal'}`,
      }
    },
  },
  texts: {
    promise: 'texts of 1,000,000 characters of any class through every output',
    figure: '10 times the length in 12 times the time at most, signals heard within 100 ms',
    async measure() {
      const wanted = quick ? 200_000 : 1_000_000
      const { ok, most } = await tests(['test/figures/texts.test.ts'], { env: { SVC_FIGURES_TEXT: String(wanted) } })
      const [times, wait] = [most('times for ten times the text'), most('ms without a turn of the event loop')]
      return {
        met: ok && times <= 12 && wait <= 100,
        measured: `${grouped(times)} times at most, ${grouped(wait)} ms without a turn of the event loop`,
      }
    },
  },
  secrets: {
    promise: 'secrets in all output, logs and journals of the test run',
    figure: '0',
    async measure() {
      // The whole test run, each command's output searched; then every command again as a process, its files too.
      const { ok, output, sum } = await tests(quick ? ['test/canary', 'test/commands'] : [])
      const [commands, files, found] = [
        sum('commands searched for secrets'),
        sum('files searched for secrets'),
        sum('secrets found'),
      ]
      // A test that fails for another reason has had its output searched all the same.
      const seen = output.includes('a secret stands in')
      return {
        met: commands > 0 && files > 0 && found === 0 && !seen,
        measured: `${found} in the output of ${grouped(commands)} commands and in ${grouped(files)} files${ok ? '' : ' (other tests failed)'}`,
      }
    },
  },
  pipes: {
    promise: '50 MB through a slow pipe and through `head`',
    figure: 'byte-exact, under 150 MB of memory',
    async measure() {
      const megabytes = quick ? 5 : 50
      const { ok, sum, most } = await tests(['test/figures/pipes.test.ts'], {
        env: { SVC_FIGURES_MEGABYTES: String(megabytes) },
      })
      const peak = most('MB of peak memory')
      const [slow, head] = [sum('MB through a slow pipe, byte-exact'), sum('MB through head, byte-exact')]
      return {
        met: ok && slow >= megabytes && peak < 150,
        measured: `${grouped(slow)} and ${grouped(head)} MB ${ok ? 'byte-exact' : 'FAILED'}, ${grouped(peak)} MB of memory`,
      }
    },
  },
  signals: {
    promise: 'signals at random moments',
    figure: 'always resumable, ends by the signal',
    async measure() {
      const rounds = quick ? 12 : 150
      const { ok, sum } = await tests(['test/bulk/signals.test.ts'], {
        only: 'signals at random moments',
        env: { SVC_FIGURES_SIGNALS: String(rounds) },
      })
      const [died, before] = [sum('runs that died by their signal'), sum('runs that ended before their signal')]
      return {
        met: ok && died > 0 && died + before === rounds,
        measured: `${died} died by their signal, ${before} had ended; ${sum('interrupted runs that were resumed to their end')} resumed, ${ok ? '0' : 'SOME'} not`,
      }
    },
  },
  damage: tool(
    'a byte of the build changed, a file cut off, exchanged or gone',
    '500 corruptions × 7 commands: 0 crashes, 0 wrong outputs',
    ['tools/build/damage.mjs', '--corruptions', '500'],
    ['tools/build/damage.mjs', '--corruptions', '50'],
  ),
  power: tool(
    'power loss: the log of writes and syncs of a run, replayed with any unsynced pages lost, at every point',
    '0 false claims, 0 runs that cannot be read; every sync that is taken out is noticed',
    ['tools/crash/power-loss/power-loss.mjs', '--mutants'],
    ['tools/crash/power-loss/power-loss.mjs', '--scale', '0.2', '--randoms', '1', '--resumes', '20'],
  ),
  pairs: tool(
    'resume, retry, --once and prune of the same run started together, in every pair',
    '200 times each: 0 ids sent twice, 0 false claims',
    ['tools/crash/pairs.mjs', '--times', '200'],
    ['tools/crash/pairs.mjs', '--times', '5'],
  ),
  plans: {
    promise: 'plans and signatures that were altered, under a policy that wants approvals',
    figure: '100,000 judged by the pure functions, 1,000 through ssh-keygen: 0 requests',
    async measure() {
      const [pure, signed] = quick ? ['5000', '50'] : ['100000', '1000']
      const env = {
        SVC_FIGURES_PLANS: pure,
        SVC_FIGURES_SIGNED_PLANS: signed,
        SVC_FIGURES_KEYGEN: '/usr/bin/ssh-keygen',
      }
      const { ok, sum } = await tests(['test/plans/altered.test.ts'], { env })
      const [judged, keygen] = [sum('altered plans judged'), sum('altered plans through ssh-keygen')]
      const sent = sum('altered plans sent') + sum('requests of altered plans')
      return {
        met: ok && judged === Number(pure) && keygen === Number(signed) && sent === 0,
        measured: `${grouped(judged)} and ${grouped(keygen)}: ${sent} requests`,
      }
    },
  },
  signatures: tool(
    'good and bad signatures, judged by ssh-keygen and by its stand-in in the tests',
    '1,000: 0 judged differently',
    ['tools/crash/signatures.mjs'],
    ['tools/crash/signatures.mjs', '--signatures', '50'],
  ),
  apply: tool(
    'approved plans, killed before each write of an apply, and applied twice together',
    'every write and 200 pairs: each applied exactly once',
    ['tools/crash/plans.mjs'],
    ['tools/crash/plans.mjs', '--every', '6', '--pairs', '5'],
  ),
  prune: tool(
    'prune and keepRuns killed at every write',
    '0 names answered from a record while their run is there',
    ['tools/crash/prune-kills.mjs'],
    ['tools/crash/prune-kills.mjs', '--every', '3'],
  ),
  once: tool(
    'a scheduler that repeats the same --once command, killed at random moments',
    '1,000 jobs, each done exactly once, summary equal to the record',
    ['tools/crash/once-jobs.mjs', '--jobs', '1000'],
    ['tools/crash/once-jobs.mjs', '--jobs', '30'],
  ),
  rehearse: tool(
    'svc sandbox rehearse: scripts with planted bugs, and right ones, the recipes of README and docs among them',
    '30 bugs found with the request and the fault named, 10 right ones without an alarm',
    ['tools/rehearse/rehearse.mjs'],
    ['tools/rehearse/rehearse.mjs', '--scripts', '5'],
  ),
  annotate: tool(
    '--annotate of a --once command that is killed at random moments and given again',
    '200 kills, 0 files that are not whole, 0 wrong outcomes',
    ['tools/crash/once-jobs.mjs', '--kills', '200'],
    ['tools/crash/once-jobs.mjs', '--kills', '10'],
  ),
  'out-dir': tool(
    'conversations written into a folder by a command that is killed at random moments and given again',
    '200 kills, 0 files that are not whole, all there at the end',
    ['tools/crash/out-dir.mjs', '--kills', '200'],
    ['tools/crash/out-dir.mjs', '--kills', '20'],
  ),
  superseded: tool(
    'a superseded holder of a lock woken at 200 moments of its successor',
    '0 files of another process lost',
    ['tools/crash/superseded.mjs', '--moments', '200'],
    ['tools/crash/superseded.mjs', '--moments', '20'],
  ),
  hosts: tool(
    'two hosts, two pid namespaces, two boots on one state folder; a holder stopped, taken over and continued',
    '0 locks stolen from a holder that renews, 0 false claims',
    ['tools/crash/lock-hosts.mjs'],
  ),
  mutants: tool(
    'the program broken on purpose: never deleted, never gone, a rule forgotten, a sync left out',
    'each noticed by the kill test, chaos and the model',
    ['tools/crash/mutants/mutants.mjs'],
    ['tools/crash/mutants/mutants.mjs', '--by', 'model'],
  ),
  duplicates: tool(
    'answers that come twice, up to 5 ms late, on connections that are kept',
    '0 taken for the answer to another request',
    ['tools/crash/duplicates.mjs', '--runs', '20'],
    ['tools/crash/duplicates.mjs', '--runs', '1'],
  ),
  load: tool(
    'the sandbox under 200 clients for 60 s, and under large bodies that are refused',
    'within 150 MB',
    ['tools/bench/sandbox-memory.mjs'],
    ['tools/bench/sandbox-memory.mjs', '--seconds', '10'],
  ),
  browser: tool(
    'what a foreign page in a real browser can do with a sandbox',
    '20 requests, 0 that read or change anything',
    ['tools/browser/sandbox.mjs'],
  ),
}

const names = values.words.length === 0 ? Object.keys(checks) : oneOf('figure', values.words, Object.keys(checks))

const rows = []
for (const name of names) {
  const { promise, figure, measure } = checks[name]
  const { met, measured } = await measure()
  rows.push({ promise, figure, measured: met ? measured : `NOT MET: ${measured}`, name })
  if (!met) process.exitCode = 1
}

console.log('| promise | figure | measured | command |\n|---|---|---|---|')
for (const { promise, figure, measured, name } of rows) {
  console.log(`| ${promise} | ${figure} | ${measured} | \`npm run figures -- ${quick ? '--quick ' : ''}${name}\` |`)
}
