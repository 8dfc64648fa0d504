/** The cell styles of a workbook, as far as they say what a cell shows. */
import { showsBoolean, showsText, shownNumber, type Format, type Shown } from './formats.ts'
import { open, readWholeXml, sheetSpaces, type Attributes } from './xml.ts'
import type { Archive } from './zip.ts'

/** Stands for General among the styles of a cell. */
const noStyle = '-'

/** The styles that a cell may be shown in: its own one, or General and those of the workbook, its row and its column. */
export function stylesOfCell(
  own: string | undefined,
  row: string | undefined,
  column: string | undefined,
): string {
  if (own !== undefined) return own
  return [noStyle, '0', row, column].filter((style) => style !== undefined).join(' ')
}

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
  /** Formats by the styles of a cell. */
  readonly #formats = new Map<string, readonly Format[] | undefined>()

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
      onSkipped: (_name, _attributes, isOdd) => void (styles.isOdd ||= isOdd),
    })
    return styles
  }

  /** Whether a conditional format may show a number in another way. */
  changesFormat(dxf: string | undefined): boolean {
    const number = plainNumber(dxf, -1)
    return this.isOdd || number === undefined || this.#dxfs[number] === true
  }

  /** Why a text in a cell of these styles may not be what the cell shows. */
  textProblem(styles: string): string | undefined {
    const formats = this.#formatsOf(styles)
    if (formats === undefined) return notPlain
    return formats.every(showsText)
      ? undefined
      : 'in a number format that shows nothing or something else; give the cell the format Text'
  }

  booleanProblem(styles: string): string | undefined {
    const formats = this.#formatsOf(styles)
    if (formats === undefined) return notPlain
    return formats.every(showsBoolean)
      ? undefined
      : 'in a number format that is not plain; give the cell the format General'
  }

  /** A number as all formats of these styles show it, if they do. */
  shownNumber(styles: string, raw: string, shift: number): Shown {
    const all = (this.#formatsOf(styles) ?? [0]).map((format) => shownNumber(format, raw, shift))
    const odd = all.find(({ problem }) => problem !== undefined)
    const shown = odd ?? all[0] ?? shownNumber(0, raw, shift)
    const isSame = all.every(({ kind, text }) => kind === shown.kind && text === shown.text)
    const isRead = this.#formatsOf(styles) !== undefined && isSame
    return isRead ? shown : { ...shown, problem: notPlain }
  }

  #formatsOf(styles: string): readonly Format[] | undefined {
    if (!this.#formats.has(styles)) this.#formats.set(styles, this.#find(styles))
    return this.#formats.get(styles)
  }

  /** Undefined when one of them cannot be read plainly. */
  #find(styles: string): readonly Format[] | undefined {
    const all = new Set<Format>()
    for (const style of styles.split(' ')) {
      const formats = style === noStyle ? [0] : this.#formatsOfOne(style)
      if (formats === undefined) return undefined
      for (const format of formats) all.add(format)
    }
    return [...all]
  }

  #formatsOfOne(style: string): readonly Format[] | undefined {
    const number = plainNumber(style)
    if (number === undefined || this.isOdd) return undefined
    const { numFmtId, xfId, applyNumberFormat: applies } = this.#cells[number] ?? {}
    if (number > 0 && this.#cells[number] === undefined) return undefined
    const format = this.#format(numFmtId)
    const named = plainNumber(xfId)
    const ofName = this.#format(this.#named[named ?? 0]?.numFmtId)
    if (format === undefined || ofName === undefined || named === undefined) return undefined
    // Whether a format counts that is not said to be applied is seen differently.
    if (applies === undefined) return showsText(ofName) ? [format] : [format, ofName]
    return applies === '1' || applies === 'true' ? [format] : [format, ofName]
  }

  #format(numFmtId: string | undefined): Format | undefined {
    const id = plainNumber(numFmtId)
    return id === undefined ? undefined : (this.#codes.get(id) ?? id)
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
