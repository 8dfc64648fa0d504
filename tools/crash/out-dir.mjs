/**
 * Conversations written into a folder by a command that is killed at random moments and given again: whatever lies there is whole
 * at every moment, and in the end all of it does.
 *   node tools/crash/out-dir.mjs [--kills 200] [--seed 7] [--program path/to/svc.js]
 */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { sleep, startSandbox, startSvc, svc } from '../harness/processes.mjs'
import { commandLine, ownFolder, randomFrom, seedOf } from '../harness/tool.mjs'

const { kills: wanted, seed, program } = commandLine({ kills: 200, seed: undefined, program: undefined })
const random = randomFrom(seedOf(seed))
const formats = ['json', 'ndjson', 'csv', 'transcript', 'html']
const folder = ownFolder('out-dir')
const sandbox = await startSandbox(['--latency', '3ms'])
const { examples, env } = sandbox
const tickets = [examples.tickets.long, ...examples.assignableTickets.slice(0, 40)]
const problems = []
const totals = { kills: 0, folders: 0, commands: 0, files: 0 }

/** A page says when it was saved. */
const textOf = (out, name) => readFileSync(join(out, name), 'utf8').replace(/<dt>saved<\/dt><dd dir="auto">[^<]*/, '')

const isTicket = (name) => /^[0-9a-f]{24}\./.test(name)

const commandFor = (format, out) => ['tickets', 'history', ...tickets, '-o', format, '--utc', '--out-dir', out]

/** Every file without a dot in front, as it must be. */
function check(out, expected) {
  const files = existsSync(out) ? readdirSync(out).filter(isTicket) : []
  for (const name of files) {
    totals.files += 1
    if (textOf(out, name) !== expected.get(name)) problems.push(`${join(out, name)} is not whole`)
  }
  return files.length
}

async function expectedOf(format) {
  const out = join(folder, `expected-${format}`)
  const started = performance.now()
  const { code, stderr } = await svc(commandFor(format, out), env, { program })
  if (code !== 0) throw new Error(`the command does not work: ${code} ${stderr}`)
  const ms = performance.now() - started
  const names = readdirSync(out).filter(isTicket)
  return { files: new Map(names.map((name) => [name, textOf(out, name)])), ms }
}

/** Kills the command, gives it again, and so on, until it ends by itself. */
async function fill(format, { files, ms }) {
  const out = join(folder, `${format}-${totals.folders}`)
  totals.folders += 1
  for (;;) {
    const { child, ended } = startSvc(commandFor(format, out), env, { program })
    totals.commands += 1
    if (totals.kills < wanted) await Promise.race([sleep(random() * ms), ended])
    const isHit = totals.kills < wanted && child.exitCode === null && child.kill('SIGKILL')
    const { code, signal, stderr } = await ended
    if (isHit && signal === 'SIGKILL') totals.kills += 1
    const count = check(out, files)
    if (signal !== null) continue
    if (code !== 0 || count !== tickets.length) problems.push(`${out}: ${code}, ${count} files: ${stderr}`)
    if (format === 'html' && readdirSync(out).filter((name) => !name.startsWith('.')).length !== tickets.length + 2)
      problems.push(`${out}: the index or the checksums are missing`)
    const left = readdirSync(out).filter((name) => /\.part$|json\./.test(name))
    if (left.length > 0) problems.push(`${out}: ${left.length} drafts are left`)
    break
  }
  rmSync(out, { recursive: true, force: true })
}

try {
  const expected = new Map()
  for (const format of formats) expected.set(format, await expectedOf(format))
  while (totals.kills < wanted) {
    const format = formats[totals.folders % formats.length]
    await fill(format, expected.get(format))
  }
} finally {
  await sandbox.stop()
}
for (const problem of problems.slice(0, 20)) console.log(problem)
console.log(
  `${totals.kills} kills in ${totals.commands} commands and ${totals.folders} folders: ${totals.files} files looked at, ${problems.length} wrong`,
)
process.exitCode = problems.length === 0 ? 0 : 1
