/** The types of a verb: what it is handed and what it may return. */
import type { GenericSchema } from 'valibot'
import type { OperationName } from '../api/operations.ts'
import type { BulkOutput, OutcomeRow, Output, View } from '../output/result.ts'
import type { Context } from './context.ts'
import type * as schemas from './schemas.ts'

export type { Context }

/**
 * Effect of a command on the service or on the files of svc: `local` changes this machine; `from input` sends what a plan or a recorded run
 * says; `from method` reads with GET, and sends anything else.
 */
export type Effect = 'reads' | 'local' | OperationName | 'from input' | 'from method'

export interface VerbOptions {
  readonly effect: Effect
  /** Runs although the configuration is broken, with what is built in: for commands that help to fix it. */
  readonly lenient?: boolean
  /** Cuts nothing in a table: paths, which are useless when they are cut. */
  readonly whole?: boolean
  /** Prints text of ours alone: no settings are read, and there is no other format, or its own JSON beside it. */
  readonly plain?: true | 'json'
  /** View with `--file`, where it takes one thing or a file of them. */
  readonly bulkShows?: View<OutcomeRow>
}

export interface OneOption<A extends unknown[]> {
  /** Whether this command line prints one thing, whole or not at all; as the view's schema says when absent. */
  readonly isOne?: (...args: A) => boolean
}

/** Result of an action: data for its view, or a bulk run. */
export type Shown<T> = Output<T> | BulkOutput<OutcomeRow>

/** Turns an action into what is called with the values of a command line. The view says what the verb shows, before anything is sent. */
export type Invoke = <A extends unknown[], T>(
  view: View<T>,
  action: (context: Context, ...args: A) => Promise<Shown<T>> | Shown<T>,
  options: VerbOptions & OneOption<A>,
) => (...args: A) => Promise<void>

/** Schema of `--json`, by its name in `schemas.ts`, which is loaded when it is asked for. */
export function schemaOf(name: keyof typeof schemas): () => Promise<GenericSchema> {
  return async () => (await import('./schemas.ts'))[name]
}
