/** The endpoints below `/_sandbox` that only the sandbox has, unsigned: what really happened, and faults at run time. */
import { messageOf } from '../errors.ts'
import { jsonAnswer, refusalAnswer, type Answer } from './answer.ts'
import type { Recorder } from './record.ts'
import { refusals } from './refusal.ts'
import type { Url } from './request.ts'
import type { Company } from './store.ts'

/** What the endpoints show and change. */
export interface Inside {
  readonly info: unknown
  readonly record: Recorder
  readonly companies: readonly Company[]
  setFaults(spec: string): void
}

export function ownAnswer(method: string, { path, query }: Url, body: Buffer, inside: Inside): Answer {
  switch (`${method} ${path}`) {
    case 'GET /_sandbox/info':
      return jsonAnswer(200, inside.info)
    case 'GET /_sandbox/record':
      return ndjson(inside.record.entries)
    case 'GET /_sandbox/state':
      return state(inside.companies[Number(query.get('company') ?? 0)], query.get('kind'))
    case 'POST /_sandbox/faults':
      try {
        inside.setFaults(body.toString())
        return jsonAnswer(200, { faults: body.toString().trim() })
      } catch (error) {
        return refusalAnswer(refusals.validation(messageOf(error)))
      }
    default:
      return refusalAnswer(refusals.route())
  }
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
