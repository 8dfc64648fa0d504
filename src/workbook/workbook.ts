/**
 * A workbook (.xlsx): what is in the archive, which sheets it has, and which one is read.
 *
 * A hidden sheet is never read unless it is named. If more than one sheet could be meant, svc refuses and asks for --sheet.
 */
import { usageError } from '../errors.ts'
import { quoteAll, shorten } from '../safe-text.ts'
import { fold, shellWord } from '../words.ts'
import type { SheetRow } from './cells.ts'
import { saveColumns, Sheet, type Book, type SheetPlace } from './sheet.ts'
import { Styles } from './styles.ts'
import { readXml, relationshipsOf, RichText, type Relationship } from './xml.ts'
import { Archive } from './zip.ts'

/**
 * Opens a workbook and reads the rows of one sheet: the one that is named, in any letter case; without a name the only
 * visible one with content; of several the only one that `isMeant` accepts. `notes`: sentences about other sheets. Throws
 * exit 2 for a file that is damaged or not a workbook.
 */
export async function readWorkbook(
  name: string,
  bytes: Buffer,
  wanted: string | undefined,
  isMeant: (rows: readonly SheetRow[]) => boolean,
) {
  const archive = await Archive.open(name, bytes)
  const { book, sheets } = openBook(archive)
  if (wanted !== undefined) {
    return { rows: new Sheet(book, placeOf(archive, sheets, wanted)).finish(), notes: [] }
  }
  const hidden = sheets.filter(({ isHidden }) => isHidden).map((sheet) => sheet.name)
  const shown = sheets
    .filter(({ isHidden }) => !isHidden)
    .map((place) => new Sheet(book, place))
  const filled = shown.filter(({ rows }) => rows.length > 0)
  const meant = filled.length > 1 ? filled.filter(({ rows }) => isMeant(rows)) : filled
  if (filled.length > 1 && meant.length !== 1) {
    const example = meant[0] ?? filled[0]
    throw usageError(
      `${name} has ${filled.length} sheets: ${quoteAll(filled.map((sheet) => sheet.name))}`,
      `name one: ${sheetOption(example?.name)}`,
    )
  }
  if (filled.length === 0 && hidden.length > 0) {
    throw usageError(
      `no visible sheet of ${name} has content`,
      `to read a hidden one anyway: ${sheetOption(hidden[0])}`,
    )
  }
  const sheet = meant[0] ?? shown[0]
  if (sheet === undefined) throw archive.damage('it has no sheets')
  const notes: string[] = []
  if (shown.length > 1) notes.push(`${name}: read the sheet ${quoteAll([sheet.name])}`)
  if (hidden.length > 0) {
    notes.push(`${name}: did not read hidden sheets: ${quoteAll(hidden, 3)}`)
  }
  return { rows: sheet.finish(), notes }
}

/** The sheet of this name. Throws exit 2 if there is none. */
function placeOf(
  archive: Archive,
  sheets: readonly SheetPlace[],
  wanted: string,
): SheetPlace {
  const [entry, other] = sheets.filter(({ name }) => fold(name) === fold(wanted))
  if (other !== undefined) throw archive.damage(`it has two sheets "${shorten(wanted)}"`)
  if (entry !== undefined) return entry
  const names = quoteAll(sheets.map(({ name }) => name))
  const what = `${archive.name} has no sheet "${shorten(wanted)}"`
  throw usageError(what, `its sheets are ${names}`)
}

/** The option that names a sheet, ready to be typed. */
function sheetOption(name = '') {
  return `--sheet ${shellWord(name)}`
}

/** Reads the parts that all sheets share, and finds the sheets. Throws exit 2 for a zip archive that is not a workbook. */
function openBook(archive: Archive): { book: Book; sheets: readonly SheetPlace[] } {
  const main = onlyOf(archive, relationshipsOf(archive, ''), 'officeDocument')
  // A workbook in binary parts is an .xlsb.
  if (main === undefined || main.endsWith('.bin')) {
    const what = `${archive.name} is a zip archive, not an .xlsx workbook`
    throw usageError(what, 'save its table as .xlsx or csv')
  }
  const relationships = relationshipsOf(archive, main)
  const sheets = readSheets(archive, main, relationships)
  const textsPath = onlyOf(archive, relationships, 'sharedStrings')
  const stylesPath = onlyOf(archive, relationships, 'styles')
  // `styles?` is a relationship of that name that is none of Office's.
  if (relationships.some(({ type }) => type === 'styles?')) {
    throw archive.ambiguous('it may have its styles in two places')
  }
  const styles = new Styles()
  if (stylesPath !== undefined) styles.read(archive, stylesPath)
  const texts = textsPath === undefined ? [] : readSharedTexts(archive, textsPath)
  return { book: { archive, texts, styles }, sheets }
}

/** Reads the part with the shared texts, and resolves their escapes. Throws exit 2. */
function readSharedTexts(archive: Archive, path: string) {
  const texts: string[] = []
  const richText = new RichText(archive)
  readXml(archive, path, 'sst', {
    onOpen: (name) => richText.onOpen(name),
    onClose(name, text) {
      richText.onClose(name, text)
      if (name === 'si') texts.push(richText.finish())
    },
  })
  return texts
}

/** The sheets of the workbook. Throws exit 2 for one that counts its days from 1904, or says something twice. */
function readSheets(
  archive: Archive,
  path: string,
  relationships: readonly Relationship[],
): SheetPlace[] {
  const byId = new Map(relationships.map((to) => [to.id, to]))
  if (byId.size < relationships.length)
    throw archive.damage('it has two relationships of one name')
  const sheets: SheetPlace[] = []
  const seen = new Set<string>()
  readXml(archive, path, 'workbook', {
    onOpen(name, attributes, _parent, relationship) {
      if (name !== 'sheet' && seen.has(name)) throw archive.damage(`it has <${name}> twice`)
      seen.add(name)
      const { date1904 = '', name: title = '', state = 'visible' } = attributes
      if (name === 'workbookPr' && ['1', 'true', 'on'].includes(date1904))
        throw usageError(`${archive.name} counts its days from 1904`, saveColumns)
      if (name !== 'sheet') return
      const target = byId.get(relationship ?? '')
      // Charts, dialogs and macros have no cells.
      if (target?.type !== 'worksheet' || target.path === undefined) return
      sheets.push({ name: title, path: target.path, isHidden: state !== 'visible' })
    },
  })
  return sheets
}

/** The path of the only relationship of a type. If there are two, programs disagree on which one to follow. */
function onlyOf(archive: Archive, relationships: readonly Relationship[], type: string) {
  const [relationship, other] = relationships.filter((to) => to.type === type)
  if (other !== undefined)
    throw archive.damage(`it has two relationships of the type "${type}"`)
  return relationship?.path
}
