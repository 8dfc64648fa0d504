/** A workbook (.xlsx): what is in the archive, which sheets it has, and which one is read. */
import { usageError, type SvcError } from '../../errors.ts'
import { quoteAll } from '../columns.ts'
import { isTrue, readSharedTexts, readStyles, SharedTexts } from './cell-text.ts'
import { shorten } from '../id.ts'
import type { SheetBooks } from './row-reader.ts'
import { Sheet } from './sheet.ts'
import { closed, open, readWholeXml, sheetSpaces } from './xml.ts'
import { Archive, type ArchiveSource } from './zip.ts'

const mostSheets = 10_000

interface SheetEntry {
  readonly name: string
  readonly isHidden: boolean
  readonly path: string
}

interface Relationship {
  readonly id: string
  /** The last word of its address: `worksheet`, `sharedStrings`, `styles`; empty for those of others. */
  readonly type: string
  /** Path in the archive; undefined for what is outside of it. */
  readonly path: string | undefined
}

export class Workbook {
  readonly sheets: readonly SheetEntry[]
  readonly #archive: Archive
  readonly #part: WorkbookPart
  #books: SheetBooks | undefined

  constructor(archive: Archive, part: WorkbookPart) {
    this.#archive = archive
    this.#part = part
    this.sheets = part.sheets
  }

  /** The sheet of this name, in any letter case, or the only one with content that is not hidden. Throws exit 2. */
  async sheet(wanted?: string): Promise<Sheet> {
    const entry = wanted === undefined ? await this.#onlySheet() : this.#named(wanted)
    return new Sheet(this.#archive, entry, await this.#readBooks())
  }

  async hiddenSheets(): Promise<string[]> {
    return (await this.#withContent((sheet) => sheet.isHidden)).map(({ name }) => name)
  }

  close(): Promise<void> {
    return this.#archive.close()
  }

  #named(wanted: string): SheetEntry {
    const [found, other] = this.sheets.filter(({ name }) => sameName(name, wanted))
    if (other !== undefined) throw this.#archive.damaged(`it has two sheets "${shorten(wanted)}"`)
    if (found !== undefined) return found
    const names = quoteAll(this.sheets.map(({ name }) => name))
    throw usageError(`${this.#archive.name} has no sheet "${shorten(wanted)}"`, `its sheets are ${names}`)
  }

  async #onlySheet(): Promise<SheetEntry> {
    const { name } = this.#archive
    const visible = await this.#withContent((sheet) => !sheet.isHidden)
    const [only] = visible
    if (visible.length > 1) {
      const names = quoteAll(visible.map((sheet) => sheet.name))
      throw usageError(`${name} has ${visible.length} sheets: ${names}`, `name one: ${sheetOption(only?.name)}`)
    }
    if (only !== undefined) return only
    const [hidden] = await this.hiddenSheets()
    if (hidden !== undefined) {
      throw usageError(`the only content of ${name} is hidden`, `to read it all the same: ${sheetOption(hidden)}`)
    }
    const [first] = this.sheets
    if (first === undefined) throw this.#archive.damaged('it has no sheets')
    return first
  }

  async #withContent(isMeant: (sheet: SheetEntry) => boolean): Promise<SheetEntry[]> {
    const found: SheetEntry[] = []
    for (const entry of this.sheets.filter(isMeant)) {
      for await (const rows of new Sheet(this.#archive, entry, await this.#readBooks()).rows()) {
        if (rows.length === 0) continue
        found.push(entry)
        break
      }
    }
    return found
  }

  async #readBooks(): Promise<SheetBooks> {
    const path = (type: string): string | undefined => onlyOf(this.#archive, this.#part.relationships, type)
    const [texts, styles] = [path('sharedStrings'), path('styles')]
    this.#books ??= {
      texts: texts === undefined ? new SharedTexts() : await readSharedTexts(this.#archive, texts),
      styles: styles === undefined ? { dates: new Set(), unseen: new Set() } : await readStyles(this.#archive, styles),
      is1904: this.#part.is1904,
    }
    return this.#books
  }
}

function sameName(one: string, other: string): boolean {
  return one.normalize('NFC').toLowerCase() === other.normalize('NFC').trim().toLowerCase()
}

function sheetOption(name: string | undefined): string {
  const isPlain = name !== undefined && /^[\p{L}\p{M}\p{N}_#(][\p{L}\p{M}\p{N}_#.:/() -]{0,63}$/u.test(name)
  return isPlain ? `--sheet "${name}"` : '--sheet <name>'
}

/** Opens a workbook, which must be closed. Throws exit 2 for what is none, saying what it is, and for a damaged one. */
export async function openWorkbook(source: ArchiveSource): Promise<Workbook> {
  const archive = await Archive.open(source)
  try {
    return new Workbook(archive, await readWorkbookPart(archive))
  } catch (error) {
    await archive.close()
    throw error
  }
}

const officeSpaces = [
  'http://schemas.openxmlformats.org/officeDocument/2006/relationships',
  'http://purl.oclc.org/ooxml/officeDocument/relationships',
]

const workbookShape = open({ workbookPr: open(), sheets: closed({ sheet: open() }) })

type WorkbookPart = Awaited<ReturnType<typeof readWorkbookPart>>

async function readWorkbookPart(archive: Archive) {
  if (!archive.has('_rels/.rels')) throw await notWorkbook(archive)
  const main = onlyOf(archive, await readRelationships(archive, ''), 'officeDocument')
  if (main === undefined) throw await notWorkbook(archive)
  if (main.endsWith('.bin')) throw otherKind(archive.name, 'a binary workbook (.xlsb)')
  const relationships = await readRelationships(archive, main)
  const byId = new Map(relationships.map((to) => [to.id, to]))
  if (byId.size < relationships.length) throw archive.damaged('it has two relationships of one name')
  const sheets: SheetEntry[] = []
  let is1904 = false
  const part = {
    spaces: sheetSpaces,
    root: 'workbook',
    shape: workbookShape,
    once: new Set(['workbookPr', 'sheets']),
    otherRoot: (name: string) => otherKind(archive.name, officeKind(name)),
  }
  await readWholeXml(archive, main, part, {
    onOpen(name, attributes, place) {
      if (name === 'workbookPr') is1904 = isTrue(attributes.date1904)
      if (name !== 'sheet') return
      const ids = Object.keys(attributes).filter((key) => {
        const [prefix = '', local] = key.split(':')
        return local === 'id' && officeSpaces.includes(place.spaceOf(prefix) ?? '')
      })
      const found = byId.get(attributes[ids[0] ?? ''] ?? '')
      // Without cells: charts, dialogs, macros.
      if (ids.length !== 1 || found?.type !== 'worksheet' || found.path === undefined) return
      const { name: title = '', state = 'visible' } = attributes
      sheets.push({ name: title, isHidden: state !== 'visible', path: found.path })
      if (sheets.length > mostSheets) throw archive.damaged('it has too many sheets')
    },
  })
  return { sheets, is1904, relationships }
}

/** Where the only relationship of a type leads to. Of two, one program follows the first and another the second. */
function onlyOf(archive: Archive, relationships: readonly Relationship[], type: string): string | undefined {
  const [found, other] = relationships.filter((to) => to.type === type)
  if (other !== undefined) throw archive.damaged(`it has two relationships of the type "${type}"`)
  return found?.path
}

const relationshipsPart = {
  spaces: ['http://schemas.openxmlformats.org/package/2006/relationships'],
  root: 'Relationships',
  shape: closed({ Relationship: closed() }),
}

/** The relationships of a part, or of the archive itself when `part` is empty. */
async function readRelationships(archive: Archive, part: string): Promise<Relationship[]> {
  const slash = part.lastIndexOf('/') + 1
  const folder = part.slice(0, slash)
  const found: Relationship[] = []
  await readWholeXml(archive, `${folder}_rels/${part.slice(slash)}.rels`, relationshipsPart, {
    onOpen(name, { Id: id, Type: type = '', Target: target, TargetMode: mode }) {
      if (name !== 'Relationship' || id === undefined || target === undefined) return
      const path = mode === 'External' ? undefined : inArchive(folder, target)
      const last = type.lastIndexOf('/')
      found.push({ id, type: officeSpaces.includes(type.slice(0, last)) ? type.slice(last + 1) : '', path })
    },
  })
  return found
}

/** A target is relative to its part's folder, or begins with a slash. Not every program knows `./`. */
function inArchive(folder: string, target: string): string {
  const parts: string[] = []
  for (const part of (target.startsWith('/') ? target.slice(1) : `${folder}${target}`).split('/')) {
    if (part === '..') parts.pop()
    else parts.push(part)
  }
  return parts.join('/')
}

async function notWorkbook(archive: Archive): Promise<SvcError> {
  const kind = archive.has('mimetype') ? await archive.text('mimetype') : ''
  if (kind.includes('opendocument.spreadsheet')) return otherKind(archive.name, 'an OpenDocument spreadsheet (.ods)')
  if (kind.includes('opendocument')) return otherKind(archive.name, 'an OpenDocument text or drawing')
  if (archive.has('Index/Document.iwa')) return otherKind(archive.name, 'a Numbers spreadsheet')
  return usageError(`${archive.name} is a zip archive, not a workbook`, 'unpack it first')
}

function officeKind(root: string): string {
  if (root === 'document') return 'a Word document'
  return root === 'presentation' ? 'a presentation' : 'an office document without sheets'
}

function otherKind(name: string, what: string): SvcError {
  return usageError(`${name} is ${what}, not an .xlsx workbook`, 'save its table as .xlsx or csv')
}
