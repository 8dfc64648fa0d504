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

/** The codes of formats that need no definition, by their ids; see also `builtInCode`. */
const builtInCodes: Readonly<Record<number, string>> = {
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

/** Returns the code of a format without a definition. The look of a day depends on the country, so ISO stands for all looks. */
function builtInCode(id: number) {
  const isDay = (id >= 14 && id <= 17) || (id >= 27 && id <= 36) || (id >= 50 && id <= 58)
  if (isDay) return 'yyyy-mm-dd'
  const isTime = (id >= 18 && id <= 21) || (id >= 45 && id <= 47)
  if (isTime) return '[h]:mm:ss'
  const isAccounting = id >= 41 && id <= 44
  return isAccounting ? '#,##0.00;-#,##0.00;"-";@' : builtInCodes[id]
}

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

/** Returns the formats by the style numbers of cells. */
export async function readFormats(readPart: ReadPart, path: string | undefined) {
  const formats: NumberFormat[] = []
  const defined = new Map<string, string>()
  if (path !== undefined)
    await readPart(path, {
      '/styleSheet/numFmts/numFmt'(element) {
        const id = attribute(element, 'numFmtId') ?? ''
        if (defined.has(id)) throw new Error(`has number format ${id} twice`)
        defined.set(id, attribute(element, 'formatCode') ?? '')
      },
      '/styleSheet/cellXfs/xf'(element) {
        const id = attribute(element, 'numFmtId') ?? '0'
        const builtIn = builtInCode(Number(id))
        const code = defined.get(id) ?? builtIn
        const format = code === undefined ? unknownFormat : formatOf(code)
        // Programs disagree about the definition of a built-in format.
        const isDoubtful = builtIn !== undefined && code !== builtIn
        formats.push(
          isDoubtful ? { ...format, isPlain: false, changesTexts: true } : format,
        )
      },
    })
  return formats.length === 0 ? [formatOf('General')] : formats
}
