/** Errors of connections: makes them, and says which failure each stands for, and why, in words. */
import { systemCode } from '../errors.ts'
import type { FailureName } from './failures.ts'

/**
 * Makes an error whose code tells its cause. It has no stack trace: Node reads the trace of each error that closes a socket, and
 * has to look up the lines of the source for it, which takes time.
 */
export function connectionError(message: string, code: string): Error {
  return Object.assign(new Error(message), { code, stack: `Error: ${message}` })
}

/** Makes an error of anything that was thrown. */
export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}

/** Codes of errors about the certificate of the service or of a proxy. */
const certificateCodes =
  /^(CERT_|ERR_TLS_CERT_|DEPTH_ZERO_SELF_SIGNED_CERT$|SELF_SIGNED_CERT_IN_CHAIN$|UNABLE_TO_|HOSTNAME_MISMATCH$|INVALID_CA$|INVALID_PURPOSE$|PATH_LENGTH_EXCEEDED$)/

/** Recognizes the failure of a connection that was not open yet, of the service or of a proxy. */
export function connectionFailure(error: unknown): FailureName {
  const code = systemCode(error) ?? ''
  if (certificateCodes.test(code)) return 'certificate'
  if (code === 'SVC_PROXY_REFUSED') return 'proxy'
  // If the name server does not answer, the code is another one.
  return code === 'ENOTFOUND' ? 'unknownHost' : 'unreachable'
}

/**
 * Whether an error stands for an answer that is not HTTP as svc speaks it, which the service or a proxy may have sent. undici
 * asserts that a status is at least 100, and calls an interim answer such as 100 Continue a bad one.
 */
export function isForeignAnswer({ name, message }: Error) {
  const isMalformed = /^(HTTPParserError|AssertionError)$/.test(name)
  return isMalformed || /^bad (response|upgrade)$/.test(message)
}

/** Why a connection or a request failed, by the code of the error. */
const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed',
  EMFILE: 'too many open files (raise ulimit -n)',
  ENOTFOUND: 'unknown host name',
  EAI_AGAIN: 'the name server did not answer',
  EPERM: 'this machine does not permit it (a firewall, for example)',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  UND_ERR_SOCKET: 'the connection was closed before the answer was complete',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the headers of the answer give another length',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the answer are larger than 16 KiB',
}

/** Says why a connection or a request failed, as a part of a sentence. */
export function reasonOf(error: Error) {
  if (isForeignAnswer(error)) return 'the answer is not valid HTTP, or an interim one'
  const code = systemCode(error) ?? ''
  // OpenSSL's own message contains memory addresses and names of source files.
  if (/^(ERR_SSL_|EPROTO$)/.test(code)) return `no TLS connection (${code})`
  return reasons[code] ?? (error.message || code || 'the connection failed')
}
