/**
 * A workbook (.xlsx): what is in the archive, which sheets it has, and which one is read. Called by `input/sheet.ts`.
 *
 * A sheet that a person does not see is never read unless it is named, and between two that could be meant a person chooses.
 */
import { usageError } from '../errors.ts'
import { quoteAll, shorten } from '../safe-text.ts'
import { fold, shellWord } from '../words.ts'
import { Sheet, type Book, type SheetPlace } from './sheet.ts'
import { Styles } from './styles.ts'
import { readSharedTexts } from './texts.ts'
import { readXml, relationshipsOf, type Relationship } from './xml.ts'
import { Archive } from './zip.ts'

interface SheetEntry extends SheetPlace {
  readonly isHidden: boolean
}

export class Workbook {
  readonly sheets: readonly SheetEntry[]
  readonly #book: Book
  readonly #read = new Map<SheetEntry, Sheet>()

  constructor(book: Book, sheets: readonly SheetEntry[]) {
    this.#book = book
    this.sheets = sheets
  }

  /** The sheet of this name, in any letter case, or the only one with content that is not hidden, or that is meant. Throws exit 2. */
  sheet(wanted: string | undefined, isMeant: (sheet: Sheet) => boolean): Sheet {
    const entry = wanted === undefined ? this.#onlySheet(isMeant) : this.#byName(wanted)
    return this.#sheetOf(entry).judge()
  }

  /** Names of the sheets that are hidden, and have a value. */
  hiddenSheets(): string[] {
    const hidden = this.sheets.filter((sheet) => sheet.isHidden && this.#hasRows(sheet))
    return hidden.map(({ name }) => name)
  }

  /** A sheet as it is read once. */
  #sheetOf(entry: SheetEntry): Sheet {
    const sheet = this.#read.get(entry) ?? new Sheet(this.#book, entry)
    this.#read.set(entry, sheet)
    return sheet
  }

  #hasRows(entry: SheetEntry): boolean {
    return this.#sheetOf(entry).rows.length > 0
  }

  /** The sheet of this name. Throws exit 2 where there is none. */
  #byName(wanted: string): SheetEntry {
    const { archive } = this.#book
    const [entry, other] = this.sheets.filter(({ name }) => fold(name) === fold(wanted))
    if (other !== undefined) throw archive.damage(`it has two sheets "${shorten(wanted)}"`)
    if (entry !== undefined) return entry
    const names = quoteAll(this.sheets.map(({ name }) => name))
    throw usageError(
      `${archive.name} has no sheet "${shorten(wanted)}"`,
      `its sheets are ${names}`,
    )
  }

  #onlySheet(isMeant: (sheet: Sheet) => boolean): SheetEntry {
    const { archive } = this.#book
    const shown = this.sheets.filter((sheet) => !sheet.isHidden)
    const filled =
      this.sheets.length === 1 ? shown : shown.filter((sheet) => this.#hasRows(sheet))
    const likely =
      filled.length > 1 ? filled.filter((sheet) => isMeant(this.#sheetOf(sheet))) : filled
    const [only] = likely
    if (only !== undefined && likely.length === 1) return only
    const [example] = [...likely, ...filled]
    if (example !== undefined) {
      const names = quoteAll(filled.map((sheet) => sheet.name))
      throw usageError(
        `${archive.name} has ${filled.length} sheets: ${names}`,
        `name one: ${sheetOption(example)}`,
      )
    }
    const [first] = this.sheets
    if (first === undefined) throw archive.damage('it has no sheets')
    const hidden = this.sheets.find((sheet) => sheet.isHidden && this.#hasRows(sheet))
    if (hidden === undefined) return first
    throw usageError(
      `the only content of ${archive.name} is hidden`,
      `to read it all the same: ${sheetOption(hidden)}`,
    )
  }
}

/** The option that names a sheet, so that it can be typed as it is. */
function sheetOption({ name }: SheetEntry): string {
  return `--sheet ${shellWord(name)}`
}

/** Opens a workbook. Throws exit 2 for what is none, saying what it is, and for a damaged one. */
export async function openWorkbook(name: string, bytes: Buffer): Promise<Workbook> {
  const archive = await Archive.open(name, bytes)
  const main = onlyOf(archive, relationshipsOf(archive, ''), 'officeDocument')
  if (main === undefined || main.endsWith('.bin')) {
    const what = `${archive.name} is a zip archive, not an .xlsx workbook`
    throw usageError(what, 'save its table as .xlsx or csv')
  }
  const relationships = relationshipsOf(archive, main)
  const { sheets, is1904 } = readSheets(archive, main, relationships)
  const textsPath = onlyOf(archive, relationships, 'sharedStrings')
  const stylesPath = onlyOf(archive, relationships, 'styles')
  if (relationships.some(({ type }) => type === 'styles?')) {
    throw archive.ambiguous('it may have its styles in two places')
  }
  const styles = new Styles(is1904)
  if (stylesPath !== undefined) styles.read(archive, stylesPath)
  const texts = textsPath === undefined ? [] : readSharedTexts(archive, textsPath)
  const hasSeveralSheets = sheets.length > 1
  return new Workbook({ archive, texts, styles, hasSeveralSheets }, sheets)
}

/** The sheets that the part of the workbook names, and what it says of days. */
function readSheets(
  archive: Archive,
  path: string,
  relationships: readonly Relationship[],
) {
  const byId = new Map(relationships.map((to) => [to.id, to]))
  if (byId.size < relationships.length)
    throw archive.damage('it has two relationships of one name')
  const sheets: SheetEntry[] = []
  const seen = new Set<string>()
  let is1904 = false
  let index = -1
  readXml(archive, path, 'workbook', {
    onOpen(name, attributes, { idIn }) {
      if (name !== 'sheet' && seen.has(name)) throw archive.damage(`it has <${name}> twice`)
      seen.add(name)
      const { date1904 = '', name: title = '', state = 'visible' } = attributes
      if (name === 'workbookPr') is1904 = ['1', 'true', 'on'].includes(date1904)
      if (name !== 'sheet') return
      index += 1
      const target = byId.get(idIn(attributes) ?? '')
      // Without cells: charts, dialogs, macros.
      if (target?.type !== 'worksheet' || target.path === undefined) return
      const place = { name: title, path: target.path, index, bookPath: path }
      sheets.push({ ...place, isHidden: state !== 'visible' })
    },
  })
  return { sheets, is1904 }
}

/** Where the only relationship of a type leads to. Of two, one program follows the first and another the second. */
function onlyOf(
  archive: Archive,
  relationships: readonly Relationship[],
  type: string,
): string | undefined {
  const [relationship, other] = relationships.filter((to) => to.type === type)
  if (other !== undefined)
    throw archive.damage(`it has two relationships of the type "${type}"`)
  return relationship?.path
}
