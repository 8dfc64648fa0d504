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
import { buildProgram, bundle } from '../harness/program.mjs'
import { commandLine, ownFolder, root, wholeNumber } from '../harness/tool.mjs'
import { bundleSimulator, plantAll } from './plant.mjs'

process.env.TZ = 'UTC'
const own = { plant: undefined, planted: false, only: '', part: '1/1', by: '', real: undefined }
const kills = { 'every-write': undefined }
const ofWorlds = {
  hours: undefined,
  commands: undefined,
  log: false,
  bail: false,
  seconds: undefined,
  steps: undefined,
  keep: undefined,
  shrink: false,
}
const options = commandLine({ seed: 1, ...own, ...kills, ...ofWorlds })

async function compareReal() {
  const folder = ownFolder('real')
  const program = await buildProgram(join(folder, 'svc'))
  const exported = `export { compare } from './test/simulator/real.ts'`
  const { compare } = await import(
    pathToFileURL(await bundle(join(folder, 'real.mjs'), exported, [], false)).href
  )
  return compare(
    options.seed,
    wholeNumber('real', options.real, 1),
    program,
    join(root, 'tools/harness/kill-at.cjs'),
  )
}

if (options.real !== undefined) process.exitCode = (await compareReal()) === 0 ? 0 : 1
else if (options.planted) process.exitCode = (await plantAll(options)) === 0 ? 0 : 1
else if (options['every-write'] !== undefined) {
  const entry = `import './test/simulator/every-write.ts'`
  const path = join(ownFolder('every-write'), 'every-write.mjs')
  await import(pathToFileURL(await bundle(path, entry, [], false)).href)
} else
  await import(
    pathToFileURL(await bundleSimulator('one', options.plant === undefined ? [] : [options.plant]))
      .href
  )
