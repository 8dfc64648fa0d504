/** Several tickets in one command: which they are. */
import { parseTicket } from '../../values.ts'
import type { Message } from '../../api/schemas.ts'
import { usageError } from '../../errors.ts'
import type { IdTable } from '../../ids/id-table.ts'
import type { Parts } from '../../output/result.ts'
import type { Context } from '../../cli/verb.ts'
import { readTable, type ReadingOptions } from '../id-reading.ts'
import { severalParts } from './in-order.ts'
import { HistoryReader, type HistoryChoice } from './reading.ts'
import { Tally } from './tally.ts'

export interface SeveralOptions extends ReadingOptions {
  readonly cursor?: string
  readonly since?: string
  readonly until?: string
  readonly file: readonly string[]
}

const usualConcurrency = 4

/** Throws exit 2 for what contradicts itself, before anything is read. */
export async function showSeveral(
  context: Context,
  words: readonly string[],
  options: SeveralOptions,
  choice: HistoryChoice,
): Promise<Parts<Message>> {
  if (options.cursor !== undefined) throw usageError('--cursor goes with one ticket')
  if (context.print.format === 'html') {
    throw usageError(
      'a page holds one ticket',
      'write a page for each:\n  xargs -I{} svc tickets history {} --out {}.html < tickets.txt',
    )
  }
  const ids = await readTickets(context, words, options)
  const { settings } = await context.configuration()
  const concurrency = settings.concurrency.value ?? usualConcurrency
  const tally = new Tally(context)
  return severalParts({ ids, concurrency, tally, reader: new HistoryReader(context, choice) })
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
