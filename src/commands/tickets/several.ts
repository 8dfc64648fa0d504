/** Several tickets in one command: which they are, and where their messages go. */
import { parseTicket } from '../../values.ts'
import type { Message } from '../../api/schemas.ts'
import { usageError } from '../../errors.ts'
import type { inputFormats } from '../../ids/formats.ts'
import type { Input } from '../../ids/input.ts'
import { readIds, type IdInput } from '../../ids/reader.ts'
import { done, type Done, type Parts } from '../../output/result.ts'
import type { Context } from '../../cli/verb.ts'
import { grouped } from '../../words.ts'
import { severalParts } from './in-order.ts'
import type { Asked } from './out-dir.ts'
import { HistoryReader } from './reading.ts'
import { Tally } from './tally.ts'
import type { HistoryChoice } from './walk.ts'

export interface SeveralOptions {
  readonly limit?: number | 'all'
  readonly cursor?: string
  readonly since?: string
  readonly until?: string
  readonly file: readonly string[]
  readonly inputFormat?: (typeof inputFormats)[number]
  readonly column?: string
  readonly sheet?: string
  readonly where?: readonly string[]
  readonly skipInvalid?: true
  readonly concurrency?: number
  readonly outDir?: string
  readonly replace?: true
}

const usualConcurrency = 4

/** Throws exit 2 for what contradicts itself, before anything is read. */
export async function showSeveral(
  context: Context,
  words: readonly string[],
  options: SeveralOptions,
  choice: HistoryChoice,
): Promise<Parts<Message> | Done> {
  const { outDir } = options
  const { format } = context.print
  if (options.cursor !== undefined) {
    throw usageError(`--cursor goes with one ticket${outDir === undefined ? '' : ', and not with --out-dir'}`)
  }
  if (outDir === undefined && options.replace === true) throw usageError('--replace goes with --out-dir')
  if (outDir === undefined && format === 'html') {
    throw usageError('a page holds one ticket', '--out-dir <folder> writes a page for each')
  }
  if (outDir !== undefined && format === 'table') {
    throw usageError('a table is for the terminal', 'choose what the files are, for example -o html, transcript or csv')
  }
  const { ids } = await readTickets(context, words, options)
  const { settings } = await context.configuration()
  const concurrency = options.concurrency ?? settings.concurrency.value ?? usualConcurrency
  const tally = new Tally(context)
  if (outDir === undefined) {
    return severalParts({ ids, concurrency, tally, reader: new HistoryReader(context, choice) })
  }
  const { openFolder } = await import('./out-dir.ts')
  const { writeFiles } = await import('./files.ts')
  const isReplaced = options.replace === true
  const folder = await openFolder(context.host, outDir, askedOf(context, options, choice), isReplaced)
  const { limit, since, until } = folder.marker
  const reader = new HistoryReader(context, {
    ...choice,
    limit: limit === 'all' ? Infinity : limit,
    since: since?.at,
    until: until?.at,
  })
  await writeFiles(context, folder, { ids, concurrency, reader, tally }, isReplaced)
  return done()
}

function askedOf({ print }: Context, { limit = 'all', since, until }: SeveralOptions, choice: HistoryChoice): Asked {
  const span = (typed: string | undefined, at: number | undefined) =>
    typed === undefined || at === undefined ? null : { typed, at }
  return {
    format: print.format,
    limit,
    order: choice.order,
    fields: print.fields,
    since: span(since, choice.since),
    until: span(until, choice.until),
  }
}

/** Throws exit 2. */
async function readTickets(context: Context, words: readonly string[], options: SeveralOptions): Promise<IdInput> {
  const { host, signal } = context
  const { file: files, inputFormat: format = 'auto', column, sheet, where, skipInvalid = false } = options
  if (words.length > 0 && files.length > 0) throw usageError('--file cannot be used with a ticket')
  if (words.length === 0 && files.length === 0) {
    throw usageError(
      'name a ticket, or a file of tickets with --file',
      'svc tickets history <ticket>, or --file <file>',
    )
  }
  const inputs = [
    ...words.map((word): Input => ({ kind: 'argument', text: parseTicket(word) })),
    ...files.map((path): Input =>
      path === '-' ? { kind: 'stdin', stream: host.stdin, isTerminal: host.isTerminal.stdin } : { kind: 'file', path },
    ),
  ]
  const read = await readIds(inputs, { format, column, sheet, where, skipInvalid, signal })
  for (const note of read.notes) context.note(note)
  if (read.invalid > 0)
    context.note(`${grouped(read.invalid)} bad ${read.invalid === 1 ? 'line was' : 'lines were'} skipped`)
  return read
}
