import { limits } from '../api/limits.ts'
import type { Host } from '../host.ts'

/** How long a request without an answer can still arrive: while its signature is valid, and a minute of skew. */
const underWay = limits.timestampWindow + 60 * 1000

/** Until when a request that was sent just now can still be applied, in words. */
export function mayArrive(host: Pick<Host, 'now'>): string {
  const until = new Date(host.now() + underWay).toISOString()
  return `the request may still arrive within ${underWay / 60_000} minutes, until ${until}`
}
