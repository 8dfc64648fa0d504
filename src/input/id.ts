/** Finds the id in a cell, or says why there is none. Texts are never repaired. Pure. */
import { idInAddress, idPattern, type IdFinding } from '../values.ts'
import { safe } from '../safe-text.ts'
import { textAt, type Row } from './table.ts'

/** A number that a spreadsheet rounded: it keeps 15 digits, and writes the others as zeros or an exponent. */
const roundedPattern = /^\d{15}0+$|^[+-]?\d{1,15}(?:[.,]\d+)?e[+-]?\d{1,3}$/i

/** An id between separators: the text has more than just that id. */
const idAmongOthers = /(?<![^\s,;|])[0-9a-f]{24}(?![^\s,;|])/i

/** Whether a cell has only a dash, as people write for nobody. Some programs write an apostrophe before it. */
export function isDash(text: string) {
  return /^\s*'?-\s*$/.test(text)
}

/** Returns the id in a cell, or why it has none. Reads a web address with one id if `item` is a ticket. */
export function idAt(row: Row, column: number, item: string): IdFinding {
  const reason = row.unfit?.(column)
  return reason === undefined ? idIn(textAt(row, column), item) : { reason }
}

/** Does the same for a text. The first reason that fits is returned. */
export function idIn(text: string, item: string): IdFinding {
  const bare = text.trim()
  const idFromAddress = item === 'ticket' ? idInAddress(bare) : undefined
  if (idFromAddress !== undefined) return idFromAddress
  if (bare === '') return { reason: 'empty' }
  if (roundedPattern.test(bare))
    return { reason: 'rounded by a spreadsheet; export the ids again, as text' }
  if (idPattern.test(bare)) return { id: bare }
  if (/^[0-9a-f]+$/i.test(bare))
    return { reason: `${bare.length} hexadecimal digits; an id has 24` }
  if (idAmongOthers.test(bare))
    return {
      reason: 'more than just an id; put each id on its own line, or name its --column',
    }
  const [wrong = ''] = /[^0-9a-f]/iu.exec(bare) ?? []
  return { reason: `contains "${safe(wrong)}", not a hexadecimal digit` }
}
