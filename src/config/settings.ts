/**
 * The settings of a command, what a profile may contain (its name, key and base URL), and which changes it allows. A setting
 * comes from the first place that has it: its option, its variable, the profile, and its default. This file does not import the
 * schema library, which only a configuration file needs.
 */
import type { WriteOperationName } from '../api/operations.ts'
import { usageError, SvcError } from '../errors.ts'
import { type Host, isLoopback } from '../host.ts'
import { safe } from '../safe-text.ts'
import { dayMs, parseDuration, parseRate } from '../values.ts'
import { groupDigits, pluralize } from '../words.ts'
import { variable } from './paths.ts'

/** Reads the time limit of an attempt, and returns milliseconds. Throws a usage error. */
export function parseTimeout(text: string, name: string) {
  return parseDuration(text, name, { min: 1, max: dayMs })
}

/** Reads how long a request that failed temporarily is retried, and returns milliseconds. Throws a usage error. */
export function parseWait(text: string, name: string) {
  return parseDuration(text, name, { max: dayMs })
}

/** Reads a country, and returns it in upper case. The reader of phone numbers checks that the country exists. */
export function parseCountry(text: string, name: string) {
  if (/^[A-Za-z]{2}$/.test(text)) return text.toUpperCase()
  throw usageError(`${name} takes a country in two letters, such as DE, not "${text}"`)
}

/** The settings that were typed as options. */
export interface SettingOptions {
  timeout?: number
  wait?: number
  country?: string
}

export type Settings = ReturnType<typeof resolveSettings>

/** The settings without an option, a variable or a profile that says more. */
export const usualSettings = { timeout: 30_000, wait: 30_000 } as const

/**
 * Finds the settings of a command: the time limit of one attempt and how long a request that failed temporarily is retried (both
 * in milliseconds), the maximum number of requests per second, and the country of phone numbers without `+` or `00`. Throws a
 * usage error for a variable that cannot be read.
 */
export function resolveSettings(
  host: Pick<Host, 'env'>,
  options: SettingOptions,
  profile: { rate?: number | undefined; country?: string | undefined } = {},
) {
  const fromVariable = <T>(name: string, parse: (text: string, name: string) => T) => {
    const text = variable(host, name)
    return text === undefined ? undefined : parse(text, name)
  }
  return {
    timeout:
      options.timeout ?? fromVariable('SVC_TIMEOUT', parseTimeout) ?? usualSettings.timeout,
    wait: options.wait ?? fromVariable('SVC_WAIT', parseWait) ?? usualSettings.wait,
    rate: fromVariable('SVC_RATE', parseRate) ?? profile.rate,
    country:
      options.country ?? fromVariable('SVC_COUNTRY', parseCountry) ?? profile.country,
  }
}

/** Whether svc may ask questions: `--no-input` forbids it, and so does any SVC_NO_INPUT except `0` and `false`. */
export function mayAsk(host: Pick<Host, 'env'>, typed: { input?: false }) {
  const noInput = variable(host, 'SVC_NO_INPUT') ?? '0'
  return typed.input !== false && ['0', 'false'].includes(noInput)
}

/** Whether a profile can have this name. It must be easy to type and complete, and safe as a key of an object. */
export function isProfileName(name: string) {
  return /^(?!constructor$|prototype$)[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)
}

export const profileNameRule =
  'a profile name has up to 64 letters, digits, dots, dashes and underscores, and begins with a letter or digit'

/** The keys of a profile that give its secret. A profile has exactly one of them. */
export const secretKeys = ['apiSecret', 'secretFile', 'secretCommand'] as const

export type SecretKey = (typeof secretKeys)[number]

/** Reads an API key, which svc sends in a header. Throws a usage error, which does not quote it. */
export function parseApiKey(text: string, name: string) {
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
 * Reads a base URL, and returns it without a trailing slash. `https://` takes any host; `http://` takes only 127.0.0.0/8,
 * [::1] and localhost, so that no signed request travels unencrypted. Throws a usage error.
 */
export function parseBaseUrl(text: string, name: string) {
  const refusalError = (rule: string) =>
    usageError(`${name} ${rule}`, 'for example https://api.example.com')
  // Some of these characters would be dropped or rewritten, and a service could read others as a way out of the path.
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
  /** The maximum number of ids in the whole input of a delete. */
  maxDelete?: number | undefined
}

/** A change that is about to be sent, with the number of ids in the whole input. */
export interface WantedChange {
  operation: WriteOperationName
  ids: number
}

/** Throws a policy error (exit 2) if the profile of this name forbids the change. Nothing was sent. */
export function checkAllowed(
  profileName: string,
  { readOnly, maxDelete = Infinity }: Rules,
  { operation, ids }: WantedChange,
) {
  const policyError = (rule: keyof Rules, reason: string) =>
    new SvcError('policy', `profile "${profileName}" ${reason} (${rule}); nothing was sent`)
  if (readOnly === true) throw policyError('readOnly', 'allows no change')
  if (operation !== 'contacts.delete' || ids <= maxDelete) return
  const maximum = pluralize(maxDelete, 'contact')
  throw policyError(
    'maxDelete',
    `allows a run to delete ${maximum}, and this one would delete ${groupDigits(ids)}`,
  )
}
