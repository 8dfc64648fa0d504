/** The formats of cells. svc does not apply them: it only needs to know which values they show as they are stored. */
import { attribute, type ReadPart } from './archive.ts'

export interface NumberFormat {
  /** Such as `0.00`, for a table that is given back. */
  code: string
  /** Whether it shows a whole number with its digits and nothing else. */
  isPlain: boolean
  /** Whether it shows a number as a day or a time. */
  isTime: boolean
  /** Whether it can show a text in another way than it is stored. */
  changesTexts: boolean
}

/** The longest code that Excel takes. */
const maxCodeLength = 255

/** The format of a number whose style is missing, and of built-in money and fractions, which depend on the country. */
export const unknownFormat: NumberFormat = { ...formatOf('General'), isPlain: false }

/** Returns the formats by the style numbers of cells. */
export async function readFormats(readPart: ReadPart, path: string | undefined) {
  const formats: NumberFormat[] = []
  const definedCodes = new Map<string, string>()
  if (path !== undefined)
    await readPart(path, {
      '/styleSheet/numFmts/numFmt'(element) {
        const id = attribute(element, 'numFmtId') ?? ''
        if (definedCodes.has(id)) throw new Error(`has number format ${id} twice`)
        definedCodes.set(id, attribute(element, 'formatCode') ?? '')
      },
      '/styleSheet/cellXfs/xf'(element) {
        const id = attribute(element, 'numFmtId') ?? '0'
        formats.push(styleFormat(definedCodes.get(id), builtInCode(Number(id))))
      },
    })
  return formats.length === 0 ? [formatOf('General')] : formats
}

/** Returns the format of a style by the code that the workbook defines, and the code that is built in under the same id. */
function styleFormat(
  defined: string | undefined,
  builtIn: string | undefined,
): NumberFormat {
  const code = defined ?? builtIn
  if (code === undefined) return unknownFormat
  const format = formatOf(code)
  if (builtIn === undefined || builtIn === code) return format
  // Programs disagree about which of the two codes counts.
  return { ...format, isPlain: false, changesTexts: true }
}

/** Returns what a code shows. */
function formatOf(code: string): NumberFormat {
  if (code.length > maxCodeLength) throw new Error('a number format is too long')
  // Without texts in quotes, escaped characters, colors and conditions. The h of [h] stays.
  const bare = code.replace(/"[^"]*"|[\\_*].|\[(?![hms]+\])[^\]]*\]/gi, '')
  const hasTextSection = bare.split(';').length > 3 || bare.includes('@')
  return {
    code,
    isPlain: ['GENERAL', '0', '@'].includes(code.toUpperCase()),
    isTime: /[ydmhs]/i.test(bare),
    changesTexts: hasTextSection && code !== '@',
  }
}

/** Returns the code of a format that needs no definition. The look of a day depends on the country, so ISO stands for all looks. */
function builtInCode(id: number) {
  const isDay = (id >= 14 && id <= 17) || (id >= 27 && id <= 36) || (id >= 50 && id <= 58)
  const isTime = (id >= 18 && id <= 21) || (id >= 45 && id <= 47)
  const isMoney = id >= 41 && id <= 44
  if (isDay) return 'yyyy-mm-dd'
  if (isTime) return '[h]:mm:ss'
  if (isMoney) return '#,##0.00;-#,##0.00;"-";@'
  return otherBuiltInCodes[id]
}

const otherBuiltInCodes: Readonly<Record<number, string>> = {
  0: 'General',
  1: '0',
  2: '0.00',
  3: '#,##0',
  4: '#,##0.00',
  9: '0%',
  10: '0.00%',
  11: '0.00E+00',
  22: 'yyyy-mm-dd hh:mm',
  49: '@',
}
