/** A sandbox that can also do what only tests ask for: `test/sandbox/distortions.ts`. */
import { join } from 'node:path'
import { startSandbox } from './processes.mjs'
import { bundle } from './program.mjs'
import { ownFolder } from './tool.mjs'

/** Takes the words of `svc sandbox start` and prints the line of its `--json`. */
const program = `
  import { parseArgs } from 'node:util'
  import { startSandbox } from './src/sandbox/transport.ts'
  import { distortions } from './test/sandbox/distortions.ts'
  const text = { type: 'string' } as const
  const options = { port: text, json: { type: 'boolean' }, record: text, contacts: text, seed: text, faults: text } as const
  const { values } = parseArgs({ args: process.argv.slice(4), options })
  const number = (word?: string) => (word === undefined ? undefined : Number(word))
  const [record, contacts, seed] = [values.record, values.contacts, values.seed].map(number)
  const { baseUrl, token, keys, examples } = await startSandbox({ record, contacts, seed, faults: values.faults, faultKinds: distortions })
  console.log(JSON.stringify({ baseUrl, pid: process.pid, token, keys, examples }))`

let built

/** Like `startSandbox` of `processes.mjs`. */
export async function startDistortingSandbox(options) {
  built ??= bundle(join(ownFolder('sandbox'), 'sandbox.mjs'), program)
  return startSandbox(options, {}, { program: await built })
}
