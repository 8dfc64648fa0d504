/** The look of cells, for columns whose headings do not say what they have; and columns that are not read although they look like numbers or addresses. */
import { trimBlanks } from '../input/id.ts'
import type { PeopleColumns } from './headings.ts'
import { isEmptyCell } from './identity.ts'
import { quoteAll } from '../output/text/safe.ts'

interface Counts {
  filled: number
  numbers: number
  addresses: number
}

export class UnreadColumns {
  readonly #counts = new Map<number, Counts>()

  take(cells: readonly string[], columns: readonly number[]): void {
    for (const column of columns) {
      const text = cells[column]
      if (text === undefined || text === '') continue
      this.#add(column, trimBlanks(text))
    }
  }

  /** A sentence for each kind of such columns. `isWanted`: whether this kind may decide. */
  words({ headings }: PeopleColumns, isWanted: (kind: 'phone' | 'email') => boolean): string[] {
    const named = (kind: 'numbers' | 'addresses'): string =>
      quoteAll(
        [...this.#counts]
          .filter(([, counts]) => areMost(counts[kind], counts.filled))
          .toSorted(([one], [other]) => one - other)
          .map(([column]) => headings[column] ?? ''),
      )
    return [
      ...(isWanted('phone') ? notRead(named('numbers'), 'phone numbers', '--phone-column') : []),
      ...(isWanted('email') ? notRead(named('addresses'), 'addresses', '--email-column') : []),
    ]
  }

  #add(column: number, text: string): void {
    if (isEmptyCell(text)) return
    const counts = this.#counts.get(column) ?? { filled: 0, numbers: 0, addresses: 0 }
    this.#counts.set(column, counts)
    counts.filled += 1
    if (looksLikeNumber(text)) counts.numbers += 1
    else if (looksLikeAddress(text)) counts.addresses += 1
  }
}

function notRead(columns: string, what: string, option: string): string[] {
  return columns === ''
    ? []
    : [`not read, although it looks like ${what}: ${columns}; ${option} reads it`]
}

/** Digits with what stands between those of a number. */
const digitRun = /\+?\(?\d[\d\s()./-]{5,}\d/
const fewestDigits = 7
const mostDigits = 15
const date = /^(?:\d{1,2}([./-])\d{1,2}\1\d{2,4}|\d{4}([./-])\d{1,2}\2\d{1,2})(?!\d)/
const amount = /^\d{1,3}(?:\.\d{3})+(?:,\d+)?$/

/** Whether a text has digits that could be a number, which a heading says they are. */
export function couldBeNumber(text: string): boolean {
  const [run = ''] = digitRun.exec(text) ?? []
  const digits = run.replace(/\D/g, '').length
  return digits >= fewestDigits && digits <= mostDigits && !date.test(run)
}

/** A number whole, as it is written with its country, its area or in groups: a customer number is none. */
const wholeNumber = /^(?:tel\.?:?\s*)?(?:\+|0|\(|\d{2,}[\s./-]+\d+[\s./-]+\d)[\d\s()./-]*$/i

/** Whether a text looks like a number although its heading does not say so. */
export function looksLikeNumber(text: string): boolean {
  return wholeNumber.test(text) && couldBeNumber(text) && !amount.test(text)
}

/** Whether a text is an email address and nothing else. */
export function looksLikeAddress(text: string): boolean {
  return text.includes('@') && /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text)
}

/** Whether most of some cells are so. */
export function areMost(count: number, all: number): boolean {
  return count * 2 > all
}
