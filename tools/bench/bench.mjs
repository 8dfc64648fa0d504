/**
 * The figures of svc, each as a ratio to its limit, measured interleaved in one run: all parts
 * (start, read, bulk, memory), or some, as in `npm run bench -- start bulk`. With `--beside
 * <tarball>`, an earlier package of svc is measured in turn with this one. Times are never a test:
 * the guard in `npm run test:slow` counts instead.
 */
import { cpus } from 'node:os'
import { commandLine, refuse } from '../harness/tool.mjs'
import { bulk } from './bulk.mjs'
import { rows } from './measure.mjs'
import { memory } from './memory.mjs'
import { read } from './read.mjs'
import { start } from './start.mjs'

const parts = { start, read, bulk, memory }
const { words, beside } = commandLine({ beside: '' }, true)
const stranger = words.find((name) => !(name in parts))
if (stranger !== undefined) refuse(`no part "${stranger}"`)
for (const name of words.length === 0 ? Object.keys(parts) : words) await parts[name](beside)
console.log(`Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model.trim()}\n`)
console.log(`| what | measured | goal | met |\n|---|---|---|---|\n${rows.join('\n')}`)
// The servers, and esbuild's own process, would go on.
process.exit()
