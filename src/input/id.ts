/**
 * One piece of text becomes an id, or a reason in words why it is none. Spreadsheets, editors and chats ruin
 * ids in ways that are known by name, so that a person sees what to fix. Pure.
 *
 * Whatever often stands around an id is taken off, because it cannot change which id is meant: blanks,
 * quotes, a comma at the end, `ObjectId("…")`. Nothing is ever repaired: a digit that is missing or rounded
 * could be any digit.
 */
import { safe } from '../safe-text.ts'
import { idPattern, ticketInAddress, type InAddress } from '../values.ts'
import { groupDigits } from '../words.ts'

/** API: Resources, an id is 24 hexadecimal digits. */
const idLength = 24

/** Nobody looks what is wrong within a longer text. */
const longestText = 1 << 20
/** Longer than anything around an id. The cost of these patterns grows faster than the text. */
const longestWrapped = 200
/** `ObjectId("…")`, with any quotes or none. */
const wrapped = /^(?:new\s+)?ObjectId\(\s*(["']?)([^"'()]*)\1\s*\)$/
/** `"…"` and `'…'`. */
const quoted = /^(["'])([^"']*)\1$/

/** Whether a text is an id and nothing else. */
export function isId(text: string) {
  return text.length === idLength && idPattern.test(text)
}

/** Removes what may be around an id: spaces, quotes, a trailing comma or semicolon, and `ObjectId("…")`. */
export function unwrapId(text: string): string {
  const bare = text.trim()
  if (isId(bare) || bare.length > longestWrapped) return bare
  const item = bare.replace(/[,;]$/, '').trim()
  const unquoted = quoted.exec(item)?.[2] ?? item
  const inner = wrapped.exec(unquoted)?.[2] ?? unquoted
  return inner.trim()
}

/** Email addresses and phone numbers. */
const reach = /^\s*(?:\S+@\S+\.\w+|[+(0]\d[\d ()./-]{5,}|\d{3}[ .-]\d{3}[ .-]\d{4})\s*$/
/** ITU E.164: fifteen digits at most, and `00` before them. An id that lost a digit has more. */
const mostPhoneDigits = 17

/** Whether a text is written as an email address or a phone number is, and so was never an id. */
export function isReach(text: string) {
  if (text.length >= longestWrapped || !reach.test(text)) return false
  return text.includes('@') || text.replaceAll(/\D/g, '').length <= mostPhoneDigits
}

/** More than 16 spaces are not there by chance: they push a text out of sight. */
const longBlanks = /^\s{17}|\s{17}$/

/**
 * The id in a text, or why it has none. `isFile`: spreadsheets may have been at work, so that a number of fifteen digits and
 * zeros is one that was rounded. `isTicket`: an address with one id in it counts as that id.
 */
export function idIn(text: string, isFile: boolean, isTicket: boolean): InAddress {
  const id = unwrapId(text)
  const pasted = isTicket ? ticketInAddress(id) : undefined
  if (pasted !== undefined) return pasted
  if (id === '') return { reason: 'empty' }
  if (isFile && longBlanks.test(text))
    return { reason: 'more than 16 spaces around it, which push it out of sight' }
  const reason = ruin(text.trim(), id, isFile)
  return reason === undefined ? { id } : { reason }
}

/** The fault of an id that a spreadsheet ruined, or that is something else. `bare`: as it is there, without outer blanks. */
function ruin(bare: string, id: string, isFile: boolean) {
  // A spreadsheet keeps 15 digits of a number, and writes zeros for the others.
  const isRounded = isFile && /^\d{15}0+$/.test(id) && /[1-9]/.test(id)
  if (isRounded)
    return 'rounded by a spreadsheet: fifteen digits and then zeros; export the ids again, as text'
  if (isId(id)) return undefined
  if (id.length > longestText)
    return `${groupDigits(id.length)} characters long; an id has 24 hexadecimal digits`
  if (/^"?=/.test(bare)) return 'a spreadsheet formula; export the column as plain text'
  if (/^['’`]/.test(bare) && isId(bare.slice(1)))
    return "begins with an apostrophe, a spreadsheet's mark for text; remove it"
  // `6.4E+23`. An id can be digits with an e among them: then it has the length of one.
  if (/^[+-]?\d+(?:[.,]\d+)?e[+-]?\d+$/i.test(id) && id.length !== idLength)
    return 'a number in scientific notation: a spreadsheet lost most of its digits; export the ids again, as text'
  const words = bare.split(/[\s,;|]+/)
  if (words.length > 1 && words.some((word) => isId(unwrapId(word))))
    return 'more than one id; put each id on its own line, or read the file as csv with --column'
  if (/^[0-9a-f]+$/i.test(id)) return `${id.length} hexadecimal digits; an id has 24`
  return wrongCharacter(id)
}

/** The first character that is not a digit, with its code point if a person may mistake it or not see it. */
function wrongCharacter(id: string) {
  // Only digits of one unit each are in front of it.
  const { 0: character, index } = /[^0-9a-f]/iu.exec(id) ?? { 0: '', index: 0 }
  const point = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0') ?? ''
  const name = /^[ -~]$/.test(character)
    ? JSON.stringify(character)
    : `"${safe(character)}" (U+${point})`
  return `contains ${name} at character ${index + 1}, not a hexadecimal digit`
}
