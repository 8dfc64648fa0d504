/** The XML parts of a workbook's zip archive: each is read at most once, as a strict parser reads it, and within limits. */
import { crc32 } from 'node:zlib'
import { messageOf } from '../errors.ts'
import { SaxesParser, fromBufferPromise, type Entry, type Tag } from './packages.js'

/** An element that is read whole. */
export interface Element {
  name: string
  attributes: Tag['attributes']
  children: Element[]
  text: string
}

/** Functions that take whole elements, by their paths from the root, such as `/workbook/sheets/sheet`. */
type Readers = Readonly<Record<string, (element: Element) => void>>

/** What an element may contain, so that no content is missed. Other elements that are read whole contain no elements. */
const contents = new Map([
  ['sheetData', ['row']],
  ['row', ['c']],
  ['c', ['f', 'v', 'is']],
  ['is', ['t', 'r']],
  ['sst', ['si']],
  ['si', ['t', 'r']],
  ['r', ['t']],
])

/** How many bytes a part may unpack to, whose packed size is known. Ordinary sheets unpack to 5 to 30 times their size. */
const maxUnpacked = (packedBytes: number) => Math.min(256e6, 16e6 + 100 * packedBytes)

/** How many bytes all parts together may unpack to. */
const maxBytes = 500e6

/** How many characters may stand between two tags or in one, and how many elements in one that is read whole. */
const maxLength = 1 << 20
const maxElements = 1 << 20
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
export const attribute = ({ attributes }: Element, name: string) => attributes[name]?.value

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

  return async function readPart(path: string, readers: Readers) {
    try {
      const entry = entries.get(path.toLowerCase())
      if (entry === undefined) throw new Error('missing, or used twice')
      entries.delete(path.toLowerCase())
      const { compressedSize, uncompressedSize } = entry
      if (uncompressedSize > Math.min(bytesLeft, maxUnpacked(compressedSize)))
        throw new Error('unpacks to too many bytes')
      bytesLeft -= uncompressedSize
      const write = xmlReader(readers)
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

/** Returns a function that takes XML in pieces, and null after the last one. It throws an error for XML that is not well-formed. */
function xmlReader(readers: Readers) {
  const parser = new SaxesParser({ xmlns: true })
  const rootNames = Object.keys(readers).map((path) => path.split('/')[1] ?? '')
  const top: Element = { name: '', attributes: {}, children: [], text: '' }
  /** The open elements below `top`, except skipped ones and those inside them. */
  const open = [top]
  /** The path of the last open element that is not inside one that is read whole. */
  let path = ''
  /** Where the element that is read whole is among the open ones; 0 if none is. */
  let wholeDepth = 0
  let skippedDepth = 0
  let elementsLeft = 0
  /** Where the last tag ended. */
  let tagEnd = 0
  parser.on('xmldecl', ({ encoding = 'UTF-8' }) => {
    if (encoding.toUpperCase() !== 'UTF-8') throw new Error('not in UTF-8')
  })
  parser.on('doctype', () => {
    throw new Error('has a document type')
  })
  parser.on('opentag', ({ local, uri, attributes }) => {
    tagEnd = parser.position
    if (open.length + skippedDepth > maxDepth) throw new Error('nested too deep')
    if (skippedDepth > 0 || skippedNames.has(local)) {
      skippedDepth += 1
      return
    }
    const name = namespaces.has(uri) ? local : ''
    const parent = open.at(-1) ?? top
    const isInside = wholeDepth > 0
    const known = contents.get(parent.name) ?? (isInside ? [] : undefined)
    const allowed = parent === top ? rootNames : known
    elementsLeft = isInside ? elementsLeft - 1 : maxElements
    if (allowed?.includes(name) === false || elementsLeft < 0)
      throw new Error(`has an unexpected element "${local}"`)
    const element = { name, attributes, children: [], text: '' }
    if (isInside) parent.children.push(element)
    else {
      path += `/${name}`
      if (path in readers) wholeDepth = open.length
    }
    open.push(element)
  })
  parser.on('closetag', () => {
    tagEnd = parser.position
    if (skippedDepth > 0) {
      skippedDepth -= 1
      return
    }
    const element = open.pop() ?? top
    if (wholeDepth > 0 && open.length > wholeDepth) return
    readers[path]?.(element)
    wholeDepth = 0
    path = path.slice(0, path.lastIndexOf('/'))
  })
  const addText = (text: string) => {
    if (skippedDepth === 0 && wholeDepth > 0) (open.at(-1) ?? top).text += text
  }
  parser.on('text', addText)
  parser.on('cdata', addText)
  return (piece: string | null) => {
    parser.write(piece)
    if (parser.position - tagEnd > maxLength) throw new Error('a text is too long')
  }
}
