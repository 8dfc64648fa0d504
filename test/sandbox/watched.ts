/** A sandbox whose requests are seen as they come, and questions to its record. */
import type { OperationName } from '../../src/api/operations.ts'
import type { Arrival, Change, Recorder, RecordEntry } from '../../src/sandbox/record.ts'
import { distortions } from './distortions.ts'
import { startSandbox as start, type SandboxOptions } from '../../src/sandbox/transport.ts'

export type { SandboxOptions } from '../../src/sandbox/transport.ts'
export type Sandbox = Awaited<ReturnType<typeof startSandbox>>

export async function startSandbox(options: SandboxOptions = {}) {
  const requests: (Arrival & { readonly body: string })[] = []
  const sandbox = await start({
    faultKinds: distortions,
    ...options,
    onRequest: (request) => {
      requests.push(request)
      options.onRequest?.(request)
    },
  })
  const record = Object.assign(sandbox.record, questionsTo(sandbox.record))
  return Object.assign(sandbox, { requests, record })
}

/** What a record says, as far as it reaches back. */
export function questionsTo({ entries }: Pick<Recorder, 'entries'>) {
  const all = <K extends keyof Change>(name: K): NonNullable<Change[K]>[] =>
    entries.map((entry) => entry[name]).filter((change) => change !== undefined)
  return {
    /** Ids in lower case that were deleted by `contacts.delete`. */
    deletedIds: (): Set<string> => new Set(all('deleted').flat()),
    /** How many times each id was deleted: more than once is a defect of the sandbox. */
    deletions(): Map<string, number> {
      const counts = new Map<string, number>()
      for (const id of all('deleted').flat()) counts.set(id, (counts.get(id) ?? 0) + 1)
      return counts
    },
    /** Ids that were added to a list, or to any. */
    addedIds: (listId?: string): Set<string> =>
      new Set(
        entries
          .filter(({ list }) => listId === undefined || list === listId.toLowerCase())
          .flatMap(({ added }) => added ?? []),
      ),
    merges: () => all('merged'),
    /** Ids of the lists that were created, in order. */
    createdIds: () => all('created'),
    assignments: () => all('assigned'),
    of: (operation: OperationName): RecordEntry[] => entries.filter((entry) => entry.operation === operation),
  }
}
