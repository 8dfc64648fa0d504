/**
 * The endpoints below `/_sandbox` that only the sandbox has: what really happened, and faults at run time. They want the token that
 * `sandbox start` prints, as `Authorization: Bearer <token>`. `transport.ts` asks it for paths that begin with `/_sandbox`.
 *
 *   GET /_sandbox/record     the requests below /v1, one a line
 *   GET /_sandbox/state      ?kind=contacts|lists|tickets|employees and &company=1
 *   POST /_sandbox/faults    a specification as the body
 */
import { messageOf } from '../errors.ts'
import { jsonAnswer, ndjsonAnswer, refusals, type Answer } from './answer.ts'
import type { Companies, Company } from './company.ts'
import { headerOf, type Arrival, type RequestLog } from './record.ts'
import { pathOf, queryOf } from './exchange.ts'
import type { Service } from './service.ts'

/** The parts of a sandbox that its own endpoints tell of, and the token that opens them. */
export interface Inside {
  readonly token: string
  readonly record: RequestLog
  readonly data: Companies
  readonly service: Service
}

/** Throws a `Refusal`, also for a path outside. */
export function ownAnswer(
  arrival: Arrival,
  { record, data, service, token }: Inside,
): Answer {
  const { method, url, rawBody } = arrival
  const path = pathOf(url)
  if (!path.startsWith('/_sandbox/')) throw refusals.route()
  if (headerOf(arrival, 'authorization') !== `Bearer ${token}`) throw refusals.token()
  switch (`${method} ${path}`) {
    case 'GET /_sandbox/record': {
      const answer = ndjsonAnswer(record.entries)
      // A reader that compares the record with something must know when it is incomplete.
      answer.headers['x-record-dropped'] = String(record.dropped)
      return answer
    }
    case 'GET /_sandbox/state': {
      const query = queryOf(url)
      const company = data.companies[Number(query.get('company') ?? 0)]
      if (company === undefined) throw refusals.unknown('the company')
      return ndjsonAnswer(rowsOf(company, query.get('kind') ?? ''))
    }
    case 'POST /_sandbox/faults':
      if (rawBody === undefined) throw refusals.tooLarge()
      return setFaults(service, rawBody.toString())
    default:
      throw refusals.route()
  }
}

function setFaults(service: Service, spec: string): Answer {
  try {
    service.setFaults(spec)
  } catch (error) {
    throw refusals.validation(messageOf(error))
  }
  return jsonAnswer(200, { faults: spec.trim() })
}

/** The rows of `/_sandbox/state`, by its kinds. */
function rowsOf(company: Company, kind: string): Iterable<unknown> {
  switch (kind) {
    case 'contacts':
      return company.contacts.all()
    case 'lists':
      return company.allLists()
    case 'tickets':
      return company.tickets.all()
    case 'employees':
      return company.employees
    default:
      throw refusals.validation('kind must be contacts, lists, tickets or employees')
  }
}
