import { once } from 'node:events'
import { defineOptions, type OptionValues } from '../../cli/options.ts'
import { defineVerb } from '../../cli/verb.ts'
import type { Host } from '../../host.ts'
import { plainText } from '../../output/result.ts'
import { parseCount, parseDuration } from '../../values.ts'
import type { Sandbox } from '../../sandbox/server.ts'

const defaultPort = 4010

/** The options of `start` and `exec`. */
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

const notes = `Other machines cannot use it. Its keys and secrets are public, and its ids are
the same on every start. Press Ctrl-C to stop it.

--faults is <operation>[:<when>]=<fault>, such as
contacts.delete:2=drop-after-apply or '*:1-3=503,retry-after=1'.

  operation  * or a noun (lists.*) or one of
             lists.list, lists.create, lists.get, lists.update,
             lists.add-contacts, contacts.merge, contacts.delete,
             tickets.history, tickets.assign, employees.list
  when       n, n-m or n+ of the matching requests, counted from 1;
             default: all

Faults:

  <status>          answer with this status, 200 to 599, such as 503 or
                    429,retry-after=2; nothing is applied
  drop-before       close the connection; nothing is applied
  drop-after-apply  apply the operation, then close without an answer
  hang-before       never answer; nothing is applied
  hang-after-apply  apply it and never answer`

export const verb = defineVerb({
  summary: 'start the service on this machine',
  description:
    'Start the whole service on this machine, with sample data, and print how to use it.',
  notes,
  examples: [
    'svc sandbox start',
    'svc sandbox start --port 0 --json',
    "svc sandbox start --faults contacts.delete:2=503 --faults '*:3=hang-before'",
  ],
  options: {
    ...sandboxOptions,
    port: {
      value: 'n',
      summary: 'port to listen on, 0 for any free one',
      default: String(defaultPort),
      parse: (typed: string, what: string) => parseCount(typed, what, { max: 65_535 }),
    },
  },
  formats: ['table', 'json', 'ndjson'],
  act: async (context, _args, options) => {
    const started = await startTyped(context.host, options, options.port ?? defaultPort)
    // The sandbox listens now. Once its text is printed, svc waits for a signal.
    context.atEnd(async (isPrinted) => {
      const { cancelled } = context.signals
      if (isPrinted && !cancelled.aborted) await once(cancelled, 'abort')
      await started.close()
    })
    const { baseUrl, keys, examples } = started
    const facts = { baseUrl, pid: context.host.pid, keys, examples }
    // A person gets instructions, a program gets facts.
    const isForPerson = context.print.format === 'table'
    const shown = isForPerson ? instructions(started) : `${JSON.stringify(facts)}\n`
    // Secrets of a sandbox are public, and a program that starts one needs them. So they are not hidden, even if the
    // environment has the same.
    return { ...plainText(shown), mayShowSecrets: true as const }
  },
})

function instructions({ baseUrl, keys, examples: ids }: Sandbox) {
  const [{ apiKey, apiSecret }] = keys
  return `The sandbox listens on ${baseUrl}. Press Ctrl-C to stop it.
In another terminal:

  export SVC_BASE_URL=${baseUrl}
  export SVC_API_KEY=${apiKey}
  export SVC_API_SECRET=${apiSecret}

  svc lists get VIP
  svc tickets history ${ids.tickets.active}
  svc employees list

svc sandbox start --json prints the other keys, too: with less scope, or on
another plan.
`
}
