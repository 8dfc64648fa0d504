/** The cell styles of a workbook, as far as they say what a cell shows. */
import { builtInFormat, showsText, shownNumber, type Shown } from './formats.ts'
import { open, readWholeXml, sheetSpaces, type Attributes } from './xml.ts'
import type { Archive } from './zip.ts'

const mostStyles = 1 << 16
const notPlain =
  'in a style that cannot be read plainly; save the workbook again in a spreadsheet program'

/** A number in its only spelling; undefined for another one, which programs read in different ways. */
export function plainNumber(text: string | undefined, missing = 0): number | undefined {
  if (text === undefined) return missing
  return /^(?:0|[1-9]\d{0,7})$/.test(text) ? Number(text) : undefined
}

const xf = open({ xf: open() })
const stylesPart = {
  spaces: sheetSpaces,
  root: 'styleSheet',
  shape: open({
    numFmts: open({ numFmt: open() }),
    cellStyleXfs: xf,
    cellXfs: xf,
    dxfs: open({ dxf: open({ numFmt: open() }) }),
  }),
}

export class Styles {
  /** Whether another program may find other styles. */
  isOdd = false
  readonly #codes = new Map<number, string>()
  readonly #named: Attributes[] = []
  readonly #cells: Attributes[] = []
  /** By number of a conditional format: whether it has a number format of its own. */
  readonly #dxfs: boolean[] = []
  /** Codes by the style of a cell, of the cell and of its named style. */
  readonly #known = new Map<string, readonly string[] | undefined>()

  static async read(archive: Archive, path: string): Promise<Styles> {
    const styles = new Styles()
    const seen = new Set<string>()
    let [list, isDxf] = ['', false]
    await readWholeXml(archive, path, stylesPart, {
      onOpen: (name, attributes) => {
        if (name === 'dxf') isDxf = styles.#dxfs.push(false) > 0
        else if (name === 'numFmt' && isDxf) styles.#dxfs[styles.#dxfs.length - 1] = true
        else if (name === 'numFmt') styles.#addFormat(attributes)
        else if (name === 'xf') styles.#addStyle(list, attributes)
        else {
          styles.isOdd ||= seen.has(name)
          seen.add(name)
          list = name
        }
        if (
          Math.max(
            styles.#cells.length,
            styles.#named.length,
            styles.#dxfs.length,
            styles.#codes.size,
          ) > mostStyles
        )
          throw archive.damage('it has too many styles')
      },
      onClose: (name) => void (isDxf &&= name !== 'dxf'),
      onSkipped: (_, isOdd) => void (styles.isOdd ||= isOdd),
    })
    return styles
  }

  /** Whether a conditional format may show a number in another way. */
  changesFormat(dxf: string | undefined): boolean {
    const number = plainNumber(dxf, -1)
    return this.isOdd || number === undefined || this.#dxfs[number] === true
  }

  /** Why a text in a cell of this style may not be what the cell shows. */
  textProblem(style: string): string | undefined {
    const codes = this.#codesOf(style)
    if (codes === undefined) return notPlain
    return codes.every(showsText)
      ? undefined
      : 'in a number format that shows nothing or something else; give the cell the format Text'
  }

  shownNumber(style: string, raw: string, shift: number): Shown {
    const [code, ofStyle] = this.#codesOf(style) ?? []
    const shown = shownNumber(code ?? 'General', raw, shift)
    const isSame = ofStyle === undefined || shownNumber(ofStyle, raw, shift).text === shown.text
    return code === undefined || !isSame ? { ...shown, problem: notPlain } : shown
  }

  #codesOf(style: string): readonly string[] | undefined {
    if (!this.#known.has(style)) this.#known.set(style, this.#find(style))
    return this.#known.get(style)
  }

  #find(style: string): readonly string[] | undefined {
    const number = plainNumber(style)
    if (number === undefined || this.isOdd) return undefined
    const { numFmtId, xfId, applyNumberFormat: applies } = this.#cells[number] ?? {}
    if (number > 0 && this.#cells[number] === undefined) return undefined
    const code = this.#code(numFmtId)
    const named = plainNumber(xfId)
    const ofStyle = this.#code(this.#named[named ?? 0]?.numFmtId)
    if (code === undefined || ofStyle === undefined || named === undefined) return undefined
    // Whether a format counts that is not said to be applied is seen differently.
    if (applies === undefined) return showsText(ofStyle) ? [code] : [code, ofStyle]
    return applies === '1' || applies === 'true' ? [code] : [code, ofStyle]
  }

  #code(numFmtId: string | undefined): string | undefined {
    const id = plainNumber(numFmtId)
    return id === undefined ? undefined : (this.#codes.get(id) ?? builtInFormat(id))
  }

  #addFormat({ numFmtId, formatCode = '' }: Attributes): void {
    const id = plainNumber(numFmtId, -1) ?? -1
    this.isOdd ||= id < 0 || this.#codes.has(id)
    this.#codes.set(id, formatCode)
  }

  #addStyle(list: string, attributes: Attributes): void {
    if (list === 'cellStyleXfs') this.#named.push(attributes)
    else this.#cells.push(attributes)
  }
}
