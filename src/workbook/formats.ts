/**
 * Number formats: a list of those in which a value is shown as it is stored. A format is compared whole, and one that is not in the list is
 * not read: a grammar of formats can always say something that another program says differently. Pure.
 */

/** A value as it is shown. `phone`: a number in a format that only phone numbers have. */
export interface Shown {
  readonly kind: 'text' | 'number' | 'phone' | 'date' | 'boolean' | 'error'
  /** The value in the file where it is not plain. */
  readonly text: string
  /** Why it may be shown in another way. */
  readonly problem?: string | undefined
}

/** A built-in format by its number, or the code of a custom one. */
export type Format = number | string

/** A longer code is in no list. */
const longestFormat = 255
const mostDigits = 15
const secondsOfDay = 86_400
const notPlain = 'a number in a format that is not plain'

/** A code without what changes nothing: letter case, `\` and quotes before separators, and a closing `;@`. */
function bareCode(code: string): string {
  if (code.length > longestFormat) return code
  return code
    .toLowerCase()
    .replace(/;@$/, '')
    .replace(/\\([ \-./,:])|"([ \-./,:]+)"/g, '$1$2')
}

/** Takes off a language, which changes words and separators, but no text and not the order of a day. */
function withoutLanguage(code: string): string {
  return code.replace(/^\[\$-[\da-f]{1,4}\]/i, '')
}

/** A language that stands for the system's own long date, whatever the code says. */
const systemDate = /^\[\$-f800\]/i

const general = [0, 'general']
const text = [49, '@']

/** Custom codes that say what built-in ones of more than one section say, with or without cents. */
const written = ['', '.00'].flatMap((cents) => {
  const amount = `#,##0${cents}`
  const nothing = cents === '' ? '-' : '-??'
  const accounts = ['', '"$"'].map(
    (sign) => `_(${sign}* ${amount}_);_(${sign}* \\(${amount}\\);_(${sign}* ${nothing}_);_(@_)`,
  )
  const negatives = ['', '[red]'].map((color) => `${amount}_);${color}\\(${amount}\\)`)
  return [...accounts, ...negatives]
})
const shownTexts = new Set([
  ...['general', '@', '# ?/?', '# ??/??', '0.00e+00', '##0.0e+0'],
  ...['h:mm am/pm', 'h:mm:ss am/pm', '[h]:mm:ss'],
  ...written,
])

/** Whether a text in a cell of this format is what the cell shows. */
export function showsText(format: Format): boolean {
  if (typeof format === 'number')
    return format <= 4 || (format >= 9 && format <= 22) || (format >= 37 && format <= 49)
  const code = bareCode(withoutLanguage(format))
  return shownTexts.has(code) || /^[0#,.%\-/:dmyhs ]{1,255}$/.test(code)
}

export function showsBoolean(format: Format): boolean {
  // In the format Text, and behind General with one for texts, one program shows TRUE and another one 1.
  return general.includes(typeof format === 'number' ? format : format.toLowerCase())
}

/** How a number of a cell is shown. `raw`: its text in the file; `shift`: days to the calendar of 1900. */
export function shownNumber(format: Format, raw: string, shift: number): Shown {
  const odd = (problem: string): Shown => ({ kind: 'number', text: raw, problem })
  const value = Number(raw)
  const plain = String(value)
  const digits = plain.replace(/^-|\./g, '')
  if (!/^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(raw) || !/^\d+$/.test(digits))
    return odd('a number that is not plain')
  const code = typeof format === 'number' ? format : bareCode(format)
  if (isOfDays(code)) return shownDay(code, value + shift) ?? odd(notPlain)
  if (digits.length > mostDigits) return odd('a number of more than 15 digits')
  if ([...general, ...text].includes(code)) return { kind: 'number', text: plain }
  if (!Number.isInteger(value)) return odd(notPlain)
  if ([1, 3, '#,##0'].includes(code)) return { kind: 'number', text: plain }
  if (typeof format === 'number' || format.length > longestFormat) return odd(notPlain)
  if (/^0+$/.test(format)) {
    const padded = plain.replace(/\d+/, (all) => all.padStart(format.length, '0'))
    return { kind: 'number', text: padded }
  }
  const phone = value > 0 ? shownPhone(format, String(value)) : undefined
  return phone === undefined ? odd(notPlain) : { kind: 'phone', text: phone }
}

const dayCode = /^(?:yyyy-mm?-dd?|dd?\.mm?\.yyyy|dd?\/mm?\/yyyy|mm?\/dd?\/yyyy)( hh?:mm(?::ss)?)?$/
const builtInDays = [14, 22]

function isOfDays(code: Format): boolean {
  if (typeof code === 'number') return builtInDays.includes(code)
  return dayCode.test(withoutLanguage(code)) && !systemDate.test(code)
}

/** A day number as `2026-03-01` or `2026-03-01 10:15:00`, where 1 is 1900-01-01; undefined where spreadsheets disagree. */
function shownDay(code: Format, serial: number): Shown | undefined {
  // Spreadsheets believe that 1900 was a leap year.
  if (!(serial >= 61 && serial < 2_958_466)) return undefined
  const seconds = Math.round(serial * secondsOfDay)
  const time = new Date(Date.UTC(1899, 11, 30) + seconds * 1000).toISOString()
  const isWhole = Number.isInteger(serial)
  const isExact = Math.abs(serial * secondsOfDay - seconds) < 0.001
  const shown =
    typeof code === 'number' ? code === 22 && ' h:mm' : dayCode.exec(withoutLanguage(code))?.[1]
  const hasTime = Boolean(shown) && isExact && (/s/.test(String(shown)) || seconds % 60 === 0)
  return {
    kind: 'date',
    text: isWhole ? time.slice(0, 10) : `${time.slice(0, 10)} ${time.slice(11, 19)}`,
    problem: isWhole || hasTime ? undefined : 'a date that is not shown whole',
  }
}

/**
 * Places for digits, and what stands between those of phone numbers: bare where that means nothing else, behind `\` or in quotes. A `/`
 * in quotes only: LibreOffice takes `000\/000` for the fraction `000/000` where the workbook has that one too.
 */
const phoneCode = /^(?:[#0()\-+ \u00a0]|\\[()\-.+ \u00a0]|"[()\-./+ \u00a0]*")+$/
/** Excel's own for American numbers. */
const localCode = /^\[<=9999999\](###\\?-####);(\\?\(###\\?\)\\? ###\\?-####)$/
const longestLocal = 7

/** All digits of a number at their places; those that are left over stand at the first one. Undefined unless each `#` has one. */
function shownPhone(format: string, digits: string): string | undefined {
  const [, local = format, abroad = format] = localCode.exec(format) ?? []
  const code = digits.length <= longestLocal ? local : abroad
  const bare = phoneCode.test(code) ? code.replace(/[\\"]/g, '') : ''
  const places = bare.replace(/[^#0]/g, '')
  const isFull = digits.length >= places.length || !places.includes('#')
  if (places === '' || /0#/.test(places) || !isFull) return undefined
  const all = digits.padStart(places.length, '0')
  let end = all.length - places.length
  let start = 0
  return bare.replace(/[#0]/g, () => {
    end += 1
    const shown = all.slice(start, end)
    start = end
    return shown
  })
}
