/** The histories of several tickets on stdout, in the order of the input, some of them read ahead. */
import type { Ending, Parts, Rows } from '../../output/result.ts'
import type { Message } from '../../api/schemas.ts'
import type { IdTable } from '../../ids/id-table.ts'
import { severalMessageView, type MessageRow } from '../../resources/message.ts'
import type { HistoryReader, OpenHistory } from './reading.ts'
import type { Tally } from './tally.ts'

export interface Several {
  readonly ids: IdTable
  readonly concurrency: number
  readonly reader: Pick<HistoryReader, 'open' | 'viewFor'>
  readonly tally: Tally
}

/** Messages that are held of each ticket while one before it is printed; of what is shown oldest first, it is all of them. */
const mostAhead = 1_000

type Opened = { readonly ahead: Ahead<MessageRow>; readonly more: OpenHistory['more'] } | { readonly failure: unknown }

export async function severalParts(several: Several): Promise<Parts<Message>> {
  const { ids, reader, tally } = several
  return {
    kind: 'parts',
    parts: inOrder(several),
    ending: () => tally.ending(ids.size),
    view: await reader.viewFor(severalMessageView),
    empty: 'no messages',
  }
}

async function* inOrder({ ids, concurrency, reader, tally }: Several): AsyncGenerator<Rows<Message>, undefined> {
  const opening: Promise<Opened>[] = []
  const open = async (ticketId: string): Promise<Opened> => {
    try {
      const { messages, more } = await reader.open(ticketId)
      return { ahead: new Ahead(messages, mostAhead), more }
    } catch (failure) {
      tally.isOfOne(failure)
      return { failure }
    }
  }
  try {
    for (let at = 0, next = 0; at < ids.size; at += 1) {
      while (next < ids.size && next < at + concurrency && !tally.isStopped) opening.push(open(ids.id(next++)))
      const first = opening[0]
      if (first === undefined) return
      const opened = await first
      if ('ahead' in opened) yield { kind: 'rows', rows: told(opened.ahead, ids.id(at), tally), ...opened.more }
      else if (tally.isOfOne(opened.failure)) tally.fail(ids.id(at), opened.failure)
      else throw opened.failure
      void opening.shift()
    }
  } finally {
    // The reader went away, or something failed for all.
    for (const each of opening) void each.then((opened) => ('ahead' in opened ? opened.ahead.stop() : undefined))
  }
}

async function* told(ahead: Ahead<MessageRow>, ticketId: string, tally: Tally): AsyncGenerator<MessageRow, Ending> {
  try {
    return tally.ended(yield* ahead.rows())
  } catch (error) {
    if (!tally.isOfOne(error)) throw error
    tally.fail(ticketId, error)
    return { cursor: error.details.cursor, isBroken: true }
  }
}

/** Rows of which the first ones are read before they are asked for. */
class Ahead<T> {
  readonly #source: AsyncGenerator<T, Ending>
  readonly #held: T[] = []
  readonly #reading: Promise<Ending | undefined>
  #isWanted = false

  constructor(source: AsyncGenerator<T, Ending>, most: number) {
    this.#source = source
    this.#reading = this.#read(most)
    // The reader of the rows is told.
    this.#reading.catch(() => undefined)
  }

  async #read(most: number): Promise<Ending | undefined> {
    while (this.#held.length < most && !this.#isWanted) {
      const step = await this.#source.next()
      if (step.done === true) return step.value
      this.#held.push(step.value)
    }
    return undefined
  }

  /** Rows that were read ahead, then the others as they come. Throws the source's error, after the rows before it. */
  async *rows(): AsyncGenerator<T, Ending> {
    this.#isWanted = true
    await this.#reading.catch(() => undefined)
    yield* this.#held
    this.#held.length = 0
    return (await this.#reading) ?? (yield* this.#source)
  }

  async stop(): Promise<void> {
    this.#isWanted = true
    await this.#source.return({})
  }
}
