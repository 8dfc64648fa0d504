/**
 * Ids that an answer must repeat: one that speaks of another list, ticket or contact than was asked for says nothing about
 * the one that was. Bulk results are judged by what a receipt may claim, in `bulk/claims`.
 */
import type { OperationName, Result } from '../api/operations.ts'

interface Asked {
  readonly path?: Readonly<Record<string, string>>
  readonly body?: unknown
}

type Echoes = {
  readonly [N in OperationName]?: (data: Result<N>, path: Readonly<Record<string, string>>, body: unknown) => boolean
}

const echoes: Echoes = {
  'lists.get': (data, path) => same(data.list.id, path['listId']),
  'lists.update': (data, path) => same(data.id, path['listId']),
  // Which of the two contacts it names is not shown.
  'contacts.merge': (data, path, body) =>
    same(data.mergedContactId, path['sourceContactId']) || same(data.mergedContactId, member(body, 'targetContactId')),
  'tickets.history': (data, path) => same(data.ticket.id, path['ticketId']),
  'tickets.assign': (data, path, body) =>
    same(data.ticketId, path['ticketId']) && same(data.newAssigneeId, member(body, 'newAssigneeId')),
}

/** Letter case may differ from what was sent. */
function same(id: string, asked: unknown): boolean {
  return typeof asked === 'string' && id.toLowerCase() === asked.toLowerCase()
}

function member(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[name] : undefined
}

/** Whether an answer to this operation repeats what was asked for. */
export function isEchoed(name: OperationName): boolean {
  return Object.hasOwn(echoes, name)
}

/** Whether an answer speaks of what was asked for; `data` has passed the operation's schema. */
export function isAboutWhatWasAsked(name: OperationName, asked: Asked, data: unknown): boolean {
  const check = echoes[name] as ((data: unknown, path: object, body: unknown) => boolean) | undefined
  return check === undefined || check(data, asked.path ?? {}, asked.body)
}
