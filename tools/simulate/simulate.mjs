/**
 * Plays a thousand or so many episodes, which seeds decide, of commands on runs that are killed or
 * suspended. Each receipt is compared with what the service really did.
 *
 *   npm run simulate -- [50000] [--seed 1]
 */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { bundle } from '../harness/program.mjs'
import { commandLine, ownFolder } from '../harness/tool.mjs'

const options = commandLine({ seed: 1 }, true)
const [episodes = '1000'] = options.words
// SQLite keeps files open until the statements of an episode are collected.
setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')
const path = join(ownFolder('simulate'), 'episode.mjs')
await bundle(path, "export * from './test/steps/episode.ts'")
const { playEpisode } = await import(pathToFileURL(path))

let wrong = 0
for (let seed = options.seed; seed < options.seed + Number(episodes); seed += 1) {
  const claims = await playEpisode(seed)
  if (seed % 20 === 0) collect()
  if (claims.length > 0) {
    wrong += 1
    console.log(`seed ${seed}:\n  ${claims.join('\n  ')}`)
  }
}
console.log(`${episodes} episodes, ${wrong} with a false claim`)
process.exit(wrong === 0 ? 0 : 1)
