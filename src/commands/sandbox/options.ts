/** Options of the commands that start a sandbox. */
import { resolve } from 'node:path'
import { defineOptions } from '../../cli/options.ts'
import type { Context } from '../../cli/context.ts'
import { onProfile } from '../../bulk/telling/confirm.ts'
import { SvcError } from '../../errors.ts'
import type { Host } from '../../host.ts'
import { done } from '../../output/result.ts'
import {
  runInside,
  type PlaceOptions,
  type Program,
  type SandboxPlace,
} from '../../sandbox/place.ts'
import { parseCount, parseDuration } from '../../values.ts'

/** Ids count contacts in six hexadecimal digits. */
const mostContacts = 0xffffff

/** Forty gigabytes of requests as large as they may be. */
const mostRequests = 1_000_000

export const sandboxOptions = defineOptions({
  seed: {
    value: 'n',
    summary: 'which data to generate; the same number gives the same data',
    default: '1',
    parse: (text) => parseCount(text, '--seed', { max: 2 ** 31 - 1 }),
  },
  data: {
    value: 'file',
    takes: 'file',
    summary: 'keep the data in this file',
    default: 'it is lost when the sandbox stops',
  },
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
  faults: { value: 'spec', takes: 'word', summary: 'fail on purpose (svc help faults)' },
  others: {
    value: 'n',
    summary: 'before every n-th request, a contact leaves a list, joins one or moves',
    parse: (text) => parseCount(text, '--others', { min: 1 }),
  },
  record: {
    value: 'n',
    summary: 'how many requests /_sandbox/record keeps',
    default: '1,000',
    parse: (text) => parseCount(text, '--record', { max: mostRequests }),
  },
})

type Given = PlaceOptions & { readonly data?: string | undefined }

/** Options as the sandbox takes them: the data file is looked for in the current folder. */
export function asTold<T extends Given>(host: Host, given: T): T {
  return given.data === undefined ? given : { ...given, data: resolve(host.cwd(), given.data) }
}

/** Runs a program in a sandbox of its own, which a first signal lets end. `isTold`: a note says which service svc uses then. */
export function runInSandbox(
  context: Context,
  options: Given,
  isTold: boolean,
  programIn: (place: SandboxPlace) => Program,
) {
  const { host } = context
  return context.criticalSection.run(async () => {
    const exitCode = await runInside(host, asTold(host, options), programIn)
    if (isTold) context.note(`the sandbox has stopped; ${await nextProfile(context)}`)
    return done(exitCode)
  })
}

/** The service that the next command uses, in words. */
async function nextProfile({ configuration }: Context): Promise<string> {
  try {
    return `svc now works${onProfile((await configuration()).profile())}`
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
    return 'svc has no profile to use now'
  }
}
