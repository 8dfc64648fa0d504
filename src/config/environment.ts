/** What the environment says about the configuration, read once, each value with the variable that it came from. */
import type { Host } from '../host.ts'

/** A value and where it came from, in words for `svc profiles show`. */
export interface Sourced<T> {
  readonly value: T
  readonly source: string
}

export type Environment = ReturnType<typeof readEnvironment>

/** A variable of the environment; one that is set to nothing counts as not set. */
export function variable({ env }: Pick<Host, 'env'>, name: string): string | undefined {
  const value = env[name]
  return value === '' ? undefined : value
}

/** Unchecked: a wrong value is an error only where nothing comes before it. */
export function readEnvironment(host: Pick<Host, 'env'>) {
  function read(source: string): Sourced<string> | undefined {
    const value = variable(host, source)
    return value === undefined ? undefined : { value, source }
  }

  return {
    config: read('SVC_CONFIG'),
    stateDir: read('SVC_STATE_DIR'),
    profile: read('SVC_PROFILE'),
    baseUrl: read('SVC_BASE_URL'),
    apiKey: read('SVC_API_KEY'),
    apiSecret: read('SVC_API_SECRET'),
    apiSecretFile: read('SVC_API_SECRET_FILE'),
    /** The only origin that may be reached in the sandbox's shell. */
    sandbox: read('SVC_SANDBOX'),
    sandboxDir: read('SVC_SANDBOX_DIR'),
    /** Names for completion are neither kept nor offered. */
    noCache: read('SVC_NO_CACHE'),
  }
}
