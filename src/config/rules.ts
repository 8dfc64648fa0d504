/**
 * Rules of profile names, keys and base URLs, and the origin that a secret belongs to; without a schema, so nothing heavy is loaded.
 * `schema.ts` and `profile.ts` check by them, and so do `svc profiles add` and `plans/policy-files.ts`.
 */
import { say, svc, type Message } from '../message.ts'
import { closest } from '../words.ts'
import { SvcError } from '../errors.ts'
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
  { readonly ok: true; readonly url: string } | { readonly ok: false; readonly why: string }

const rules: readonly (readonly [
  why: string,
  breaks: (url: URL, text: string) => boolean,
])[] = [
  [
    'it contains a user or password',
    (url, text) =>
      url.username !== '' || url.password !== '' || /^[^/]*\/\/[^/]*@/.test(text),
  ],
  ['it contains a query', (_, text) => text.includes('?')],
  ['it contains a fragment', (_, text) => text.includes('#')],
  ['port 0 cannot be reached', ({ port }) => port === '0'],
  ['its path has a hidden "." or ".."', ({ pathname }) => climbs(pathname)],
  [
    'http:// is only allowed to 127.0.0.0/8, [::1] and localhost; write https://',
    ({ protocol, hostname }) => protocol === 'http:' && !isLoopback(hostname),
  ],
]

/** Whether a part of the path is a dot or two for a service that decodes it, which a policy of what lies above would not see. */
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
  // URL would drop tabs and line ends, turn backslashes into slashes and cut blanks: what is typed is what is used.
  if (text.includes('\\') || hasBlank(text))
    return refusal('it contains a space, a backslash or a control character')
  if (
    /^[a-zA-Z][a-zA-Z0-9+.-]*:[0-9]+(?:\/|$)/.test(text) ||
    !/^[a-zA-Z][a-zA-Z0-9+.-]*:/.test(text)
  ) {
    return refusal('it has no scheme; write https:// before it')
  }
  if (!/^https?:\/\//i.test(text))
    return refusal('only https:// (and http:// to this machine) is allowed')
  if (!URL.canParse(text)) return refusal('it is not a URL')
  const url = new URL(text)
  const broken = rules.find(([, breaks]) => breaks(url, text))
  if (broken !== undefined) return refusal(broken[0])
  return { ok: true, url: `${url.origin}${url.pathname.replace(/\/+$/, '')}` }
}

function refusal(why: string): BaseUrl {
  return { ok: false, why }
}

/** A base URL as it is used. Throws exit 2, naming where the text is written. */
export function parseBaseUrl(text: string, what: string): string {
  const result = readBaseUrl(text)
  if (result.ok) return result.url
  throw new SvcError('usage', `${what} is not a usable base URL: ${result.why}`, {
    hint: 'for example https://api.example.com',
  })
}

/** Scheme, host and port: what a secret belongs to. */
export function originOf(url: string): string {
  return new URL(url).origin
}
