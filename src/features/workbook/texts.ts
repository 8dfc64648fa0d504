/** Texts of a workbook: shared ones, their runs, and their escapes. */
import { readXml } from './xml.ts'
import type { Archive } from './zip.ts'

/** A text that is put together from its runs, of a shared text or of a cell. */
export class RunText {
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
    // A text next to runs, or two texts in a run: one program shows both, and another only one of them.
    if (this.#texts > Math.max(1, this.#runs)) {
      throw this.#archive.damage('it has two texts in place of one')
    }
  }

  onClose(name: string, text: string) {
    if (name === 't') this.#text += text
  }

  /** The text so far, with its escapes; the next one begins. */
  take(): string {
    const text = this.#text
    this.#text = ''
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
export function hasNeedlessEscape(text: string) {
  if (!text.includes('_x')) return false
  const all = text.match(escapes) ?? []
  return all.some((escape) => {
    const character = unescape(escape)
    return plainCharacter.test(character)
  })
}

/** Neither a control nor an underscore. */
const plainCharacter = /^[^\p{C}_]$/u

/** Reads the part with the shared texts, with their escapes. Throws exit 2. */
export function readSharedTexts(archive: Archive, path: string): string[] {
  const texts: string[] = []
  const run = new RunText(archive)
  readXml(archive, path, 'sst', {
    onOpen: (name) => run.onOpen(name),
    onClose(name, text) {
      run.onClose(name, text)
      if (name === 'si') texts.push(run.take())
    },
  })
  return texts
}
