/**
 * A real file system turns read-only under a run, is repaired and mounted again, and the same command is repeated until it ends: every
 * receipt and every total is compared with what the service did.
 *   node tools/real/read-only-disk.mjs [--runs 40] [--svc <bin/svc.js>]   so many of contacts delete, and of lists add-contacts
 * Needs Linux, root, and mkfs.ext4, e2fsck and mount with loop devices. Exits 1 when a claim is false, or when no run was cut off.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { linesOf, sleep, startSandbox, startSvc } from '../harness/processes.mjs'
import { bin, commandLine, ownFolder, refuse, run } from '../harness/tool.mjs'

const { runs, svc: program } = commandLine({ runs: 40, svc: bin })
const size = 160
const again = new Set([7, 10, 11])
const mostRepeats = 6

if (process.platform !== 'linux' || process.getuid?.() !== 0) refuse('this needs Linux and root')
const missing = ['mkfs.ext4', 'e2fsck', 'mount', 'umount'].find(
  (tool) => spawnSync(tool, ['-V']).error !== undefined,
)
if (missing !== undefined) refuse(`this needs ${missing}`)

const folder = ownFolder('read-only')
const image = join(folder, 'disk')
const place = join(folder, 'mount')
mkdirSync(place)

const mount = () => run('mount', ['-o', 'loop,errors=remount-ro', image, place])

function makeDisk() {
  writeFileSync(image, Buffer.alloc(16 << 20))
  run('mkfs.ext4', ['-q', image])
  mount()
}

/** Acts as the kernel does after an error of the disk: writes nothing from now on, and loses unsynced data. */
const failDisk = () => run('mount', ['-o', 'remount,abort', place])

function repair() {
  run('umount', [place])
  // 0: nothing to repair; 1: repaired.
  const { status, stdout } = spawnSync('e2fsck', ['-fy', image], { encoding: 'utf8' })
  if (status === null || status > 1) throw new Error(`e2fsck ended with ${status}: ${stdout}`)
  mount()
}

/** Resolves when the file of the one run has a first answer, or the command has ended. */
async function untilAnswered(child) {
  const records = join(place, 'state/runs')
  while (child.exitCode === null) {
    const [name] = existsSync(records) ? readdirSync(records) : []
    if (name !== undefined && readFileSync(join(records, name), 'utf8').includes('"t":"res"'))
      return
    await sleep(2)
  }
}

/** Each contact was there, and nobody else deletes one: any other outcome is false. */
function falseDeletions({ result }, receipts) {
  const outcomes = receipts.filter(({ outcome }) => !['deleted', 'gone'].includes(outcome))
  const problems = outcomes.map(({ id, outcome }) => `${id} is claimed to be ${outcome}`)
  if (result.deleted + result.gone !== size) problems.push(JSON.stringify(result))
  return problems
}

/** The list was empty, and nobody else adds: nobody was on it before. */
function falseAdditions({ result }, receipts) {
  const outcomes = receipts.filter(({ outcome }) => outcome !== 'ok')
  const problems = outcomes.map(({ id, outcome }) => `${id} is claimed to be ${outcome}`)
  const isTrue = result.skipped === 0 && result.added + result.addedOrSkipped === size
  if (!isTrue) problems.push(JSON.stringify(result))
  return problems
}

/** One run, cut off at a moment of its own and repeated to its end. */
async function cutOff(sandbox, words, ids, claims) {
  makeDisk()
  try {
    const file = join(folder, 'ids.txt')
    writeFileSync(file, ids.join('\n'))
    const options = '--once nightly --concurrency 4 --yes --json batches-of=2'.split(' ')
    const line = [...words, '--file', file, ...options]
    const env = { ...sandbox.env, HOME: folder, SVC_STATE_DIR: join(place, 'state') }
    const first = startSvc(line, env, { program })
    await untilAnswered(first.child)
    await sleep(Math.random() * 150)
    failDisk()
    let ended = await first.ended
    const wasCut = ended.code === 10
    repair()
    for (let n = 0; again.has(ended.code) && n < mostRepeats; n += 1)
      ended = await startSvc(line, env, { program }).ended
    if (ended.code !== 0) return { wasCut, problems: [`exit ${ended.code}: ${ended.stderr}`] }
    const exported = await startSvc(['runs', 'export', 'nightly', '-o', 'ndjson'], env, { program })
      .ended
    return { wasCut, problems: claims(JSON.parse(ended.stdout), linesOf(exported.stdout)) }
  } finally {
    run('umount', [place])
  }
}

const totals = { cut: 0, false: 0 }
for (let n = 1; n <= runs; n += 1) {
  const sandbox = await startSandbox(['--latency', '4ms'])
  try {
    const { emptyList, contactsWithoutChats } = sandbox.examples
    const ids = contactsWithoutChats.slice(0, size)
    // Added first: they are gone then.
    for (const [words, claims] of [
      [['lists', 'add-contacts', emptyList], falseAdditions],
      [['contacts', 'delete'], falseDeletions],
    ]) {
      const { wasCut, problems } = await cutOff(sandbox, words, ids, claims)
      if (wasCut) totals.cut += 1
      if (problems.length > 0) totals.false += 1
      for (const problem of problems.slice(0, 5))
        console.log(`FALSE ${words.slice(0, 2).join(' ')}, run ${n}: ${problem}`)
    }
  } finally {
    await sandbox.stop()
  }
}
console.log(
  `${2 * runs} runs, ${totals.cut} cut off by the disk, ${totals.false} with false claims`,
)
if (totals.false > 0 || totals.cut === 0) process.exitCode = 1
