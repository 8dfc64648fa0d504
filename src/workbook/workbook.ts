/**
 * A workbook (.xlsx): what is in the archive, which sheets it has, and which one is read. Called by `input/sheet.ts`.
 *
 * A sheet that a person does not see is never read unless it is named, and between two that could be meant a person chooses.
 */
import { usageError, type SvcError } from '../errors.ts'
import {
  officeSpaces,
  relationshipsOf,
  type Relationship,
  closedShape,
  open,
  readXml,
  sheetSpaces,
  type Attributes,
  type XmlPlace,
} from './xml.ts'
import type { Books, SheetRow } from './rows.ts'
import { Sheet, type FilterName, type SheetPlace } from './sheet.ts'
import { Styles } from './styles.ts'
import { readSharedTexts } from './texts.ts'
import { Archive } from './zip.ts'
import { quoteAll, shorten } from '../safe-text.ts'

const mostSheets = 10_000

interface SheetEntry extends SheetPlace {
  readonly isHidden: boolean
}

/** A row by which a sheet is known, among this many of the first ones that have a value. */
interface SoughtRow {
  readonly most: number
  readonly isMeant: (row: SheetRow) => boolean
}

const anyRow: SoughtRow = { most: 1, isMeant: () => true }

export class Workbook {
  readonly sheets: readonly SheetEntry[]
  readonly #archive: Archive
  readonly #part: WorkbookPart
  #books: Books | undefined

  constructor(archive: Archive, part: WorkbookPart) {
    this.#archive = archive
    this.#part = part
    this.sheets = part.sheets
  }

  /** The sheet of this name, in any letter case, or the only one with content that is not hidden, or with a row that is sought. Throws exit 2. */
  sheet(wanted: string | undefined, sought: SoughtRow): Sheet {
    const entry = wanted === undefined ? this.#onlySheet(sought) : this.#byName(wanted)
    return Sheet.open(this.#archive, entry, this.#readBooks())
  }

  /** Names of the sheets that are hidden, and have a value. */
  hiddenSheets(): string[] {
    const hidden = this.sheets.filter((sheet) => sheet.isHidden)
    const filled = this.#withRow(hidden, anyRow)
    return filled.map(({ name }) => name)
  }

  /** The sheet of this name. Throws exit 2 where there is none. */
  #byName(wanted: string): SheetEntry {
    const named = this.sheets.filter(({ name }) => sameName(name, wanted))
    const [entry, other] = named
    if (other !== undefined) throw this.#archive.damage(`it has two sheets "${shorten(wanted)}"`)
    if (entry !== undefined) return entry
    const all = this.sheets.map(({ name }) => name)
    const names = quoteAll(all)
    throw usageError(
      `${this.#archive.name} has no sheet "${shorten(wanted)}"`,
      `its sheets are ${names}`,
    )
  }

  #onlySheet(sought: SoughtRow): SheetEntry {
    const { name } = this.#archive
    const shown = this.sheets.filter((sheet) => !sheet.isHidden)
    const filled = this.sheets.length === 1 ? shown : this.#withRow(shown, anyRow)
    const likely = filled.length > 1 ? this.#withRow(filled, sought) : filled
    const [only] = likely
    if (only !== undefined && likely.length === 1) return only
    if (filled.length > 1) {
      const names = quoteAll(filled.map((sheet) => sheet.name))
      const example = only ?? filled[0]
      throw usageError(
        `${name} has ${filled.length} sheets: ${names}`,
        `name one: ${sheetOption(example?.name)}`,
      )
    }
    const [hidden] = this.hiddenSheets()
    if (hidden !== undefined) {
      throw usageError(
        `the only content of ${name} is hidden`,
        `to read it all the same: ${sheetOption(hidden)}`,
      )
    }
    const [first] = this.sheets
    if (first === undefined) throw this.#archive.damage('it has no sheets')
    return first
  }

  /** The sheets that have such a row among the first ones. */
  #withRow(sheets: readonly SheetEntry[], { most, isMeant }: SoughtRow): SheetEntry[] {
    return sheets.filter((entry) =>
      Sheet.firstRows(this.#archive, entry, this.#readBooks(), most).some(isMeant),
    )
  }

  #readBooks(): Books {
    this.#books ??= readBooks(this.#archive, this.#part)
    return this.#books
  }
}

function readBooks(archive: Archive, { relationships, is1904 }: WorkbookPart): Books {
  const textsPath = onlyOf(archive, relationships, 'sharedStrings')
  const stylesPath = onlyOf(archive, relationships, 'styles')
  let styles = new Styles()
  if (stylesPath !== undefined) styles = Styles.read(archive, stylesPath)
  styles.isOdd ||= relationships.some(({ type }) => type === 'styles?')
  const texts = textsPath === undefined ? [] : readSharedTexts(archive, textsPath)
  return { texts, styles, is1904 }
}

/** Whether a person types this name and means that sheet. */
function sameName(name: string, typed: string): boolean {
  const sought = typed.normalize('NFC').trim()
  const known = name.normalize('NFC')
  return known.toLowerCase() === sought.toLowerCase()
}

/** A name that no shell changes between double quotes. */
const plainName = /^[\p{L}\p{M}\p{N}_#(][\p{L}\p{M}\p{N}_#.:/() -]{0,63}$/u

/** The option that names a sheet, so that it can be typed as it is in every shell. */
function sheetOption(name: string | undefined): string {
  const isPlain = name !== undefined && plainName.test(name)
  return isPlain ? `--sheet "${name}"` : '--sheet <name>'
}

/** Opens a workbook. Throws exit 2 for what is none, saying what it is, and for a damaged one. */
export async function openWorkbook(name: string, bytes: Buffer): Promise<Workbook> {
  const archive = await Archive.open(name, bytes)
  return new Workbook(archive, readWorkbookPart(archive))
}

/** The name that programs give to the cells of a filter. */
const filterDatabase = '_xlnm._FilterDatabase'

const workbookPart = {
  spaces: sheetSpaces,
  root: 'workbook',
  shape: open({
    workbookPr: open(),
    sheets: closedShape({ sheet: open() }),
    definedNames: open({ definedName: open() }),
  }),
}

type WorkbookPart = ReturnType<typeof readWorkbookPart>

function readWorkbookPart(archive: Archive) {
  const ofArchive = relationshipsOf(archive, '')
  const main = onlyOf(archive, ofArchive, 'officeDocument')
  if (main === undefined || main.endsWith('.bin')) throw notWorkbook(archive.name)
  const relationships = relationshipsOf(archive, main)
  const byId = new Map(relationships.map((to) => [to.id, to]))
  if (byId.size < relationships.length) throw archive.damage('it has two relationships of one name')
  const sheets: Omit<SheetEntry, 'filterName'>[] = []
  /** Places of the sheets among all, those without cells too, and the names of their filters by that place. */
  const places: number[] = []
  const filterNames = new Map<number, FilterName>()
  let count = 0
  let filterName: { sheet: number; from: number } | undefined
  const seen = new Set<string>()
  let is1904 = false
  readXml(archive, main, workbookPart, {
    onOpen(name, attributes, place) {
      if (name === 'definedName') {
        const isFilter = attributes['name'] === filterDatabase
        const sheet = Number(attributes['localSheetId'])
        filterName = isFilter ? { sheet, from: place.position } : undefined
        return
      }
      if (name !== 'sheet' && seen.has(name)) throw archive.damage(`it has <${name}> twice`)
      seen.add(name)
      if (name === 'workbookPr') {
        const { date1904 = '' } = attributes
        is1904 = ['1', 'true', 'on'].includes(date1904)
      }
      if (name !== 'sheet') return
      count += 1
      const target = byId.get(idOf(attributes, place))
      // Without cells: charts, dialogs, macros.
      if (target?.type !== 'worksheet' || target.path === undefined) return
      const { name: title = '', state = 'visible' } = attributes
      sheets.push({
        name: title,
        isHidden: state !== 'visible',
        path: target.path,
      })
      places.push(count - 1)
      if (sheets.length > mostSheets) throw archive.damage('it has too many sheets')
    },
    onClose(name, { position: to }) {
      if (name !== 'definedName' || filterName === undefined) return
      const { sheet, from } = filterName
      filterNames.set(sheet, { part: main, from, to })
    },
  })
  const named = sheets.map((sheet, n): SheetEntry => {
    const place = places[n] ?? -1
    const ofSheet = filterNames.get(place)
    return { ...sheet, filterName: ofSheet }
  })
  return { sheets: named, is1904, relationships }
}

/** The only id of a relationship that an element names. */
function idOf(attributes: Attributes, place: XmlPlace): string {
  const ids = Object.keys(attributes).filter((key) => {
    const [prefix = '', local] = key.split(':')
    if (local !== 'id') return false
    const space = place.spaceOf(prefix) ?? ''
    return officeSpaces.includes(space)
  })
  const [only] = ids
  if (only === undefined || ids.length > 1) return ''
  return attributes[only] ?? ''
}

/** Where the only relationship of a type leads to. Of two, one program follows the first and another the second. */
function onlyOf(
  archive: Archive,
  relationships: readonly Relationship[],
  type: string,
): string | undefined {
  const [relationship, other] = relationships.filter((to) => to.type === type)
  if (other !== undefined) throw archive.damage(`it has two relationships of the type "${type}"`)
  return relationship?.path
}

function notWorkbook(name: string): SvcError {
  return usageError(
    `${name} is a zip archive, not an .xlsx workbook`,
    'save its table as .xlsx or csv',
  )
}
