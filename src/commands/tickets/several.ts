/** Several tickets in one command: which they are, and where their messages go. */
import { parseTicket } from '../../values.ts'
import type { Message } from '../../api/schemas.ts'
import { usageError } from '../../errors.ts'
import type { IdTable } from '../../ids/id-table.ts'
import { done, type Done, type Parts } from '../../output/result.ts'
import type { Context } from '../../cli/verb.ts'
import { readTable, type ReadingOptions } from '../id-reading.ts'
import { severalParts } from './in-order.ts'
import type { Asked } from './out-dir.ts'
import { HistoryReader, type HistoryChoice } from './reading.ts'
import { Tally } from './tally.ts'

export interface SeveralOptions extends ReadingOptions {
  readonly limit?: number | 'all'
  readonly cursor?: string
  readonly since?: string
  readonly until?: string
  readonly file: readonly string[]
  readonly concurrency?: number
  readonly outDir?: string
  readonly replace?: true
  readonly takeOver?: true
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
  if (outDir === undefined && options.takeOver === true) throw usageError('--take-over goes with --out-dir')
  if (outDir === undefined && format === 'html') {
    throw usageError('a page holds one ticket', '--out-dir <folder> writes a page for each')
  }
  if (outDir !== undefined && format === 'table') {
    throw usageError('a table is for the terminal', 'choose what the files are, for example -o html, transcript or csv')
  }
  const ids = await readTickets(context, words, options)
  const { settings } = await context.configuration()
  const concurrency = options.concurrency ?? settings.concurrency.value ?? usualConcurrency
  const tally = new Tally(context)
  if (outDir === undefined) {
    return severalParts({ ids, concurrency, tally, reader: new HistoryReader(context, choice) })
  }
  const { openFolder } = await import('./out-dir.ts')
  const { writeFiles } = await import('./files.ts')
  const isReplaced = options.replace === true
  const asked = await askedOf(context, options, choice)
  const folder = await openFolder(context, outDir, asked, { isReplaced, takeOver: options.takeOver === true })
  const { limit, since, until } = folder.marker
  const reader = new HistoryReader(context, { ...choice, limit: limit === 'all' ? Infinity : limit, since, until })
  try {
    await writeFiles(context, folder, { ids, concurrency, reader, tally }, isReplaced)
  } finally {
    await folder.release()
  }
  return done()
}

/** What decides what the files hold, and whose conversations they are. */
async function askedOf(context: Context, options: SeveralOptions, choice: HistoryChoice): Promise<Asked> {
  const { format, fields, utc, header, csvRaw, jsonRaw } = context.print
  const { limit = 'all', since, until } = options
  const { baseUrl, name } = (await context.configuration()).profile()
  const known = {
    'the base URL': baseUrl,
    '--profile': name,
    '-o': format,
    '--limit': limit,
    '--order': choice.order,
    '--fields': fields?.join(','),
    '--since': since,
    '--until': until,
    '--utc': utc || undefined,
    'the time zone': utc ? undefined : Intl.DateTimeFormat().resolvedOptions().timeZone,
    '--no-header': !header || undefined,
    '--csv-raw': csvRaw || undefined,
    '--json-raw': jsonRaw || undefined,
  }
  const given = Object.entries(known).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]))
  return { format, limit, since: choice.since, until: choice.until, options: Object.fromEntries(given) }
}

function readTickets(context: Context, words: readonly string[], options: SeveralOptions): Promise<IdTable> {
  const { file: files } = options
  if (words.length > 0 && files.length > 0) throw usageError('--file cannot be used with a ticket')
  if (words.length === 0 && files.length === 0) {
    throw usageError(
      'name a ticket, or a file of tickets with --file',
      'svc tickets history <ticket>, or --file <file>',
    )
  }
  return readTable(context, { words: words.map(parseTicket), files }, { ...options, isTickets: true })
}
