/** Finds the parts of a workbook (.xlsx) by the relationships between them, and reads one of its sheets. */
import { SvcError, messageOf, usageError } from '../errors.ts'
import { quoteAll, shorten } from '../safe-text.ts'
import { fold } from '../words.ts'
import { attribute, openArchive, type ReadPart } from './archive.ts'
import { readFormats } from './formats.ts'
import type { SheetRow } from './row.ts'
import { isOn, maxCharacters, readSheet, textElements } from './sheet.ts'

interface Sheet {
  name: string
  isHidden: boolean
  readRows: () => Promise<readonly SheetRow[]>
}

/**
 * Returns the rows of the sheet with the `wanted` name: of exactly this name, or of the only name that looks the same. Without a
 * name, exactly one sheet may have content and not be hidden; a workbook without content has no rows. Throws a usage error if it is
 * not clear which sheet is meant, and for a file that is damaged or no workbook.
 */
export async function readWorkbook(
  name: string,
  bytes: Buffer,
  wanted: string | undefined,
) {
  try {
    const sheets = await openSheets(bytes)
    const rows = await (wanted === undefined ? onlyRows(sheets) : namedRows(sheets, wanted))
    if (rows !== undefined) return rows
    throw usageError(
      wanted === undefined
        ? `${name} has no single visible sheet with content`
        : `${name} has no single sheet "${shorten(wanted)}"`,
      `name one with --sheet: ${quoteAll(sheets.map((sheet) => sheet.name))}`,
    )
  } catch (error) {
    if (error instanceof SvcError) throw error
    throw usageError(
      `${name} is a zip archive, but no .xlsx workbook, or a damaged one: ${messageOf(error)}`,
      'open it in a spreadsheet program and save it as .xlsx, or save its table as csv',
    )
  }
}

async function namedRows(sheets: readonly Sheet[], wanted: string) {
  const exact = sheets.filter(({ name }) => name === wanted)
  const similar = sheets.filter(({ name }) => fold(name) === fold(wanted))
  const [sheet, other] = exact.length > 0 ? exact : similar
  return other === undefined ? sheet?.readRows() : undefined
}

async function onlyRows(sheets: readonly Sheet[]) {
  let found: readonly SheetRow[] | undefined
  let hasHidden = false
  for (const { isHidden, readRows } of sheets) {
    const rows = found !== undefined && isHidden ? [] : await readRows()
    if (rows.length === 0) continue
    if (isHidden) hasHidden = true
    else if (found === undefined) found = rows
    else return undefined
  }
  return found ?? (hasHidden ? undefined : [])
}

/** Returns the sheets with cells, in their order. */
async function openSheets(bytes: Buffer): Promise<readonly Sheet[]> {
  const readPart = await openArchive(bytes)
  const root = await readRelationships(readPart, '')
  const path = onlyPath(root, 'officeDocument') ?? ''
  const parts = await readRelationships(readPart, path)
  const listed: { name: string; isHidden: boolean; path: string }[] = []
  await readPart(path, 'workbook', {
    '/workbook/workbookPr': {
      open(tag) {
        if (isOn(tag, 'date1904')) throw new Error('days are counted from 1904')
      },
    },
    '/workbook/sheets/sheet': {
      open(tag) {
        const id = Object.values(tag.attributes).find(
          ({ local, uri }) => local === 'id' && uri.endsWith('/relationships'),
        )
        const part = parts.get(id?.value ?? '')
        const name = attribute(tag, 'name') ?? ''
        if (part === undefined) throw new Error(`the sheet "${shorten(name)}" has no part`)
        const isHidden = (attribute(tag, 'state') ?? 'visible') !== 'visible'
        // A sheet can also be a chart.
        if (part.kind === 'worksheet') listed.push({ name, isHidden, path: part.path })
      },
    },
  })
  const formats = await readFormats(readPart, onlyPath(parts, 'styles'))
  const texts = await readTexts(readPart, onlyPath(parts, 'sharedStrings'))
  const shared = { texts, formats, charactersLeft: maxCharacters }
  return listed.map(({ name, isHidden, path: sheetPath }) => ({
    name,
    isHidden,
    readRows: () => readSheet(readPart, sheetPath, shared),
  }))
}

/** The parts that a part refers to, by the ids of their relationships. */
type Parts = ReadonlyMap<string, { kind: string | undefined; path: string }>

/** Reads to which parts a part refers. An empty path stands for the whole archive. */
async function readRelationships(readPart: ReadPart, path: string): Promise<Parts> {
  const parts = new Map<string, { kind: string | undefined; path: string }>()
  await readPart(path.replace(/[^/]*$/, '_rels/$&.rels'), 'Relationships', {
    '/Relationships/Relationship': {
      open(tag) {
        if (attribute(tag, 'TargetMode') === 'External') return
        const id = attribute(tag, 'Id') ?? ''
        if (parts.has(id)) throw new Error(`has the id "${shorten(id)}" twice`)
        // The target is relative to the part, or begins with a slash.
        const { pathname } = new URL(attribute(tag, 'Target') ?? '', `file:///${path}`)
        const kind = attribute(tag, 'Type')?.split('/').at(-1)
        parts.set(id, { kind, path: decodeURIComponent(pathname.slice(1)) })
      },
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

/** Returns the texts to which the cells of all sheets refer by position. */
async function readTexts(readPart: ReadPart, path: string | undefined) {
  const texts: string[] = []
  let text = ''
  const addText = (more: string) => {
    text += more
  }
  const close = () => {
    texts.push(text)
    text = ''
  }
  if (path !== undefined)
    await readPart(path, 'sst', { '/sst': {}, ...textElements('/sst/si', addText, close) })
  return texts
}
