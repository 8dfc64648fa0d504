/** The hosts that are this machine by definition. One rule holds for all of them, so that no request leaves this machine. */
import type { LookupAddress } from 'node:dns'

const pattern = /^(?:localhost|::1|\[::1\]|127(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3})$/

/**
 * Whether a host is 127.0.0.0/8, ::1 (with or without brackets) or the name localhost. svc may use plain http with such a host,
 * asks no name server for it, and never uses a proxy.
 */
export function isLoopback(hostname: string) {
  return pattern.test(hostname)
}

/** The addresses of the name localhost. */
export const localhost: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]
