/** What a dry run of one change shows: the plan in words on stderr, and as the one JSON document. */
import { document, type Document } from '../output/result.ts'
import type { OperationName } from '../api/operations.ts'
import type { Context } from '../cli/verb.ts'

export function planned(
  context: Context,
  words: string,
  operation: OperationName,
  request: Record<string, unknown>,
): Document<never> {
  context.note(`dry run: would ${words}; nothing was sent`)
  return document({ dryRun: true, operation, ...request }, [])
}
