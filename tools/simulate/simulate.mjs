/**
 * Plays the engine of runs in simulated worlds: one seed decides the clock, the disk, the network and all processes. Each
 * receipt is compared with what the service really did.
 *   npm run simulate                        a few seeds of each mode
 *   npm run simulate -- race 1000           so many seeds of a mode: crash, race, damage, undo, disk, merges, all
 *   npm run simulate -- race 1 --seed 41    from this seed on
 *   npm run simulate -- --planted           plants one mistake after the other, which has to be found within 60 s
 */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { bundle } from '../harness/program.mjs'
import { commandLine, ownFolder } from '../harness/tool.mjs'
import { planted } from './planted.mjs'

const options = commandLine({ seed: 1, planted: false }, '[mode] [seeds]')
const [mode = 'all', seeds = '3'] = options.words
const folder = ownFolder('simulate')

/** The simulator, with a mistake in what it plays. */
async function load(name, mistakes = []) {
  const path = join(folder, `${name}.mjs`)
  await bundle(path, "export * from './test/simulator/simulate.ts'", mistakes, false)
  return import(pathToFileURL(path))
}

async function plantAll() {
  let missed = 0
  for (const [n, { name, edits }] of planted.entries()) {
    const { findMistake } = await load(`mistake-${n}`, edits)
    const { found, ms } = await findMistake(60_000)
    if (found === undefined) missed += 1
    console.log(
      `${found === undefined ? 'NOT FOUND' : 'found'} in ${(ms / 1000).toFixed(1)} s: ${name}${found === undefined ? '' : ` (${found})`}`,
    )
  }
  console.log(`${planted.length - missed} of ${planted.length} found`)
  return missed
}

const { simulate } = await load('simulator')
const wrong = options.planted ? await plantAll() : await simulate(mode, Number(seeds), options.seed)
process.exitCode = wrong === 0 ? 0 : 1
