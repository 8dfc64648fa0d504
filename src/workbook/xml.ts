/**
 * Reads the XML of a workbook's parts as events: each element that is expected at its place, in the
 * namespace of its part. Also puts texts together from their runs, and reads relationships, the XML that
 * tells which part of the archive refers to which.
 *
 * An element is refused at a place where some programs look for it and others do not. Elsewhere a part may
 * have whatever a newer program wrote, which is skipped.
 */
import { messageOf, type SvcError } from '../errors.ts'
import { shorten } from '../safe-text.ts'
import { SaxesParser } from './packages.js'
import type { Archive } from './zip.ts'

const pieceLength = 1 << 16

const officeSpaces = [
  'http://schemas.openxmlformats.org/officeDocument/2006/relationships',
  'http://purl.oclc.org/ooxml/officeDocument/relationships',
]
/** Namespaces that a part can have. */
const partSpaces = [
  'http://schemas.openxmlformats.org/spreadsheetml/2006/main',
  'http://purl.oclc.org/ooxml/spreadsheetml/main',
  'http://schemas.openxmlformats.org/package/2006/relationships',
]

/**
 * The children of each element that is read:
 *
 * - `workbook: * sheets`: read `sheets`, skip everything else.
 * - `cols: col`: read `col`, refuse everything else.
 *
 * An allowed child without a line of its own is skipped with everything in it.
 */
const contents = new Map<string, readonly string[]>()
for (const line of [
  'Relationships: Relationship',
  'Relationship:',
  'workbook: * workbookPr sheets',
  'workbookPr: *',
  'sheets: sheet',
  'sheet: *',
  'sst: si extLst',
  'si: t r rPh phoneticPr',
  'r: t rPr',
  't:',
  'styleSheet: * numFmts cellStyleXfs cellXfs dxfs',
  'numFmts: numFmt',
  'numFmt: *',
  'cellStyleXfs: xf',
  'cellXfs: xf',
  'xf: *',
  'dxfs: dxf',
  'dxf: font numFmt fill alignment border protection extLst',
  'worksheet: * dimension sheetFormatPr cols sheetData mergeCells conditionalFormatting autoFilter tableParts',
  'dimension: *',
  'sheetFormatPr: *',
  'cols: col',
  'col:',
  'sheetData: row',
  'row: c extLst',
  'c: f v is extLst',
  'f:',
  'v:',
  'is: t r rPh phoneticPr',
  'mergeCells: mergeCell',
  'mergeCell:',
  'conditionalFormatting: cfRule extLst',
  'cfRule: formula colorScale iconSet dataBar extLst',
  'iconSet: *',
  'dataBar: *',
  'autoFilter: *',
  'tableParts: *',
  'table: *',
]) {
  const [name = '', allowedChildren = ''] = line.split(':')
  contents.set(name, allowedChildren.trim().split(' '))
}

export type Attributes = Readonly<Record<string, string>>

/** The events of the elements that are read. Names have no prefix: `x:row` is `row`. */
export interface XmlHandlers {
  /** `relationship`: the id of the only relationship that a `sheet` names. */
  onOpen(
    name: string,
    attributes: Attributes,
    parent: string,
    relationship: string | undefined,
  ): void
  /** `text`: the text before the tag. */
  onClose?(name: string, text: string): void
  /** Called for each skipped element, also inside of one. */
  onSkipped?(name: string, attributes: Attributes): void
}

/** Reads a part. Throws exit 2 for XML that is malformed, or has an element where programs read it in different ways. */
export function readXml(
  archive: Archive,
  path: string,
  root: string,
  handlers: XmlHandlers,
) {
  // With more than these five handlers V8 stores the parser as a dictionary, which is four times slower.
  const parser = new SaxesParser({ position: false })
  const elements = new Elements({ path, archive, parser, root }, handlers)
  parser.on('opentag', ({ name, attributes }) => elements.open(name, attributes))
  parser.on('closetag', () => elements.close())
  for (const event of ['text', 'cdata'] as const)
    parser.on(event, (text) => elements.text(text))
  parser.on('error', (error) => {
    throw archive.damage(`"${path}" is not well-formed XML (${messageOf(error)})`)
  })
  const text = archive.text(path)
  // In pieces, because the parser copies the rest of what it was given.
  for (let at = 0; at < text.length; at += pieceLength)
    parser.write(text.slice(at, at + pieceLength))
  parser.close()
}

interface XmlSource {
  path: string
  archive: Archive
  parser: SaxesParser
  root: string
}

/** Picks the elements to read from all elements of a part. */
class Elements {
  /** The names of the open elements, from the root. */
  readonly #names: string[] = []
  readonly #source: XmlSource
  readonly #handlers: XmlHandlers
  #text = ''
  /** How many of the open elements are skipped. */
  #skipped = 0
  /** Whether the outermost skipped element has another namespace than the part. */
  #isForeign = false
  /** Namespaces that the root declares, by their prefix. */
  readonly #spaces = new Map<string, string>()
  /** The namespace of the root. */
  #space = ''

  constructor(source: XmlSource, handlers: XmlHandlers) {
    this.#source = source
    this.#handlers = handlers
  }

  open(name: string, attributes: Attributes) {
    const colon = name.indexOf(':')
    const local = name.slice(colon + 1)
    if (this.#skipped > 0) return this.#skip(name, local, attributes)
    const space = this.#spaceOf(name.slice(0, Math.max(colon, 0)), attributes)
    if (this.#names.length === 0) this.#checkRoot(local, space)
    const isOwn = space === this.#space
    const parent = this.#names.at(-1) ?? ''
    const allowedChildren = contents.get(parent) ?? [local]
    const isAllowedHere = isOwn && allowedChildren.includes(local)
    if (isAllowedHere && contents.has(local)) {
      this.#checkAttributes(attributes)
      this.#names.push(local)
      this.#text = ''
      const relationship = local === 'sheet' ? this.#idIn(attributes) : undefined
      this.#handlers.onOpen(local, attributes, parent, relationship)
      return
    }
    if (!isAllowedHere && !allowedChildren.includes('*')) throw this.#misplacement(name)
    this.#isForeign = !isOwn
    this.#skip(name, local, attributes)
  }

  text(text: string) {
    if (this.#skipped === 0) this.#text += text
  }

  close() {
    if (this.#skipped > 0) {
      this.#skipped -= 1
      return
    }
    const name = this.#names.pop() ?? ''
    this.#handlers.onClose?.(name, this.#text)
    this.#text = ''
  }

  /**
   * Throws exit 2 for a wrong root, for a document type, whose entities could expand to terabytes, and for any encoding but
   * UTF-8.
   */
  #checkRoot(local: string, space: string) {
    const { archive, parser, path, root } = this.#source
    const { encoding = 'utf-8' } = parser.xmlDecl
    const refuse = (what: string): SvcError => archive.damage(`"${path}" ${what}`)
    if (parser.doctype) throw refuse('is not well-formed XML (it has a document type)')
    if (!/^utf-?8$/i.test(encoding))
      throw refuse(`is not XML in UTF-8: its encoding is "${encoding}"`)
    if (local !== root || !partSpaces.includes(space)) throw refuse(`has no <${root}>`)
    this.#space = space
  }

  /**
   * Skips an element. Refuses elements of the part inside a foreign one, where some programs read them, and `sheetData`
   * anywhere.
   */
  #skip(name: string, local: string, attributes: Attributes) {
    const isKnownElement = contents.get(this.#source.root)?.includes(local) === true
    const isInsideForeign = this.#skipped > 0 && this.#isForeign && isKnownElement
    if (isInsideForeign || local === 'sheetData') throw this.#misplacement(name)
    this.#skipped += 1
    this.#handlers.onSkipped?.(local, attributes)
  }

  /** Throws exit 2 for attributes that change which elements programs read. */
  #checkAttributes(attributes: Attributes) {
    for (const name in attributes) {
      // A quick check: most attributes have one letter.
      if (name.length < 5) continue
      // These tell a program which elements to ignore, perhaps everything around the cells.
      if (name.endsWith(':ProcessContent') || name.endsWith(':MustUnderstand')) {
        throw this.#ambiguous(`has "${shorten(name)}"`)
      }
      if (name !== 'xmlns' && !name.startsWith('xmlns:')) continue
      const prefix = name.slice('xmlns:'.length)
      const space = attributes[name] ?? ''
      const known = this.#spaces.get(prefix)
      if (this.#names.length === 0) this.#spaces.set(prefix, space)
      else if (known === this.#space && space !== known) {
        throw this.#ambiguous(`changes the meaning of "${shorten(name)}"`)
      }
    }
  }

  /** The namespace of a prefix, as the element or the root declares it. Declarations of other elements are ignored. */
  #spaceOf(prefix: string, attributes: Attributes) {
    const name = prefix === '' ? 'xmlns' : `xmlns:${prefix}`
    return attributes[name] ?? this.#spaces.get(prefix) ?? ''
  }

  #ambiguous(what: string) {
    return this.#source.archive.ambiguous(`"${this.#source.path}" ${what}`)
  }

  #misplacement(name: string) {
    return this.#ambiguous(`has <${shorten(name)}> in <${this.#names.at(-1) ?? ''}>`)
  }

  /** The id of the only relationship that an element names. */
  #idIn(attributes: Attributes) {
    const ids = Object.keys(attributes).filter((key) => {
      const [prefix = '', local] = key.split(':')
      return local === 'id' && officeSpaces.includes(this.#spaceOf(prefix, attributes))
    })
    const [only = '', other] = ids
    return other === undefined ? attributes[only] : undefined
  }
}

/** Puts a text together from its runs: a shared text, or that of a cell. */
export class RichText {
  #text = ''
  #texts = 0
  #runs = 0
  readonly #archive: Archive

  constructor(archive: Archive) {
    this.#archive = archive
  }

  onOpen(name: string) {
    if (name === 'r') this.#runs += 1
    if (name === 't') this.#texts += 1
    // If a text is next to runs, or a run has two texts, some programs show both and others only one.
    if (this.#texts > Math.max(1, this.#runs)) {
      throw this.#archive.damage('it has two texts in place of one')
    }
  }

  onClose(name: string, text: string) {
    if (name === 't') this.#text += text
  }

  /** Returns the text so far, with its escapes, and starts the next one. */
  finish() {
    const text = this.#text
    this.#text = ''
    this.#texts = 0
    this.#runs = 0
    return text
  }
}

export interface Relationship {
  id: string
  /**
   * The last word of its type's URL: `worksheet`, `sharedStrings`, `styles`; with a `?` after it if the URL is not Office's.
   */
  type: string
  /** The path of its target in the archive; undefined for an external target. */
  path: string | undefined
}

/** The relationships of a part, or of the archive itself if `part` is empty. */
export function relationshipsOf(archive: Archive, part: string): Relationship[] {
  const slash = part.lastIndexOf('/') + 1
  const folder = part.slice(0, slash)
  const from = `${folder}_rels/${part.slice(slash)}.rels`
  const relationships: Relationship[] = []
  if (!archive.has(from)) return relationships
  readXml(archive, from, 'Relationships', {
    onOpen(_name, { Id: id, Type: type = '', Target: target, TargetMode: mode }) {
      if (id === undefined || target === undefined) return
      const path = mode === 'External' ? undefined : inArchive(folder, target)
      const last = type.lastIndexOf('/')
      const word = type.slice(last + 1)
      const isOffice = officeSpaces.includes(type.slice(0, last))
      relationships.push({ id, type: isOffice ? word : `${word}?`, path })
    },
  })
  return relationships
}

/**
 * The path of a target, which is relative to its part's folder or begins with a slash. `./` stays, because not every program
 * resolves it.
 */
function inArchive(folder: string, target: string) {
  const parts: string[] = []
  const path = target.startsWith('/') ? target.slice(1) : `${folder}${target}`
  for (const part of path.split('/')) {
    if (part === '..') parts.pop()
    else parts.push(part)
  }
  return parts.join('/')
}
