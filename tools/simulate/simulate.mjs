/**
 * Simulates worlds in which people use svc: one seed decides the clock, the network, the disk, all processes and what is typed. Every
 * receipt, list and exit code is compared with what the service really did.
 *   npm run simulate -- --seed 7 --hours 1      so many simulated hours; a seed is an hour, every fourth a day
 *   npm run simulate -- --seed 7 --commands 10000
 *     [--log]             print what every command printed
 *     [--bail]            end with the first seed that shows a false claim
 *     [--seconds 60]      end after so many seconds of a processor
 *     [--steps contacts.delete,undo]  only these of the steps of traffic.ts: operations by name, and others
 *     [--shrink]          find the fewest steps that show a false claim
 *     [--keep 0,5,8]      play only these of the seed's steps
 *     [--plant <mistake>] with one of the mistakes of planted.txt
 *   npm run simulate -- --planted [--only <part of a name>] [--part 1/3] [--by tests|simulator]
 *                       each of them, which has to be found by whom its row names: a test, or the simulator in 60 s of a processor
 *   npm run simulate -- --every-write 300       kills a run of 300 ids of each operation at each of its writes, and types it again
 *   npm run simulate -- --real 200              kills real processes too, with a real disk, and compares what is left
 */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { bundle } from '../harness/program.mjs'
import { commandLine, ownFolder, root, wholeNumber } from '../harness/tool.mjs'
import { editsOf, plantAll } from './plant.mjs'

process.env.TZ = 'UTC'
const options = commandLine({
  ...{ seed: 1, plant: undefined, planted: false, only: '', part: '1/1', by: '' },
  ...{ real: undefined, 'every-write': undefined },
  ...{ hours: undefined, commands: undefined, seconds: undefined, log: false, bail: false },
  ...{ steps: undefined, keep: undefined, shrink: false },
})

/** A file of the simulator, with the mistake that is to be planted. */
async function load(file) {
  const mistakes = options.plant === undefined ? [] : editsOf(options.plant)
  const path = join(ownFolder('simulate'), 'simulator.mjs')
  await bundle(path, `export * from './test/simulator/${file}.ts'`, mistakes, false)
  return import(pathToFileURL(path))
}

/** How many claims are false, or how many mistakes are not found. */
async function countWrong() {
  const { seed, real, 'every-write': each, steps } = options
  if (options.planted) return plantAll(options)
  if (real !== undefined)
    return (await load('real')).compare(seed, wholeNumber('real', real, 1), root)
  if (each === undefined) return (await load('simulate')).simulateWorlds(options)
  const { killAtEachWrite } = await load('every-write')
  return killAtEachWrite(seed, wholeNumber('every-write', each, 1), steps?.split(','))
}

process.exitCode = (await countWrong()) === 0 ? 0 : 1
