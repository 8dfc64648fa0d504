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
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { sleep, startSandbox, svc } from '../harness/processes.mjs'
import { bin, commandLine, oneOf, ownFolder, randomFrom, root, wholeNumber } from '../harness/tool.mjs'
import { startSlurm } from './slurm.mjs'

const values = commandLine({ kills: '12', seed: '1' }, true)
const kills = wholeNumber('kills', values.kills)
const random = randomFrom(wholeNumber('seed', values.seed))
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

function has(command) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, command)))
}

/** The processes that work on a part now. */
function workers(folder) {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
      return (
        words.includes(bin) && words.includes('--once') && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(folder)
      )
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

function run(words, { cwd, env }) {
  const [command, ...rest] = words
  const child = spawn(command, rest, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] })
  let stderr = ''
  child.stderr.on('data', (chunk) => (stderr += chunk))
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stderr })))
}

const engines = {
  parallel: {
    needs: ['parallel'],
    async work(place) {
      const ended = run(['bash', '-c', shownLine('seq 4 | parallel')], place)
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
        const submitted = spawnSync('sbatch', ['--parsable', 'shards.sbatch'], {
          cwd: place.cwd,
          env,
          encoding: 'utf8',
        })
        if (submitted.status !== 0) throw new Error(`sbatch: ${submitted.stderr}`)
        const ended = slurm.ended(submitted.stdout.trim(), parts)
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
  const missing = needs.filter((command) => !has(command))
  if (missing.length > 0) return [`not installed: ${missing.join(', ')}`]
  const folder = ownFolder('shards')
  chmodSync(folder, 0o755)
  const sandbox = await startSandbox(['--contacts', '12000', '--latency', '250ms'])
  try {
    const bins = join(folder, 'bin')
    mkdirSync(bins)
    writeFileSync(join(bins, 'svc'), `#!/bin/sh\nexec "${process.execPath}" "${bin}" "$@"\n`, { mode: 0o755 })
    const env = {
      ...process.env,
      ...sandbox.env,
      SVC_STATE_DIR: join(folder, 'state'),
      HOME: folder,
      PATH: `${bins}:${process.env.PATH}`,
    }
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
  const rows = Array.from({ length: parts }, (_, n) =>
    readFileSync(join(folder, `added-${n + 1}.csv`), 'utf8')
      .trim()
      .split('\n')
      .slice(1),
  ).flat()
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
for (const name of values.words.length > 0 ? oneOf('engine', values.words, all) : all) {
  const problems = await check(name)
  console.log(problems.length === 0 ? `${name}: each id once` : `${name}: FAILED\n  ${problems.join('\n  ')}`)
  if (problems.length > 0) process.exitCode = 1
}
