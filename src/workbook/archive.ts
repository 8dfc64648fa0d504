/** The XML parts of a workbook's zip archive: each is read at most once, as a strict parser reads it, and within limits. */
import { crc32 } from 'node:zlib'
import { messageOf } from '../errors.ts'
import { SaxesParser, fromBufferPromise, type Entry, type Tag } from './packages.js'

/** Callbacks for the start and the end of an element. Its text is what follows the last element in it. */
interface ElementReader {
  open?: (tag: Tag) => void
  close?: ((text: string) => void) | undefined
}

/**
 * The elements that are read, by their paths from the root, such as `/workbook/sheets/sheet`. An element with a reader may only
 * contain elements with readers, so that no content is missed.
 */
export type Elements = Readonly<Record<string, ElementReader>>

/** How many bytes a part may unpack to, by the name of its root element. */
const maxPartBytes = {
  Relationships: 16e6,
  workbook: 16e6,
  styleSheet: 16e6,
  sst: 64e6,
  worksheet: 256e6,
}

/** How many bytes a part may unpack to by its packed size. Ordinary sheets unpack to 5 to 30 times their size. */
const maxUnpacked = (packedBytes: number) => 16e6 + 100 * packedBytes

/** How many bytes all parts together may unpack to. */
const maxBytes = 500e6

/** How many characters may stand between two tags or in one, and how deep elements may be nested. */
const maxLength = 1 << 20
const maxDepth = 32

/** The namespaces of workbooks (the second is that of "strict" ones), and of relationships between parts. */
const namespaces = new Set([
  'http://schemas.openxmlformats.org/spreadsheetml/2006/main',
  'http://purl.oclc.org/ooxml/spreadsheetml/main',
  'http://schemas.openxmlformats.org/package/2006/relationships',
])

/** Elements that do not change the text of a cell: fonts, pronunciation, places, and what other programs add. */
const skippedNames = new Set([
  'rPr',
  'rPh',
  'phoneticPr',
  'alignment',
  'protection',
  'extLst',
])

/** Returns the value of an attribute without a prefix. One with a prefix means something else. */
export const attribute = (tag: Tag, name: string) => tag.attributes[name]?.value

export type ReadPart = Awaited<ReturnType<typeof openArchive>>

/** Returns a function that reads a part. It throws an error that names the part if anything in it is wrong. */
export async function openArchive(bytes: Buffer) {
  const zip = await fromBufferPromise(bytes, { autoClose: false })
  /** The entries that were not read yet. */
  const entries = new Map<string, Entry>()
  for await (const entry of zip.eachEntry()) {
    const path = entry.fileName.toLowerCase()
    if (entries.has(path)) throw new Error(`"${path}" is in it twice`)
    entries.set(path, entry)
  }
  let bytesLeft = maxBytes

  return async function readPart(
    path: string,
    root: keyof typeof maxPartBytes,
    elements: Elements,
  ) {
    try {
      const entry = entries.get(path.toLowerCase())
      if (entry === undefined) throw new Error('missing, or used twice')
      entries.delete(path.toLowerCase())
      const { compressedSize, uncompressedSize } = entry
      const most = Math.min(bytesLeft, maxPartBytes[root], maxUnpacked(compressedSize))
      if (uncompressedSize > most) throw new Error('unpacks to too many bytes')
      bytesLeft -= uncompressedSize
      const write = xmlReader(elements)
      const decoder = new TextDecoder('utf-8', { fatal: true })
      let checksum = 0
      // yauzl throws an error for an entry that is larger than the directory says.
      for await (const chunk of await zip.openReadStreamPromise(entry)) {
        checksum = crc32(chunk, checksum)
        write(decoder.decode(chunk, { stream: true }))
      }
      write(decoder.decode())
      write(null)
      if (checksum !== entry.crc32) throw new Error('the checksum is wrong')
    } catch (error) {
      throw new Error(`${path}: ${messageOf(error)}`, { cause: error })
    }
  }
}

/** An element that is read, or that contains such elements. */
interface Node {
  reader?: ElementReader
  readonly children: Map<string, Node>
}

/** Returns the tree of elements that are read. Its top stands for the document, whose root element must be known. */
function treeOf(elements: Elements) {
  const top: Node = { reader: {}, children: new Map() }
  for (const [path, reader] of Object.entries(elements)) {
    let node = top
    for (const name of path.split('/').slice(1)) {
      const child = node.children.get(name) ?? { children: new Map() }
      node.children.set(name, child)
      node = child
    }
    node.reader = reader
  }
  return top
}

/** Returns a function that takes XML in pieces, and null after the last one. It throws an error for XML that is not well-formed. */
function xmlReader(elements: Elements) {
  const parser = new SaxesParser({ xmlns: true })
  const top = treeOf(elements)
  /** The open elements, except skipped ones and those inside them; undefined for those that are not in the tree. */
  const openNodes: (Node | undefined)[] = [top]
  let skippedDepth = 0
  let text = ''
  /** Where the last tag ended. */
  let tagEnd = 0
  parser.on('xmldecl', ({ encoding = 'UTF-8' }) => {
    if (encoding.toUpperCase() !== 'UTF-8') throw new Error('not in UTF-8')
  })
  parser.on('doctype', () => {
    throw new Error('has a document type')
  })
  parser.on('opentag', (tag) => {
    tagEnd = parser.position
    text = ''
    if (openNodes.length + skippedDepth > maxDepth) throw new Error('nested too deep')
    if (skippedDepth > 0 || skippedNames.has(tag.local)) {
      skippedDepth += 1
      return
    }
    const parent = openNodes.at(-1)
    const node = namespaces.has(tag.uri) ? parent?.children.get(tag.local) : undefined
    const isKnown = (parent === top ? node : node?.reader) !== undefined
    if (!isKnown && parent?.reader !== undefined)
      throw new Error(`has an unexpected element "${tag.local}"`)
    openNodes.push(node)
    node?.reader?.open?.(tag)
  })
  parser.on('closetag', () => {
    tagEnd = parser.position
    if (skippedDepth > 0) skippedDepth -= 1
    else openNodes.pop()?.reader?.close?.(text)
    text = ''
  })
  const addText = (more: string) => {
    if (skippedDepth === 0) text += more
  }
  parser.on('text', addText)
  parser.on('cdata', addText)
  return (piece: string | null) => {
    parser.write(piece)
    if (parser.position - tagEnd > maxLength) throw new Error('a text is too long')
  }
}
