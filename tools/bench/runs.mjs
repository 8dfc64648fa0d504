/** Many recorded runs: to list them, and for a command whose ids may be open in one. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { bin, folder, idsFile, interleave, measured } from './measure.mjs'
import { median, report, serve, time } from './measure.mjs'

const require = createRequire(import.meta.url)

export async function runs() {
  const { env } = await serve({ missing: true })
  const removal = ['contacts', 'delete', '--yes', '--file']
  for (const [many, ids] of [
    [1000, 100],
    [365, 10_000],
  ]) {
    const state = (count) => ({ ...env, SVC_STATE_DIR: join(folder, `runs-${ids}-${count}`) })
    // No contact is found, so each ends with 3.
    for (const count of [1, many])
      measured([...removal, idsFile(ids)], { env: state(count), codes: [3] })
    multiply(join(state(many).SVC_STATE_DIR, 'runs.db'), many)
    for (const words of [
      ['runs', 'list', '--json'],
      [...removal, idsFile(100), '--dry-run'],
    ]) {
      const timeWith = (count) => () => time([bin, ...words], state(count))
      const times = interleave({ one: timeWith(1), many: timeWith(many) }, 11)
      const [one, all] = [median(times.one), median(times.many)]
      const what = `svc ${words.slice(0, 2).join(' ')}: ms more with ${many} runs of ${ids} ids than with one`
      report(what, all - one, '≤ 30', `${all.toFixed(0)} and ${one.toFixed(0)} ms`)
    }
  }
}

/** Copies the one run of a record, with its batches, until it has so many. */
function multiply(path, count) {
  // The same library as in `src/host.ts`, which Node 24 does not need.
  const { DatabaseSync } = require('@photostructure/sqlite')
  const database = new DatabaseSync(path)
  const run = `INSERT INTO runs SELECT key + ?, substr(id, 1, length(id) - 4) || printf('%05x', ?), once, job, accepted, begun - ?, touched,
    turn, working, pid, host, ended, stop, closed, counts, due FROM runs WHERE key = 1`
  const batches = `INSERT INTO batches SELECT run + ?, n, size, outcome, outcomes, due, at, status, code, message, noted, items
    FROM batches WHERE run = 1`
  database.exec('BEGIN IMMEDIATE')
  for (let n = 1; n < count; n += 1) {
    database.prepare(run).run(n, n, n)
    database.prepare(batches).run(n)
  }
  database.exec('COMMIT')
  database.close()
}
