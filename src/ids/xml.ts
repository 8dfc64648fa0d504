/** XML of a workbook's parts as events, in bounded memory. */
import { SaxesParser } from './saxes.js'
import { messageOf, usageError } from '../errors.ts'
import { damaged, type Archive } from './zip.ts'

/** The parser keeps a text, a tag or a comment until it ends; a cell has at most 32,767 characters, and few have comments. */
export const longestText = 1 << 20
const deepest = 64

export type Attributes = Readonly<Record<string, string>>

/** Names are without their prefix: `x:row` is `row`. */
export interface XmlEvents {
  readonly onOpen: (name: string, attributes: Attributes) => void
  readonly onText?: (text: string) => void
  readonly onClose?: (name: string) => void
}

/**
 * Reads a part, chunk by chunk, and yields after each. Throws exit 2 for XML that is malformed, too deep, or has something
 * of more than a megabyte in one piece.
 */
export async function* readXml(archive: Archive, path: string, events: XmlEvents, most?: number): AsyncGenerator<void> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  // With more than these five handlers V8 takes the parser for a dictionary, and all of it is four times slower.
  const parser = new SaxesParser({ position: false })
  let depth = 0
  let sinceEvent = 0
  const happened = (): void => {
    sinceEvent = 0
  }
  parser.on('opentag', ({ name, attributes }) => {
    happened()
    depth += 1
    if (depth > deepest) throw damaged(archive.name, `"${path}" is nested more than ${deepest} levels deep`)
    events.onOpen(localName(name), attributes)
  })
  parser.on('closetag', ({ name }) => {
    happened()
    depth -= 1
    events.onClose?.(localName(name))
  })
  for (const event of ['text', 'cdata'] as const) {
    parser.on(event, (text) => {
      happened()
      events.onText?.(text)
    })
  }
  parser.on('error', (error) => {
    throw damaged(archive.name, `"${path}" is not well-formed XML (${messageOf(error)})`)
  })
  const write = (bytes?: Buffer): void => {
    const text = decode(bytes)
    sinceEvent += text.length
    parser.write(text)
    if (sinceEvent > longestText) throw usageError(`${archive.name} has a text of more than 1 MB in "${path}"`)
  }
  const decode = (bytes?: Buffer): string => {
    try {
      return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true })
    } catch {
      throw damaged(archive.name, `"${path}" is not valid UTF-8`)
    }
  }
  for await (const chunk of archive.unpack(path, most)) {
    write(chunk)
    yield
  }
  write()
  parser.close()
  yield
}

/** Reads a part that is short. */
export async function readShortXml(archive: Archive, path: string, events: XmlEvents): Promise<void> {
  const steps = readXml(archive, path, events, longestShortPart)
  while ((await steps.next()).done !== true);
}

const longestShortPart = 16 << 20

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}
