/**
 * The figures of svc, each as a ratio to its limit, measured interleaved in one run. `npm run bench` runs all parts,
 * `npm run bench -- start bulk` some. Times are never a test: the guard in `npm run test:slow` counts instead.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { bulk } from './bulk.mjs'
import { bin, environment, folder, idsFile, interleave, inTurn, measured } from './measure.mjs'
import { median, rateOf, report, root, rows, serve, time } from './measure.mjs'
import { commandLine, refuse } from '../harness/tool.mjs'
import { people } from './people.mjs'
import { runs } from './runs.mjs'
import { start } from './start.mjs'
import { workbook } from './workbook.mjs'

const { words: wanted } = commandLine({}, true)

const plan = (path) =>
  measured(['contacts', 'delete', '--file', path, '--dry-run', '--json'], {
    // A plan sends nothing.
    env: { ...environment, SVC_BASE_URL: 'http://127.0.0.1:9' },
  })

function ids() {
  const million = idsFile(1_000_000)
  const csv = join(folder, 'ids.csv')
  const lines = readFileSync(million, 'utf8').trimEnd().split('\n')
  const rowsOfCsv = lines.map((id) => `"Anna ""Ann"" Miller",${id},Berlin\n`)
  writeFileSync(csv, `name,id,city\n${rowsOfCsv.join('')}`)
  const taken = inTurn({ one: () => plan(million), csv: () => plan(csv) }, 3)
  const ms = (name) => median(taken[name], 'ms')
  report('1,000,000 ids, plan only: s', ms('one') / 1000, '≤ 1.2')
  report('1,000,000 ids, plan only: MB', median(taken.one, 'memory'), '≤ 240')
  report('100,000 ids, plan only: MB', plan(idsFile(100_000)).memory, '≤ 80')
  report('1,000,000 ids as a column of a csv file ÷ as lines', ms('csv') / ms('one'), '≤ 3.3')
}

function xlsx() {
  const path = join(folder, 'ids.xlsx')
  writeFileSync(path, workbook(100_000))
  const { plans } = inTurn({ plans: () => plan(path) }, 3)
  report('workbook of 100,000 × 6, planned: s of processor', median(plans, 'cpu') / 1000, '≤ 3.2')
  report('workbook of 100,000 × 6, planned: MB', median(plans, 'memory'), '≤ 220')
}

async function history() {
  const messages = 2000
  const { env, port } = await serve({ latency: 20, messages })
  const ticket = '000000000000000000000001'
  const taken = inTurn(
    {
      start: () => time([bin, 'lists', 'list', '--json', '--limit', '1'], env),
      history: () => measured(['tickets', 'history', ticket, '-o', 'ndjson'], { env }),
      limit: () => rateOf(port, 1, 100, `/v1/tickets/${ticket}/history?chunkLastMessageId=40`),
    },
    5,
  )
  const wrong = taken.history.find(({ lines }) => lines !== messages)
  if (wrong !== undefined) throw new Error(`history: ${wrong.lines} of ${messages} messages`)
  // One request is part of the start-up that is taken off.
  const rate = 99 / ((median(taken.history, 'ms') - median(taken.start)) / 1000)
  report('history at 20 ms ÷ one request in flight', rate / median(taken.limit), '≥ 0.94')
}

async function tables() {
  const [small, large] = [await serve({ lists: 1000 }), await serve({ lists: 10_000 })]
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

const parts = { start, bulk, ids, xlsx, history, people, tables, size, runs }
const stranger = wanted.find((name) => !(name in parts))
if (stranger !== undefined)
  refuse(`no part "${stranger}"; there are: ${Object.keys(parts).join(', ')}`)
for (const name of wanted.length === 0 ? Object.keys(parts) : wanted) await parts[name]()

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
