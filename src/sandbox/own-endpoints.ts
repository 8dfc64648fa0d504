/**
 * The endpoints below `/_sandbox` that only the sandbox has: what really happened, and faults at run time. They want the
 * token that `sandbox start` prints, as `Authorization: Bearer <token>`.
 *
 *   GET /_sandbox/info       base URL, keys, examples, and how many requests the record has let go
 *   GET /_sandbox/record     the requests below /v1, one a line
 *   GET /_sandbox/state      ?kind=contacts|lists|tickets|employees and &company=1
 *   GET /_sandbox/settled    answers once no request is left that may still change something
 *   POST /_sandbox/faults    a specification as the body
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { messageOf } from '../errors.ts'
import { jsonAnswer, refusalAnswer, type Answer } from './answer.ts'
import type { Company } from './company.ts'
import type { Recorder } from './record.ts'
import { refusals } from './refusal.ts'
import type { Url } from './request.ts'
import type { Service } from './service.ts'

export interface Inside {
  readonly info: Readonly<Record<string, unknown>>
  readonly record: Recorder
  readonly companies: readonly Company[]
  readonly service: Service
}

/** Whether an `Authorization` header carries the token. */
export function hasToken(header: string | undefined, token: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(header ?? ''), digest(`Bearer ${token}`))
}

export async function ownAnswer(
  method: string,
  { path, query }: Url,
  body: Buffer | undefined,
  { info, record, companies, service }: Inside,
): Promise<Answer> {
  switch (`${method} ${path}`) {
    case 'GET /_sandbox/info':
      return jsonAnswer(200, { ...info, recordDropped: record.dropped })
    case 'GET /_sandbox/record':
      return withDropped(ndjson(record.entries), record.dropped)
    case 'GET /_sandbox/state':
      return state(companies[Number(query.get('company') ?? 0)], query.get('kind'))
    case 'GET /_sandbox/settled':
      await service.settled()
      return jsonAnswer(200, { settled: true })
    case 'POST /_sandbox/faults':
      return setFaults(service, body)
    default:
      return refusalAnswer(refusals.route())
  }
}

function setFaults(service: Service, body: Buffer | undefined): Answer {
  if (body === undefined) return refusalAnswer(refusals.tooLarge())
  try {
    service.setFaults(body.toString())
  } catch (error) {
    return refusalAnswer(refusals.validation(messageOf(error)))
  }
  return jsonAnswer(200, { faults: body.toString().trim() })
}

/** Whoever compares the record with something must know when it is not all of it. */
function withDropped(answer: Answer, dropped: number): Answer {
  return { ...answer, headers: { ...answer.headers, 'x-record-dropped': String(dropped) } }
}

function state(company: Company | undefined, kind: string | null): Answer {
  if (company === undefined) return refusalAnswer(refusals.unknown('the company'))
  switch (kind ?? '') {
    case 'contacts':
      return ndjson(company.contacts())
    case 'lists':
      return ndjson(company.allLists())
    case 'tickets':
      return ndjson(company.allTickets())
    case 'employees':
      return ndjson(company.allEmployees())
    default:
      return refusalAnswer(refusals.validation('kind must be contacts, lists, tickets or employees'))
  }
}

function ndjson(rows: Iterable<unknown>): Answer {
  const lines: string[] = []
  for (const row of rows) lines.push(`${JSON.stringify(row)}\n`)
  return { status: 200, headers: { 'content-type': 'application/x-ndjson' }, body: Buffer.from(lines.join('')) }
}
