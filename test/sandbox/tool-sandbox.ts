/**
 * A sandbox for the tools, as a program: it distorts answers, remembers every request, and has as many contacts as `--contacts` says. Takes
 * the words of `svc sandbox start` and prints the line of its `--json`.
 */
import { parseArgs } from 'node:util'
import { nodeHost } from '../../src/host.ts'
import { startSandbox } from '../../src/sandbox/transport.ts'
import { durationMs } from '../../src/values.ts'
import { distortions } from './distortions.ts'
const text = { type: 'string' } as const
const options = {
  port: text,
  json: { type: 'boolean' },
  contacts: text,
  latency: text,
  faults: text,
} as const
const { values } = parseArgs({ args: process.argv.slice(4), options })
const { baseUrl, token, keys, examples } = await startSandbox(nodeHost(process), {
  record: 1_000_000,
  contacts: values.contacts === undefined ? undefined : Number(values.contacts),
  latency: durationMs(values.latency ?? '0ms'),
  faults: values.faults,
  faultKinds: distortions,
})
console.log(JSON.stringify({ baseUrl, pid: process.pid, token, keys, examples }))
