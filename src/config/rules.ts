/**
 * What a profile may contain (its name, key and base URL), and which changes it allows. These rules need no schema, so a
 * command that uses no configuration file loads nothing heavy.
 */
import { deletion, type WriteOperation } from '../api/operations.ts'
import { SvcError, usageError } from '../errors.ts'
import { safe } from '../safe-text.ts'
import { isLoopback } from '../world.ts'
import { groupDigits, pluralize } from '../words.ts'

/** Whether a profile can have this name. It must be easy to type and complete, and no key that every object has. */
export function isProfileName(name: string) {
  return /^(?!constructor$|prototype$)[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)
}

export const profileNameRule =
  'a profile name has up to 64 letters, digits, dots, dashes and underscores, and begins with a letter or digit'

/** The keys of a profile that give its secret. A profile has exactly one of them. */
export const secretKeys = ['apiSecret', 'secretFile', 'secretCommand'] as const

/** Reads an API key, which svc sends in a header. Throws a usage error, which does not quote it. */
export function parseApiKey(text: string, name: string): string {
  if (/^[\x21-\x7e]{1,1024}$/.test(text)) return text
  throw usageError(
    `${name} must be 1 to 1,024 visible characters without spaces`,
    'copy it again',
  )
}

/** Whether a text has a space or an invisible character. */
export function hasBlank(text: string) {
  return /\s/.test(text) || safe(text) !== text
}

/**
 * Reads a base URL, and returns it without a trailing slash. Anything may follow `https://`. `http://` is only for 127.0.0.0/8,
 * [::1] and localhost, so that no signed request travels unencrypted. Throws a usage error.
 */
export function parseBaseUrl(text: string, name: string): string {
  const refusalError = (rule: string) =>
    usageError(`${name} ${rule}`, 'for example https://api.example.com')
  // URL drops or rewrites these characters, and a service could read some of them as a way out of the path.
  const hasOddCharacter = /[\\?#@%;]/.test(text) || hasBlank(text)
  const hasDotSegment = /\/\.\.?(?=\/|$)/.test(text)
  const isUrl = /^https?:\/\/./i.test(text) && URL.canParse(text)
  if (!isUrl || hasOddCharacter || hasDotSegment)
    throw refusalError('must be https:// with a host and perhaps a path')
  const { protocol, hostname, origin, pathname } = new URL(text)
  if (protocol !== 'https:' && !isLoopback(hostname))
    throw refusalError('can be http:// only to 127.0.0.0/8, [::1] and localhost')
  return `${origin}${pathname.replace(/\/+$/, '')}`
}

/** The changes that a profile allows. Every rule forbids something, and no option of a command loosens it. */
export interface Rules {
  readOnly?: boolean | undefined
  /** The only operations that may change something. */
  allow?: readonly WriteOperation[] | undefined
  /** The maximum number of ids in the whole input of a delete. */
  maxDelete?: number | undefined
}

/** A change that is about to be sent, with the number of ids in the whole input. A request of `svc api` can change anything. */
export type WantedChange =
  { operation: WriteOperation; ids: number } | { operation: 'unknown' }

/** Throws a policy error (exit 2) if the profile of this name forbids the change. Nothing was sent. */
export function checkAllowed(
  profileName: string,
  { readOnly, allow, maxDelete = Infinity }: Rules,
  change: WantedChange,
) {
  const policyError = (rule: keyof Rules, reason: string) =>
    new SvcError('policy', `profile "${profileName}" ${reason} (${rule}); nothing was sent`)
  if (readOnly === true) throw policyError('readOnly', 'allows no change')
  if (change.operation === 'unknown') {
    if (allow !== undefined) throw policyError('allow', 'lets svc api only read')
    return
  }
  const { operation, ids } = change
  if (allow?.includes(operation) === false)
    throw policyError('allow', `does not allow ${operation}`)
  if (operation !== deletion || ids <= maxDelete) return
  const maximum = pluralize(maxDelete, 'contact')
  throw policyError(
    'maxDelete',
    `allows a run to delete ${maximum}, and this one would delete ${groupDigits(ids)}`,
  )
}
