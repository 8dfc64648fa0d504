/** The types of a verb: what it is handed and what it may return. */
import type { Command } from '@commander-js/extra-typings'
import type { Api } from '../api/client.ts'
import type { Bulk } from '../bulk/bulk.ts'
import type { Host } from '../host.ts'
import type { Http } from '../http/client.ts'
import type { BulkOutput, OutcomeRow, Output, PrintOptions, View } from '../output/result.ts'
import type { Question } from '../output/prompt.ts'
import type { Configuration, GlobalOptions, Profile } from '../config/profile.ts'

/** What the program hands to a verb. Everything that costs time is behind a function that loads it. */
export interface Tools {
  readonly host: Host
  /** The global options as typed. */
  readonly options: GlobalOptions
  readonly print: PrintOptions
  /** Settings and profiles: read when first asked for. Throws what is wrong with the files. */
  readonly configuration: () => Promise<Configuration>
  /** The ten operations, bound to the profile. Throws exit 4 without credentials. */
  readonly api: () => Promise<Api>
  /** The door itself, for `api`, `doctor`, `sign` and `whoami`. */
  readonly http: () => Promise<Http>
  /** A client for any profile; the caller closes it. `retries`: other than the settings'. */
  readonly open: (profile: Profile, retries?: number) => Promise<Http>
  /** Bulk runs: plan, execute, resume. */
  readonly bulk: Bulk
  /** A line on stderr, unless `-q`. */
  readonly note: (text: string) => void
  readonly warn: (text: string) => void
  /** Asks on the terminal. Returns when the answer is yes; throws exit 9 when it is no, or when nobody can be asked. */
  readonly confirm: (question: Question) => Promise<void>
  /** Asks when the profile is protected: every write does. `what` begins the question: `Create the list "VIP"`. */
  readonly confirmProtected: (what: string) => Promise<void>
  /** Aborted by the first signal. */
  readonly signal: AbortSignal
  /** Runs work as something that a first signal lets end. */
  readonly during: <T>(work: () => Promise<T>) => Promise<T>
}

export interface RunOptions<A extends unknown[]> {
  /** Runs although the configuration is broken, with what is built in: for commands that help to mend it. */
  readonly lenient?: boolean
  /** Prints text of ours alone: no settings are read, and there is no other format. */
  readonly plain?: boolean
  /** For verbs that take one thing or a file of them: what a bulk run shows, when this command line is one. */
  readonly bulk?: (...args: A) => View<OutcomeRow> | undefined
}

/** What an action may return: what its view shows, or a bulk run. */
export type Shown<T> = Output<T> | BulkOutput<OutcomeRow>

/** Turns an action into what commander calls. The view says what the verb shows, before anything is sent. */
export type Run = <A extends unknown[], T>(
  view: View<T>,
  action: (tools: Tools, ...args: A) => Promise<Shown<T>> | Shown<T>,
  options?: RunOptions<A>,
) => (...args: A) => Promise<void>

export type Verb = (noun: Command, run: Run) => unknown
