/** XML of a workbook's parts as events, in bounded memory: elements by their namespace and at their place. */
import { SaxesParser } from './saxes.js'
import { messageOf, usageError, type SvcError } from '../../errors.ts'
import type { Archive } from './zip.ts'

/** The parser keeps a text, a tag or a comment until it ends; a cell has at most 32,767 characters, and few have comments. */
export const longestText = 1 << 20
const longestShortPart = 16 << 20
const deepest = 64
const mostPrefixes = 256

export const sheetSpaces = [
  'http://schemas.openxmlformats.org/spreadsheetml/2006/main',
  'http://purl.oclc.org/ooxml/spreadsheetml/main',
]
const alternatives = 'http://schemas.openxmlformats.org/markup-compatibility/2006'

export type Attributes = Readonly<Record<string, string>>

/** An element that is looked at. Others are skipped with all that is in them; inside a closed one they are refused. */
export interface Shape {
  readonly inside: ReadonlyMap<string, Shape | 'skipped'>
  readonly isClosed: boolean
}

export function open(inside: Readonly<Record<string, Shape | 'skipped'>> = {}): Shape {
  return { inside: new Map(Object.entries(inside)), isClosed: false }
}

export function closed(inside?: Readonly<Record<string, Shape | 'skipped'>>): Shape {
  return { ...open(inside), isClosed: true }
}

export interface PartShape {
  readonly spaces: readonly string[]
  readonly root: string
  readonly shape: Shape
  readonly once?: ReadonlySet<string>
  /** What a part with another outermost element is. */
  readonly otherRoot?: (name: string) => SvcError
}

export interface XmlPlace {
  /** Behind its tag, in the text of the part. */
  readonly position: number
  spaceOf(prefix: string): string | undefined
}

/** Of elements that are looked at. Names are without their prefix: `x:row` is `row`. */
export interface XmlEvents {
  onOpen(name: string, attributes: Attributes, place: XmlPlace): void
  onText?(text: string): void
  onClose?(name: string, place: XmlPlace): void
}

/** The text of a part, chunk by chunk, without a byte order mark. Throws exit 2 for one that is no UTF-8. */
export async function* textOf(archive: Archive, path: string, most?: number): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (bytes?: Buffer): string => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined })
    } catch {
      throw archive.damaged(`"${path}" is not valid UTF-8`)
    }
  }
  for await (const chunk of archive.unpack(path, most)) yield decode(chunk)
  yield decode()
}

/**
 * Reads a part, chunk by chunk, and yields once the events of one are over. Throws exit 2 for XML that is malformed, too deep, has something
 * of more than a megabyte in one piece, or an element where programs read it in different ways.
 */
export async function* readXml(archive: Archive, path: string, part: PartShape, events: XmlEvents) {
  // With more than these five handlers V8 takes the parser for a dictionary, and all of it is four times slower.
  const parser = new SaxesParser({ position: false })
  const damaged = (what: string): SvcError => archive.damaged(`"${path}" ${what}`)
  const elements = new Elements({ archive, parser, damaged }, part, events)
  parser.on('opentag', ({ name, attributes }) => {
    if (!elements.hasRoot) checkProlog(parser, damaged)
    elements.open(name, attributes)
  })
  parser.on('closetag', () => elements.close())
  for (const event of ['text', 'cdata'] as const) parser.on(event, (text) => elements.text(text))
  parser.on('error', (error) => {
    throw damaged(malformed(messageOf(error)))
  })
  for await (const text of textOf(archive, path, events.onText === undefined ? longestShortPart : undefined)) {
    elements.sinceEvent += text.length
    parser.write(text)
    if (elements.sinceEvent > longestText) throw usageError(`${archive.name} has a text of more than 1 MB in "${path}"`)
    yield
  }
  parser.close()
}

/** Reads all of a part at once. One without texts is short. */
export async function readWholeXml(archive: Archive, path: string, part: PartShape, events: XmlEvents): Promise<void> {
  const steps = readXml(archive, path, part, events)
  while ((await steps.next()).done !== true);
}

function malformed(why: string): string {
  return `is not well-formed XML (${why})`
}

function checkProlog({ doctype, xmlDecl }: SaxesParser, damaged: (what: string) => SvcError): void {
  if (doctype) throw damaged(malformed('it has a document type'))
  const { encoding = 'utf-8' } = xmlDecl
  if (!/^utf-?8$/i.test(encoding)) throw damaged(malformed(`its encoding is "${encoding}"`))
}

interface XmlSource {
  readonly archive: Archive
  readonly parser: SaxesParser
  readonly damaged: (what: string) => SvcError
}

interface ResolvedName {
  readonly local: string
  readonly space: string | undefined
  readonly isOwn: boolean
}

/** Finds the elements that are looked at among all those of a part. */
class Elements implements XmlPlace {
  hasRoot = false
  /** Characters that were read since the last event. */
  sinceEvent = 0
  readonly #archive: Archive
  readonly #parser: SaxesParser
  readonly #damaged: (what: string) => SvcError
  readonly #part: PartShape
  readonly #events: XmlEvents
  readonly #shapes: Shape[] = []
  readonly #names: string[] = []
  readonly #seen = new Set<string>()
  #depth = 0
  /** How many elements deep it is in one that is skipped, and whether that is one of alternatives. */
  #skipped = 0
  #isAlternative = false
  /** Namespaces by their prefix, and those of the elements around, where they were others. */
  #spaces: ReadonlyMap<string, string> = new Map()
  /** Names as they are there, by these namespaces. */
  readonly #resolved = new Map<string, ResolvedName>()
  readonly #outer: (ReadonlyMap<string, string> | undefined)[] = []

  constructor({ archive, parser, damaged }: XmlSource, part: PartShape, events: XmlEvents) {
    this.#archive = archive
    this.#parser = parser
    this.#damaged = damaged
    this.#part = part
    this.#events = events
  }

  get position(): number {
    return this.#parser.position
  }

  spaceOf(prefix: string): string | undefined {
    return this.#spaces.get(prefix)
  }

  open(name: string, attributes: Attributes): void {
    this.sinceEvent = 0
    this.#archive.count(1)
    if (this.#depth === deepest) throw this.#damaged(`is nested more than ${deepest} levels deep`)
    this.#outer[this.#depth] = this.#declare(attributes)
    this.#depth += 1
    const { local, space, isOwn } = this.#resolved.get(name) ?? this.#resolve(name)
    if (this.#skipped > 0) {
      // Those that nothing looks at are few in what programs write: each counts eight times.
      this.#archive.count(7)
      if (this.#isAlternative && isOwn && this.#part.shape.inside.has(local)) throw this.#misplaced(name)
      this.#skipped += 1
      return
    }
    const shape = this.hasRoot ? this.#inside(isOwn, local, name) : this.#root(isOwn, local)
    if (shape === undefined) {
      this.#archive.count(7)
      this.#skipped = 1
      this.#isAlternative = space === alternatives
      return
    }
    if (this.#part.once?.has(local) === true) {
      if (this.#seen.has(local)) throw this.#damaged(`has <${local}> twice`)
      this.#seen.add(local)
    }
    this.#shapes.push(shape)
    this.#names.push(local)
    this.#events.onOpen(local, attributes, this)
  }

  text(text: string): void {
    this.sinceEvent = 0
    if (this.#skipped === 0) this.#events.onText?.(text)
  }

  close(): void {
    this.sinceEvent = 0
    this.#depth -= 1
    const outer = this.#outer[this.#depth]
    if (outer !== undefined) this.#enter(outer)
    if (this.#skipped > 0) {
      this.#skipped -= 1
      return
    }
    this.#shapes.pop()
    this.#events.onClose?.(this.#names.pop() ?? '', this)
  }

  #resolve(name: string): ResolvedName {
    const colon = name.indexOf(':')
    const space = this.#spaces.get(name.slice(0, Math.max(colon, 0)))
    if (space === undefined && colon >= 0) throw this.#damaged(malformed(`<${shown(name)}> has no namespace`))
    const isOwn = space !== undefined && this.#part.spaces.includes(space)
    const resolved = { local: name.slice(colon + 1), space, isOwn }
    if (this.#resolved.size < mostPrefixes) this.#resolved.set(name, resolved)
    return resolved
  }

  #root(isOwn: boolean, local: string): Shape {
    this.hasRoot = true
    const { root, shape, otherRoot } = this.#part
    if (isOwn && local === root) return shape
    throw otherRoot?.(local) ?? this.#damaged(`has no <${root}>`)
  }

  /** Undefined for one that is skipped. */
  #inside(isOwn: boolean, local: string, name: string): Shape | undefined {
    const parent = this.#shapes.at(-1)
    const shape = isOwn ? parent?.inside.get(local) : undefined
    if (shape === undefined && parent?.isClosed === true) throw this.#misplaced(name)
    return shape === 'skipped' ? undefined : shape
  }

  /** The namespaces as they were, when an element declares others. */
  #declare(attributes: Attributes): ReadonlyMap<string, string> | undefined {
    let own: Map<string, string> | undefined
    for (const name in attributes) {
      // Most attributes have one letter.
      if (name.length < 5) continue
      // Words to a program that leaves out what it does not know, which can be everything around the cells.
      if (name.endsWith(':ProcessContent') || name.endsWith(':MustUnderstand'))
        throw this.#damaged(`has "${shown(name)}"`)
      if (name === 'xmlns' || name.startsWith('xmlns:')) {
        own ??= new Map(this.#spaces)
        own.set(name.slice(6), attributes[name] ?? '')
      }
    }
    if (own === undefined) return undefined
    if (own.size > mostPrefixes) throw this.#damaged(`has more than ${mostPrefixes} namespaces`)
    this.#archive.count(own.size)
    const before = this.#spaces
    this.#enter(own)
    return before
  }

  #enter(spaces: ReadonlyMap<string, string>): void {
    this.#spaces = spaces
    this.#resolved.clear()
  }

  #misplaced(name: string): SvcError {
    const parent = this.#names.at(-1) ?? ''
    return this.#damaged(`has <${shown(name)}> in <${parent}>, which programs read in different ways`)
  }
}

function shown(name: string): string {
  return name.slice(0, 40)
}
