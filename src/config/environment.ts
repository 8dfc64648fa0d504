/** Variables that are no setting, read once, each value with the variable that it came from. */
import type { Host } from '../host.ts'

/** A value and where it came from, in words for `svc profiles show`. */
export interface Sourced<T> {
  readonly value: T
  readonly source: string
}

/** A variable of the environment; one that is set to nothing counts as not set. */
export function variable({ env }: Pick<Host, 'env'>, name: string): string | undefined {
  const value = env[name]
  return value === '' ? undefined : value
}

const names = {
  baseUrl: 'SVC_BASE_URL',
  apiKey: 'SVC_API_KEY',
  apiSecret: 'SVC_API_SECRET',
  apiSecretFile: 'SVC_API_SECRET_FILE',
  /** The only origin that may be reached in the sandbox's shell. */
  sandbox: 'SVC_SANDBOX',
  sandboxDir: 'SVC_SANDBOX_DIR',
  /** Names for completion are neither kept nor offered. */
  noCache: 'SVC_NO_CACHE',
} as const

export type Environment = Readonly<Partial<Record<keyof typeof names, Sourced<string>>>>

/** Unchecked: a wrong value is an error only where nothing comes before it. */
export function readEnvironment(host: Pick<Host, 'env'>): Environment {
  const found = Object.entries(names).flatMap(([key, source]) => {
    const value = variable(host, source)
    return value === undefined ? [] : [[key, { value, source }] as const]
  })
  return Object.fromEntries(found)
}
