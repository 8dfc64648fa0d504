const octet = '(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)'
const loopbackIPv4 = new RegExp(`^127(?:\\.${octet}){3}$`)

/**
 * Whether a host is this machine by definition: 127.0.0.0/8, ::1 (with or without brackets) and the name localhost. Such a
 * host may be spoken to in the clear, is dialled as it is written, and is never resolved or proxied: one rule for all of it.
 */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname === '::1' ||
    hostname === '[::1]' ||
    loopbackIPv4.test(hostname)
  )
}
