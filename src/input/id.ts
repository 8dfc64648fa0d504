/** One piece of text becomes an id, or a reason in words why it is none. Nothing is ever repaired. Pure. */
import { safe } from '../safe-text.ts'
import { idPattern, ticketInAddress, type InAddress } from '../values.ts'

/** Whether a text is an id and nothing else. */
export function isId(text: string) {
  return text.length === 24 && idPattern.test(text)
}

/** Whether a cell under contactId says that nobody fits. Some programs write an apostrophe before a lone dash. */
export function isNobody(text: string) {
  return /^\s*'?-\s*$/.test(text)
}

/** Longer than any id with what may be around it. */
const longest = 200

/** Without the spaces and quotes around it. */
function unwrapId(text: string): string {
  const bare = text.trim()
  if (isId(bare) || bare.length > longest) return bare
  return bare.replace(/^(["'])(.*)\1$/s, '$2').trim()
}

/** Whether a text is an id, perhaps with spaces and quotes around it. */
export function isWrappedId(text: string) {
  return isId(unwrapId(text))
}

/** The id in a text, or why it has none. `isTicket`: an address with one id in it counts as that id. */
export function idIn(text: string, isTicket: boolean): InAddress {
  const id = unwrapId(text)
  const pasted = isTicket ? ticketInAddress(id) : undefined
  if (pasted !== undefined) return pasted
  if (id === '') return { reason: 'empty' }
  if (id.length > longest) return { reason: 'too long; an id has 24 hexadecimal digits' }
  const isWhole = isId(id)
  // A spreadsheet keeps 15 digits of a number, and writes an exponent or zeros for the others.
  const isRounded =
    /^\d{15}0+$/.test(id) || (!isWhole && /^[+-]?\d+(?:[.,]\d+)?e[+-]?\d+$/i.test(id))
  if (isRounded)
    return { reason: 'rounded by a spreadsheet; export the ids again, as text' }
  if (isWhole) return { id }
  if (/^[0-9a-f]+$/i.test(id))
    return { reason: `${id.length} hexadecimal digits; an id has 24` }
  if (id.split(/[\s,;|]+/).some(isWrappedId))
    return {
      reason: 'more than just an id; put each id on its own line, or name its --column',
    }
  const [wrong = ''] = /[^0-9a-f]/iu.exec(id) ?? []
  return { reason: `contains "${safe(wrong)}", not a hexadecimal digit` }
}
