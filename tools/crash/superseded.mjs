/**
 * A process that writes receipts is stopped, another takes its lock over and writes its own, and the first is woken at a random
 * moment of that: it must touch no file of the other.
 *   node tools/crash/superseded.mjs [--moments 200] [--edits <JSON>]
 */
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sleep } from '../harness/processes.mjs'
import { bundle } from '../harness/program.mjs'
import { commandLine, ownFolder, wholeNumber } from '../harness/tool.mjs'

const values = commandLine({ moments: '200', edits: '[]' })
const edits = JSON.parse(values.edits)
const folder = ownFolder('superseded')
const totals = { moments: 0, lost: 0, ended11: 0, problems: [] }

const script = `
import { takeLock } from './src/bulk/locks/lock.ts'
import { noFiles, OutputFile } from './src/bulk/files/output-file.ts'
import { nodeHost } from './src/host.ts'
const { DIR: dir, TEXT: text } = process.env
const pause = (ms) => new Promise((done) => setTimeout(done, ms))
try {
  const lock = await takeLock(nodeHost(process), dir, { what: 'run R', second: 10, takeOver: true })
  const file = await OutputFile.open(dir + '/out.csv', 'receipts', 'R.' + lock.token)
  const check = () => lock.check()
  file.guard = { check, lost: lock.lost, recheck: async () => { lock.recheck(); await lock.check() } }
  try {
    process.stdout.write('begun')
    for (let n = 0; n < 20; n += 1) { await file.write(text); await pause(5) }
    await file.finish(0)
    await pause(20)
    await file.place(noFiles)
  } finally { await file.discard(); await lock.release() }
} catch (error) { process.exitCode = error.exitCode ?? 1 }
`

function start(program, dir, text) {
  const child = spawn(process.execPath, [program], {
    env: { ...process.env, DIR: dir, TEXT: text },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const begun = new Promise((done) => child.stdout.once('data', done))
  const ended = new Promise((done) => child.once('exit', (code) => done(code)))
  return { child, begun, ended }
}

async function oneMoment(program, n) {
  const dir = join(folder, String(n))
  mkdirSync(dir)
  const first = start(program, dir, 'first\n')
  await first.begun
  await sleep(Math.random() * 130)
  first.child.kill('SIGSTOP')
  const wasDone = readdirSync(dir).includes('out.csv')
  const second = start(program, dir, 'second\n')
  await Promise.race([second.begun, second.ended])
  await sleep(Math.random() * 140)
  first.child.kill('SIGCONT')
  const [one, two] = await Promise.all([first.ended, second.ended])
  totals.moments += 1
  if (one === 11) totals.ended11 += 1
  const text = readdirSync(dir).includes('out.csv') ? readFileSync(join(dir, 'out.csv'), 'utf8') : ''
  // The first may have been done before it was stopped; then the place is taken, and the second says so.
  const isFirst = text === 'first\n'.repeat(20) && two === 10
  const isSecond = text === 'second\n'.repeat(20) && two === 0
  if (isSecond || (isFirst && wasDone)) return
  totals.lost += 1
  totals.problems.push(`${n}: ended with ${one} and ${two}: ${JSON.stringify(text.slice(0, 20))}, ${text.length}`)
}

const program = await bundle(join(folder, 'program.mjs'), script, edits)
const numbers = Array.from({ length: wholeNumber('moments', values.moments, 1) }, (_, n) => n).values()
await Promise.all(
  [1, 2, 3, 4].map(async () => {
    for (const n of numbers) await oneMoment(program, n)
  }),
)
for (const problem of totals.problems) process.stdout.write(`${problem}\n`)
process.stdout.write(
  `${totals.moments} moments, ${totals.ended11} ended with 11, ${totals.lost} files of another process lost\n`,
)
process.exitCode = totals.lost === 0 ? 0 : 1
