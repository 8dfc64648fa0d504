/**
 * Text of a csv as UTF-8: most have it, and Excel saves some as Windows-1252, which is found out on the way. Called by `rows.ts` alone, which
 * reads every table of text through a `TextDecoding`.
 *
 * The rule: ASCII is both. The first bytes that are not ASCII decide for the whole text; what contradicts them later is refused with its
 * place, because half a text in either encoding would put wrong names beside good ids.
 */
import { isAscii, isUtf8 } from 'node:buffer'
import { usageError, type SvcError } from '../../errors.ts'
import { groupDigits } from '../../words.ts'
import { invalidUtf8At } from '../bad-lines.ts'
import type { OpenInput } from '../input.ts'
import { shorten } from '../../safe-text.ts'

/** The characters of the bytes 80 to 9F; a blank for each of the five that have none. Above them are those of Latin-1. */
const upper = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ'
const undefinedBytes = [0x81, 0x8d, 0x8f, 0x90, 0x9d]
const control = /[^\P{Cc}\t\n\r]/u
/** How many bytes of a cell are shown on either side of the character. */
const longestExample = 200

function character(byte: number): string {
  if (byte < 0x80 || byte >= 0xa0) return String.fromCharCode(byte)
  return upper[byte - 0x80] ?? ' '
}

function decode(bytes: Buffer): string {
  const characters = Array.from(bytes, character)
  return characters.join('')
}

/** How many bytes a character of UTF-8 has that begins with this one; 1 for none. */
function lengthOf(byte: number): number {
  if (byte >= 0xf0) return 4
  if (byte >= 0xe0) return 3
  return byte >= 0xc2 ? 2 : 1
}

/** Whether a character of UTF-8 that is not ASCII begins at `at`, with all of its bytes. */
function isCharacterOfUtf8(text: Buffer, at: number): boolean {
  const length = lengthOf(text[at] ?? 0)
  const end = at + length
  if (length === 1 || end > text.length) return false
  const bytes = text.subarray(at, end)
  return isUtf8(bytes)
}

/** The text of one input. Pure but for what it remembers of the bytes before. */
export class TextDecoding {
  /** How the text is encoded, as far as it was read: `ascii` is both. */
  encoding: 'ascii' | 'utf-8' | 'windows-1252' = 'ascii'
  /** The first cell with a character of Windows-1252. */
  example = ''
  readonly #open: OpenInput
  readonly #delimiter: string
  readonly #isList: boolean
  /** Bytes of the file before those that are looked at. */
  #offset: number
  /** Place of the first byte that is not ASCII, which shows that the text is no UTF-8. */
  #firstByte = 0
  /** Where a control character stands, which a text of Windows-1252 has not. */
  #control: number | undefined
  #rest: Buffer = Buffer.alloc(0)

  /** `isList`: ids alone, whose lines are bad ones where they are no UTF-8. */
  constructor(open: OpenInput, delimiter: string, isList: boolean) {
    this.#open = open
    this.#offset = open.offset
    this.#delimiter = delimiter
    this.#isList = isList
  }

  get notes(): string[] {
    if (this.encoding !== 'windows-1252') return []
    const { name } = this.#open
    return [
      `${name} is read as Windows-1252, with "${this.example}" in it; if that is wrong, save it as UTF-8`,
    ]
  }

  /** Whether what is written of it begins with a byte order mark: it has one, or is no UTF-8. Known when it was read. */
  get needsMark(): boolean {
    const { byteOrderMark, encoding } = this.#open
    if (byteOrderMark.length > 0 || encoding !== 'utf-8') return true
    return this.encoding === 'windows-1252'
  }

  /** How many bytes the first ones are as UTF-8. */
  lengthOf(count: number): number {
    const bytes = this.#open.head.subarray(0, count)
    if (this.#isList || isUtf8(bytes)) return count
    const text = decode(bytes)
    return Buffer.byteLength(text)
  }

  /** The chunks as UTF-8. Throws exit 2, with the place, for bytes that are neither. */
  async *chunks(): AsyncGenerator<Buffer> {
    const { chunks, encoding } = this.#open
    // UTF-16 was decoded when the input was opened.
    if (this.#isList || encoding !== 'utf-8') return yield* chunks
    for await (const chunk of chunks) {
      const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
      yield this.#take(bytes)
    }
    const { length } = this.#rest
    if (length > 0) yield this.#decode(this.#rest, length)
  }

  /** Decodes all but a character that may go on in the next chunk. */
  #take(bytes: Buffer): Buffer {
    let end = bytes.length
    // Nothing but the last three bytes can begin a character of which some are missing.
    for (let at = Math.max(0, bytes.length - 3); at < bytes.length; at += 1) {
      const behind = at + lengthOf(bytes[at] ?? 0)
      if (behind > bytes.length) end = Math.min(end, at)
    }
    const text = this.#decode(bytes, end)
    this.#offset += end
    this.#rest = Buffer.from(bytes.subarray(end))
    return text
  }

  /** The bytes up to `end` as UTF-8, in the encoding that they or those before them show. */
  #decode(bytes: Buffer, end: number): Buffer {
    const text = bytes.subarray(0, end)
    const isPlain = isAscii(text)
    // Remembered from the ASCII before the first other byte too: only then is it known what the text is.
    if (this.encoding !== 'utf-8' && this.#control === undefined) {
      this.#control = this.#findControl(text, isPlain)
    }
    if (isPlain && this.encoding !== 'windows-1252') return text
    if (this.encoding === 'ascii') this.#decide(text)
    if (this.encoding === 'windows-1252') return this.#decodeWindows(text)
    if (isUtf8(text)) return text
    const at = this.#offset + invalidUtf8At(text)
    throw this.#refusal(at)
  }

  /** Place in the file of the first control character; the bytes from 80 to 9F are characters of Windows-1252. */
  #findControl(text: Buffer, isPlain: boolean): number | undefined {
    const latin = text.toString('latin1')
    const characters = isPlain ? latin : latin.replace(/[\x80-\x9f]/g, ' ')
    const match = control.exec(characters)
    return match === null ? undefined : this.#offset + match.index
  }

  /** Decides by the first byte that is not ASCII: it begins a character of UTF-8, or it is one of Windows-1252. */
  #decide(text: Buffer): void {
    const first = text.findIndex((byte) => byte >= 0x80)
    const behind = first + lengthOf(text[first] ?? 0)
    const isValid = isUtf8(text.subarray(first, behind))
    this.encoding = isValid ? 'utf-8' : 'windows-1252'
    if (isValid) return
    this.#firstByte = this.#offset + first
    this.example = this.#cellAt(text, first)
  }

  #decodeWindows(text: Buffer): Buffer {
    if (this.#control !== undefined) throw this.#refusal(this.#control)
    for (let at = 0; at < text.length; at += 1) {
      const byte = text[at] ?? 0
      // A character of UTF-8 is no mistake: the byte is that made this no UTF-8.
      if (isCharacterOfUtf8(text, at)) throw this.#refusal(this.#firstByte)
      if (undefinedBytes.includes(byte)) throw this.#refusal(this.#offset + at)
    }
    return Buffer.from(decode(text))
  }

  /** The cell around the byte at `at`, as it is shown to a person. */
  #cellAt(text: Buffer, at: number): string {
    const ends = Buffer.from(`${this.#delimiter}"\r\n`)
    const least = Math.max(0, at - longestExample)
    const most = Math.min(text.length, at + longestExample)
    const isEnd = (place: number): boolean => ends.includes(text[place] ?? 0)
    let from = at
    while (from > least && !isEnd(from - 1)) from -= 1
    let to = at
    while (to < most && !isEnd(to)) to += 1
    const cell = decode(text.subarray(from, to))
    return shorten(cell.trim())
  }

  #refusal(at: number): SvcError {
    return usageError(
      `${this.#open.name} is neither UTF-8 nor Windows-1252: byte ${groupDigits(at)}`,
      'save it as UTF-8',
    )
  }
}
