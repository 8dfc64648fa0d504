import type { GenericSchema } from 'valibot'

/** What `--json` writes, by its name in `schemas.ts`, which is loaded when it is asked for. */
export function schemaOf(name: keyof typeof import('./schemas.ts')): () => Promise<GenericSchema> {
  return async () => (await import('./schemas.ts'))[name]
}
