/**
 * A process that writes receipts is stopped, another takes its lock over and writes its own, and the first is woken at a random
 * moment of that: it must touch no file of the other.
 *   node tools/crash/superseded.mjs [--moments 200] [--edits <JSON>]
 */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sleep, start } from '../harness/processes.mjs'
import { bundle } from '../harness/program.mjs'
import { commandLine, ownFolder } from '../harness/tool.mjs'

const { moments, edits } = commandLine({ moments: 200, edits: '[]' })
const folder = ownFolder('superseded')
let [lost, ended11, refused] = [0, 0, 0]

const script = `
import { takeLock } from './src/bulk/locks/take.ts'
import { noFiles, OutputFile } from './src/bulk/files/output-file.ts'
import { nodeHost } from './src/host.ts'
const { DIR: dir, TEXT: text } = process.env
const pause = (ms) => new Promise((done) => setTimeout(done, ms))
try {
  const host = nodeHost(process)
  const lock = await takeLock(host, dir, { what: 'run R', second: 10, takeOver: true })
  const file = await OutputFile.open(host, { path: dir + '/out.csv', kind: 'receipts' })
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
const program = await bundle(join(folder, 'program.mjs'), script, JSON.parse(edits))

function writer(dir, text) {
  const { child, ended } = start(process.execPath, [program], { env: { ...process.env, DIR: dir, TEXT: text } })
  return { child, ended, begun: new Promise((done) => child.stdout.once('data', done)) }
}

async function oneMoment(n) {
  const dir = join(folder, String(n))
  mkdirSync(dir)
  const first = writer(dir, 'first\n')
  await first.begun
  await sleep(Math.random() * 130)
  first.child.kill('SIGSTOP')
  const wasDone = readdirSync(dir).includes('out.csv')
  const second = writer(dir, 'second\n')
  await Promise.race([second.begun, second.ended])
  await sleep(Math.random() * 140)
  first.child.kill('SIGCONT')
  const [one, two] = await Promise.all([first.ended, second.ended])
  if (one.code === 11) ended11 += 1
  const text = readdirSync(dir).includes('out.csv') ? readFileSync(join(dir, 'out.csv'), 'utf8') : ''
  // The first may have been done before it was stopped; then the place is taken, and the second says so.
  const isFirst = text === 'first\n'.repeat(20) && two.code === 10
  const isSecond = text === 'second\n'.repeat(20) && two.code === 0
  if (isSecond || (isFirst && wasDone)) return
  // On a busy machine the second may get no lock, or lose its own: then nothing is there, or all that the first has written.
  if (two.code === 11 && (text === '' || (text === 'first\n'.repeat(20) && one.code === 0))) {
    refused += 1
    return
  }
  lost += 1
  const said = `${one.stderr}${two.stderr}`
  console.log(
    `${n}: ended with ${one.code} and ${two.code}: ${JSON.stringify(text.slice(0, 20))}, ${text.length} ${said}`,
  )
}

const numbers = Array.from({ length: moments }, (_, n) => n).values()
const worker = async () => {
  for (const n of numbers) await oneMoment(n)
}
await Promise.all([worker(), worker(), worker(), worker()])
console.log(
  `${moments} moments, ${ended11} ended with 11, ${refused} without a successor, ${lost} files of another process lost`,
)
process.exitCode = lost === 0 && refused < moments / 2 ? 0 : 1
