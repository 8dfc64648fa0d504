/**
 * Rules of profiles: their names, keys and base URLs, the origin that a secret belongs to, and the changes that they allow.
 * No schema is needed, so nothing heavy is loaded.
 */
import { deletion, type WriteOperation } from '../api/operations.ts'
import { SvcError, usageError } from '../errors.ts'
import { safe } from '../safe-text.ts'
import { isLoopback } from '../values.ts'
import { groupDigits, pluralize } from '../words.ts'

/** Whether a profile can have this name: one that can be typed and completed, and that is a key of no other object. */
export function isProfileName(name: string) {
  return /^(?!constructor$|prototype$)[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)
}

export const profileNameRule =
  'a profile name has up to 64 letters, digits, dots, dashes and underscores, and begins with a letter or digit'

/** Members of a profile of which exactly one gives the secret. */
export const secretKeys = ['apiSecret', 'secretFile', 'secretCommand'] as const

/** An API key goes into a header: visible ASCII only. */
export function isApiKey(text: string) {
  return /^[\x21-\x7e]{1,1024}$/.test(text)
}

export const apiKeyRule = 'must be 1 to 1,024 visible characters without spaces'

/** Whether a text has a space or a character that cannot be seen. */
export function hasBlank(text: string) {
  return /\s/.test(text) || safe(text) !== text
}

/**
 * The problem of a base URL, if it has one. https goes anywhere; http only to literal loopback (127.0.0.0/8, [::1], localhost), so that
 * nothing that is signed travels in the clear.
 */
export function baseUrlProblem(text: string): string | undefined {
  // URL would drop or turn some of these, and a service could read others as a way out of the path: what is typed is what is
  // used.
  const isPlain = /^https?:\/\/[^\\?#@%;]+$/i.test(text) && !/\/\.\.?(?=\/|$)/.test(text)
  if (!isPlain || hasBlank(text) || !URL.canParse(text))
    return 'must be https:// with a host and perhaps a path'
  const { protocol, hostname } = new URL(text)
  return protocol === 'https:' || isLoopback(hostname)
    ? undefined
    : 'can be http:// only to 127.0.0.0/8, [::1] and localhost'
}

/** A base URL as it is used: without a trailing slash. Throws exit 2, naming where the text is written. */
export function parseBaseUrl(text: string, what: string): string {
  const problem = baseUrlProblem(text)
  if (problem !== undefined)
    throw usageError(`${what} ${problem}`, 'for example https://api.example.com')
  const { origin, pathname } = new URL(text)
  return `${origin}${pathname.replace(/\/+$/, '')}`
}

/** Scheme, host and port: what a secret belongs to. */
export function originOf(url: string): string {
  return new URL(url).origin
}

/** The changes that a profile allows. Every rule forbids, and no option of a command loosens one. */
export interface Rules {
  readOnly?: boolean | undefined
  /** Operations that may change something. */
  allow?: readonly WriteOperation[] | undefined
  /** Ids of the whole input of one delete. */
  maxDelete?: number | undefined
}

/** A change that is about to be sent. */
export interface WantedChange {
  /** Undefined for a request of `svc api`: what it changes, and how much, is not known. */
  operation: WriteOperation | undefined
  /** Number of ids of the whole input. */
  ids: number
}

/** Throws exit 2 when the profile forbids the change; nothing was sent. */
export function checkAllowed(
  name: string,
  { readOnly, allow, maxDelete = Infinity }: Rules,
  { operation, ids }: WantedChange,
) {
  const refuse = (rule: keyof Rules, why: string) =>
    new SvcError('policy', `profile "${name}" ${why} (${rule}); nothing was sent`)
  if (readOnly === true) throw refuse('readOnly', 'allows no change')
  if (operation === undefined) {
    if (allow !== undefined) throw refuse('allow', 'lets svc api only read')
    return
  }
  if (allow?.includes(operation) === false)
    throw refuse('allow', `does not allow ${operation}`)
  if (operation !== deletion || ids <= maxDelete) return
  const most = pluralize(maxDelete, 'contact')
  const why = `allows a run to delete ${most}, and this one would delete ${groupDigits(ids)}`
  throw refuse('maxDelete', why)
}
