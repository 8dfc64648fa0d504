/**
 * The figures of svc, each as a ratio to its limit, measured interleaved in one run. `npm run bench` runs all parts,
 * `npm run bench -- start bulk` some (slow ones only so). Needs Node. Times are never a test: the guard in `npm run test:slow` counts instead.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { bulk } from './bulk.mjs'
import { bin, environment, folder, idsFile, interleave, inTurn, measured } from './measure.mjs'
import { median, rateOf, report, root, rows, serve, time } from './measure.mjs'
import { commandLine, oneOf } from '../harness/tool.mjs'
import { find, pages, people } from './pages.mjs'
import { runs } from './runs.mjs'
import { start } from './start.mjs'
import { workbook } from './workbook.mjs'

const { words: wanted } = commandLine({}, true)

const plan = (path) =>
  measured(['contacts', 'delete', '--file', path, '--dry-run', '--json'], {
    // A plan sends nothing.
    env: { ...environment, SVC_BASE_URL: 'http://127.0.0.1:9' },
  })

/** The same ids between two other columns. */
function csvFile(lines) {
  const path = join(folder, 'ids.csv')
  const rows = readFileSync(lines, 'utf8').trimEnd().split('\n')
  writeFileSync(
    path,
    `name,id,city\n${rows.map((id) => `"Anna ""Ann"" Miller",${id},Berlin\n`).join('')}`,
  )
  return path
}

async function ids() {
  const million = idsFile(1_000_000)
  const csv = csvFile(million)
  const cases = { one: () => plan(million), csv: () => plan(csv) }
  const taken = inTurn(cases, 3)
  const ms = (name) => median(taken[name], 'ms')
  report('1,000,000 ids, plan only: s', ms('one') / 1000, '≤ 1.2')
  report('1,000,000 ids, plan only: MB', median(taken.one, 'memory'), '≤ 240')
  report('100,000 ids, plan only: MB', plan(idsFile(100_000)).memory, '≤ 80')
  report('1,000,000 ids as a column of a csv file ÷ as lines', ms('csv') / ms('one'), '≤ 3.3')
}

function xlsx() {
  for (const [kind, isShared] of [
    ['shared texts', true],
    ['texts in cells', false],
  ]) {
    const path = join(folder, 'ids.xlsx')
    writeFileSync(path, workbook(isShared))
    const { plans } = inTurn({ plans: () => plan(path) }, 3)
    report(`workbook of 100,000 × 6, ${kind}: s of processor`, median(plans, 'cpu') / 1000, '≤ 3.2')
    report(`workbook of 100,000 × 6, ${kind}: MB`, median(plans, 'memory'), '≤ 220')
  }
}

function history(env, messages) {
  const taken = measured(['tickets', 'history', '000000000000000000000001', '-o', 'ndjson'], {
    env,
  })
  const lines = taken.stdout.split('\n').length - 1
  if (lines !== messages) throw new Error(`history: ${lines} of ${messages} messages`)
  return taken
}

async function streams() {
  const slow = await serve(20, 2000)
  const { starts } = inTurn(
    { starts: () => time([bin, 'lists', 'list', '--json', '--limit', '1'], slow.env) },
    5,
  )
  const { taken } = inTurn({ taken: () => history(slow.env, 2000) }, 3)
  const limit = rateOf('client.mjs', slow.port, 1, 100)
  // One request is part of the start-up that is taken off.
  const share = 99 / ((median(taken, 'ms') - median(starts)) / 1000) / limit
  report('history at 20 ms ÷ one connection, one request at a time', share, '≥ 0.94')
  const [short, long] = [await serve(0, 5000), await serve(0, 50_000)]
  const { few, many } = inTurn(
    { few: () => history(short.env, 5000), many: () => history(long.env, 50_000) },
    3,
  )
  const memory = median(many, 'memory')
  const growth = memory / median(few, 'memory')
  report('history: memory of 50,000 messages ÷ 5,000', growth, '≤ 1.1', `${memory.toFixed(0)} MB`)
}

async function tables() {
  const [small, large] = [await serve(0, 20, 1000), await serve(0, 20, 10_000)]
  const run = (server) => () => time([bin, 'lists', 'list', '--limit', 'all'], server.env)
  const times = interleave({ small: run(small), large: run(large) }, 3)
  const ratio = median(times.large) / median(times.small)
  report('table of 10,000 rows ÷ 1,000', ratio, '≤ 11', `${median(times.large).toFixed(0)} ms`)
}

function size() {
  const words = ['pack', '--dry-run', '--json', '--ignore-scripts']
  const options = { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }
  const [packed] = JSON.parse(execFileSync('npm', words, options))
  report('packed: kB', packed.size / 1000, '≤ 420')
  report('installed: MB', packed.unpackedSize / 1_000_000, '≤ 1.25')
}

const parts = { start, bulk, ids, xlsx, streams, pages, find, tables, size, runs }
/** These take long, and run only when they are named. */
const slow = { people }
const all = { ...parts, ...slow }
oneOf('part', wanted, Object.keys(all))
for (const name of wanted.length === 0 ? Object.keys(parts) : wanted) await all[name]()

const digest = createHash('sha256').update(
  readdirSync(join(root, 'dist'))
    .map((name) => `${name} ${statSync(join(root, 'dist', name)).size}`)
    .join('\n'),
)
console.log(
  `Node ${process.versions.node}, ${process.platform} ${process.arch}, ${cpus().length} × ${cpus()[0]?.model.trim()}, build ${digest.digest('hex').slice(0, 8)}\n`,
)
console.log('| what | measured | goal | met |\n|---|---|---|---|')
for (const { what, value, goal, met, detail } of rows)
  console.log(`| ${what} | ${value}${detail === '' ? '' : ` (${detail})`} | ${goal} | ${met} |`)
process.exit(rows.some(({ met }) => met === 'NO') ? 1 : 0)
