/**
 * Texts of a workbook: shared ones, their runs, and their escapes. `workbook.ts` reads the shared ones once; `rows.ts` finds the text of a cell among
 * them by its number; `row-reader.ts` puts one together from the runs in the cell itself, in the shape that `sheet.ts` takes from here.
 */
import { usageError } from '../errors.ts'
import { closedShape, longestText, readWholeXml, sheetSpaces } from './xml.ts'
import type { Archive } from './zip.ts'

const mostTextBytes = 64 << 20
const mostTexts = 4 << 20

/** All shared strings, as bytes in one buffer: as strings of their own they would take many times the room. */
export class SharedTexts {
  #bytes: Buffer = Buffer.alloc(1 << 16)
  readonly #ends: number[] = []

  get size(): number {
    return this.#ends.length
  }

  /** A text with its escapes. */
  at(index: number): string {
    const start = this.#ends[index - 1] ?? 0
    return this.#bytes.toString('utf8', start, this.#ends[index])
  }

  /** In bytes. */
  lengthAt(index: number): number {
    const start = this.#ends[index - 1] ?? 0
    const end = this.#ends[index] ?? 0
    return end - start
  }

  /** Throws exit 2 when there are too many. */
  add(text: string, archive: Archive): void {
    const start = this.#ends.at(-1) ?? 0
    // A character takes three bytes at most.
    const end = start + text.length * 3
    if (end > mostTextBytes || this.size === mostTexts) {
      throw archive.tooLarge(`its texts have more than ${mostTextBytes >> 20} MB`)
    }
    if (end > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(end, this.#bytes.length * 2))
      this.#bytes.copy(larger, 0, 0, start)
      this.#bytes = larger
    }
    this.#ends.push(start + this.#bytes.write(text, start))
  }
}

/** The parts of a text. Phonetic runs spell out how it is read. */
export const richText = {
  t: closedShape(),
  r: closedShape({ t: closedShape(), rPr: 'skipped' }),
  rPh: 'skipped',
  phoneticPr: 'skipped',
} as const

/** A text that is put together from its runs, of a shared text or of a cell. */
export class RunText {
  text = ''
  #isText = false
  #texts = 0
  #runs = 0
  readonly #archive: Archive

  constructor(archive: Archive) {
    this.#archive = archive
  }

  onOpen(name: string): void {
    if (name === 'r') this.#runs += 1
    if (name !== 't') return
    this.#isText = true
    this.#texts += 1
    // A text beside runs, or two in a run: one program shows both and another one of them.
    if (this.#texts > Math.max(1, this.#runs)) {
      throw this.#archive.damage('it has two texts in place of one')
    }
  }

  onText(text: string): void {
    if (!this.#isText) return
    this.text += text
    if (this.text.length > longestText) {
      throw usageError(`${this.#archive.name} has a text of more than 1 MB`)
    }
  }

  onClose(name: string): void {
    if (name === 't') this.#isText = false
  }

  /** The text so far, with its escapes; the next one begins. */
  take(): string {
    const { text } = this
    this.text = ''
    this.#texts = 0
    this.#runs = 0
    return text
  }
}

const escapes = /_x([0-9a-fA-F]{4})_/g

/** Characters that XML cannot hold are written `_x000D_` in a workbook. */
export function unescape(text: string): string {
  if (!text.includes('_x')) return text
  return text.replace(escapes, (_, hex: string) => {
    const code = Number.parseInt(hex, 16)
    return String.fromCharCode(code)
  })
}

/** Whether one stands for a character that can be written as it is, other than the underscore of an escape. */
export function hasNeedlessEscape(text: string): boolean {
  if (!text.includes('_x')) return false
  const all = text.match(escapes) ?? []
  return all.some((escape) => {
    const character = unescape(escape)
    return plainCharacter.test(character)
  })
}

/** Neither a control nor an underscore. */
const plainCharacter = /^[^\p{C}_]$/u

const textsPart = {
  spaces: sheetSpaces,
  root: 'sst',
  shape: closedShape({ si: closedShape(richText), extLst: 'skipped' }),
}

/** Reads the part with the shared texts. Throws exit 2. */
export async function readSharedTexts(archive: Archive, path: string): Promise<SharedTexts> {
  const texts = new SharedTexts()
  const run = new RunText(archive)
  await readWholeXml(archive, path, textsPart, {
    onOpen: (name) => run.onOpen(name),
    onText: (text) => run.onText(text),
    onClose(name) {
      run.onClose(name)
      if (name === 'si') texts.add(run.take(), archive)
    },
  })
  return texts
}
