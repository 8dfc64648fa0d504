/**
 * The service that a session works on: whose profile it is, what its policies and limits allow, and the way to it. Nothing is read from it,
 * and no credentials are needed, before a method asks. `session.ts` makes one for each session, and its phases ask it.
 */
import { keyEnding, type Profile } from '../../config/profile.ts'
import type { Settings } from '../../config/settings.ts'
import { usageError } from '../../errors.ts'
import { groupDigits } from '../../words.ts'
import type { Api } from '../../api/client.ts'
import { endOf } from '../../api/operations.ts'
import { keyFingerprint, type InputCounts } from '../record/run.ts'
import type { RecordedRun } from '../runs/recorded.ts'
import type { BulkTools } from '../tools.ts'

export interface Limits {
  readonly rate?: number | undefined
  readonly maxDelete?: number | undefined
}

type Change = Omit<Parameters<BulkTools['permit']>[0], 'ids'> &
  Limits & { readonly input: InputCounts }

export class Service {
  readonly #tools: Pick<BulkTools, 'configuration' | 'api' | 'permit'>

  constructor(tools: Pick<BulkTools, 'configuration' | 'api' | 'permit'>) {
    this.#tools = tools
  }

  /** The settings that options, variables and files say. Throws exit 2 for what is wrong with them. */
  async settings(): Promise<Settings> {
    return (await this.#tools.configuration()).settings
  }

  /** Throws exit 4 without credentials. */
  async profile(): Promise<Profile> {
    return (await this.#tools.configuration()).profile()
  }

  /** Throws exit 4 without credentials. */
  api(): Promise<Api> {
    return this.#tools.api()
  }

  /**
   * Asks the policies about the whole input, and sets the pace. Throws exit 5 if forbidden, exit 2 for more deletions than --max-delete
   * allows.
   */
  async askPermit({ input, rate, maxDelete, ...change }: Change): Promise<void> {
    await this.#tools.permit({ ...change, ids: input.unique })
    if (endOf(change.operation) === 'deleted') checkMaxDelete(input, maxDelete)
    const { client } = await this.api()
    client.pace.limit(rate ?? Infinity)
  }

  /** Throws exit 2 when the run belongs to another service, or to another key without `--new-key`. */
  async checkBelongs({ run, keys }: RecordedRun, newKey: boolean | undefined) {
    const profile = await this.profile()
    if (profile.baseUrl !== run.baseUrl) {
      const way =
        run.profile === null
          ? 'use the profile or the environment variables of that service'
          : `use its profile: -p ${run.profile}`
      throw usageError(
        `run ${run.run} belongs to ${run.baseUrl}, the profile to ${profile.baseUrl}; nothing was sent`,
        way,
      )
    }
    const fingerprint = keyFingerprint(profile.apiKey)
    if (!keys.has(fingerprint) && newKey !== true) {
      // Ids are those of one company: the key of another one would change other people's contacts, or none.
      throw usageError(
        `run ${run.run} was started with the key ${run.key.ending}, this key is ${keyEnding(profile.apiKey)}; nothing was sent`,
        'another company does not know these ids; if both keys belong to the same company, add --new-key',
      )
    }
    return { profile, fingerprint }
  }
}

/** Throws exit 2 where more than `maxDelete` would be deleted. */
export function checkMaxDelete({ unique }: InputCounts, maxDelete: number | undefined): void {
  if (maxDelete === undefined || unique <= maxDelete) return
  throw usageError(
    `${groupDigits(unique)} contacts would be deleted, --max-delete allows ${groupDigits(maxDelete)}; nothing was sent`,
  )
}
