/** A million ids, workbooks, and many runs: memory, processor time, size of the record. */
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { deleteIds } from './bulk.mjs'
import {
  idsFile,
  inTurn,
  leastProgram,
  measured,
  median,
  newFolder,
  report,
  serve,
} from './measure.mjs'

/** A million ids without latency, in processor time, which a busy machine tells too. */
async function million() {
  const SVC_STATE_DIR = newFolder()
  const env = { ...(await serve()), SVC_STATE_DIR }
  const cases = {
    ours: () => deleteIds(env, 1_000_000, 8),
    plain: () => measured(`${env.SVC_BASE_URL} 8 10000`, env, leastProgram),
  }
  const { ours, plain } = inTurn(cases, 3)
  const megabytes = statSync(join(SVC_STATE_DIR, 'runs.db')).size / ours.length / 1e6
  const ratio = median(ours, 'cpu') / median(plain, 'cpu')
  report("1,000,000 deletes, processor time ÷ undici's dispatch", ratio, 'not behind')
  report('1,000,000 deletes: MB', median(ours, 'memory'), '≤ 320')
  report('1,000,000 deletes, in the record: MB', megabytes, '≤ 45')
}

/** Plans send nothing. */
async function plans() {
  const env = await serve({ lists: 1000, members: 200 })
  const lines = idsFile(1_000_000)
  const [csv, xlsx] = ['ids.csv', 'ids.xlsx'].map((name) => join(newFolder(), name))
  const rowsOfCsv = readFileSync(lines, 'utf8').replaceAll(
    /^.+$/gm,
    '"Anna ""Ann"" Miller",$&,Berlin',
  )
  writeFileSync(csv, `name,id,city\n${rowsOfCsv}`)
  measured(`contacts list --out ${xlsx} --fields id,name,phone,email,lists,created`, env)
  const plan = (path) => () => measured(`contacts delete --dry-run --json --file ${path}`, env)
  const taken = inTurn({ lines: plan(lines), csv: plan(csv), xlsx: plan(xlsx) }, 3)
  report('1,000,000 ids planned: s', median(taken.lines, 'ms') / 1000, 'not behind')
  report('1,000,000 ids planned: MB', median(taken.lines, 'memory'), 'not behind')
  const ratio = median(taken.csv, 'ms') / median(taken.lines, 'ms')
  report('1,000,000 ids as a column of csv ÷ as lines', ratio, 'not behind')
  report('a workbook of 100,000 × 6, planned: MB', median(taken.xlsx, 'memory'), '≤ 211')
}

/** Makes one recorded run many, with its batches. */
function multiply(path, count) {
  // The same library as in svc, which Node 24 does not need.
  const { DatabaseSync } = createRequire(import.meta.url)('@photostructure/sqlite')
  const database = new DatabaseSync(path)
  // An earlier version has other names for them.
  const [runs, batches] = ['run', 'batch'].map((prefix) => {
    const query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE ? || '%'"
    return database.prepare(query).get(prefix).name
  })
  database.exec(`CREATE TEMP TABLE one AS SELECT * FROM ${runs}`)
  database.exec(`CREATE TEMP TABLE sent AS SELECT * FROM ${batches}; BEGIN`)
  for (let n = 2; n <= count; n += 1)
    database.exec(`UPDATE one SET key = ${n}, id = 'run ${n}';
      INSERT INTO ${runs} SELECT * FROM one;
      UPDATE sent SET run = ${n}; INSERT INTO ${batches} SELECT * FROM sent`)
  database.exec('COMMIT')
  database.close()
}

async function runs(most, ids) {
  const server = await serve()
  const [one, all] = [1, most].map((count) => {
    const env = { ...server, SVC_STATE_DIR: newFolder() }
    deleteIds(env, ids, 4)
    multiply(join(env.SVC_STATE_DIR, 'runs.db'), count)
    return () => measured('runs list --json', env)
  })
  const taken = inTurn({ one, all }, 11)
  const more = median(taken.all, 'ms') - median(taken.one, 'ms')
  report(`runs list: ms more with ${most} runs of ${ids} ids than with one`, more, 'not behind')
}

export async function memory() {
  await million()
  await plans()
  await runs(1000, 100)
  await runs(365, 10_000)
}
