/** A sandbox that can also do what only tests and tools ask for: `test/support/tool-sandbox.ts`. */
import { join } from 'node:path'
import { startSandbox } from './processes.mjs'
import { bundle } from './program.mjs'
import { ownFolder } from './tool.mjs'

let built

/** Like `startSandbox` of `processes.mjs`: it remembers every request, and `--contacts` makes as many as are asked for. */
export async function startToolSandbox(options) {
  built ??= bundle(
    join(ownFolder('sandbox'), 'sandbox.mjs'),
    "import './test/support/tool-sandbox.ts'",
  )
  return startSandbox(options, await built)
}
