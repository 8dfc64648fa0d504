/**
 * Rules of profile names, keys and base URLs, and the origin that a secret belongs to. No schema is needed,
 * so nothing heavy is loaded.
 */
import { say, svc, type Message } from '../message.ts'
import { closest } from '../words.ts'
import { usageError } from '../errors.ts'
import { isLoopback } from '../values.ts'

/** Keys that are part of every object: as names they could reach what a file must never reach. */
const inherited = new Set(['__proto__', 'constructor', 'prototype'])

/** Whether a profile can have this name: one that can be typed, completed and used as a key everywhere. */
export function isProfileName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name) && !inherited.has(name)
}

export const profileNameRule =
  'a profile name has up to 64 letters, digits, dots, dashes and underscores, and begins with a letter or digit'

/** Members of a profile of which exactly one gives the secret. */
export const secretKeys = ['apiSecret', 'secretEnv', 'secretFile', 'secretCommand'] as const

/** An API key goes into a header: visible ASCII only. */
export function isApiKey(text: string): boolean {
  return /^[\x21-\x7e]{1,1024}$/.test(text)
}

export const apiKeyRule = 'must be 1 to 1,024 visible characters without spaces'

/**
 * Whether a text has a blank or a character that cannot be seen. A pattern of Unicode classes takes a millisecond to read, also in a
 * function that never asks it: it is made when a text is not plain.
 */
export function hasBlank(text: string): boolean {
  return (
    !/^[\x21-\x7e]*$/.test(text) && new RegExp(String.raw`[\s\p{Cc}\p{Cf}]`, 'u').test(text)
  )
}

/** The names that exist, and the one that was probably meant, as a hint. */
export function namesHint(wanted: string, names: readonly string[]): Message {
  if (names.length === 0)
    return say`there are no profiles yet; add one:\n  ${svc`profiles add <name>`}`
  const near = closest(wanted, names)
  return `${near === undefined ? '' : `did you mean "${near}"? `}profiles: ${names.join(', ')}`
}

/** Why a base URL is refused, or the URL to use: no trailing slash, its path prefix kept. */
type BaseUrl =
  | { readonly url: string; readonly problem?: undefined }
  | { readonly url?: undefined; readonly problem: string }

/** The first one that breaks counts: only the last ones have a URL. */
const rules: readonly (readonly [problem: string, breaks: (text: string) => boolean])[] = [
  // URL would drop tabs and line ends, turn backslashes into slashes and cut blanks: what is typed is what is used.
  [
    'it contains a space, a backslash or a control character',
    (text) => text.includes('\\') || hasBlank(text),
  ],
  [
    'it has no scheme; write https:// before it',
    (text) => !/^[a-z][a-z0-9+.-]*:(?![0-9]+(?:\/|$))/i.test(text),
  ],
  [
    'only https:// (and http:// to this machine) is allowed',
    (text) => !/^https?:\/\//i.test(text),
  ],
  ['it is not a URL', (text) => !URL.canParse(text)],
  [
    'it contains a user or password',
    (text) => {
      const { username, password } = new URL(text)
      return username + password !== '' || /^[^/]*\/\/[^/]*@/.test(text)
    },
  ],
  ['it contains a query or a fragment', (text) => /[?#]/.test(text)],
  ['port 0 cannot be reached', (text) => new URL(text).port === '0'],
  ['its path has a hidden "." or ".."', (text) => climbs(new URL(text).pathname)],
  [
    'http:// is only allowed to 127.0.0.0/8, [::1] and localhost; write https://',
    (text) => {
      const { protocol, hostname } = new URL(text)
      return protocol === 'http:' && !isLoopback(hostname)
    },
  ],
]

/** Whether a part of the path is `.` or `..` for a service that decodes it, which would lead out of the path above. */
export function climbs(path: string): boolean {
  let plain = path
  for (let before = ''; before !== plain;) {
    before = plain
    plain = before.replace(/%(25|2e|2f|3b|5c)/gi, (_, code: string) =>
      String.fromCharCode(parseInt(code, 16)),
    )
  }
  return plain.split(/[/\\]/).some((part) => /^\.{1,2}(?:;|$)/.test(part))
}

/**
 * Reads a base URL. https goes anywhere; http only to literal loopback (127.0.0.0/8, [::1], localhost), so that nothing
 * that is signed travels in the clear. User, password, query, fragment and other schemes are refused.
 */
export function readBaseUrl(text: string): BaseUrl {
  const broken = rules.find(([, breaks]) => breaks(text))
  if (broken !== undefined) return { problem: broken[0] }
  const { origin, pathname } = new URL(text)
  return { url: `${origin}${pathname.replace(/\/+$/, '')}` }
}

/** A base URL as it is used. Throws exit 2, naming where the text is written. */
export function parseBaseUrl(text: string, what: string): string {
  const { url, problem } = readBaseUrl(text)
  if (problem === undefined) return url
  throw usageError(
    `${what} is not a usable base URL: ${problem}`,
    'for example https://api.example.com',
  )
}

/** Scheme, host and port: what a secret belongs to. */
export function originOf(url: string): string {
  return new URL(url).origin
}
