import { requestCanLand } from '../api/limits.ts'
import type { Host } from '../host.ts'

/** Until when a request that was sent just now can still be applied, in words. */
export function mayArrive(host: Pick<Host, 'now'>): string {
  const until = new Date(host.now() + requestCanLand).toISOString()
  return `the request may still arrive within ${requestCanLand / 60_000} minutes, until ${until}`
}
