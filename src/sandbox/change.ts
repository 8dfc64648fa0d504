/** What a request really did, for the record. Ids are in lower case. */
export interface Change {
  list?: string
  created?: string
  updated?: string
  added?: string[]
  skipped?: string[]
  failed?: string[]
  deleted?: string[]
  notFound?: string[]
  blocked?: string[]
  merged?: { source: string; target: string }
  assigned?: { ticket: string; from: string; to: string }
}

/** A result and, for a write, what changed. */
export interface Outcome {
  readonly data: unknown
  readonly change?: Change
}

/** Whether anything is different now: a delete that found nobody is a write without a change. */
export function changesSomething({ deleted, added, created, updated, merged, assigned }: Change): boolean {
  const ids = (deleted?.length ?? 0) + (added?.length ?? 0)
  return ids > 0 || [created, updated, merged, assigned].some((part) => part !== undefined)
}
