/**
 * The context of a verb: everything that verbs and runs can use. The API, the employees and the questions are made when somebody
 * first asks for them, and kept.
 */
import { createApi, type Api } from '../api/api.ts'
import type { NameOptions } from '../api/by-name.ts'
import { limits, type BulkOperationName } from '../api/operations.ts'
import type { Employee } from '../api/schemas.ts'
import { describeProfile, type Configuration, type Profile } from '../config/profile.ts'
import {
  checkAllowed,
  mayAsk,
  type SettingOptions,
  type Settings,
  type WantedChange,
} from '../config/settings.ts'
import { type Host, hasEscapes } from '../host.ts'
import { Client } from '../http/client.ts'
import type { Questions } from '../output/questions.ts'
import type { Format, PrintOptions } from '../output/result.ts'
import type { Messages } from '../output/stderr.ts'
import type { Operation, RunTools } from '../runs/engine.ts'
import { lineWithId, type TypedLine } from './options.ts'
import type { Signals } from './signals.ts'

/** The typed options that svc itself reads, whichever verb has them. */
export interface TypedOptions extends SettingOptions {
  profile?: string
  output?: Format
  json?: true
  out?: string
  fields?: string
  limit?: number | 'all'
  quiet?: true
  verbose?: true
  yes?: true
  input?: false
}

/** The parts of a command that are there before its verb acts. */
export interface ContextParts {
  host: Host
  messages: Messages
  signals: Signals
  options: TypedOptions
  /** Reads settings and profiles the first time. Throws a config error. */
  configuration: () => Promise<Configuration>
  print: PrintOptions
  line: TypedLine
  /** Returns the operation of a recorded run, from the page of its verb. */
  operation: (name: BulkOperationName) => Promise<Operation>
  /** Returns the help of a command. */
  help: (words: readonly string[]) => Promise<string>
}

/** Returns a function that makes a value when it is first called, and returns the same value from then on. */
export function memoize<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}

export type Context = ReturnType<typeof makeContext>

/** Makes the context of a verb. Verbs and runs take out what they need: `({ api, note }) => …`. */
export function makeContext(parts: ContextParts) {
  const { host, messages, signals, options, line, configuration } = parts
  const clients = makeClients(parts)
  let endTask: ((isPrinted: boolean) => Promise<void>) | undefined

  const note = (message: string) => messages.note(message)

  /** The profile of this command. Throws exit 4 without credentials. */
  const profile = async (): Promise<Profile> => (await configuration()).profile()

  /** The operations of the service, with the credentials of the profile. Throws exit 4 without credentials. */
  const api = memoize(async (): Promise<Api> =>
    createApi(await clients.open(await profile())),
  )

  const employees = memoize(async (): Promise<readonly Employee[]> => {
    const all = await (await api()).employees.list()
    if (all.length >= limits.employees)
      note('the service returns at most 1,000 employees; there may be more')
    return all
  })

  const questions = memoize(async (): Promise<Questions> => {
    const { Questions } = await import('../output/questions.ts')
    const input = mayAsk(host, options)
    return new Questions({ host, yes: options.yes, input, signal: signals.cancelled })
  })

  return {
    ...parts,
    note,
    warn: (message: string) => messages.warn(message),
    profile,
    api,
    employees,
    questions,
    progress: progressOf(parts),
    /** Whether a request that changes something was sent. */
    hasSentChange: clients.hasSentChange,
    /** Permits a change; no client sends one without that. Throws a policy error if the profile forbids it. */
    permit: async (wanted: WantedChange) => clients.permit(await profile(), wanted),
    openClient: clients.open,
    /**
     * Asks about a change that is not part of a run, if the profile is protected. `ask` returns the beginning of the question:
     * `Create the list "VIP"`.
     */
    async confirmChange(ask: () => string | Promise<string>): Promise<void> {
      const own = await profile()
      if (!own.protected) return
      const message = `${await ask()} on ${describeProfile(own)}?`
      await (await questions()).confirm({ message })
    },
    /** For a name that fits no list or employee, or several: the error suggests this command line with an id. */
    nameOptions: {
      lineWith: (typed, id) => lineWithId(line, typed, id),
    } satisfies NameOptions,
    /** Sets work for after the output: a sandbox waits for a signal then. */
    atEnd: (task: (isPrinted: boolean) => Promise<void>) => void (endTask = task),
    async close(isPrinted: boolean): Promise<void> {
      await endTask?.(isPrinted)
      clients.close()
    },
  }
}

/** Makes the clients of one command. None of them sends a change as long as the rules of the profile have permitted none. */
function makeClients({ host, messages, signals, configuration }: ContextParts) {
  const opened: Client[] = []
  /** How far a change got: none was asked for, the profile permits it, or a request for it was sent. */
  let change: 'none' | 'permitted' | 'sent' = 'none'
  const beforeChange = () => {
    if (change === 'none')
      throw new TypeError('a change was about to be sent without a permit')
    change = 'sent'
  }
  /** Opens a client for a profile, which is closed when the command ends. `overrides` replace those of the settings. */
  const open = async (
    profile: Profile,
    overrides: Partial<Pick<Settings, 'timeout' | 'wait'>> = {},
  ): Promise<Client> => {
    signals.listen()
    const { settings } = await configuration()
    const { timeout, wait } = { ...settings, ...overrides }
    const secret = await profile.secret()
    const own = { profile, secret, host, timeout, wait, messages, signals }
    const client = new Client({ ...own, beforeChange })
    client.pace.limit(settings.rate)
    opened.push(client)
    return client
  }
  return {
    open,
    permit({ name = '', rules }: Profile, wanted: WantedChange) {
      checkAllowed(name, rules, wanted)
      if (change === 'none') change = 'permitted'
    },
    hasSentChange: () => change === 'sent',
    close() {
      for (const client of opened) client.close()
    },
  }
}

/** Shows the progress of a run on stderr: a bar on a terminal that can redraw a line, elsewhere a note every minute. */
function progressOf({ host, messages, options }: ContextParts): RunTools['progress'] {
  return async (of) => {
    if (options.quiet === true) return { stop: () => undefined }
    const { startBar, startNotes } = await import('../output/progress.ts')
    const hasBar = host.isTerminal.stderr && hasEscapes(host)
    return (hasBar ? startBar : startNotes)({ ...of, host, messages })
  }
}
