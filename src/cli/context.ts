/**
 * The context of a verb: what it may ask for while it runs. The API, the employees and the recorded runs are made once, when
 * the verb first asks for them.
 */
import type { Message } from '../message.ts'
import type { Api } from '../api/client.ts'
import type { NameOptions } from '../api/names.ts'
import type { Employee } from '../api/schemas.ts'
import { checkAllowed, type WantedChange } from '../config/rules.ts'
import type { Configuration, Profile } from '../config/profile.ts'
import type { GlobalOptions } from './global-options.ts'
import { usageError } from '../errors.ts'
import type { Host } from '../host.ts'
import { mayAsk, type Settings, type SettingOptions } from '../config/settings.ts'
import { hasEscapes } from '../world.ts'
import type { Client } from '../http/client.ts'
import { Questions } from '../output/questions.ts'
import type { PrintOptions } from '../output/result.ts'
import type { Messages } from '../output/stderr.ts'
import type { RunTools } from '../runs/tools.ts'
import type { Runs } from '../runs/list.ts'
import type { Signals } from './signals.ts'
import { exactCommand, type TypedLine } from '../options.ts'

/** Options as they were typed: those of the program, and those of the verb that are settings. */
export type TypedOptions = GlobalOptions & SettingOptions

export type ContextParts = Pick<
  Context,
  'host' | 'messages' | 'signals' | 'options' | 'configuration' | 'print' | 'line'
>

type LastWork = (isPrinted: boolean) => Promise<void>

/** Makes a value when it is first asked for. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}

export class Context implements RunTools {
  readonly host: Host
  readonly messages: Messages
  readonly options: TypedOptions
  /** Settings and profiles, read when they are first needed. Throws what is wrong with the files. */
  readonly configuration: () => Promise<Configuration>
  readonly print: PrintOptions
  readonly questions: Questions
  readonly line: TypedLine
  readonly signals: Signals
  /** How far the change of this command got: the profile allows it, and a request for it left. */
  change: 'none' | 'permitted' | 'sent' = 'none'
  readonly #clients: Client[] = []
  readonly #checks: (() => Promise<void>)[] = []
  readonly #lastWorks: LastWork[] = []

  constructor(parts: ContextParts) {
    const { host, messages, signals, options, configuration, print, line } = parts
    this.host = host
    this.messages = messages
    this.options = options
    this.configuration = configuration
    this.print = print
    this.line = line
    this.signals = signals
    const { yes } = options
    const signal = signals.cancelled
    const input = mayAsk(host, options)
    this.questions = new Questions({ host, yes, input, format: print.format, signal })
  }

  /** Throws exit 4 without credentials. */
  readonly profile = async (): Promise<Profile> => (await this.configuration()).profile()

  /** The ten operations, bound to the profile. Throws exit 4 without credentials. */
  readonly api = once(async (): Promise<Api> => {
    const [{ createApi }, client] = await Promise.all([
      import('../api/client.ts'),
      this.profile().then((profile) => this.open(profile)),
    ])
    return createApi(client)
  })

  readonly employees = once(async (): Promise<readonly Employee[]> =>
    (await this.api()).employees.list(),
  )

  /** The recorded runs. The state folder is looked up only when a run is opened or listed. */
  readonly runs = once(async (): Promise<Runs> => {
    this.signals.listen()
    const configuration = await this.configuration()
    const [{ diskFolder }, { Runs }] = await Promise.all([
      import('../runs/folder.ts'),
      import('../runs/list.ts'),
    ])
    return new Runs(this.host, diskFolder(this.host, configuration.stateDir))
  })

  /** A client for any profile, until the command ends. `own`: in place of the settings. */
  readonly open = async (
    profile: Profile,
    own: Partial<Pick<Settings, 'timeout' | 'wait'>> = {},
  ): Promise<Client> => {
    this.signals.listen()
    const { settings } = await this.configuration()
    const [secret, { Client }] = await Promise.all([
      profile.secret(),
      import('../http/client.ts'),
    ])
    const { host, messages, signals } = this
    const client = new Client({
      profile,
      secret,
      host,
      timeout: own.timeout ?? settings.timeout,
      wait: own.wait ?? settings.wait,
      messages,
      signals,
      beforeChange: () => {
        if (this.change === 'none')
          throw new TypeError('a change was about to be sent without a permit')
        this.change = 'sent'
      },
    })
    client.pace.limit(settings.rate)
    this.#clients.push(client)
    return client
  }

  /** Called before every change. Throws exit 2 if the profile forbids it, 2 if the command line has the secret in it. */
  readonly permit = async (change: WantedChange): Promise<void> => {
    const profile = await this.profile()
    checkAllowed(profile.name ?? '', profile.rules, change)
    const { redactor } = this.messages
    redactor.addSecret(await profile.secret())
    // Runs keep the words of the command line on disk.
    if (this.line.words.some((word) => redactor.hide(word) !== word))
      throw usageError(
        'the API secret is on this command line, which is recorded with a run; nothing was sent',
        'leave it out; no option takes it',
      )
    if (this.change === 'none') this.change = 'permitted'
  }

  /**
   * Asks about a change that is no run: always if its list was picked and not typed, else if the profile is protected.
   * `ask` makes the beginning of the question, for example `Create the list "VIP"`.
   */
  readonly confirmChange = async (
    ask: () => string | Promise<string>,
    isPicked = false,
  ): Promise<void> => {
    const profile = await this.profile()
    if (!isPicked && !profile.protected) return
    const { onProfile } = await import('../config/profile.ts')
    await this.questions.confirm({
      message: `${await ask()}${onProfile(profile)}?`,
    })
  }

  readonly note = (message: Message) => this.messages.note(message)

  readonly warn = (message: Message) => this.messages.warn(message)

  /** Errors about names show this command line with another name. */
  readonly nameOptions: NameOptions = {
    retype: (suggestion) => exactCommand(this.line, suggestion),
  }

  /** Shows the progress of a run, on a terminal that understands it. */
  readonly progress: RunTools['progress'] = async (of) => {
    const { host, messages, options } = this
    const isSeen = host.isTerminal.stderr && hasEscapes(host)
    if (!isSeen || options.quiet === true) return { stop: () => undefined }
    const { startBar } = await import('../output/progress.ts')
    return startBar({ ...of, host, messages })
  }

  /** Adds a check that throws if the results may not be printed any more. */
  readonly beforePrint = (check: () => Promise<void>) => void this.#checks.push(check)

  async checkBeforePrint(): Promise<void> {
    for (const check of this.#checks) await check()
  }

  /** Adds work for the very end, once the results are printed. What is added last is done first. */
  readonly atEnd = (work: LastWork) => void this.#lastWorks.unshift(work)

  /** Does all the work of the end, also where some of it fails. Then throws the first error. */
  async close(isPrinted: boolean): Promise<void> {
    const errors: unknown[] = []
    for (const work of this.#lastWorks) {
      try {
        await work(isPrinted)
      } catch (error) {
        errors.push(error)
      }
    }
    for (const client of this.#clients) client.close()
    if (errors.length > 0) throw errors[0]
  }
}
