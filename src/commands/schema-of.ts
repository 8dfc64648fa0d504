import type { GenericSchema } from 'valibot'
import type * as schemas from './schemas.ts'

/** What `--json` writes, by its name in `schemas.ts`, which is loaded when it is asked for. */
export function schemaOf(name: keyof typeof schemas): () => Promise<GenericSchema> {
  return async () => (await import('./schemas.ts'))[name]
}
