/** This machine by its own addresses and names. svc may use plain http with it, asks no name server for it, and never uses a proxy. */
import type { LookupAddress } from 'node:dns'

const loopbackPattern =
  /^(?:localhost|::1|\[::1\]|127(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3})$/

/** Whether a host name is 127.0.0.0/8, ::1 (with or without brackets) or localhost. */
export function isLoopback(hostname: string) {
  return loopbackPattern.test(hostname)
}

/** The addresses of the name localhost. */
export const localhost: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]
