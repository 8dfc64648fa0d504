/**
 * XML of a workbook's parts as events: elements by their namespace and at their place. And the relationships, which say in XML which part of the
 * archive leads to which. The files that read a part (`workbook.ts`, `sheet.ts`, `styles.ts`, `texts.ts`) describe it as a shape, and get the events of that alone.
 *
 * The rule: an element at a place where some programs look and others do not is refused. Elsewhere in a part there may be whatever a newer
 * program wrote, which is skipped.
 */
import { messageOf, type SvcError } from '../errors.ts'
import { shorten } from '../safe-text.ts'
import { SaxesParser } from './packages.js'
import type { Archive } from './zip.ts'

const pieceLength = 1 << 16

export const sheetSpaces = [
  'http://schemas.openxmlformats.org/spreadsheetml/2006/main',
  'http://purl.oclc.org/ooxml/spreadsheetml/main',
]
const alternatives = 'http://schemas.openxmlformats.org/markup-compatibility/2006'

export type Attributes = Readonly<Record<string, string>>

/** An element that is looked at. Others are skipped with all that is in them; inside a closed one they are refused. */
interface Shape {
  readonly inside: ReadonlyMap<string, Shape | 'skipped'>
  readonly isClosed: boolean
}

/** A shape that skips all but these elements. */
export function open(inside: Readonly<Record<string, Shape | 'skipped'>> = {}): Shape {
  return { inside: new Map(Object.entries(inside)), isClosed: false }
}

/** A shape that has these elements alone. */
export function closedShape(inside?: Readonly<Record<string, Shape | 'skipped'>>): Shape {
  return { ...open(inside), isClosed: true }
}

interface PartShape {
  readonly spaces: readonly string[]
  readonly root: string
  readonly shape: Shape
}

export interface XmlPlace {
  /** Behind its tag, in the text of the part. */
  readonly position: number
  spaceOf(prefix: string): string | undefined
}

/** Events of elements that are looked at. Names are without their prefix: `x:row` is `row`. */
export interface XmlHandlers {
  onOpen(name: string, attributes: Attributes, place: XmlPlace): void
  onText?(text: string): void
  onClose?(name: string, place: XmlPlace): void
  /** An element that is skipped; `isOdd`: it has another namespace, and is in no extension. */
  onSkipped?(name: string, attributes: Attributes, isOdd: boolean): void
}

/** Reads a part. Throws exit 2 for XML that is malformed, or has an element where programs read it in different ways. */
export function readXml(
  archive: Archive,
  path: string,
  part: PartShape,
  handlers: XmlHandlers,
): void {
  // With more than these five handlers V8 takes the parser for a dictionary, and all of it is four times slower.
  const parser = new SaxesParser({ position: false })
  const damage = (what: string): SvcError => archive.damage(`"${path}" ${what}`)
  const elements = new Elements({ path, archive, parser, damage }, part, handlers)
  parser.on('opentag', ({ name, attributes }) => {
    if (!elements.hasRoot) checkProlog(parser, damage)
    elements.open(name, attributes)
  })
  parser.on('closetag', () => elements.close())
  for (const event of ['text', 'cdata'] as const) parser.on(event, (text) => elements.text(text))
  parser.on('error', (error) => {
    throw damage(notWellFormed(messageOf(error)))
  })
  const text = archive.text(path)
  // In pieces, because the parser copies the rest of what it was given.
  for (let at = 0; at < text.length; at += pieceLength)
    parser.write(text.slice(at, at + pieceLength))
  parser.close()
}

/** Words behind the name of a part. */
function notWellFormed(why: string): string {
  return `is not well-formed XML (${why})`
}

/** Throws exit 2 for a document type, whose entities could become terabytes, and for another encoding than UTF-8. */
function checkProlog({ doctype, xmlDecl }: SaxesParser, damage: (what: string) => SvcError): void {
  if (doctype) throw damage(notWellFormed('it has a document type'))
  const { encoding = 'utf-8' } = xmlDecl
  const isUtf8 = /^utf-?8$/i.test(encoding)
  if (!isUtf8) throw damage(notWellFormed(`its encoding is "${encoding}"`))
}

interface XmlSource {
  readonly path: string
  readonly archive: Archive
  readonly parser: SaxesParser
  readonly damage: (what: string) => SvcError
}

type Spaces = ReadonlyMap<string, string>

/** A name of an element without its prefix. `isOwn`: it has a namespace of the part. */
interface ElementName {
  readonly local: string
  readonly isOwn: boolean
  readonly isAlternative: boolean
}

/** Finds the elements that are looked at among all those of a part. */
class Elements implements XmlPlace {
  hasRoot = false
  readonly #source: XmlSource
  readonly #part: PartShape
  readonly #handlers: XmlHandlers
  readonly #shapes: Shape[] = []
  readonly #names: string[] = []
  /** How many elements deep it is in one that is skipped, and whether that is one of alternatives. */
  #skipped = 0
  #isAlternative = false
  /** How deep the extension is that it is in. */
  #extension = Infinity
  /** Namespaces by their prefix, and names that were found with them; those of the elements around, where they were others. */
  #spaces: Spaces = new Map()
  #elementNames = new Map<string, ElementName>()
  readonly #outer: (Spaces | undefined)[] = []

  constructor(source: XmlSource, part: PartShape, handlers: XmlHandlers) {
    this.#source = source
    this.#part = part
    this.#handlers = handlers
  }

  get position(): number {
    return this.#source.parser.position
  }

  spaceOf(prefix: string): string | undefined {
    return this.#spaces.get(prefix)
  }

  open(name: string, attributes: Attributes): void {
    this.#outer.push(this.#look(attributes))
    const element = this.#elementNames.get(name) ?? this.#find(name)
    const { local, isOwn } = element
    const shape = this.#skipped > 0 ? undefined : this.#shapeOf(element, name)
    if (shape !== undefined) {
      this.#shapes.push(shape)
      this.#names.push(local)
      this.#handlers.onOpen(local, attributes, this)
      return
    }
    if (this.#skipped === 0) {
      this.#isAlternative = element.isAlternative
    } else if (this.#isAlternative && isOwn && this.#part.shape.inside.has(local)) {
      throw this.misplacement(name)
    }
    this.#skipped += 1
    if (isOwn && local === 'extLst') this.#extension = Math.min(this.#extension, this.#outer.length)
    this.#handlers.onSkipped?.(local, attributes, !isOwn && this.#extension === Infinity)
  }

  text(text: string): void {
    if (this.#skipped === 0) this.#handlers.onText?.(text)
  }

  close(): void {
    const before = this.#outer.pop()
    if (before !== undefined) this.#use(before)
    if (this.#outer.length < this.#extension) this.#extension = Infinity
    if (this.#skipped > 0) {
      this.#skipped -= 1
      return
    }
    this.#shapes.pop()
    this.#handlers.onClose?.(this.#names.pop() ?? '', this)
  }

  #find(name: string): ElementName {
    const colon = name.indexOf(':')
    const space = this.#spaces.get(name.slice(0, Math.max(colon, 0)))
    if (space === undefined && colon >= 0) {
      throw this.#source.damage(notWellFormed(`<${shorten(name)}> has no namespace`))
    }
    const isOwn = space !== undefined && this.#part.spaces.includes(space)
    const local = name.slice(colon + 1)
    const element = { local, isOwn, isAlternative: space === alternatives }
    this.#elementNames.set(name, element)
    return element
  }

  /** Undefined for an element that is skipped. */
  #shapeOf({ isOwn, local }: ElementName, name: string): Shape | undefined {
    if (!this.hasRoot) {
      this.hasRoot = true
      const { root, shape } = this.#part
      if (isOwn && local === root) return shape
      throw this.#source.damage(`has no <${root}>`)
    }
    const parent = this.#shapes.at(-1)
    const shape = isOwn ? parent?.inside.get(local) : undefined
    if (shape === undefined && parent?.isClosed === true) throw this.misplacement(name)
    return shape === 'skipped' ? undefined : shape
  }

  /** Returns the namespaces as they were, when the element declares others. */
  #look(attributes: Attributes): Spaces | undefined {
    let spaces: Map<string, string> | undefined
    for (const name in attributes) {
      // Most attributes have one letter.
      if (name.length < 5) continue
      // Words to a program that leaves out what it does not know, which can be everything around the cells.
      if (name.endsWith(':ProcessContent') || name.endsWith(':MustUnderstand')) {
        throw this.#ambiguous(`has "${shorten(name)}"`)
      }
      if (name !== 'xmlns' && !name.startsWith('xmlns:')) continue
      spaces ??= new Map(this.#spaces)
      spaces.set(name.slice('xmlns:'.length), attributes[name] ?? '')
    }
    if (spaces === undefined) return undefined
    const before = this.#spaces
    this.#use(spaces)
    return before
  }

  #use(spaces: Spaces): void {
    this.#spaces = spaces
    this.#elementNames = new Map()
  }

  #ambiguous(what: string): SvcError {
    return this.#source.archive.ambiguous(`"${this.#source.path}" ${what}`)
  }

  misplacement(name: string): SvcError {
    return this.#ambiguous(`has <${shorten(name)}> in <${this.#names.at(-1) ?? ''}>`)
  }
}

export const officeSpaces = [
  'http://schemas.openxmlformats.org/officeDocument/2006/relationships',
  'http://purl.oclc.org/ooxml/officeDocument/relationships',
]

export interface Relationship {
  readonly id: string
  /** The last word of its address: `worksheet`, `sharedStrings`, `styles`; with a `?` behind it when the address is of others. */
  readonly type: string
  /** Path in the archive; undefined for what is outside of it. */
  readonly path: string | undefined
}

const relationshipsPart = {
  spaces: ['http://schemas.openxmlformats.org/package/2006/relationships'],
  root: 'Relationships',
  shape: closedShape({ Relationship: closedShape() }),
}

/** The relationships of a part, or of the archive itself when `part` is empty; none when it says none. */
export function relationshipsOf(archive: Archive, part: string): Relationship[] {
  const slash = part.lastIndexOf('/') + 1
  const folder = part.slice(0, slash)
  const from = `${folder}_rels/${part.slice(slash)}.rels`
  const relationships: Relationship[] = []
  if (!archive.has(from)) return relationships
  readXml(archive, from, relationshipsPart, {
    onOpen(name, { Id: id, Type: type = '', Target: target, TargetMode: mode }) {
      if (name !== 'Relationship' || id === undefined || target === undefined) return
      const path = mode === 'External' ? undefined : inArchive(folder, target)
      const last = type.lastIndexOf('/')
      const word = type.slice(last + 1)
      const isOffice = officeSpaces.includes(type.slice(0, last))
      relationships.push({ id, type: isOffice ? word : `${word}?`, path })
    },
  })
  return relationships
}

/** A target is relative to its part's folder, or begins with a slash. Not every program knows `./`. */
function inArchive(folder: string, target: string): string {
  const parts: string[] = []
  const path = target.startsWith('/') ? target.slice(1) : `${folder}${target}`
  for (const part of path.split('/')) {
    if (part === '..') parts.pop()
    else parts.push(part)
  }
  return parts.join('/')
}
