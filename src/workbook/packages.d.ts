/** Types of `packages.js`: the parts of SheetJS and yauzl that this folder uses. */
import type { WorkBook } from '@e965/xlsx'

export const SSF: {
  format(format: string, value: unknown): string
  is_date(format: string): boolean
}

/** Reads a workbook. `files` are the parts of its archive by their paths, with a character for each byte. */
export function parseZip(
  archive: { readonly files: Readonly<Record<string, { name: string; data: string }>> },
  options: Readonly<Record<string, boolean>>,
): WorkBook

export interface Entry extends Readonly<
  Record<'crc32' | 'compressedSize' | 'uncompressedSize' | 'compressionMethod', number>
> {
  readonly fileName: string
  isEncrypted(): boolean
}

export interface ZipFile {
  eachEntry(): AsyncIterable<Entry>
  readLocalFileHeaderPromise(entry: Entry): Promise<{ readonly fileDataStart: number }>
}

export function fromBufferPromise(
  bytes: Buffer,
  options: { readonly autoClose: boolean },
): Promise<ZipFile>
