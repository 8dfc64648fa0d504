/** Everything that a verb can use. The API and the employees are made when the verb first asks for them, and kept. */
import { createApi, type Api } from '../api/api.ts'
import type { NameOptions } from '../api/by-name.ts'
import { limits, type BulkOperation } from '../api/operations.ts'
import type { Employee } from '../api/schemas.ts'
import { describeProfile, type Configuration, type Profile } from '../config/profile.ts'
import {
  checkAllowed,
  type WantedChange,
  mayAsk,
  type SettingOptions,
  type Settings,
} from '../config/settings.ts'
import { type Host, hasEscapes } from '../host.ts'
import { Client } from '../http/client.ts'
import { lineWithId, type TypedLine } from './options.ts'
import type { Questions } from '../output/questions.ts'
import type { Format, PrintOptions } from '../output/result.ts'
import type { Messages } from '../output/stderr.ts'
import type { Operation, RunTools } from '../runs/engine.ts'
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

/** The parts of a context. */
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
  operation: (name: BulkOperation) => Promise<Operation>
  /** Returns the help of a command. */
  help: (words: readonly string[]) => Promise<string>
}

/** Returns a function that makes a value when it is first called, and returns the same value from then on. */
export function memoize<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}

/** Most methods are arrow functions, because verbs and runs take them out of the context: `({ api, note }) => …`. */
export class Context implements RunTools {
  readonly host: Host
  readonly messages: Messages
  readonly signals: Signals
  readonly options: TypedOptions
  readonly configuration: () => Promise<Configuration>
  readonly print: PrintOptions
  readonly line: TypedLine
  readonly operation: ContextParts['operation']
  readonly help: ContextParts['help']
  /** How far a change got: none was asked for, the profile permits it, or a request for it was sent. */
  change: 'none' | 'permitted' | 'sent' = 'none'
  readonly #clients: Client[] = []
  #endTask: ((isPrinted: boolean) => Promise<void>) | undefined

  constructor(parts: ContextParts) {
    const { host, messages, signals, options, configuration, print, line } = parts
    const { operation, help } = parts
    this.host = host
    this.messages = messages
    this.signals = signals
    this.options = options
    this.configuration = configuration
    this.print = print
    this.line = line
    this.operation = operation
    this.help = help
  }

  readonly questions = memoize(async (): Promise<Questions> => {
    const { Questions } = await import('../output/questions.ts')
    const { host, options, signals } = this
    return new Questions({
      host,
      yes: options.yes,
      input: mayAsk(host, options),
      signal: signals.cancelled,
    })
  })

  /** The profile of this command. Throws exit 4 without credentials. */
  readonly profile = async (): Promise<Profile> => (await this.configuration()).profile()

  /** The operations of the service, with the credentials of the profile. Throws exit 4 without credentials. */
  readonly api = memoize(async (): Promise<Api> => {
    return createApi(await this.openClient(await this.profile()))
  })

  readonly employees = memoize(async (): Promise<readonly Employee[]> => {
    const all = await (await this.api()).employees.list()
    if (all.length >= limits.employees)
      this.note('the service returns at most 1,000 employees; there may be more')
    return all
  })

  /** Opens a client for a profile, which is closed when the command ends. `limits` replace those of the settings. */
  async openClient(
    profile: Profile,
    limits: Partial<Pick<Settings, 'timeout' | 'wait'>> = {},
  ): Promise<Client> {
    this.signals.listen()
    const { settings } = await this.configuration()
    const secret = await profile.secret()
    const { host, messages, signals } = this
    const client = new Client({
      profile,
      secret,
      host,
      timeout: limits.timeout ?? settings.timeout,
      wait: limits.wait ?? settings.wait,
      messages,
      signals,
      // Called right before a change is sent.
      assertPermitted: () => {
        if (this.change === 'none')
          throw new TypeError('a change was about to be sent without a permit')
        this.change = 'sent'
      },
    })
    client.pace.limit(settings.rate)
    this.#clients.push(client)
    return client
  }

  /** Permits a change; no client sends one without that. Throws a policy error if the profile forbids it. */
  readonly permit = async (change: WantedChange): Promise<void> => {
    const { name = '', rules } = await this.profile()
    checkAllowed(name, rules, change)
    if (this.change === 'none') this.change = 'permitted'
  }

  /**
   * Asks about a change that is not part of a run, if the profile is protected. `ask` returns the beginning of the question:
   * `Create the list "VIP"`.
   */
  async confirmChange(ask: () => string | Promise<string>): Promise<void> {
    const profile = await this.profile()
    if (!profile.protected) return
    const message = `${await ask()} on ${describeProfile(profile)}?`
    await (await this.questions()).confirm({ message })
  }

  readonly note = (message: string) => this.messages.note(message)

  readonly warn = (message: string) => this.messages.warn(message)

  /** For a name that fits no list or employee, or several: the error suggests this command line with an id. */
  readonly nameOptions: NameOptions = {
    lineWith: (typed, id) => lineWithId(this.line, typed, id),
  }

  /** Shows the progress of a run on stderr: a bar on a terminal that can redraw a line, elsewhere a note every minute. */
  readonly progress: RunTools['progress'] = async (of) => {
    const { host, messages, options } = this
    if (options.quiet === true) return { stop: () => undefined }
    const { startBar, startNotes } = await import('../output/progress.ts')
    const isSeen = host.isTerminal.stderr && hasEscapes(host)
    return isSeen
      ? startBar({ ...of, host, messages })
      : startNotes({ ...of, host, messages })
  }

  /** Sets work for after the output: a sandbox waits for a signal then. */
  readonly atEnd = (task: (isPrinted: boolean) => Promise<void>) =>
    void (this.#endTask = task)

  async close(isPrinted: boolean): Promise<void> {
    await this.#endTask?.(isPrinted)
    for (const client of this.#clients) client.close()
  }
}
