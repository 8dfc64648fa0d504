/** Types of `packages.js`: the parts of SheetJS and yauzl that this folder uses. */
import type { WorkBook } from '@e965/xlsx'

/** SheetJS: shows numbers in the formats of their cells. */
export const SSF: {
  format(format: string, value: unknown): string
  /** Whether a format shows a day or a time. */
  is_date(format: string): boolean
}

/**
 * SheetJS: reads a workbook from the unpacked parts of its archive. `files` has the parts by their paths. Each character of `data`
 * stands for one byte.
 */
export function parseZip(
  archive: { readonly files: Readonly<Record<string, { name: string; data: string }>> },
  options: Readonly<Record<string, boolean>>,
): WorkBook

/** yauzl: a part of an archive, as its directory describes it. */
export interface Entry {
  readonly fileName: string
  readonly crc32: number
  readonly compressedSize: number
  readonly uncompressedSize: number
  /** 0 for a part that is not compressed. */
  readonly compressionMethod: number
  isEncrypted(): boolean
}

/** yauzl: an open archive. */
export interface ZipFile {
  eachEntry(): AsyncIterable<Entry>
  readLocalFileHeaderPromise(entry: Entry): Promise<{ readonly fileDataStart: number }>
}

/** yauzl: opens an archive. */
export function fromBufferPromise(
  bytes: Buffer,
  options: { readonly autoClose: boolean },
): Promise<ZipFile>
