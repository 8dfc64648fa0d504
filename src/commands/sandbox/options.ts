/** What the commands that start a sandbox have in common. */
import { resolve } from 'node:path'
import { defineOptions, type OptionValues } from '../../cli/command.ts'
import { parseCount, parseDuration } from '../../values.ts'
import type { Sandbox } from '../../sandbox/transport.ts'
import type { Context } from '../../cli/verb.ts'

/** Ids count contacts in six hexadecimal digits. */
const mostContacts = 0xffffff

/** Forty gigabytes of requests as large as they may be. */
const mostRecord = 1_000_000

export const sandboxOptions = defineOptions({
  seed: {
    value: 'n',
    summary: 'which data to generate; the same number gives the same data',
    default: '1',
    parse: (text) => parseCount(text, '--seed', { max: 2 ** 31 - 1 }),
  },
  data: { value: 'file', summary: 'keep the data in this file', default: 'it is lost when the sandbox stops' },
  contacts: {
    value: 'n',
    summary: 'how many contacts',
    default: '5,000',
    parse: (text) => parseCount(text, '--contacts', { max: mostContacts }),
  },
  empty: { summary: 'no contacts, lists, tickets and employees' },
  latency: {
    value: 'duration',
    summary: 'wait before every answer',
    parse: (text) => parseDuration(text, '--latency'),
  },
  faults: { value: 'spec', summary: 'fail on purpose (svc help faults)' },
  record: {
    value: 'n',
    summary: 'how many requests /_sandbox/record keeps',
    default: '1,000',
    parse: (text) => parseCount(text, '--record', { max: mostRecord }),
  },
})

type Options = OptionValues<typeof sandboxOptions>
export type Given = { readonly [name in keyof Options]?: Options[name] | undefined } & {
  readonly state?: string | undefined
}

/** Starts a sandbox as the command line says. Throws a usage error for options that contradict each other. */
export async function startAsTold({ host }: Pick<Context, 'host'>, given: Given, port = 0): Promise<Sandbox> {
  const { startSandbox } = await import('../../sandbox/transport.ts')
  const { data, latency, seed, contacts, empty, faults, record } = given
  const dataFile = data === undefined ? undefined : resolve(host.cwd(), data)
  const now = (): number => host.now()
  return startSandbox({ seed, contacts, empty, faults, record, dataFile, latencyMs: latency, now, port })
}
