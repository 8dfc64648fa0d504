/**
 * The figures of svc, each as a ratio to its limit, measured interleaved in one run. `npm run bench` runs all parts,
 * `npm run bench -- start bulk` some.
 * Needs Node.
 * Times are never a test: the guard in `npm test` counts instead.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { bulk } from './bulk.mjs'
import { environment, folder, idsFile, inTurn, measured } from './measure.mjs'
import { median, report, root, rows } from './measure.mjs'
import { commandLine, oneOf } from '../harness/tool.mjs'
import { installed } from './start.mjs'

const { words: wanted } = commandLine({}, true)

const plan = (path) =>
  measured(['contacts', 'delete', '--file', path, '--dry-run', '--json'], {
    env: { ...environment, SVC_API_KEY: '', SVC_API_SECRET: '' },
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
  report('1,000,000 ids, plan only: s', ms('one') / 1000, '≤ 2.5')
  report('1,000,000 ids, plan only: MB', median(taken.one, 'memory'), '≤ 300')
  report('100,000 ids, plan only: MB', plan(idsFile(100_000)).memory, '≤ 100')
  report('1,000,000 ids as a column of a csv file ÷ as lines', ms('csv') / ms('one'), '≤ 3')
}

function size() {
  const words = ['pack', '--dry-run', '--json', '--ignore-scripts']
  const options = { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }
  const [packed] = JSON.parse(execFileSync('npm', words, options))
  report('packed: kB', packed.size / 1000, '≤ 560')
  report('installed: MB', packed.unpackedSize / 1_000_000, '≤ 1.9')
}

const parts = { start: installed, bulk, ids, size }
const all = Object.keys(parts)
for (const name of wanted.length === 0 ? all : oneOf('part', wanted, all)) await parts[name]()

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
