/**
 * Reads the cell styles and number formats of a workbook, to know what a person sees in a cell. Only the
 * formats of a fixed list are read, which show a value as it is stored. A format is compared whole instead
 * of being parsed: programs would disagree on parts of a parsed format.
 *
 * The result is the text of a cell, with a problem in words unless every program shows that same text.
 */
import type { Shown } from './cells.ts'
import { readXml, type Attributes } from './xml.ts'
import type { Archive } from './zip.ts'

const notPlain =
  'in a style that cannot be read plainly; save the workbook again in a spreadsheet program'

/** A number without leading zeros or signs; undefined for other spellings, which programs read in different ways. */
export function plainNumber(text: string | undefined, missing = 0): number | undefined {
  if (text === undefined) return missing
  return /^(?:0|[1-9]\d{0,7})$/.test(text) ? Number(text) : undefined
}

/** The sections of the part that are read, in their order. */
const lists = ['styleSheet', 'numFmts', 'cellStyleXfs', 'cellXfs', 'dxfs']

/** The styles of one workbook. */
export class Styles {
  /** The custom number formats by their ids. */
  readonly #codes = new Map<number, NumberFormat>()
  /** The number format of each named style. */
  readonly #namedStyleFormats: (NumberFormat | undefined)[] = []
  /** The number format of each cell style; undefined where programs disagree. */
  readonly #cellStyleFormats: (NumberFormat | undefined)[] = []
  /** The indexes of the conditional formats that have a number format. */
  readonly #conditionalFormatsWithNumbers = new Set<number>()

  /** Reads the part of the styles. Throws exit 2 if another program may find other styles in it. */
  read(archive: Archive, path: string) {
    let last = -1
    let dxfs = 0
    readXml(archive, path, 'styleSheet', {
      onOpen: (name, attributes, parent) => {
        if (name === 'dxf') dxfs += 1
        else if (parent === 'dxf') this.#conditionalFormatsWithNumbers.add(dxfs - 1)
        else if (name === 'xf') this.#addStyle(parent === 'cellXfs', attributes)
        else if (name === 'numFmt') this.#addFormat(archive, attributes)
        else {
          // Only some programs see a section that comes twice, or after one that needs it.
          const place = lists.indexOf(name)
          if (place <= last)
            throw archive.ambiguous(`its styles have <${name}> out of order`)
          last = place
        }
      },
    })
  }

  /** Whether a conditional format may show a number in another way. */
  changesFormat(dxf: string | undefined) {
    const number = plainNumber(dxf, -1)
    return number === undefined || this.#conditionalFormatsWithNumbers.has(number)
  }

  /**
   * Reads what a cell shows. `raw`: its value in the file; `own`: its style. Programs may show a cell without a style in
   * General, in the first style, or in one of `inheritedStyles`: those of its row and column.
   */
  show(
    type: string,
    raw: string,
    own: string | undefined,
    inheritedStyles: readonly string[],
  ): Shown {
    const styles = own === undefined ? ['0', ...inheritedStyles] : [own]
    const ofStyles = styles.map((style) => this.#formatOf(style))
    /** Every format that some program may use for this cell. */
    const formats = new Set(own === undefined ? [0, ...ofStyles] : ofStyles)
    const [first = shownAs(type, raw, undefined), ...others] = [...formats].map((format) =>
      shownAs(type, raw, format),
    )
    const different = others.find(
      ({ kind, text, problem }) =>
        problem !== undefined || kind !== first.kind || text !== first.text,
    )
    if (different === undefined || first.problem !== undefined) return first
    return { ...first, problem: different.problem ?? notPlain }
  }

  /** The format of a cell style; undefined if programs disagree on it. */
  #formatOf(style: string): NumberFormat | undefined {
    const number = plainNumber(style)
    if (number === 0 && this.#cellStyleFormats.length === 0) return 0
    return number === undefined ? undefined : this.#cellStyleFormats[number]
  }

  #addFormat(archive: Archive, { numFmtId, formatCode = '' }: Attributes) {
    const id = plainNumber(numFmtId, -1) ?? -1
    const format = formatCode.toLowerCase() === 'general' ? 0 : formatCode
    // If two codes share an id, programs disagree on which one counts.
    const known = this.#codes.get(id) ?? format
    if (id < 0 || normalizedFormat(known) !== normalizedFormat(format))
      throw archive.ambiguous('its styles have a format twice')
    this.#codes.set(id, format)
  }

  #addStyle(isOfCells: boolean, { numFmtId, xfId, applyNumberFormat }: Attributes) {
    const id = plainNumber(numFmtId)
    const format = id === undefined ? undefined : (this.#codes.get(id) ?? id)
    if (!isOfCells) {
      this.#namedStyleFormats.push(format)
      return
    }
    // A named style that does not exist is General.
    const place = plainNumber(xfId) ?? -1
    const named =
      place < this.#namedStyleFormats.length ? this.#namedStyleFormats[place] : 0
    // Programs disagree on whether a format counts when `applyNumberFormat` is missing.
    const isApplied =
      applyNumberFormat === undefined
        ? named === 0
        : ['1', 'true'].includes(applyNumberFormat)
    const isSame = isApplied || format === named
    this.#cellStyleFormats.push(named !== undefined && isSame ? format : undefined)
  }
}

/** A value as it is shown in a format. `format`: undefined if programs disagree on it. */
function shownAs(type: string, raw: string, format: NumberFormat | undefined): Shown {
  if (['s', 'inlineStr', 'str'].includes(type)) return shownText(format, raw)
  if (type === 'b') return shownBoolean(format, raw)
  if (type !== 'n') return { kind: 'error', text: raw }
  return raw === '' ? { kind: 'number', text: '' } : shownNumber(format, raw)
}

/** A built-in format by its number, or the code of a custom one. */
type NumberFormat = number | string

/** A longer code is never a known format. */
const longestFormat = 255
const mostDigits = 15
const notPlainFormat = 'a number in a format that is not plain'

/** A code in lower case, without parts that change nothing: `\` and quotes around separators, and a final `;@`. */
function bareCode(code: string) {
  if (code.length > longestFormat) return code
  return code
    .toLowerCase()
    .replace(/(?<![\\_*]);@$/, '')
    .replace(/\\([ \-./,:])|"([ \-./,:]+)"/g, '$1$2')
}

/** A format in one spelling, so that two spellings of a code are equal. */
function normalizedFormat(format: NumberFormat): NumberFormat {
  return typeof format === 'number' ? format : bareCode(format)
}

/** Removes a language code, which changes words and separators, but neither a text nor the order of a day. */
function withoutLanguage(code: string) {
  return code.replace(/^\[\$-[\da-f]{1,4}\]/i, '')
}

/** A language code that means the system's own long date, regardless of the format code. */
const systemDate = /^\[\$-f800\]/i

/** Codes of the built-in accounting formats, with or without cents, as programs write them out. */
const accounting =
  /^_\(((?:"\$")?)\* (#,##0(?:\.00)?)_\);_\(\1\* \\\(\2\\\);_\(\1\* -(?:\?\?)?_\);_\(@_\)$|^(#,##0(?:\.00)?)_\);(?:\[red\])?\\\(\3\\\)$/

/** First and last ids of built-in formats that show a text as it is. The others depend on the program and its language. */
const builtInFormatsThatShowText = [
  // General and plain numbers
  [0, 4],
  // percentages, exponents, fractions, days and times
  [9, 22],
  // accounting, durations, exponents and Text
  [37, 49],
] as const

/**
 * Whether a cell of this format shows its text as it is: a format of one section without `@` is for numbers, and leaves
 * texts alone.
 */
function showsText(format: NumberFormat) {
  if (typeof format === 'number')
    return builtInFormatsThatShowText.some(
      ([first, last]) => format >= first && format <= last,
    )
  if (format === '' || format.length > longestFormat) return false
  const code = bareCode(withoutLanguage(format))
  if (code === '@' || accounting.test(code)) return true
  return !/[;@]/.test(code) || localCode.test(code)
}

const escapes = /_x([0-9a-fA-F]{4})_/g

/** Replaces the escapes of a workbook, such as `_x000D_`, by the characters that XML cannot have. */
function unescape(text: string) {
  return text.replace(escapes, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
}

/** Neither a control nor an underscore. */
const plainCharacter = /^[^\p{C}_]$/u

/** Whether a text escapes a character that needs no escape. */
function hasNeedlessEscape(text: string) {
  const all = text.match(escapes) ?? []
  return all.some((escape) => plainCharacter.test(unescape(escape)))
}

function shownText(format: NumberFormat | undefined, escaped: string): Shown {
  let problem: string | undefined
  if (hasNeedlessEscape(escaped))
    problem =
      'written with escapes, which programs show in different ways; type it in again'
  else if (format === undefined) problem = notPlain
  else if (!showsText(format))
    problem =
      'in a number format that shows nothing or something else; give the cell the format Text'
  return { kind: 'text', text: unescape(escaped), problem }
}

function shownBoolean(format: NumberFormat | undefined, raw: string): Shown {
  let problem: string | undefined
  if (raw !== '0' && raw !== '1') problem = 'neither true nor false'
  else if (format === undefined) problem = notPlain
  // In the format Text, one program shows TRUE and another shows 1.
  else if (format !== 0)
    problem = 'in a number format that is not plain; give the cell the format General'
  return { kind: 'boolean', text: raw === '1' ? 'TRUE' : 'FALSE', problem }
}

/** Formats in which a whole number is shown as its digits alone. */
const formatsOfPlainIntegers = [
  0, // General
  1, // 0
  3, // #,##0
  49, // Text
  '@',
  '#,##0',
]

/** How a number of a cell is shown. `raw`: its text in the file. */
function shownNumber(format: NumberFormat | undefined, raw: string): Shown {
  const unclear = (problem: string): Shown => ({ kind: 'number', text: raw, problem })
  const value = Number(raw)
  const plain = String(value)
  const digits = plain.replace(/^-|\./g, '')
  const isNumber = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(raw)
  // JavaScript writes a very large or small number with an exponent; formats show it in different ways.
  if (!isNumber || !/^\d+$/.test(digits)) return unclear('a number that is not plain')
  if (format === undefined) return unclear(notPlain)
  const code = typeof format === 'number' ? format : bareCode(format)
  if (isOfDays(code)) return shownDay(value) ?? unclear(notPlainFormat)
  if (digits.length > mostDigits) return unclear('a number of more than 15 digits')
  if (!Number.isInteger(value)) return { ...unclear('no whole number'), text: plain }
  if (formatsOfPlainIntegers.includes(code)) return { kind: 'number', text: plain }
  const typed = String(format)
  if (typeof code === 'number' || typed.length > longestFormat)
    return unclear(notPlainFormat)
  if (/^0+$/.test(code)) {
    const padded = plain.replace(/\d+/, (all) => all.padStart(code.length, '0'))
    return { kind: 'number', text: padded }
  }
  const phone = value > 0 ? shownPhone(typed, String(value)) : undefined
  return phone === undefined ? unclear(notPlainFormat) : { kind: 'phone', text: phone }
}

const dayCode =
  /^(?:yyyy-mm?-dd?|dd?\.mm?\.yyyy|dd?\/mm?\/yyyy|mm?\/dd?\/yyyy)( hh?:mm(?::ss)?)?$/
/** A day, and a day with a time. */
const builtInDays = [14, 22]

function isOfDays(code: NumberFormat) {
  if (typeof code === 'number') return builtInDays.includes(code)
  return dayCode.test(withoutLanguage(code)) && !systemDate.test(code)
}

/**
 * The day of a serial number as `2026-03-01`, where 1 is 1900-01-01; undefined if spreadsheets disagree. A day with a time
 * is a problem.
 */
function shownDay(serial: number): Shown | undefined {
  // Before 61, spreadsheets disagree: some believe that 1900 was a leap year.
  if (!(serial >= 61 && serial < 2_958_466)) return undefined
  const seconds = Math.round(serial * 86_400)
  const time = new Date(Date.UTC(1899, 11, 30) + seconds * 1000).toISOString()
  const day = time.slice(0, 10)
  if (Number.isInteger(serial)) return { kind: 'date', text: day }
  const problem = 'a day with a time; type the day in again without it'
  return { kind: 'date', text: `${day} ${time.slice(11, 19)}`, problem }
}

/**
 * Places for digits, and the separators of phone numbers: plain if they have no other meaning, after `\`, or in quotes. `/`
 * only in quotes: LibreOffice reads `000\/000` as the fraction `000/000` if the workbook has that format too.
 */
const phoneCode = /^(?:[#0()\-+ \u00a0]|\\[()\-.+ \u00a0]|"[()\-./+ \u00a0]*")+$/
/** Excel's own format for American numbers. */
const localCode = /^\[<=9999999\](###\\?-####);(\\?\(###\\?\)\\? ###\\?-####)$/
const longestLocal = 7

/** The digits of a number at the places of a phone format. Undefined unless each `#` has a digit. */
function shownPhone(format: string, digits: string) {
  const [, local = format, abroad = format] = localCode.exec(format) ?? []
  const code = digits.length <= longestLocal ? local : abroad
  const bare = phoneCode.test(code) ? code.replace(/[\\"]/g, '') : ''
  const places = bare.replace(/[^#0]/g, '')
  const isFull = digits.length >= places.length || !places.includes('#')
  if (places === '' || !isFull) return undefined
  // A `#` after a 0 always shows a digit, but not in every program.
  if (/0#/.test(places)) return undefined
  const all = digits.padStart(places.length, '0')
  let end = all.length - places.length
  let start = 0
  // The first place takes all surplus digits; every other place takes one.
  return bare.replace(/[#0]/g, () => {
    end += 1
    const shown = all.slice(start, end)
    start = end
    return shown
  })
}
