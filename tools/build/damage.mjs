/**
 * Damages a copy of the build in many ways and runs seven commands on each: every command must do what it always does, or
 * say that the installation is damaged and exit 1. Ends with 1 when one of them crashed, hung, or printed anything else.
 *
 *   node tools/build/damage.mjs                       500 corruptions
 *   node tools/build/damage.mjs --corruptions 20 --seed 7
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { startSandbox, startSvc } from '../harness/processes.mjs'
import { commandLine, ownFolder, randomFrom, root } from '../harness/tool.mjs'

const { corruptions: wanted, seed } = commandLine({ corruptions: 500, seed: 1 })
/** A command takes a tenth of a second; one that is not there after this never ends. */
const timeLimit = 30_000
const folder = ownFolder('damage')

const numbers = randomFrom(seed)
const random = (below) => Math.floor(numbers() * below)
const oneOf = (list) => list[random(list.length)]

/** By name: what may become of a file's bytes; undefined: it is gone. */
const corruptions = {
  'a byte': (bytes) => changed(bytes, 1),
  'a few bytes': (bytes) => changed(bytes, 2 + random(30)),
  'many bytes': (bytes) => changed(bytes, 200),
  'a page of zeros': (bytes) => {
    const copy = Buffer.from(bytes)
    const at = random(copy.length)
    copy.subarray(at, at + 4096).fill(0)
    return copy
  },
  'cut off': (bytes) => bytes.subarray(0, random(bytes.length)),
  empty: () => Buffer.alloc(0),
  'a tail': (bytes) => Buffer.concat([bytes, Buffer.from('0'.repeat(1 + random(100)))]),
  'another file': (_bytes, { dist, name }) => {
    const others = filesOf(dist).filter((other) => other !== name && ending(other) === ending(name))
    return readFileSync(join(dist, oneOf(others) ?? name))
  },
  'not there': () => undefined,
}
const ending = (name) => name.slice(name.lastIndexOf('.') + 1)

function changed(bytes, count) {
  const copy = Buffer.from(bytes)
  for (let i = 0; i < count; i += 1) copy[random(copy.length)] ^= 1 + random(255)
  return copy
}

const filesOf = (dist) => readdirSync(dist).sort()

/** Two times in three a file that the commands do read. */
function chooseFile(dist) {
  const files = filesOf(dist)
  const large = files.filter((name) => name === 'manifest' || statSync(join(dist, name)).size > 20_000)
  return oneOf(random(3) === 0 ? files : large)
}

/** A copy of the program, to be damaged. */
function copyProgram(to) {
  mkdirSync(to)
  for (const part of ['bin', 'dist', 'package.json']) cpSync(join(root, part), join(to, part), { recursive: true })
  return to
}

async function run(program, words) {
  const { child, ended } = startSvc(words, env, { cwd: folder, program: join(program, 'bin/svc.js') })
  const late = setTimeout(() => child.kill('SIGKILL'), timeLimit)
  const { code, signal, stdout, stderr } = await ended
  clearTimeout(late)
  const [printed, said] = [stdout.replace(/"durationMs": \d+/, ''), stderr.replaceAll(/"time":"[^"]+"/g, '')]
  return { code, signal, stdout: printed, stderr: said }
}

/** How a command on a damaged build ended, against what it prints on a whole one. */
function judge(ended, whole) {
  if (ended.signal === 'SIGKILL') return 'hung'
  if (ended.signal !== null) return 'crashed'
  const same = ['code', 'stdout', 'stderr'].every((part) => ended[part] === whole[part])
  if (same) return 'as ever'
  const refused =
    ended.code === 1 &&
    ended.stdout === '' &&
    /^error: this installation is damaged: .*\n.*\n$|^\{.*this installation is damaged.*\}\n$/.test(ended.stderr)
  return refused ? 'refused' : 'wrong'
}

const sandbox = await startSandbox([])
const { examples } = sandbox
const env = { PATH: process.env.PATH, HOME: folder, TZ: 'UTC', ...sandbox.env }
const commands = [
  ['--version'],
  ['--help'],
  ['contacts', 'delete', '--help'],
  ['lists', 'list', '--nope'],
  ['lists', 'list', '--limit', '5'],
  ['tickets', 'history', examples.tickets.active, '-o', 'ndjson', '--limit', '30'],
  ['contacts', 'delete', ...examples.contactsWithoutChats.slice(0, 2), '--dry-run', '--json'],
]

const totals = { 'as ever': 0, refused: 0, wrong: 0, crashed: 0, hung: 0 }
let begun = 0

async function worker(number, whole) {
  const program = copyProgram(join(folder, `program-${number}`))
  const dist = join(program, 'dist')
  while (begun < wanted) {
    begun += 1
    const name = chooseFile(dist)
    const kind = oneOf(Object.keys(corruptions))
    const path = join(dist, name)
    const original = readFileSync(path)
    const damage = corruptions[kind](original, { dist, name })
    if (damage === undefined) rmSync(path)
    else writeFileSync(path, damage)
    for (const [at, words] of commands.entries()) {
      const ended = await run(program, words)
      const verdict = judge(ended, whole[at])
      totals[verdict] += 1
      if (verdict === 'as ever' || verdict === 'refused') continue
      console.log(`${verdict}: ${name}, ${kind}: svc ${words.join(' ')}\n${JSON.stringify(ended).slice(0, 500)}`)
    }
    writeFileSync(path, original)
  }
}

const whole = []
for (const words of commands) whole.push(await run(root, words))
const expected = [0, 0, 0, 2, 0, 0, 0]
if (whole.some(({ code }, at) => code !== expected[at]))
  throw new Error(`the whole build does not work: ${JSON.stringify(whole)}`)
await Promise.all(Array.from({ length: availableParallelism() }, (_, number) => worker(number, whole)))

const { 'as ever': same, refused, wrong, crashed, hung } = totals
console.log(
  `${wanted} corruptions × ${commands.length} commands: ${same} as ever, ${refused} refused, ${crashed} crashes, ${hung} hung, ${wrong} wrong outputs`,
)
process.exitCode = wrong + crashed + hung > 0 || refused === 0 ? 1 : 0
await sandbox.stop()
