/**
 * One file shared by four parts, as docs/shards.md shows it: `shard.sh` under GNU parallel and in a Slurm array, both for real.
 * Their processes are killed at random moments and their tasks repeated by the engine. In the end each id was added exactly once, by
 * the service's own record, and stands in exactly one receipt.
 *
 * Needs a build (npm run prepare), and from the distribution's packages GNU parallel, and Slurm with munge, run as root (Debian:
 * apt-get install parallel slurm-wlm munge). What is missing is said, and fails the run.
 *
 *   node tools/shards/shards.mjs                   both
 *   node tools/shards/shards.mjs parallel          only this one
 */
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sleep, start, startSandbox, svc } from '../harness/processes.mjs'
import { bin, commandLine, isThere, oneOf, ownFolder, randomFrom, root, run } from '../harness/tool.mjs'
import { startSlurm } from './slurm.mjs'

const { kills, seed, words } = commandLine({ kills: 12, seed: 1 }, true)
const random = randomFrom(seed)
const page = readFileSync(join(root, 'docs/shards.md'), 'utf8')
const parts = 4

/** A file that the page shows. */
function shown(name) {
  const found = new RegExp(`^\`\`\`bash ${name.replace('.', '\\.')}\\n([^]*?)^\`\`\`$`, 'm').exec(page)
  if (found === null) throw new Error(`docs/shards.md has no ${name}`)
  return found[1]
}

/** The line of the page that begins with this. */
function shownLine(start) {
  const line = page.split('\n').find((each) => each.startsWith(start))
  if (line === undefined) throw new Error(`docs/shards.md has no line "${start}…"`)
  return line
}

/** The processes that work on a part now. */
function workers(folder) {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false
    try {
      const [line, environ] = ['cmdline', 'environ'].map((name) => readFileSync(`/proc/${pid}/${name}`, 'utf8'))
      return [bin, '--once'].every((word) => line.split('\0').includes(word)) && environ.includes(folder)
    } catch {
      return false
    }
  })
}

/** Kills one of them every now and then until so many are dead, or the work has ended. */
async function killSome(folder, ended) {
  let done = false
  let killed = 0
  void ended.then(() => (done = true))
  while (!done && killed < kills) {
    await sleep(100 + random() * 500)
    const alive = workers(folder)
    const pid = alive[Math.floor(random() * alive.length)]
    if (pid === undefined) continue
    try {
      process.kill(Number(pid), 'SIGKILL')
      killed += 1
    } catch {
      // It had ended.
    }
  }
  await ended
  return killed
}

const engines = {
  parallel: {
    needs: ['parallel'],
    async work(place) {
      const { ended } = start('bash', ['-c', shownLine('seq 4 | parallel')], place)
      const killed = await killSome(place.cwd, ended)
      const { code, stderr } = await ended
      return { killed, problems: code === 0 ? [] : [`parallel ended with ${code}: ${stderr}`] }
    },
  },
  slurm: {
    needs: ['munged', 'slurmctld', 'slurmd', 'sbatch'],
    async work(place) {
      const slurm = await startSlurm(join(place.cwd, 'slurm'))
      try {
        const env = { ...place.env, ...slurm.env }
        const job = run('sbatch', ['--parsable', 'shards.sbatch'], { cwd: place.cwd, env }).trim()
        const ended = slurm.ended(job, parts)
        const killed = await killSome(place.cwd, ended)
        return { killed, problems: await ended }
      } finally {
        await slurm.stop()
      }
    },
  },
}

/** Returns what is wrong. */
async function check(name) {
  const { needs, work } = engines[name]
  const missing = needs.filter((command) => !isThere(command))
  if (missing.length > 0) return [`not installed: ${missing.join(', ')}`]
  const folder = ownFolder('shards')
  chmodSync(folder, 0o755)
  const sandbox = await startSandbox(['--contacts', '12000', '--latency', '250ms'])
  try {
    const bins = join(folder, 'bin')
    mkdirSync(bins)
    writeFileSync(join(bins, 'svc'), `#!/bin/sh\nexec "${process.execPath}" "${bin}" "$@"\n`, { mode: 0o755 })
    const own = { SVC_STATE_DIR: join(folder, 'state'), HOME: folder, PATH: `${bins}:${process.env.PATH}` }
    const env = { ...process.env, ...sandbox.env, ...own }
    const ids = (await sandbox.read('state?kind=contacts')).map(({ id }) => id).slice(0, 8000)
    writeFileSync(join(folder, 'ids.txt'), ids.map((id) => `${id}\n`).join(''))
    const list = JSON.parse((await svc(['lists', 'create', '--name', 'Shards', '--json'], env)).stdout)
    for (const file of ['shard.sh', 'shards.sbatch'])
      writeFileSync(join(folder, file), shown(file).replace('Campaign 295', 'Shards'))
    const { killed, problems } = await work({ cwd: folder, env })
    console.log(`${name}: ${ids.length} ids in ${parts} parts, ${killed} processes killed`)
    const found = problems.length > 0 ? problems : await judge(sandbox, { folder, ids, list: list.id, env })
    if (killed < Math.min(kills, 3)) found.push(`only ${killed} processes were killed`)
    return found
  } finally {
    await sandbox.stop()
  }
}

async function judge(sandbox, { folder, ids, list, env }) {
  const problems = []
  const files = Array.from({ length: parts }, (_, n) => readFileSync(join(folder, `added-${n + 1}.csv`), 'utf8'))
  const rows = files.flatMap((text) => text.trim().split('\n').slice(1))
  const receipts = rows.map((row) => row.split(','))
  const once = new Set(receipts.map(([id]) => id))
  if (receipts.length !== ids.length || once.size !== ids.length)
    problems.push(`${receipts.length} receipts of ${once.size} ids for ${ids.length} ids`)
  const bad = receipts.filter(([, , outcome]) => outcome !== 'ok').length
  if (bad > 0) problems.push(`${bad} receipts are not ok`)
  const record = await sandbox.read('record')
  const added = record.flatMap(({ path, added: some = [] }) => (path.includes(list) ? some : [])).length
  if (added !== ids.length) problems.push(`the service added ${added} members for ${ids.length} ids`)
  const members = (await svc(['lists', 'members', `id:${list}`, '-o', 'ids'], env)).stdout.trim().split('\n')
  if (members.length !== ids.length) problems.push(`the list has ${members.length} members for ${ids.length} ids`)
  return problems
}

const all = Object.keys(engines)
for (const name of words.length > 0 ? oneOf('engine', words, all) : all) {
  const problems = await check(name)
  console.log(problems.length === 0 ? `${name}: each id once` : `${name}: FAILED\n  ${problems.join('\n  ')}`)
  if (problems.length > 0) process.exitCode = 1
}
