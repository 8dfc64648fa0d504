/** The command line as verbs and messages know it: its words, read once, and what each of them is. */
import type { Option } from './option.ts'

/** A word, and its place among the words of the line. */
export interface Operand {
  readonly word: string
  readonly position: number
}

/** An option with the value that was typed; `position`: the place of the word that holds the value. */
export interface TypedOption extends Operand {
  readonly option: Option & { readonly key: string }
  /** The value, or `true` of an option that takes none. */
  readonly value: string | true
}

export interface TypedLine {
  /** All words behind `svc`, as they were typed. */
  readonly words: readonly string[]
  /** Words that are neither commands nor options nor an option's value. */
  readonly operands: readonly Operand[]
  readonly options: readonly TypedOption[]
  /** The last value of each option, by its key. */
  readonly given: ReadonlyMap<string, string | true>
  /** The place of `--`, behind which nothing is an option. */
  readonly dashes: number | undefined
}

/** The text that was typed as the value of an option. */
export function typedText({ given }: Pick<TypedLine, 'given'>, key: string): string | undefined {
  const value = given.get(key)
  return value === true ? undefined : value
}
