/**
 * Plays episodes of commands on runs. A seed decides the commands, the answers of the service, and the steps at which commands are
 * killed or suspended. Each receipt is compared with what the service really did.
 *   npm run simulate                   a thousand episodes
 *   npm run simulate -- 50000          so many episodes
 *   npm run simulate -- 1 --seed 41    from this seed on
 */
import { spawnSync } from 'node:child_process'
import { setMaxListeners } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { bundle } from '../harness/program.mjs'
import { commandLine, ownFolder } from '../harness/tool.mjs'

const options = commandLine({ seed: 1 }, true)
const [episodes = '1000'] = options.words
/** A process plays so many: SQLite keeps files open until the statements of an episode are collected. */
const most = 2000
if (Number(episodes) > most) {
  let status = 0
  for (let done = 0; done < Number(episodes); done += most) {
    const count = Math.min(most, Number(episodes) - done)
    const words = [String(count), '--seed', String(options.seed + done)]
    const child = [fileURLToPath(import.meta.url), ...words]
    const ended = spawnSync(process.execPath, child, { stdio: 'inherit' })
    status ||= ended.status ?? 1
  }
  process.exit(status)
}
const path = join(ownFolder('simulate'), 'episode.mjs')
await bundle(path, "export * from './test/steps/episode.ts'", [], false)
// Many requests of an episode listen to one signal.
setMaxListeners(0)
const { playEpisode } = await import(pathToFileURL(path))

let wrong = 0
for (let seed = options.seed; seed < options.seed + Number(episodes); seed += 1) {
  const claims = await playEpisode(seed)
  if (claims.length > 0) {
    wrong += 1
    console.log(`seed ${seed}:\n  ${claims.join('\n  ')}`)
  }
}
console.log(`${episodes} episodes, ${wrong} with a false claim`)
process.exit(wrong === 0 ? 0 : 1)
