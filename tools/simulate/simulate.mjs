/**
 * Simulates worlds in which people use svc: one seed decides the clock, the network, the disk, all processes and what is typed. Every
 * receipt, list and exit code is compared with what the service really did.
 *   npm run simulate -- --seed 7 --hours 1      so many simulated hours, a seed for each
 *   npm run simulate -- --seed 7 --commands 10000
 *     [--log]     print what every command printed
 */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { bundle } from '../harness/program.mjs'
import { ownFolder } from '../harness/tool.mjs'

process.env.TZ = 'UTC'
const folder = ownFolder('simulate')
// In one piece: what is imported when it is used is there at once then, as a seed that is played again needs it.
const program = await bundle(join(folder, 'simulate.mjs'), `import './test/simulator/simulate.ts'`, [], false)
await import(pathToFileURL(program).href)
