/** Finds the parts of a workbook (.xlsx) by the relationships between them, and reads one of its sheets. */
import { SvcError, messageOf, usageError } from '../errors.ts'
import { quoteAll, shorten } from '../safe-text.ts'
import { fold } from '../words.ts'
import { attribute, openArchive, type ReadPart } from './archive.ts'
import {
  charactersPerCell,
  charge,
  maxCharacters,
  readFormats,
  textOf,
  type Shared,
} from './cell.ts'
import { isOn, readSheet } from './sheet.ts'

/**
 * Returns the sheet with the `wanted` name: of exactly this name, or the only one whose name looks the same. Without a name, exactly
 * one visible sheet may have content. Throws a usage error if it is not clear which sheet is meant, and for a file that is damaged
 * or no workbook.
 */
export async function readWorkbook(
  name: string,
  bytes: Buffer,
  wanted: string | undefined,
) {
  try {
    const listed = await openSheets(bytes)
    const fitting = listed.filter((each) =>
      wanted === undefined ? !each.isHidden : fold(each.name) === fold(wanted),
    )
    const exact = fitting.filter((each) => each.name === wanted)
    const sheets: Awaited<ReturnType<typeof readSheet>>[] = []
    for (const { read } of exact.length > 0 ? exact : fitting) sheets.push(await read())
    const filled = sheets.filter(({ rows }) => wanted !== undefined || rows.length > 0)
    const areAllEmpty = filled.length === 0 && sheets.length === listed.length
    const [sheet, other] = areAllEmpty ? sheets.slice(0, 1) : filled
    if (sheet !== undefined && other === undefined) return sheet
    throw usageError(
      wanted === undefined
        ? `${name} has no single visible sheet with content`
        : `${name} has no single sheet "${shorten(wanted)}"`,
      listed.length === 0
        ? 'it has only charts'
        : `name one with --sheet: ${quoteAll(listed.map((each) => each.name))}`,
    )
  } catch (error) {
    if (error instanceof SvcError) throw error
    throw usageError(
      `${name} is a zip archive, but no .xlsx workbook, or a damaged one: ${messageOf(error)}`,
      'open it in a spreadsheet program and save it as .xlsx, or save its table as csv',
    )
  }
}

/** Returns the worksheets in their order, to be read later. Sheets that are charts are left out. */
async function openSheets(bytes: Buffer) {
  const readPart = await openArchive(bytes)
  const path = onlyPath(await readRelationships(readPart, ''), 'officeDocument') ?? ''
  const parts = await readRelationships(readPart, path)
  const shared: Shared = { texts: [], formats: [], charactersLeft: maxCharacters }
  const listed: {
    name: string
    isHidden: boolean
    read: () => ReturnType<typeof readSheet>
  }[] = []
  await readPart(path, {
    '/workbook/workbookPr'(element) {
      if (isOn(element, 'date1904')) throw new Error('days are counted from 1904')
    },
    '/workbook/sheets/sheet'(element) {
      const id = Object.values(element.attributes).find(
        ({ local, uri }) => local === 'id' && uri.endsWith('/relationships'),
      )
      const part = parts.get(id?.value ?? '')
      const name = attribute(element, 'name') ?? ''
      if (part === undefined) throw new Error(`the sheet "${shorten(name)}" has no part`)
      const isHidden = (attribute(element, 'state') ?? 'visible') !== 'visible'
      const read = () => readSheet(readPart, part.path, shared)
      // A sheet can also be a chart.
      if (part.kind === 'worksheet') listed.push({ name, isHidden, read })
    },
  })
  shared.formats = await readFormats(readPart, onlyPath(parts, 'styles'))
  const textsPath = onlyPath(parts, 'sharedStrings')
  if (textsPath !== undefined)
    await readPart(textsPath, {
      '/sst/si'(element) {
        const text = textOf(element)
        charge(shared, charactersPerCell + text.length)
        shared.texts.push(text)
      },
    })
  return listed
}

/** The parts that a part refers to, by the ids of their relationships. */
type Parts = Awaited<ReturnType<typeof readRelationships>>

/** Reads to which parts a part refers. An empty path stands for the whole archive. */
async function readRelationships(readPart: ReadPart, path: string) {
  const parts = new Map<string, { kind: string | undefined; path: string }>()
  await readPart(path.replace(/[^/]*$/, '_rels/$&.rels'), {
    '/Relationships/Relationship'(element) {
      if (attribute(element, 'TargetMode') === 'External') return
      const id = attribute(element, 'Id') ?? ''
      if (parts.has(id)) throw new Error(`has the id "${shorten(id)}" twice`)
      // The target is relative to the part, or begins with a slash.
      const { pathname } = new URL(attribute(element, 'Target') ?? '', `file:///${path}`)
      const kind = attribute(element, 'Type')?.split('/').at(-1)
      parts.set(id, { kind, path: decodeURIComponent(pathname.slice(1)) })
    },
  })
  return parts
}

/** Returns the path of the only part of a kind; undefined if there is none. */
function onlyPath(parts: Parts, kind: string) {
  const [part, other] = [...parts.values()].filter((each) => each.kind === kind)
  if (other !== undefined) throw new Error(`has two parts of the kind ${kind}`)
  return part?.path
}
