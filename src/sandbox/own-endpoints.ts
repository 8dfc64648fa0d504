/**
 * The endpoints below `/_sandbox` that only the sandbox has: what really happened, and faults at run time. They want the token that
 * `sandbox start` prints, as `Authorization: Bearer <token>`. `transport.ts` asks it for paths that begin with `/_sandbox`.
 *
 *   GET /_sandbox/info       base URL, keys, examples, and how many requests the record has let go
 *   GET /_sandbox/record     the requests below /v1, one a line
 *   GET /_sandbox/state      ?kind=contacts|lists|tickets|employees and &company=1
 *   GET /_sandbox/settled    answers once no request is left that may still change something
 *   POST /_sandbox/faults    a specification as the body
 */
import { messageOf } from '../errors.ts'
import { jsonAnswer, refusals, type Answer } from './answer.ts'
import type { Company } from './company.ts'
import type { RequestLog } from './record.ts'
import type { Url } from './exchange.ts'
import type { Service } from './service.ts'

/** The parts of a sandbox that its own endpoints tell of. */
export interface Inside {
  readonly info: Readonly<Record<string, unknown>>
  readonly record: RequestLog
  readonly companies: readonly Company[]
  readonly service: Service
}

/** Throws a `Refusal`. */
export async function ownAnswer(
  method: string,
  { path, query }: Url,
  body: Buffer | undefined,
  { info, record, companies, service }: Inside,
): Promise<Answer> {
  switch (`${method} ${path}`) {
    case 'GET /_sandbox/info':
      return jsonAnswer(200, { ...info, recordDropped: record.dropped })
    case 'GET /_sandbox/record': {
      const answer = ndjson(record.entries)
      // A reader that compares the record with something must know when it is incomplete.
      return {
        ...answer,
        headers: { ...answer.headers, 'x-record-dropped': String(record.dropped) },
      }
    }
    case 'GET /_sandbox/state':
      return state(
        companies[Number(query.get('company') ?? 0)],
        query.get('kind') ?? undefined,
      )
    case 'GET /_sandbox/settled':
      await service.settle()
      return jsonAnswer(200, { settled: true })
    case 'POST /_sandbox/faults':
      if (body === undefined) throw refusals.tooLarge()
      return setFaults(service, body.toString())
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
const rowsOf: Readonly<Record<string, (company: Company) => Iterable<unknown>>> = {
  contacts: (company) => company.contacts.all(),
  lists: (company) => company.allLists(),
  tickets: (company) => company.tickets.all(),
  employees: (company) => company.employees,
}

function state(company: Company | undefined, kind = ''): Answer {
  if (company === undefined) throw refusals.unknown('the company')
  const rows = Object.hasOwn(rowsOf, kind) ? rowsOf[kind] : undefined
  if (rows === undefined) {
    throw refusals.validation('kind must be contacts, lists, tickets or employees')
  }
  return ndjson(rows(company))
}

function ndjson(rows: Iterable<unknown>): Answer {
  const lines = Array.from(rows, (row) => Buffer.from(`${JSON.stringify(row)}\n`))
  return {
    status: 200,
    headers: { 'content-type': 'application/x-ndjson' },
    body: Buffer.concat(lines),
  }
}
