/** Which part of an archive leads to which. */
import { closedShape, readWholeXml } from './xml.ts'
import type { Archive } from './zip.ts'

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
export async function relationshipsOf(archive: Archive, part: string): Promise<Relationship[]> {
  const slash = part.lastIndexOf('/') + 1
  const folder = part.slice(0, slash)
  const from = `${folder}_rels/${part.slice(slash)}.rels`
  const found: Relationship[] = []
  if (!archive.has(from)) return found
  await readWholeXml(archive, from, relationshipsPart, {
    onOpen(name, { Id: id, Type: type = '', Target: target, TargetMode: mode }) {
      if (name !== 'Relationship' || id === undefined || target === undefined) return
      const path = mode === 'External' ? undefined : inArchive(folder, target)
      const last = type.lastIndexOf('/')
      const word = type.slice(last + 1)
      found.push({ id, type: officeSpaces.includes(type.slice(0, last)) ? word : `${word}?`, path })
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
