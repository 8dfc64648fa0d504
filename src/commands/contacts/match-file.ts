/** `contacts match --annotate`: the table again, with the contact of each row behind its columns. */
import { checkOutputs, sourceOf } from '../../bulk/files/annotate.ts'
import { AnnotatedTable, type Addition } from '../../bulk/files/annotated-table.ts'
import { InputRows } from '../../bulk/files/input-rows.ts'
import { checkPlace, noFiles, OutputFile } from '../../bulk/files/output-file.ts'
import type { Source } from '../../bulk/record/run.ts'
import { addedHeadings, ownColumns } from '../../directory/headings.ts'
import type { Matching } from '../../directory/matching.ts'
import { readPeopleRows, type PeopleOptions } from '../../directory/people-table.ts'
import { SvcError, usageError } from '../../errors.ts'
import type { Host } from '../../host.ts'
import { shorten } from '../../ids/id.ts'
import type { ContactMatch } from '../../resources/contact-match.ts'
import { grouped } from '../../words.ts'
import type { DraftHost } from '../../output/whole-file.ts'

const addition: Addition = { widths: [27, 12, 20, 30, 30, 54], ownOf: ownColumns }

/** Entries of a cell at most; all of them are in the JSON form. */
const shownInCell = 100

export class MatchFile {
  readonly #host: DraftHost
  readonly #file: OutputFile
  readonly #source: Source
  readonly #choice: PeopleOptions

  private constructor(host: DraftHost, file: OutputFile, source: Source, choice: PeopleOptions) {
    this.#host = host
    this.#file = file
    this.#source = source
    this.#choice = choice
  }

  /** Throws exit 2 for a place where it cannot be, and for a table that cannot be read twice. */
  static async open(
    host: Host,
    { path, table }: { path: string; table: string },
    choice: PeopleOptions,
  ): Promise<MatchFile> {
    checkOutputs(host, { annotate: path, file: [table] })
    await checkPlace(host, { path, kind: 'annotate' }, noFiles)
    const source = await readAgain(host, { path: table })
    return new MatchFile(host, await OutputFile.open(host, { path, kind: 'annotate' }), source, choice)
  }

  /** Returns what to know of it. Throws exit 2 when the table was changed meanwhile, and exit 10. */
  async write(matching: Matching, now: number): Promise<string> {
    const { path } = this.#source
    const input = new InputRows(() => readPeopleRows({ kind: 'file', path, disk: this.#host.disk }, this.#choice), [])
    const table = new AnnotatedTable(this.#file.path, input, addition)
    await table.read()
    await table.layOut()
    const matches = matching.matches()
    let next = matches.next()
    const bytes = table.bytes(({ line, kind }) => {
      if (kind === 'heading') return addedHeadings
      if (next.done === true || next.value.row !== line) return undefined
      const added = addedCells(next.value)
      next = matches.next()
      return added
    })
    try {
      for await (const piece of bytes) await this.#file.write(piece)
    } finally {
      await this.#checkTable()
    }
    if (next.done !== true)
      throw new SvcError('local', `row ${grouped(next.value.row)} of the table was not found again`, {
        hint: 'run the command again',
      })
    await this.#file.finish(now)
    await this.#file.place(noFiles)
    return `wrote "${this.#file.path}"${table.note}`
  }

  async #checkTable(): Promise<void> {
    const { path, sha256 } = this.#source
    if ((await readAgain(this.#host, this.#source)).sha256 !== sha256)
      throw usageError(`"${path}" was changed while it was matched`, 'run the command again')
  }

  discard(): Promise<void> {
    return this.#file.discard()
  }
}

async function readAgain(host: DraftHost, { path }: Pick<Source, 'path'>): Promise<Source> {
  const source = await sourceOf(host, [], { file: [path] })
  if (source !== undefined) return source
  throw usageError(
    `"${path}" cannot be read twice, as --annotate has to`,
    'save it as a file and name that with --file',
  )
}

function addedCells({ match, contactId, name, by, lists, candidates }: ContactMatch): string[] {
  const some = (texts: readonly string[]): string => {
    const shown = texts.slice(0, shownInCell).join('; ')
    return texts.length > shownInCell ? `${shown} and ${grouped(texts.length - shownInCell)} more` : shown
  }
  const ids = candidates.map(({ id }) => id)
  return [contactId ?? '', match, by, shorten(name, 1000), some(lists.map((list) => list.name)), some(ids)]
}
