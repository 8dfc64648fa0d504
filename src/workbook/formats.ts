/** Number formats: how a number is shown, where that is plain, and whether a text is shown. Pure. */

/** A value as it is shown. `phone`: a number in a format that only phone numbers have. */
export interface Shown {
  readonly kind: 'text' | 'number' | 'phone' | 'date' | 'boolean' | 'error'
  /** The value in the file where it is not plain. */
  readonly text: string
  /** Why it may be shown in another way. */
  readonly problem?: string | undefined
}

/** A longer code is no format, and would be searched for as long as its writer likes. */
const longestFormat = 255
const mostDigits = 15

/** Codes of the built-in formats that are plain. Others have a number that is shown in another way. */
const builtIn: Readonly<Record<number, string>> = {
  0: 'General',
  1: '0',
  3: '#,##0',
  14: 'yyyy-mm-dd',
  15: 'd-mmm-yy',
  22: 'm/d/yy h:mm',
  49: '@',
}

export function builtInFormat(id: number): string {
  const isDate =
    (id >= 16 && id <= 36 && (id < 23 || id > 26)) ||
    (id >= 45 && id <= 58 && id !== 48 && id !== 49)
  return builtIn[id] ?? (isDate ? 'h' : '0.00')
}

/** How a number of a cell is shown. `raw`: its text in the file; `shift`: days to the calendar of 1900. */
export function shownNumber(code: string, raw: string, shift: number): Shown {
  const odd = (problem: string): Shown => ({ kind: 'number', text: raw, problem })
  const value = Number(raw)
  const text = String(value)
  const digits = text.replace(/^-|\./g, '')
  if (!/^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(raw) || !/^\d+$/.test(digits))
    return odd('a number that is not plain')
  if (code.length <= longestFormat && isOfDates(code))
    return shownDate(code, value + shift) ?? odd(notPlain)
  if (digits.length > mostDigits) return odd('a number of more than 15 digits')
  if (/^(?:general|@)$/i.test(code)) return { kind: 'number', text }
  if (code.length > longestFormat || !Number.isInteger(value)) return odd(notPlain)
  if (code === '#,##0') return { kind: 'number', text }
  if (/^[#0]+$/.test(code))
    return {
      kind: 'number',
      text: text.replace(/\d+/, (all) => all.padStart(code.split('0').length - 1, '0')),
    }
  const phone = value > 0 ? shownPhone(code, value) : undefined
  return phone === undefined ? odd(notPlain) : { kind: 'phone', text: phone }
}

const notPlain = 'a number in a format that is not plain'

/** Whether a number format shows a date or a time: letters of one outside quotes and brackets. `[h]` counts hours. */
function isOfDates(code: string): boolean {
  return (
    !/\[(?:h+|m+|s+)\]/i.test(code) &&
    /[dmyhs]/i.test(code.replace(/"[^"]*"|\[[^\]]*\]|[\\_*]./g, ''))
  )
}

const token = /\\([()\-./+ \u00a0])|"([()\-./+ \u00a0]*)"|([()\-+ \u00a0])|([#0])/y
const condition = /^\[(<=|>=|<|>|=)(\d{1,15})\]/

interface FormatPart {
  readonly literal: string
  readonly digit: string
}

/** A section of places for digits and of what stands between those of phone numbers; undefined for another one. */
function parsePhoneFormat(section: string): FormatPart[] | undefined {
  const parts: FormatPart[] = []
  for (token.lastIndex = 0; token.lastIndex < section.length;) {
    const found = token.exec(section)
    if (found === null) return undefined
    parts.push({ literal: found[1] ?? found[2] ?? found[3] ?? '', digit: found[4] ?? '' })
  }
  return parts
}

function shownPhone(code: string, value: number): string | undefined {
  const sections = code.split(';')
  const [, sign, limit] = condition.exec(sections[0] ?? '') ?? []
  const isFirst = sign === undefined || compare(value, sign, Number(limit))
  const section = (isFirst ? sections[0] : sections[1])?.replace(isFirst ? condition : '', '')
  const parts = sections.length > 2 || section === undefined ? undefined : parsePhoneFormat(section)
  const places = parts?.filter(({ digit }) => digit !== '').length ?? 0
  if (parts === undefined || places === 0) return undefined
  const digits = String(value).padStart(places, ' ')
  // Digits that are left over stand before the first place.
  let at = digits.length - places
  let rest = digits.slice(0, at)
  const write = ({ literal, digit }: FormatPart): string => {
    if (digit === '') return literal
    const shown = rest + (digits[at] ?? '').replace(' ', digit === '0' ? '0' : '')
    ;[rest, at] = ['', at + 1]
    return shown
  }
  return parts.map(write).join('')
}

function compare(value: number, sign: string, limit: number): boolean {
  if (value === limit) return sign.includes('=')
  return value < limit ? sign.startsWith('<') : sign.startsWith('>')
}

/** Whether a format shows a whole date: its day, month and year, perhaps a time, and nothing else. */
function isWholeDate(code: string): boolean {
  const bare = code
    .replace(/^\[\$-[\da-f]+\]|;@$/gi, '')
    .replace(/\\(?=[ \-./,])|"(?=[ \-./,]*")/g, '')
  return (
    /^[dmyhs \-./,:"]+(?:am\/pm)?$/i.test(bare) &&
    [/d/i, /m/i, /y/i].every((letter) => letter.test(bare))
  )
}

/** A day number as `2026-03-01` or `2026-03-01 10:15:00`, where 1 is 1900-01-01; undefined where spreadsheets disagree. */
function shownDate(code: string, serial: number): Shown | undefined {
  // Spreadsheets believe that 1900 was a leap year.
  if (!(serial >= 61 && serial < 2_958_466)) return undefined
  const epoch = Date.UTC(1899, 11, 30)
  const [date = '', time = ''] = new Date(epoch + Math.round(serial * 86_400) * 1000)
    .toISOString()
    .split(/[T.]/)
  const isWhole = Number.isInteger(serial)
  const isShown = isWholeDate(code) && (isWhole || /h/i.test(code))
  return {
    kind: 'date',
    text: isWhole ? date : `${date} ${time}`,
    problem: isShown ? undefined : 'a date that is not shown whole',
  }
}

/** Whether a text in a cell of this format is what the cell shows: `;;;` shows nothing, `;;;"x"` something else. */
export function showsText(code: string): boolean {
  if (code.length > longestFormat) return false
  const bare = code.replace(/"[^"]*"|\\.|[_*].|\[[^\]]*\]/g, (part) =>
    /^(?:"[^"]|\\)/.test(part) ? 'x' : '',
  )
  const sections = bare.split(';').map((section) => section.trim().toLowerCase())
  const ofTexts = sections[3] ?? sections.find((section) => section.includes('@'))
  return ofTexts === undefined
    ? sections.some((section) => section !== '')
    : ['@', 'general'].includes(ofTexts)
}
