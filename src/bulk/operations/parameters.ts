/**
 * Parameters of an operation: everything beside its items that decides what happens, a row each. Arguments and options of the verb, names
 * to ids, what `--once` remembers, the members of records and plans, questions and the request are derived from these rows.
 */
import type { ParameterValues, Party } from '../record/run.ts'

/**
 * A `list` is an argument, every other kind an option. Lists and employees may be typed by name, which reading turns into an id; a
 * contact is an id, and a `flag` is there or not.
 */
export type ParameterKind = 'list' | 'employee' | 'contact' | 'flag'

export interface Parameter {
  readonly kind: ParameterKind
  /**
   * `target`: what all items of a run have in common, or the second party of a pair. `condition`: the change is made only while it
   * holds. `flag`: how it is done.
   */
  readonly use: 'target' | 'condition' | 'flag'
  /** The line of the help. */
  readonly summary: string
  /** The word for its value in the help, when that is not its kind. */
  readonly value?: string
  /** A target: the word before its name in sentences, `to` of `to "VIP"`. */
  readonly preposition?: string
  /** The question by which a target that was left out is asked for on a terminal. */
  readonly question?: string
  /** It goes with one thing that was typed, never with a file. */
  readonly isOfOne?: true
}

export type Parameters = Readonly<Record<string, Parameter>>

export interface KeyedParameter extends Parameter {
  readonly key: string
}

/** Rows with their keys, in their order. */
export const parameterRows = (parameters: Parameters): readonly KeyedParameter[] =>
  Object.entries(parameters).map(([key, parameter]) => ({ key, ...parameter }))

/** Whether it is typed as an argument of the verb; every other parameter is an option. */
export const isArgument = ({ kind }: Pick<Parameter, 'kind'>): boolean => kind === 'list'

/** `--if-assignee` of an option, `the list` of an argument: a parameter as its user knows it. */
export function labelOf({ key, kind }: Pick<KeyedParameter, 'key' | 'kind'>): string {
  if (isArgument({ kind })) return `the ${key}`
  return `--${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

/** The list, employee or contact of a key; undefined for a flag, and when there is none. */
export function partyIn(values: ParameterValues, key: string | undefined): Party | undefined {
  const value = key === undefined ? undefined : values[key]
  return value === true ? undefined : value
}
