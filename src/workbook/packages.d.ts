/** Types of `packages.js`: the parts of saxes and yauzl that this folder uses. */
// saxes: XML as events.
interface Events {
  readonly opentag: {
    readonly name: string
    readonly attributes: Readonly<Record<string, string>>
  }
  readonly closetag: { readonly name: string }
  readonly text: string
  readonly cdata: string
  readonly error: Error
}

export class SaxesParser {
  constructor(options: { readonly position: boolean; readonly fragment?: boolean })
  /** Whether one was seen. */
  readonly doctype: boolean
  readonly xmlDecl: { readonly encoding?: string | undefined }
  on<Name extends keyof Events>(name: Name, handler: (event: Events[Name]) => void): void
  write(text: string): void
  close(): void
}

// yauzl: the directory of a zip archive.
export interface ExtraField {
  readonly id: number
  readonly data: Buffer
}

interface Sizes extends Readonly<
  Record<'crc32' | 'compressedSize' | 'uncompressedSize', number>
> {
  readonly generalPurposeBitFlag: number
  readonly compressionMethod: number
}

type Details =
  | 'versionMadeBy'
  | 'versionNeededToExtract'
  | 'lastModFileTime'
  | 'lastModFileDate'
  | 'internalFileAttributes'
  | 'externalFileAttributes'
  | 'relativeOffsetOfLocalHeader'

export interface Entry extends Sizes, Readonly<Record<Details, number>> {
  readonly fileNameRaw: Buffer
  readonly fileCommentRaw: Buffer
  readonly extraFields: readonly ExtraField[]
  isEncrypted(): boolean
}

export interface LocalFileHeader extends Sizes {
  readonly fileName: Buffer
  readonly extraField: Buffer
  readonly fileDataStart: number
}

export interface ZipFile {
  readonly entryCount: number
  readonly fileSize: number
  /** Where the next entry of the directory is read. */
  readonly readEntryCursor: number
  readonly comment: Buffer
  eachEntry(): AsyncIterable<Entry>
  readLocalFileHeaderPromise(entry: Entry): Promise<LocalFileHeader>
}

export function fromBufferPromise(
  bytes: Buffer,
  options: { readonly autoClose: boolean; readonly decodeStrings: false },
): Promise<ZipFile>
export function parseExtraFields(bytes: Buffer): readonly ExtraField[]
/** Why a part cannot have this name; null for a good one. */
export function validateFileName(name: string): string | null
