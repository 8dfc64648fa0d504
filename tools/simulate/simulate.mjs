/**
 * Plays the engine of runs in simulated worlds: one seed decides the clock, the disk, the network and all processes. Each
 * receipt is compared with what the service really did.
 *   npm run simulate                        a hundred seeds of each mode
 *   npm run simulate -- race 1000           so many seeds of a mode: crash, race, close, damage, disk, receipts, all
 *   npm run simulate -- race 1 --seed 41    from this seed on
 *   npm run simulate -- --planted           plants one mistake after the other, which has to be found within 60 s
 *   npm run simulate -- --planted --only head --seconds 300   those whose name has this text, with more time
 */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { stop } from 'esbuild'
import { bundle } from '../harness/program.mjs'
import { commandLine, ownFolder } from '../harness/tool.mjs'
import { planted } from './planted.mjs'

const options = commandLine({ seed: 1, planted: false, only: '', seconds: 60 }, true)
const [mode = 'all', seeds = '100'] = options.words
const folder = ownFolder('simulate')

/** The simulator and the program of its processes, with a mistake in what it plays. */
async function load(name, mistakes = []) {
  const path = join(folder, `${name}.mjs`)
  const workerPath = join(folder, `${name}-process.mjs`)
  await bundle(path, "export * from './test/simulator/simulate.ts'", mistakes, false)
  await bundle(workerPath, "import './test/simulator/process.ts'", mistakes, false)
  // A world blocks this thread for long, and the bundler must not wait for it.
  await stop()
  return { ...(await import(pathToFileURL(path))), workerPath }
}

async function plantAll() {
  let missed = 0
  const chosen = planted.filter(({ name }) => name.includes(options.only))
  for (const [n, { name, edits }] of chosen.entries()) {
    const { findMistake, workerPath } = await load(`mistake-${n}`, edits)
    const { found, ms } = await findMistake(1000 * options.seconds, workerPath)
    if (found === undefined) missed += 1
    console.log(
      `${found === undefined ? 'NOT FOUND' : 'found'} in ${(ms / 1000).toFixed(1)} s: ${name}${found === undefined ? '' : ` (${found})`}`,
    )
  }
  console.log(`${chosen.length - missed} of ${chosen.length} found`)
  return missed
}

async function playAll() {
  const { simulate, workerPath } = await load('simulator')
  return simulate(mode, Number(seeds), options.seed, workerPath)
}

const wrong = options.planted ? await plantAll() : await playAll()
process.exit(wrong === 0 ? 0 : 1)
