/**
 * Plants one mistake after the other in the program and simulates until a claim is false: each must be found within 60 s of one processor,
 * by a seed that finds it again and finds nothing without it.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { bundle, checkReplacements } from '../harness/program.mjs'
import { ownFolder, refuse } from '../harness/tool.mjs'
import { planted, sought } from './planted.mjs'

const folder = ownFolder('planted')
const seconds = 60

/** Bundles the simulator with a mistake, or without one, and returns its path. */
export function bundleSimulator(name, mistakes = []) {
  const edits = mistakes.flatMap(
    (mistake) => planted.get(mistake) ?? refuse(`there is no mistake "${mistake}"`),
  )
  return bundle(
    join(folder, name, 'simulate.mjs'),
    `import './test/simulator/simulate.ts'`,
    edits,
    false,
  )
}

function simulate(program, words) {
  const env = { ...process.env, TZ: 'UTC' }
  const { stdout, stderr } = spawnSync(process.execPath, [program, ...words], {
    encoding: 'utf8',
    env,
    maxBuffer: 2 ** 30,
  })
  const lines = stdout.split('\n')
  const found = lines.filter((line) => line.startsWith('FALSE'))
  const took = Number(/in (\d+\.\d) s/.exec(stderr)?.[1])
  return {
    found,
    seed: /^FALSE seed (\d+)/.exec(found[0] ?? '')?.[1],
    took,
    stderr,
    summary: lines.findLast((line) => line !== ''),
  }
}

/** Returns how many were not found, or not by their seed alone. */
export async function plantAll({ only, part, seed: from }) {
  for (const edits of planted.values()) checkReplacements(edits)
  const whole = await bundleSimulator('whole')
  const [nth, parts] = part.split('/').map(Number)
  const chosen = [...planted.keys()].filter(
    (name, index) => name.includes(only) && index % parts === nth - 1,
  )
  let missed = 0
  for (const [number, name] of chosen.entries()) {
    const program = await bundleSimulator(String(number), [name])
    const steps = sought.has(name) ? ['--steps', sought.get(name)] : []
    const words = [
      ...steps,
      '--seed',
      `${from}`,
      '--hours',
      '100000',
      '--bail',
      '--seconds',
      `${seconds}`,
    ]
    const { found, seed, took, stderr, summary } = simulate(program, words)
    if (seed === undefined) {
      missed += 1
      console.log(
        `${name}: NOT FOUND in ${took} s (${summary}) ${Number.isNaN(took) ? stderr : ''}`,
      )
      continue
    }
    const one = [...steps, '--seed', seed, '--hours', '1']
    const isAgain = simulate(program, one).found.join('\n') === found.join('\n')
    const isClean = simulate(whole, one).found.length === 0
    if (!isAgain || !isClean) missed += 1
    const replayed = isAgain ? 'again by it' : 'NOT AGAIN BY IT'
    console.log(
      `${name}: ${one.join(' ')}, ${took} s, ${replayed}${isClean ? '' : ', WITHOUT IT TOO'}: ${found[0].slice(0, 200)}`,
    )
  }
  console.log(`${chosen.length} planted, ${missed} not found`)
  return missed
}
