import type { Hooks } from '../http/attempt.ts'
import type { Http } from '../http/client.ts'
import type { AssignResult, HistoryChunk } from './schemas.ts'
import { followChunks } from './paginate.ts'

export interface Tickets {
  /** At most 20 messages, newest to oldest. `cursor`: the `nextChunkStartMessageId` of the chunk before. */
  chunk(ticketId: string, cursor?: string, hooks?: Hooks): Promise<HistoryChunk>
  /** Chunk after chunk until `enough` messages are there, the next one under way while the last is used. */
  chunks(ticketId: string, cursor?: string, enough?: number): AsyncGenerator<HistoryChunk>
  assign(ticketId: string, newAssigneeId: string, hooks?: Hooks): Promise<AssignResult>
}

export function ticketsApi(http: Http): Tickets {
  function chunk(ticketId: string, cursor?: string, hooks?: Hooks): Promise<HistoryChunk> {
    return http.call('tickets.history', { path: { ticketId }, query: { chunkLastMessageId: cursor } }, hooks)
  }
  return {
    chunk,
    chunks(ticketId, cursor, enough) {
      return followChunks((next) => chunk(ticketId, next), cursor, enough)
    },
    assign(ticketId, newAssigneeId, hooks) {
      return http.call('tickets.assign', { path: { ticketId }, body: { newAssigneeId } }, hooks)
    },
  }
}
