/**
 * Schemas of `--json` by their names, each loaded when it is asked for, and the view of verbs that go on with a run of any operation. Called by
 * the verbs whose view has no schema of its own, such as `lists/list.ts`.
 */
import type { GenericSchema } from 'valibot'
import { assignOutcomeView } from '../views/bulk.ts'
import type * as schemas from './schemas.ts'

export function schemaOf(name: keyof typeof schemas): () => Promise<GenericSchema> {
  return async () => (await import('./schemas.ts'))[name]
}

export const runOutcomeView = { ...assignOutcomeView, schema: schemaOf('Summary') }
