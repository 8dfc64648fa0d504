/** Facts that a sheet tells of its cells outside its rows: which are hidden, merged, or shown in another way. Read before the rows. */
import { createHash } from 'node:crypto'
import { allCells, CoveredCells, mostColumns, parseRange, type Range } from './cells.ts'
import type { Styles } from './styles.ts'
import { closed, open, readWholeXml, sheetSpaces, textOf, type Attributes, type Shape } from './xml.ts'
import type { Archive } from './zip.ts'

/** In points and characters: what is lower or narrower shows nothing of a text. */
const leastHeight = 4
const leastWidth = 1

function isOfSize(text: string | undefined, least: number): boolean {
  return text === undefined || (/^\d*\.?\d+(?:e[+-]?\d+)?$/i.test(text) && Number(text) >= least)
}

/** Whether a program may take a word for yes. */
function isHiding(text: string | undefined): boolean {
  return text !== undefined && !['0', 'false', 'off'].includes(text)
}

/** `at`: behind it, in the text of its part. */
export interface SheetTag {
  readonly name: string
  /** Undefined at the end of an element. */
  readonly attributes: Attributes | undefined
  readonly at: number
}

/** The elements of a sheet that are looked at, with those of its rows. */
export function sheetPart(sheetData: Shape) {
  const shape = open({
    dimension: open(),
    sheetFormatPr: open(),
    cols: closed({ col: closed() }),
    sheetData,
    mergeCells: closed({ mergeCell: closed() }),
    conditionalFormatting: open({ cfRule: open() }),
    autoFilter: open(),
    tableParts: open(),
  })
  return { spaces: sheetSpaces, root: 'worksheet', shape }
}

/** Few in what programs write, and kept. */
const elementWork = 256
const framePart = sheetPart(closed())
const tagged = ['dimension', 'cols', 'col', 'sheetData']

export class SheetFrame {
  /** Whether some of its columns have a filter, or are a table of their own: sorting moves those alone. */
  isFiltered = false
  /** Those before its rows that say how far they reach, and how wide its columns are. */
  readonly tags: SheetTag[] = []
  readonly merged: Range[] = []
  readonly covered: CoveredCells
  readonly #archive: Archive
  readonly #styles: Styles
  readonly #hiddenColumns = new Uint8Array(mostColumns)
  #areRowsHidden = false
  #areColumnsHidden = false
  #formatted = ''
  readonly #sum = createHash('sha256')

  constructor(archive: Archive, styles: Styles) {
    this.#archive = archive
    this.#styles = styles
    this.covered = new CoveredCells((units) => archive.work(units))
  }

  /** Reads the sheet without its rows. Throws exit 2. */
  static async read(archive: Archive, path: string, styles: Styles): Promise<SheetFrame> {
    const frame = new SheetFrame(archive, styles)
    const texts = withoutRows(textOf(archive, path))
    const events = {
      onOpen: (name: string, attributes: Attributes, { position }: { readonly position: number }) => {
        if (tagged.includes(name) && frame.tags.at(-1)?.name !== 'sheetData')
          frame.tags.push({ name, attributes, at: position })
        frame.take(name, attributes)
      },
      onClose: (name: string, { position: at }: { readonly position: number }) => {
        if (name === 'cols') frame.tags.push({ name, attributes: undefined, at })
      },
      onSkipped: (name: string) => frame.takeSkipped(name),
    }
    await readWholeXml(archive, path, { ...framePart, texts }, events)
    return frame
  }

  /** A number for all that was taken: another program may find another beginning of the rows, and must find the same. */
  sum(): string {
    return this.#sum.digest('hex')
  }

  isColumnHidden(column: number): boolean {
    return this.#hiddenColumns[column] === 1 || (this.#areColumnsHidden && this.#hiddenColumns[column] === 0)
  }

  isRowHidden({ hidden, ht: height }: Attributes): boolean {
    const isHiddenByDefault = hidden === undefined && height === undefined && this.#areRowsHidden
    return isHiding(hidden) || isHiddenByDefault || !isOfSize(height, leastHeight)
  }

  takeSkipped(name: string): void {
    if (name !== 'numFmt') return
    this.#sum.update(name)
    // An extension with conditional formats.
    this.covered.add(allCells, 'formatted')
  }

  take(name: string, attributes: Attributes): void {
    if (name === 'autoFilter' || name === 'tableParts') this.isFiltered = true
    else if (name === 'sheetFormatPr') this.#takeDefaults(attributes)
    else if (name === 'col') this.#takeColumn(attributes)
    else if (name === 'mergeCell') this.#takeMerged(attributes.ref ?? '')
    else if (name === 'conditionalFormatting') this.#formatted = attributes.sqref ?? ''
    else if (name === 'cfRule' && this.#styles.changesFormat(attributes.dxfId)) {
      for (const ref of this.#formatted.split(' ')) this.covered.add(parseRange(ref) ?? allCells, 'formatted')
    } else return
    this.#archive.work(elementWork)
    this.#sum.update(JSON.stringify([name, attributes, this.#formatted]))
  }

  #takeDefaults({ zeroHeight, defaultRowHeight: height, defaultColWidth: width }: Attributes): void {
    this.#areRowsHidden ||= isHiding(zeroHeight) || !isOfSize(height, leastHeight)
    this.#areColumnsHidden ||= !isOfSize(width, leastWidth)
  }

  #takeColumn({ min, max, hidden, width }: Attributes): void {
    const [from, to] = [Number(min) - 1, Math.min(Number(max), mostColumns) - 1]
    if (!(from >= 0 && to >= from)) throw this.#archive.damaged(`it has columns "${(min ?? '').slice(0, 20)}"`)
    this.#archive.work(to - from)
    if (this.tags.length > 2 * mostColumns) throw this.#archive.damaged('it names too many columns')
    const isHidden = isHiding(hidden) || !isOfSize(width, leastWidth)
    // A column that two of them describe differently is hidden.
    for (let column = from; column <= to; column += 1)
      if (this.#hiddenColumns[column] !== 1) this.#hiddenColumns[column] = isHidden ? 1 : width === undefined ? 0 : 2
  }

  #takeMerged(text: string): void {
    const cells = text.includes(':') ? parseRange(text) : undefined
    if (cells === undefined) throw this.#archive.damaged(`"${text.slice(0, 40)}" are no cells`)
    this.merged.push(cells)
    this.covered.addMerged(cells)
  }
}

const rowsTag = /<(?:[^\s<>/:!?]+:)?sheetData(?=[\s/>])[^>]*>/
const rowsEnd = /<\/(?:[^\s<>/:!?]+:)?sheetData\s*>/
/** Longer tags are not looked for. */
const longestTag = 256

/** The text of a sheet up to its rows and from their end. Of one that is made to look like another way, something that is malformed or else. */
async function* withoutRows(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let [text, wanted, isDone] = ['', rowsTag, false]
  for await (const chunk of texts) {
    text += chunk
    for (let found = isDone ? null : wanted.exec(text); found !== null; found = isDone ? null : wanted.exec(text)) {
      const behind = found.index + found[0].length
      if (wanted === rowsTag) yield text.slice(0, behind)
      else yield found[0]
      isDone = wanted === rowsEnd || found[0].endsWith('/>')
      text = text.slice(behind)
      wanted = rowsEnd
    }
    const kept = isDone ? 0 : Math.min(text.length, longestTag)
    if (wanted === rowsTag || isDone) yield text.slice(0, text.length - kept)
    text = text.slice(text.length - kept)
  }
  yield text
}
