/** The words that profile names and keys obey; without a schema, so nothing heavy is loaded. */
import { say, svc, type Message } from '../message.ts'
import { closest } from '../words.ts'

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
  return !/^[\x21-\x7e]*$/.test(text) && new RegExp(String.raw`[\s\p{Cc}\p{Cf}]`, 'u').test(text)
}

/** The names that exist, and the one that was probably meant, as a hint. */
export function namesHint(wanted: string, names: readonly string[]): Message {
  if (names.length === 0)
    return say`there are no profiles yet; add one:\n  ${svc`profiles add <name>`}`
  const near = closest(wanted, names)
  return `${near === undefined ? '' : `did you mean "${near}"? `}profiles: ${names.join(', ')}`
}
