import { once } from 'node:events'
import { defineVerb, schemaOf } from '../../cli/verb.ts'
import { parseCount } from '../../values.ts'
import { noView, text } from '../../output/result.ts'
import type { Sandbox } from '../transport.ts'
import { sandboxOptions, startOptionsOf } from './place.ts'

const notes = `Other machines and web pages cannot use it. Its keys and secrets are public, and
its ids are the same on every start. Press Ctrl-C to stop it.`

export const verb = defineVerb({
  description:
    'Start the whole service on this machine, with sample data, and print how to use it.',
  notes,
  examples: [
    'svc sandbox start',
    'svc sandbox start --port 0 --json',
    "svc sandbox start --faults contacts.delete:2=503 --faults '*:5%=hang-before'",
  ],
  options: {
    ...sandboxOptions,
    port: {
      value: 'n',
      summary: 'port to listen on, 0 for any free one',
      default: '4010',
      suggestions: ['4010', '0'],
      parse: (typed: string, what: string) => parseCount(typed, what, { max: 65_535 }),
    },
  },
  effect: 'local',
  shows: {
    ...noView,
    formats: ['table', 'json', 'ndjson'],
    schema: schemaOf('Sandbox'),
  },
  lenient: true,
  run: async (context, _args, options) => {
    const { startSandbox } = await import('../transport.ts')
    const started = await startSandbox(context.host, {
      port: 4010,
      ...startOptionsOf(options),
    })
    /** Prints the text, because the sandbox listens now, and waits for a signal. */
    async function* printAndWait(shown: string): AsyncGenerator<string> {
      try {
        yield shown
        await context.signals.runCritical(async () => {
          const { cancelled } = context.signals
          if (!cancelled.aborted) await once(cancelled, 'abort')
          await started.close()
        })
      } finally {
        // Closed too if the output fails. Closing twice does no harm.
        await started.close()
      }
    }
    // No secret is hidden: those of a sandbox are public, and a program that starts one needs them, even if its environment
    // has the same.
    const unhidden = (shown: string) => ({
      ...text(printAndWait(shown)),
      isOwn: true as const,
    })
    const { baseUrl, keys, examples } = started
    const facts = { baseUrl, pid: context.host.pid, keys, examples }
    // A person gets instructions, a program gets facts.
    return {
      ...unhidden(instructions(started)),
      data: () => unhidden(`${JSON.stringify(facts)}\n`),
    }
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

Add --json to see the other keys too: with less scope, on another plan, or of another company.
`
}
