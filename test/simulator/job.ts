/** A bulk command as it was typed: the truth about its ids is judged by it, whichever process works on it. */
import type { BulkOperation } from '../../src/api/operations.ts'

export interface Job {
  readonly operation: BulkOperation
  /** Its `--once` name. */
  readonly name: string | undefined
  readonly words: readonly string[]
  /** Unique, in lower case; undefined: those that another run changed. */
  readonly ids: readonly string[] | undefined
  /** Parties that all its requests have in common, by the keys of their parameters. */
  readonly parties: Readonly<Record<string, string>>
  /** The second party of a pair. */
  readonly wanted: (id: string) => string | undefined
  /** The employee who must have the tickets. */
  readonly condition?: string | undefined
  /** Of an undo: the employee who must have a ticket. */
  readonly givenBackFrom?: ((id: string) => string | undefined) | undefined
  /** The run that this one takes back. */
  readonly undoes?: string | undefined
}
