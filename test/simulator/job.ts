/** A bulk command as it was typed: the truth about its ids is judged by it, whichever process works on it. */
import type { BulkOperation } from '../../src/api/operations.ts'

/** A plan under a policy of the machine that wants approvals. */
export interface ApprovedPlan {
  /** Of its bytes. */
  readonly sha256: string
  /** In milliseconds since 1970. */
  readonly expiresAt: number
  /** Persons who have to approve it. */
  readonly needed: number
  /** The file of the policy, under which everybody works on the job. */
  readonly policy: string
}

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
  /** The run that this one takes back. */
  readonly undoes?: string | undefined
  /** The plan that it applies. */
  readonly plan?: ApprovedPlan | undefined
  /** Its name was given up: the same command may begin another run. */
  isFreed?: boolean
}
