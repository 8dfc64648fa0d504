/** The clients of one command. None of them sends a change as long as the rules of the profile have permitted none. */
import type { Configuration, Profile } from '../config/profile.ts'
import { checkAllowed, type Settings, type WantedChange } from '../config/settings.ts'
import type { Host } from '../host.ts'
import { Client } from '../http/client.ts'
import type { Messages } from '../output/stderr.ts'
import type { Signals } from './signals.ts'

/** The parts of a command that clients need. */
interface ClientTools {
  host: Host
  messages: Messages
  signals: Signals
  configuration: () => Promise<Configuration>
}

/** How far a change got: none was asked for, the profile permits it, or a request for it was sent. */
type ChangeProgress = 'none' | 'permitted' | 'sent'

export class Clients {
  readonly #tools: ClientTools
  readonly #opened: Client[] = []
  #change: ChangeProgress = 'none'

  constructor(tools: ClientTools) {
    this.#tools = tools
  }

  get hasSentChange() {
    return this.#change === 'sent'
  }

  /** Permits a change. Throws a policy error if the profile forbids it. */
  permit({ name = '', rules }: Profile, wanted: WantedChange) {
    checkAllowed(name, rules, wanted)
    if (this.#change === 'none') this.#change = 'permitted'
  }

  /** Opens a client for a profile. `overrides` replace those of the settings. */
  async open(
    profile: Profile,
    overrides: Partial<Pick<Settings, 'timeout' | 'wait'>> = {},
  ): Promise<Client> {
    const { host, messages, signals, configuration } = this.#tools
    signals.listen()
    const { settings } = await configuration()
    const client = new Client({
      profile,
      secret: await profile.secret(),
      host,
      timeout: overrides.timeout ?? settings.timeout,
      wait: overrides.wait ?? settings.wait,
      messages,
      signals,
      assertPermitted: () => this.#noteChange(),
    })
    client.pace.limit(settings.rate)
    this.#opened.push(client)
    return client
  }

  /** Called right before a change is sent. */
  #noteChange() {
    if (this.#change === 'none')
      throw new TypeError('a change was about to be sent without a permit')
    this.#change = 'sent'
  }

  close() {
    for (const client of this.#opened) client.close()
  }
}
