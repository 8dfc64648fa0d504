/**
 * One piece of text becomes an id, or a reason in words why it is none. Spreadsheets, editors and chats ruin
 * ids in ways that are known by name, so that a person sees what to fix. Pure.
 *
 * Whatever often stands around an id is taken off, because it cannot change which id is meant: blanks,
 * quotes, a comma at the end, `ObjectId("…")`. Nothing is ever repaired: a digit that is missing or rounded
 * could be any digit.
 */
import { say, svc, type Message } from '../message.ts'
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

/** ASCII's blanks and Unicode's spaces, but not the byte order mark, which nobody sees. */
const blank = /[^\S\ufeff]/

/** The text without blanks at its ends; unlike `trim`, it leaves a byte order mark. */
export function trimBlanks(text: string): string {
  if (!text.includes('\ufeff')) return text.trim()
  let from = 0
  let to = text.length
  while (from < to && blank.test(text[from] ?? '')) from += 1
  while (to > from && blank.test(text[to - 1] ?? '')) to -= 1
  return text.slice(from, to)
}

/** Whether a text is an id and nothing else. */
export function isId(text: string): boolean {
  return text.length === idLength && idPattern.test(text)
}

/** Removes what may be around an id: spaces, quotes, a trailing comma or semicolon, and `ObjectId("…")`. */
export function unwrapId(text: string): string {
  const bare = trimBlanks(text)
  if (bare.length > longestWrapped) return bare
  const hasEnd = bare.endsWith(',') || bare.endsWith(';')
  const item = hasEnd ? trimBlanks(bare.slice(0, -1)) : bare
  const inQuotes = quoted.exec(item)
  const unquoted = inQuotes?.[2] ?? item
  const inCall = wrapped.exec(unquoted)
  const inner = inCall?.[2] ?? unquoted
  return trimBlanks(inner)
}

/** Email addresses and phone numbers. */
const reach = /^\s*(?:\S+@\S+\.\w+|[+(0]\d[\d ()./-]{5,}|\d{3}[ .-]\d{3}[ .-]\d{4})\s*$/
/** ITU E.164: fifteen digits at most, and `00` before them. An id that lost a digit has more. */
const mostPhoneDigits = 17

/** Whether a text is written as an email address or a phone number is, and so was never an id. */
export function isReach(text: string): boolean {
  if (text.length >= longestWrapped || !reach.test(text)) return false
  return text.includes('@') || text.replaceAll(/\D/g, '').length <= mostPhoneDigits
}

/** How the people of a table are found. */
export const peopleByTable: Message = say`to find people by phone number or address:\n  ${svc`contacts match --file <table> --annotate <file>.xlsx`}`

/** Advice for cells of people, their addresses and phone numbers, where ids are wanted. */
export function hintOnPeople(cells: readonly string[]): Message {
  if (cells.some(isId)) return ''
  return cells.some(isReach) ? say`\n${peopleByTable}` : ''
}

/** The 15 significant digits a spreadsheet keeps of a number, and zeros instead of the others. */
function isRounded(text: string): boolean {
  if (!/^\d{16,}$/.test(text)) return false
  const isAllZeros = /^0*$/.test(text)
  return !isAllZeros && /^0*$/.test(text.slice(15))
}

const roundedReason =
  'rounded by a spreadsheet: fifteen digits and then zeros; export the ids again, as text'

/**
 * Why a text is not an id, in words for the person at the terminal. `fromFile`: spreadsheets may have been at work, so
 * that a number of fifteen digits and zeros is one that was rounded. Undefined when the text is a good id.
 */
export function reasonNotId(text: string, fromFile: boolean): string | undefined {
  const id = unwrapId(text)
  if (isId(id)) {
    const mayBeRounded = fromFile && isRounded(id)
    return mayBeRounded ? roundedReason : undefined
  }
  if (id === '') return 'empty'
  if (id.length > longestText)
    return `${groupDigits(id.length)} characters long; an id has 24 hexadecimal digits`
  const bare = trimBlanks(text)
  const reason = ruin(bare, id) ?? severalWords(bare, fromFile)
  if (reason !== undefined) return reason
  return otherDigits(id) ?? wrongCharacter(id)
}

/** More in a cell or a line are not there by chance. */
const mostOuterBlanks = 16

/** Whether blanks push a text out of sight. */
function hasLongBlanks(text: string): boolean {
  const bare = trimBlanks(text)
  if (bare === '') return false
  const before = text.indexOf(bare)
  const after = text.length - bare.length - before
  return Math.max(before, after) > mostOuterBlanks
}

/** The id in a text, or why the text is not an id. `isTicket`: an address with one id in it counts as that id. */
export function idIn(text: string, fromFile: boolean, isTicket: boolean): InAddress {
  const pasted = isTicket ? ticketInAddress(unwrapId(text)) : undefined
  if (pasted !== undefined) return pasted
  if (fromFile && hasLongBlanks(text)) {
    return {
      reason: `more than ${mostOuterBlanks} spaces around it, which push it out of sight`,
    }
  }
  const reason = reasonNotId(text, fromFile)
  if (reason !== undefined) return { reason }
  return { id: unwrapId(text) }
}

/** `6.4E+23` */
const scientific = /^[+-]?\d+(?:[.,]\d+)?e[+-]?\d+$/i

/** How a spreadsheet ruined an id. `bare`: as it is there, without outer blanks; `id`: without anything around it. */
function ruin(bare: string, id: string): string | undefined {
  const isFormula = bare.startsWith('=') || bare.startsWith('"=')
  if (isFormula) return 'a spreadsheet formula; export the column as plain text'
  const hasApostrophe = /^['’`]/.test(bare)
  if (hasApostrophe && isId(bare.slice(1))) {
    return "begins with an apostrophe, a spreadsheet's mark for text; remove it"
  }
  // An id can be digits with an e among them: then it has the length of one.
  const isScientific = scientific.test(id) && id.length !== idLength
  if (isScientific) {
    return 'a number in scientific notation: a spreadsheet lost most of its digits; export the ids again, as text'
  }
  return isRounded(id) ? roundedReason : undefined
}

/** The problem of an id with something next to it, or of several ids. */
function severalWords(bare: string, fromFile: boolean): string | undefined {
  const parts = bare.split(/[\s,;|]+/)
  const words = parts.filter((part) => part !== '')
  if (words.length < 2) return undefined
  const ids = words.filter((word) => isId(unwrapId(word))).length
  if (ids === 0) return undefined
  if (ids < words.length) {
    return 'more than an id on the line; keep only the id, or read the file as csv with --column'
  }
  return fromFile
    ? `${ids} ids on one line; put each on a separate line`
    : `${ids} ids in one argument; give each as its own argument`
}

/** Digits that are an id's, but not as many, or something else that is written so. */
function otherDigits(id: string): string | undefined {
  if (/^0x/i.test(id)) return 'begins with 0x; remove it: an id is 24 hexadecimal digits'
  if (!/^[0-9a-f]+$/i.test(id)) return undefined
  const unit = id.length === 1 ? 'digit' : 'digits'
  const digits = `${id.length} hexadecimal ${unit}; an id has 24`
  const isShort = id.length >= 18 && id.length < idLength
  const mayLackZeros = isShort && /^\d+$/.test(id)
  if (!mayLackZeros) return digits
  return `${digits}: a spreadsheet may have dropped zeros at its beginning`
}

/** The first character that is not a digit, with its code point if a person may mistake or not see it. */
function wrongCharacter(id: string): string {
  // Only digits of one unit each are in front of it.
  const match = /[^0-9a-f]/iu.exec(id)
  const character = match?.[0] ?? ''
  const place = match?.index ?? 0
  return `contains ${nameOf(character)} at character ${place + 1}, not a hexadecimal digit`
}

/** A character in quotes, with its code point unless it is one of ASCII that is seen. */
function nameOf(character: string): string {
  const codePoint = character.codePointAt(0) ?? 0
  const isPlain = codePoint >= 0x20 && codePoint < 0x7f
  if (isPlain) return JSON.stringify(character)
  const digits = codePoint.toString(16).toUpperCase()
  return `"${safe(character)}" (U+${digits.padStart(4, '0')})`
}
