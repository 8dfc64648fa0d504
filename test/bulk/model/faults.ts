/** What can happen to one attempt: what the service does with the request, what it says, and where svc breaks. */
import type { Exchange } from '../../../src/world.ts'

/** What the service does with a request that arrives: all of it, nothing, or the first id only. */
export type Work = 'all' | 'nothing' | 'first'

export type Lie = 'sum' | 'foreign' | 'overlap' | 'twice'

export type Reply =
  | { readonly is: 'good'; readonly upper?: boolean }
  | { readonly is: 'lie'; readonly lie: Lie }
  | { readonly is: 'status'; readonly status: number; readonly retryAfter?: boolean }
  /** A 200 with something else than the whole answer. */
  | { readonly is: 'spoilt'; readonly how: 'cut' | 'shape' | 'page' }
  | { readonly is: 'lost' }

export interface Fault {
  readonly name: string
  /** Before the `try` is written, before the request leaves, before or after the `res` is on disk. */
  readonly crash?: 'before-try' | 'before-send' | 'before-res' | 'after-res'
  readonly neverSent?: 'failed' | 'given-up'
  readonly work?: Work
  /** The request is carried out later than svc waits for it, or never. */
  readonly isLate?: boolean
  readonly reply?: Reply
}

const good: Reply = { is: 'good' }
const lost: Reply = { is: 'lost' }
const status = (code: number, retryAfter = false): Reply => ({ is: 'status', status: code, retryAfter })

export const faults: readonly Fault[] = [
  { name: 'answered', work: 'all', reply: good },
  { name: 'answered in capitals', work: 'all', reply: { is: 'good', upper: true } },
  { name: 'never sent', neverSent: 'failed' },
  { name: 'given up before sending', neverSent: 'given-up' },
  { name: '400', work: 'nothing', reply: status(400) },
  { name: '401', work: 'nothing', reply: status(401) },
  { name: '403', work: 'nothing', reply: status(403) },
  { name: '404', work: 'nothing', reply: status(404) },
  { name: '429', work: 'nothing', reply: status(429, true) },
  { name: '408, nothing done', work: 'nothing', reply: status(408) },
  { name: '408, done', work: 'all', reply: status(408) },
  { name: '500, nothing done', work: 'nothing', reply: status(500) },
  { name: '500, partly done', work: 'first', reply: status(500) },
  { name: '502, done', work: 'all', reply: status(502) },
  { name: '503, nothing done', work: 'nothing', reply: status(503) },
  { name: '503, done', work: 'all', reply: status(503) },
  { name: '503 with Retry-After, nothing done', work: 'nothing', reply: status(503, true) },
  { name: '503 with Retry-After, done', work: 'all', reply: status(503, true) },
  { name: '503 with Retry-After, done late', work: 'all', isLate: true, reply: status(503, true) },
  { name: '504, done late', work: 'all', isLate: true, reply: status(504) },
  { name: '302, nothing done', work: 'nothing', reply: status(302) },
  { name: '302, done', work: 'all', reply: status(302) },
  { name: 'answer cut, done', work: 'all', reply: { is: 'spoilt', how: 'cut' } },
  { name: 'answer of another shape, done', work: 'all', reply: { is: 'spoilt', how: 'shape' } },
  { name: 'a web page, nothing done', work: 'nothing', reply: { is: 'spoilt', how: 'page' } },
  { name: 'request lost', work: 'nothing', reply: lost },
  { name: 'answer lost', work: 'all', reply: lost },
  { name: 'request arrives late', work: 'all', isLate: true, reply: lost },
  { name: 'crash before try', crash: 'before-try' },
  { name: 'crash between try and send', crash: 'before-send' },
  { name: 'crash between send and res, nothing done', crash: 'before-res', work: 'nothing' },
  { name: 'crash between send and res, partly done', crash: 'before-res', work: 'first' },
  { name: 'crash between send and res, done', crash: 'before-res', work: 'all' },
  { name: 'crash between send and res, done late', crash: 'before-res', work: 'all', isLate: true },
  { name: 'crash before res, 429', crash: 'before-res', work: 'nothing', reply: status(429) },
  { name: 'crash after res', crash: 'after-res', work: 'all', reply: good },
  { name: 'crash after res, 401', crash: 'after-res', work: 'nothing', reply: status(401) },
]

export const lies: readonly Fault[] = (['sum', 'foreign', 'overlap', 'twice'] as const).map((lie) => ({
  name: `an answer that lies: ${lie}`,
  work: 'first',
  reply: { is: 'lie', lie },
}))

const alike =
  /^(?:40[34]|408|500, nothing|503, done|503 with Retry-After, (?:nothing done|done)$|504|302|answered in|answer cut|answer of|a web|crash before res,|.* lies: [^s])/

/** Of those that end alike and have done as much, one. */
export const unlike = (all: readonly Fault[]): readonly Fault[] => all.filter(({ name }) => !alike.test(name))

/** One of each kind, for what is walked deeper. */
export const fewFaults: readonly Fault[] = faults.filter(({ name }) =>
  [
    'answered',
    'never sent',
    '400',
    '401',
    '502, done',
    '503 with Retry-After, done late',
    'request lost',
    'request arrives late',
    'crash between try and send',
    'crash between send and res, done',
    'crash after res',
  ].includes(name),
)

/** Faults of a batch of one: nothing can be done in part. */
export const faultsOfOne: readonly Fault[] = [...faults.filter(({ work }) => work !== 'first'), ...lies.slice(0, 1)]

/** What is on the wire for a reply; `answer`: what the service says under `data`. */
export function exchangeOf(fault: Fault, answer: unknown): Exchange {
  if (fault.neverSent !== undefined) {
    const code = fault.neverSent === 'given-up' ? 'SVC_ABORTED' : 'ECONNREFUSED'
    return { kind: 'failed', sent: false, error: Object.assign(new Error('never sent'), { code }) }
  }
  const reply = fault.reply ?? lost
  const body = JSON.stringify({ data: answer })
  switch (reply.is) {
    case 'lost':
      return { kind: 'failed', sent: true, error: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) }
    case 'good':
      return response(200, reply.upper === true ? body.replace(/"[0-9a-f]{24}"/g, (id) => id.toUpperCase()) : body)
    case 'lie':
      return response(200, body)
    case 'status':
      return response(
        reply.status,
        '{"code":1,"message":"failed"}',
        reply.retryAfter === true ? { 'retry-after': '1' } : {},
      )
    case 'spoilt':
      return response(200, spoilt(body)[reply.how])
  }
}

function spoilt(body: string): Record<'cut' | 'shape' | 'page', string> {
  return { cut: body.slice(0, -2), shape: '{"data":{"is":"something else"}}', page: '<html>Welcome</html>' }
}

function response(code: number, body: string, headers: Record<string, string> = {}): Exchange {
  return { kind: 'response', status: code, headers, body: Buffer.from(body) }
}

/** What svc may know of how an attempt ended, whatever its rules make of it. */
export type Ending = 'never-sent' | 'given-up' | 'refused' | 'for-now' | 'answered' | 'nonsense' | 'failed' | 'silent'

/** `failed`: the service answered with a 5xx; `silent`: with nothing that could be read, or not at all. */
export function endingOf(fault: Fault): Ending {
  if (fault.crash === 'before-send' || fault.crash === 'before-res') return 'silent'
  if (fault.neverSent !== undefined) return fault.neverSent === 'given-up' ? 'given-up' : 'never-sent'
  const reply = fault.reply ?? lost
  switch (reply.is) {
    case 'good':
      return 'answered'
    case 'lie':
      return 'nonsense'
    case 'spoilt':
    case 'lost':
      return 'silent'
    case 'status':
      if (reply.status >= 500) return 'failed'
      if (reply.status === 408 || reply.status < 400) return 'silent'
      return [401, 403, 429].includes(reply.status) ? 'for-now' : 'refused'
  }
}
