/** A bulk command as it was typed: the truth about its ids is judged by it, whichever process works on it. */
export interface Job {
  readonly kind: 'delete' | 'add' | 'assign' | 'merge'
  /** Its `--once` name. */
  readonly name: string | undefined
  readonly words: readonly string[]
  /** Unique, in lower case; undefined: those that another run changed. */
  readonly ids: readonly string[] | undefined
  /** The list of an add. */
  readonly list?: string | undefined
  /** The contact that one is merged into, the employee that a ticket is for. */
  readonly wanted: (id: string) => string | undefined
  /** The employee who must have the tickets. */
  readonly ifAssignee?: string | undefined
  /** The run that this one takes back. */
  readonly undoes?: string | undefined
  /** Its name was given up: the same command may begin another run. */
  isFreed?: boolean
}
