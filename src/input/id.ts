/** A text becomes an id, or a reason in words why it is none. Nothing is ever repaired. Pure. */
import { safe } from '../safe-text.ts'
import { textAt, type Row } from './table.ts'
import { idPattern, idInAddress, type IdFinding } from '../ids.ts'

/** Whether a text is an id and nothing else. */
export function isId(text: string) {
  return text.length === 24 && idPattern.test(text)
}

/** A spreadsheet keeps 15 digits of a number, and writes an exponent or zeros for the others. */
const roundedPattern = /^\d{15}0+$|^[+-]?\d{1,15}(?:[.,]\d+)?e[+-]?\d{1,3}$/i

/** The id in a cell, or why it has none. `isTicket`: an address with one id in it counts as that id. */
export function idAt(row: Row, column: number, isTicket: boolean): IdFinding {
  const reason = row.unfit?.(column)
  return reason === undefined ? idIn(textAt(row, column), isTicket) : { reason }
}

/** The id in a text, or why it has none. `isTicket`: an address with one id in it counts as that id. */
export function idIn(text: string, isTicket: boolean): IdFinding {
  const bare = text.trim()
  const pasted = isTicket ? idInAddress(bare) : undefined
  if (pasted !== undefined) return pasted
  if (bare === '') return { reason: 'empty' }
  if (roundedPattern.test(bare))
    return { reason: 'rounded by a spreadsheet; export the ids again, as text' }
  if (isId(bare)) return { id: bare }
  if (/^[0-9a-f]+$/i.test(bare))
    return { reason: `${bare.length} hexadecimal digits; an id has 24` }
  if (/(?<![^\s,;|])[0-9a-f]{24}(?![^\s,;|])/i.test(bare))
    return {
      reason: 'more than just an id; put each id on its own line, or name its --column',
    }
  const [wrong = ''] = /[^0-9a-f]/iu.exec(bare) ?? []
  return { reason: `contains "${safe(wrong)}", not a hexadecimal digit` }
}
