/** A sandbox that distorts answers, as a program: takes the words of `svc sandbox start` and prints the line of its `--json`. */
import { parseArgs } from 'node:util'
import { nodeHost } from '../../src/host.ts'
import { startSandbox } from '../../src/sandbox/transport.ts'
import { distortions } from './distortions.ts'
const text = { type: 'string' } as const
const options = {
  port: text,
  json: { type: 'boolean' },
  record: text,
  contacts: text,
  seed: text,
  faults: text,
} as const
const { values } = parseArgs({ args: process.argv.slice(4), options })
const number = (word?: string) => (word === undefined ? undefined : Number(word))
const [record, contacts, seed] = [values.record, values.contacts, values.seed].map(number)
const { baseUrl, token, keys, examples } = await startSandbox(nodeHost(process), {
  record,
  contacts,
  seed,
  faults: values.faults,
  faultKinds: distortions,
})
console.log(JSON.stringify({ baseUrl, pid: process.pid, token, keys, examples }))
