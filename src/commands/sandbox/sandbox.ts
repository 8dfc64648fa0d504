/** The options of both verbs, and a sandbox as they say. */
import type { Host } from '../../host.ts'
import { defineOptions, type OptionValues } from '../../cli/options.ts'
import { parseDuration } from '../../values.ts'

export const sandboxOptions = defineOptions({
  latency: {
    value: 'duration',
    summary: 'wait before every answer',
    parse: parseDuration,
  },
  faults: {
    value: 'rule',
    summary: 'fail on purpose, as in contacts.delete:2=503 (svc sandbox start --help)',
    isRepeatable: true,
  },
})

export type TypedSandboxOptions = OptionValues<typeof sandboxOptions>

/** Starts a sandbox with the typed options. Throws a usage error for faults that cannot be read, and for a port that is taken. */
export async function startTyped(
  host: Host,
  { faults, latency }: TypedSandboxOptions,
  port?: number,
) {
  const { parseFaults } = await import('../../sandbox/faults.ts')
  const { startSandbox } = await import('../../sandbox/server.ts')
  return startSandbox(host, { port, latency, faults: parseFaults(faults) })
}
