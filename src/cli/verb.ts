/** The types of a verb: what it is handed and what it may return. */
import type { Command } from '@commander-js/extra-typings'
import type { GenericSchema } from 'valibot'
import type { BulkOutput, OutcomeRow, Output, View } from '../output/result.ts'
import type { Context } from './context.ts'
import type * as schemas from './schemas.ts'

export type { Context }

export interface RunOptions<A extends unknown[]> {
  /** Runs although the configuration is broken, with what is built in: for commands that help to fix it. */
  readonly lenient?: boolean
  /** Cuts nothing in a table: paths, which are useless when they are cut. */
  readonly whole?: boolean
  /** Prints text of ours alone: no settings are read, and there is no other format, or its own JSON beside it. */
  readonly plain?: true | 'json'
  /** Whether this command line prints one thing, whole or not at all; as the view's schema says when absent. */
  readonly isRecord?: (...args: A) => boolean
  /** For verbs that take one thing or a file of them: what a bulk run shows, when this command line is one. */
  readonly bulk?: (...args: A) => View<OutcomeRow> | undefined
}

/** What an action may return: what its view shows, or a bulk run. */
export type Shown<T> = Output<T> | BulkOutput<OutcomeRow>

/** Turns an action into what commander calls. The view says what the verb shows, before anything is sent. */
export type Run = <A extends unknown[], T>(
  view: View<T>,
  action: (context: Context, ...args: A) => Promise<Shown<T>> | Shown<T>,
  options?: RunOptions<A>,
) => (...args: A) => Promise<void>

export type Verb = (noun: Command, run: Run) => unknown

/** A command of svc or of a noun. Its examples run as they are against the sandbox; without a description, the summary is the sentence. */
export function defineCommand(parent: Command, name: string, summary: string, lines: readonly string[] = []) {
  const command = parent.command(name).summary(summary)
  return lines.length === 0 ? command : command.addHelpText('after', examples(...lines))
}

/** Examples for the end of a help text; each runs as it stands against the sandbox. */
export function examples(...lines: string[]): string {
  return ['', 'Examples:', ...lines.map((line) => `  ${line}`)].join('\n')
}

/** What `--json` writes, by its name in `schemas.ts`, which is loaded when it is asked for. */
export function schemaOf(name: keyof typeof schemas): () => Promise<GenericSchema> {
  return async () => (await import('./schemas.ts'))[name]
}
