/**
 * Deletes on disks that become full, each a page larger, so that one after the other of svc's
 * commits fails. Nothing is sent without a recorded attempt. Linux, as root.
 *
 *   node tools/simulate/full-disk.mjs [--pages 60]
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { claim, endSimulation, startSandbox, svc } from '../harness/processes.mjs'
import { commandLine, ownFolder, refuse, run } from '../harness/tool.mjs'

const { pages } = commandLine({ pages: 60 })
if (process.geteuid?.() !== 0) refuse('only root can make a small disk')
const idsPerJob = 12
const folder = ownFolder('full')
const sandbox = await startSandbox(pages * idsPerJob * 2)
const people = await sandbox.read('contacts')
const free = people.filter(({ chat }) => !chat).map(({ id }) => id)
const disks = []
// Before the folder is removed.
process.prependListener('exit', () => run('umount', disks))

/** How many times each of these contacts was deleted. */
async function deletionsOf(ids) {
  const record = await sandbox.read('record')
  return ids.map((id) => record.filter(({ changed }) => changed.includes(id)).length)
}

/** A job on a disk of its own with so many pages, and what it says. */
async function begin(size) {
  const disk = join(folder, String(size))
  mkdirSync(disk)
  run('mount', ['-t', 'tmpfs', '-o', `size=${size * 4}k,mode=700`, 'tmpfs', disk])
  disks.push(disk)
  const env = { ...sandbox.env, HOME: disk, SVC_STATE_DIR: join(disk, 'state'), BATCHES_OF: '2' }
  const ids = free.splice(0, idsPerJob)
  const words = ['contacts', 'delete', ...ids, '--yes', '--once', 'job', '--json']
  const { code, stdout, stderr } = await svc(words, env)
  const check = (isTrue, what) => claim(isTrue, `${size} pages: ${what}: ${stderr}`)
  const deleted = (await deletionsOf(ids)).reduce((total, count) => total + count, 0)
  check(
    code === 0 || /no space left|is full|disk I.O error/.test(stderr),
    `exit ${code} without its reason`,
  )
  check(!/SQL|constraint|statement|has a bug/i.test(stderr), 'words of the database')
  check(code !== 2 || deleted === 0, `exit 2, and ${deleted} were deleted`)
  if (stdout !== '') {
    const { done = 0, 'no-answer': noAnswer = 0 } = JSON.parse(stdout).outcomes
    check(done <= deleted && deleted <= done + noAnswer, `${done} of ${deleted}`)
  }
  return { disk, env, ids, words, check, code }
}

async function finish({ disk, env, ids, words, check }) {
  run('mount', ['-o', 'remount,size=64m', disk])
  const { code, stderr } = await svc(words, env)
  check([0, 3].includes(code), `then exit ${code}: ${stderr}`)
  const all = await deletionsOf(ids)
  const isOnce = all.every((count) => count === 1)
  check(isOnce, `deleted ${all.join(' ')} times`)
}

const begun = []
for (let size = 1; size <= pages; size += 1) begun.push(await begin(size))
for (const job of begun) await finish(job)
const codes = new Set(begun.map(({ code }) => code))
await endSimulation(sandbox, `${pages} disks, ended with ${[...codes].join(', ')}`)
