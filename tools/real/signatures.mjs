/**
 * Good and bad signatures of plans, judged by OpenSSH's ssh-keygen and by its stand-in in the tests: both say the same of each, whichever
 * of the two made the key and the signature. Needs ssh-keygen.
 *   node tools/real/signatures.mjs [--signatures 1000] [--seed 7] [--keygen path/to/ssh-keygen]
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandLine, ownFolder, randomFrom, root, seedOf } from '../harness/tool.mjs'

const values = commandLine({ signatures: 1000, seed: undefined, keygen: '/usr/bin/ssh-keygen' })
const { signatures: count } = values
const random = randomFrom(seedOf(values.seed))
const pick = (from) => from[Math.floor(random() * from.length)]
const folder = ownFolder('signatures')
const at = (name) => join(folder, name)
const programs = [[values.keygen], [process.execPath, join(root, 'test/plans/ssh-keygen.mjs')]]
const run = ([program, ...first], words, input = '') => {
  const { status, stdout } = spawnSync(program, [...first, ...words], { input })
  return { isGood: status === 0, stdout: stdout.toString() }
}

// Keys of each program; the last is nobody's.
const keys = programs.flatMap((_, maker) => [`ana${maker}`, `ben${maker}`]).concat('eve')
for (const [place, name] of keys.entries())
  run(programs[place < 2 || name === 'eve' ? 0 : 1], [
    '-t',
    'ed25519',
    '-N',
    '',
    '-f',
    at(name),
    '-C',
    name,
  ])
const publicKey = (name) => readFileSync(at(`${name}.pub`), 'utf8').replace(/ \S+\n$/, '')
const namespaces = ['svc-plan', 'git,svc-plan', 'git'].map((names) => `namespaces="${names}" `)
const options = ['', ...namespaces, 'valid-before="20250101" ']
const signers = keys
  .slice(0, 4)
  .flatMap((name) =>
    options.map((option, n) => [`${name}-${n}@example.com`, `${option}${publicKey(name)}`]),
  )

/** A signature with one thing changed, or none. */
function altered(text) {
  const spot = Math.floor(random() * text.length)
  const other = pick(Array.from('ABCxyz019+/=-\n \r!\0'))
  return pick([
    () => text,
    () => text.slice(0, spot) + other + text.slice(spot + 1),
    () => text.slice(0, spot) + text.slice(spot + 1),
    () => text.slice(0, spot),
    () => text.replaceAll('\n', '\r\n'),
    () => text + other,
    () => text.trimEnd(),
    () => `${text}${text}`,
  ])()
}

let [good, differing] = [0, 0]
for (let n = 0; n < count; n += 1) {
  const message = Buffer.from(`{"schema":"svc.plan/1","n":${pick([n, 0])}}`)
  const namespace = pick(['svc-plan', 'svc-plan', 'svc-plan', 'git', 'svc-evidence'])
  const made = run(
    pick(programs),
    ['-Y', 'sign', '-f', at(pick(keys)), '-n', namespace],
    message,
  ).stdout
  writeFileSync(at('signature'), random() < 0.4 ? made : altered(made))
  const lines =
    random() < 0.5
      ? signers.filter(([principal]) => principal.includes('-0'))
      : [pick(signers), pick(signers)]
  writeFileSync(at('signers'), lines.map((line) => `${line.join(' ')}\n`).join(''))
  const judged =
    random() < 0.8 ? message : Buffer.concat([message, Buffer.from(pick([' ', '\n', '{}']))])
  const common = ['-f', at('signers'), '-s', at('signature'), '-Overify-time=20260301101500']
  const said = programs.map((program) => {
    const found = run(program, ['-Y', 'find-principals', ...common])
    const [principal = ''] = found.stdout.split('\n')
    if (!found.isGood || principal === '') return 'nobody'
    const { isGood, stdout } = run(
      program,
      ['-Y', 'verify', '-I', principal, '-n', 'svc-plan', ...common],
      judged,
    )
    return isGood ? stdout.trim() : `refused: ${principal}`
  })
  if (said[0].startsWith('Good')) good += 1
  if (said[0] === said[1]) continue
  differing += 1
  console.log(
    `signature ${n}: ${said.join(' | ')}\n${JSON.stringify(readFileSync(at('signature'), 'latin1'))}`,
  )
}
console.log(`${count} signatures, ${good} of them good, ${differing} judged differently`)
process.exitCode = differing === 0 && good > count / 20 && good < count / 2 ? 0 : 1
