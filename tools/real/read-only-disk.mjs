/**
 * A real file system turns read-only under a run, is repaired and mounted again, and the same command is repeated until it ends: every
 * receipt and every total is compared with what the service did.
 *   node tools/real/read-only-disk.mjs [--runs 40] [--svc <bin/svc.js>]   so many of each bulk command
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

/** The receipts with another outcome than the possible ones. */
const others = (receipts, possible) =>
  receipts
    .filter(({ outcome }) => !possible.includes(outcome))
    .map(({ id, outcome }) => `${id} is claimed to be ${outcome}`)

/** Each contact was there, and nobody else deletes one: any other outcome is false. */
function falseDeletions({ result }, receipts) {
  const problems = others(receipts, ['deleted', 'gone'])
  if (result.deleted + result.gone !== size) problems.push(JSON.stringify(result))
  return problems
}

/** The list was empty, and nobody else adds: nobody was on it before. */
function falseAdditions({ result }, receipts) {
  const problems = others(receipts, ['ok'])
  const isTrue = result.skipped === 0 && result.added + result.addedOrSkipped === size
  if (!isTrue) problems.push(JSON.stringify(result))
  return problems
}

/** Nobody else assigns: each ticket is done, and a condition on the new assignee holds for all of them. */
async function falseAssigns({ result }, receipts, svc) {
  const problems = others(receipts, ['done'])
  const condition = ['--if-assignee', receipts[0].after, '--new-run', '--json']
  const { stdout } = await svc([...assign(receipts[0].after), ...condition])
  const seen = JSON.parse(stdout).result
  if (seen.done !== result.done || seen.kept !== 0) problems.push(JSON.stringify({ result, seen }))
  return problems
}

/** Nobody else merges: a source is there if and only if its merge was not made. Of one whose answer was lost nothing is claimed. */
async function falseMerges(_, receipts, svc) {
  const { stdout } = await svc(['contacts', 'list', '--json'])
  const there = new Set(JSON.parse(stdout).map(({ id }) => id))
  const problems = others(receipts, ['done', 'unknown'])
  for (const { id, outcome } of receipts)
    if (outcome === 'done' && there.has(id)) problems.push(`${id} is still there`)
  return problems
}

const file = join(folder, 'input.csv')
const assign = (employee) => ['tickets', 'assign', '--file', file, '--to', employee]

/** One run, cut off at a moment of its own and repeated to its end. */
async function cutOff(sandbox, { words, lines, claims }) {
  makeDisk()
  try {
    writeFileSync(file, lines.join('\n'))
    const options = '--once nightly --concurrency 4 --yes --json batches-of=2'.split(' ')
    const line = [...words, ...options]
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
    const summary = ended.stdout === '' ? undefined : JSON.parse(ended.stdout)
    // Merges whose answer was lost are never sent again: exit 3.
    const isEnded = ended.code === 0 || (ended.code === 3 && summary.result.unknown > 0)
    if (!isEnded) return { wasCut, problems: [`exit ${ended.code}: ${ended.stderr}`] }
    const svc = (more) => startSvc(more, env, { program }).ended
    const exported = await svc(['runs', 'export', 'nightly', '-o', 'ndjson'])
    return { wasCut, problems: await claims(summary, linesOf(exported.stdout), svc) }
  } finally {
    run('umount', [place])
  }
}

/** The commands, in an order in which none disturbs a later one. */
async function casesOf({ env, examples }) {
  const { emptyList, contactsWithoutChats, assignableTickets, employee } = examples
  const contacts = contactsWithoutChats.slice(0, size)
  const listed = await startSvc(['contacts', 'list', '--json'], { ...env, HOME: folder }).ended
  const people = JSON.parse(listed.stdout)
    .map(({ id }) => id)
    .filter((id) => !contacts.includes(id))
  const pairs = people.slice(0, size).map((id, n) => `${id},${people[size + n]}`)
  const ofFile = (...words) => [...words, '--file', file]
  return {
    add: {
      words: ofFile('lists', 'add-contacts', emptyList),
      lines: contacts,
      claims: falseAdditions,
    },
    delete: { words: ofFile('contacts', 'delete'), lines: contacts, claims: falseDeletions },
    assign: { words: assign(employee), lines: assignableTickets, claims: falseAssigns },
    merge: {
      words: ofFile('contacts', 'merge'),
      lines: ['source,target', ...pairs],
      claims: falseMerges,
    },
  }
}

const totals = { cut: 0, false: 0 }
for (let n = 1; n <= runs; n += 1) {
  const sandbox = await startSandbox(['--latency', '4ms'])
  try {
    for (const [name, each] of Object.entries(await casesOf(sandbox))) {
      const { wasCut, problems } = await cutOff(sandbox, each)
      if (wasCut) totals.cut += 1
      if (problems.length > 0) totals.false += 1
      for (const problem of problems.slice(0, 5)) console.log(`FALSE ${name}, run ${n}: ${problem}`)
    }
  } finally {
    await sandbox.stop()
  }
}
console.log(
  `${4 * runs} runs, ${totals.cut} cut off by the disk, ${totals.false} with false claims`,
)
if (totals.false > 0 || totals.cut === 0) process.exitCode = 1
