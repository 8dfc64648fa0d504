/**
 * Deletes with a record on disks that become full, each a page larger than the one before, so that one after the other of svc's commits
 * fails. Nothing may be sent without a recorded attempt, and the same `--once` ends the job when there is room. Linux, as root.
 *   node tools/simulate/full-disk.mjs [--pages 60]
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { startSandbox, svc } from '../harness/processes.mjs'
import { commandLine, ownFolder, refuse } from '../harness/tool.mjs'

const { pages } = commandLine({ pages: 60 })
if (process.geteuid?.() !== 0) refuse('only root can make a small disk')
const idsPerJob = 12
const disk = join(ownFolder('full'), 'disk')
mkdirSync(disk)
const sandbox = await startSandbox(pages * idsPerJob * 2)
const people = await sandbox.read('contacts')
const free = people.filter(({ chat }) => !chat).map(({ id }) => id)
const env = { ...sandbox.env, HOME: disk, SVC_STATE_DIR: join(disk, 'state'), BATCHES_OF: '2' }
const wrong = []
const ends = {}

/** How many times each of these contacts was deleted. */
async function deletionsOf(ids) {
  const record = await sandbox.read('record')
  return ids.map((id) => record.filter(({ changed }) => changed.includes(id)).length)
}

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0)

async function playOn(size) {
  const ids = free.splice(0, idsPerJob)
  const words = ['contacts', 'delete', ...ids, '--yes', '--once', 'job', '-o', 'json']
  const { code, stdout, stderr } = await svc(words, env)
  ends[code] = (ends[code] ?? 0) + 1
  const claim = (isTrue, what) => isTrue || wrong.push(`${size} pages: ${what}: ${stderr}`)
  const deleted = sum(await deletionsOf(ids))
  const { outcomes = {} } = stdout === '' ? {} : JSON.parse(stdout)
  const { done = 0, unknown = 0 } = outcomes
  claim(code === 0 || /no space left|is full/.test(stderr), `exit ${code} without its reason`)
  claim(code !== 2 || deleted === 0, `exit 2, and ${deleted} were deleted`)
  if (stdout !== '') claim(done <= deleted && deleted <= done + unknown, `${done} of ${deleted}`)
  execFileSync('mount', ['-o', 'remount,size=64m', disk])
  const again = await svc(words, env)
  claim([0, 3].includes(again.code), `then exit ${again.code}: ${again.stderr}`)
  const all = await deletionsOf(ids)
  claim(
    all.every((count) => count === 1),
    `deleted ${all.join(' ')} times`,
  )
}

for (let size = 1; size <= pages; size += 1) {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size * 4}k,mode=700`, 'tmpfs', disk])
  try {
    await playOn(size)
  } finally {
    execFileSync('umount', [disk])
  }
}
await sandbox.stop()
for (const what of wrong) console.log(`FALSE ${what}`)
const counts = Object.entries(ends).map(([code, count]) => `${count} with ${code}`)
console.log(`${pages} disks, ended ${counts.join(', ')}; ${wrong.length} false`)
process.exitCode = wrong.length === 0 ? 0 : 1
