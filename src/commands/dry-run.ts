/** The dry run of one change: in words on stderr, and as the one JSON document. */
import { document, type Document } from '../output/result.ts'
import type { OperationName } from '../api/operations.ts'
import type { Context } from '../cli/context.ts'

/** A value that would change, for the note: the old one as it was read, undefined when it could not be, and the new one. */
export interface Change {
  readonly what: string
  readonly before: string | undefined
  readonly after: string
}

/** `request` is shown in the document; its `changes` are for the note only. */
export function dryRunOf(
  context: Context,
  words: string,
  operation: OperationName,
  {
    changes = [],
    ...request
  }: Readonly<Record<string, unknown>> & { readonly changes?: readonly Change[] },
): Document<never> {
  const lines = changes.map(
    ({ what, before, after }) => `\n  ${what}: ${before ?? 'unknown'} → ${after}`,
  )
  context.note(`dry run: would ${words}; nothing was sent${lines.join('')}`)
  return document({ dryRun: true, operation, ...request }, [])
}
