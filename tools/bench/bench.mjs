/**
 * The figures of svc, each as a ratio to its limit: all parts (start, read, bulk, memory), or some.
 * `npm run bench -- start bulk --beside <tarball>` measures an earlier package, too.
 */
import { cpus } from 'node:os'
import { resolve } from 'node:path'
import { commandLine, refuse } from '../harness/tool.mjs'
import { bulk } from './bulk.mjs'
import { install, measureEarlier, table } from './measure.mjs'
import { memory } from './memory.mjs'
import { read } from './read.mjs'
import { start } from './start.mjs'

const parts = { start, read, bulk, memory }
const { words, beside } = commandLine({ beside: '' }, true)
const stranger = words.find((name) => !(name in parts))
if (stranger !== undefined) refuse(`no part "${stranger}"`)
const earlier = beside === '' ? undefined : install(resolve(beside), 'earlier')
for (const name of words.length === 0 ? Object.keys(parts) : words) {
  await parts[name](earlier)
  // A start is measured with the earlier one in turn.
  if (earlier !== undefined && name !== 'start') await measureEarlier(earlier, parts[name])
}
console.log(`Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model.trim()}\n`)
console.log(table())
// The servers, and esbuild's own process, would go on.
process.exit()
