/** A sandbox that can also do what only tests ask for: `test/sandbox/distortions.ts`. */
import { join } from 'node:path'
import { startSandbox } from './processes.mjs'
import { bundle } from './program.mjs'
import { ownFolder } from './tool.mjs'

let built

/** Like `startSandbox` of `processes.mjs`. */
export async function startDistortingSandbox(options) {
  built ??= bundle(
    join(ownFolder('sandbox'), 'sandbox.mjs'),
    "import './test/sandbox/distorting-sandbox.ts'",
  )
  return startSandbox(options, {}, { program: await built })
}
