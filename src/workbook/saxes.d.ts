/** The part of saxes that is used. */
interface Events {
  readonly opentag: { readonly name: string; readonly attributes: Readonly<Record<string, string>> }
  readonly closetag: { readonly name: string }
  readonly text: string
  readonly cdata: string
  readonly error: Error
}

export class SaxesParser {
  constructor(options: { readonly position: boolean; readonly fragment?: boolean })
  /** Whether one was seen. */
  readonly doctype: boolean
  /** How much of the text it has read: in an event of a tag, up to its end. */
  readonly position: number
  readonly xmlDecl: { readonly encoding?: string | undefined }
  on<Name extends keyof Events>(name: Name, handler: (event: Events[Name]) => void): void
  write(text: string): void
  close(): void
}
