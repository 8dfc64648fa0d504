/** What really happened, for tests that compare it with what svc claims. */
import type { OperationName } from '../api/operations.ts'
import type { Change } from './store.ts'

export interface RecordEntry extends Change {
  /** From 1, in order of arrival. */
  readonly n: number
  /** ISO time on this machine's clock. */
  readonly at: string
  /** Number of the socket, from 1. */
  readonly connection: number
  readonly operation: OperationName | null
  readonly method: string
  readonly path: string
  readonly apiKey: string | null
  /** The status of the answer; `dropped` when no complete answer went out; `pending` while it is under way. */
  status: number | 'dropped' | 'pending'
  /** Whether a write was carried out, in part or in whole. */
  applied: boolean
  /** The fault rules that were applied, as they were written. */
  fault: string | null
}

/** Append-only and unbounded: one entry for each request below `/v1`. */
export class Recorder {
  readonly entries: RecordEntry[] = []

  add(entry: RecordEntry): void {
    this.entries.push(entry)
  }

  /** Ids in lower case that were deleted by `contacts.delete`. */
  deletedIds(): Set<string> {
    return new Set(this.deletions().keys())
  }

  /** How many times each id was deleted: more than once is a defect of the sandbox. */
  deletions(): Map<string, number> {
    return counted(this.entries.flatMap((entry) => entry.deleted ?? []))
  }

  /** How many times each id stood in a delete request that was carried out. */
  deleteAttempts(): Map<string, number> {
    return counted(
      this.entries.flatMap(({ deleted, notFound, blocked }) => [
        ...(deleted ?? []),
        ...(notFound ?? []),
        ...(blocked ?? []),
      ]),
    )
  }

  /** Ids that were added to a list, or to any. */
  addedIds(listId?: string): Set<string> {
    const entries = this.entries.filter((entry) => listId === undefined || entry.list === listId.toLowerCase())
    return new Set(entries.flatMap((entry) => entry.added ?? []))
  }

  merges(): { source: string; target: string }[] {
    return this.entries.flatMap((entry) => (entry.merged === undefined ? [] : [entry.merged]))
  }

  /** Ids of the lists that were created, in order. */
  createdIds(): string[] {
    return this.entries.flatMap((entry) => (entry.created === undefined ? [] : [entry.created]))
  }

  assignments(): { ticket: string; from: string; to: string }[] {
    return this.entries.flatMap((entry) => (entry.assigned === undefined ? [] : [entry.assigned]))
  }

  /** The entries of one operation. */
  of(operation: OperationName): RecordEntry[] {
    return this.entries.filter((entry) => entry.operation === operation)
  }
}

function counted(ids: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1)
  return counts
}
