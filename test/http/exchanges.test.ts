/**
 * The result of a request for each exchange: the kind of the attempt, the classes that are sent again, the exit code and the
 * words. Nothing is dialled: `transport.test.ts` has what is broken on a wire, `open.test.ts` what no connection comes of.
 */
import { describe, expect, it } from 'vitest'
import type { AnswerHeaders, Exchange, Wire } from '../../src/world.ts'
import { hintOf, openClient, tell, type ClassName, type TestClient } from './loopback.ts'

const host = 'api.example.com'
const day = 86_400_000
const classes: readonly ClassName[] = ['read', 'repeatable', 'convergent', 'once']
/** The classes that are sent again. */
const [everything, unlessOnce, nothing] = [classes.join(' '), 'read repeatable convergent', '']

const came = (status: number, body = '', headers: AnswerHeaders = {}): Exchange => ({
  kind: 'response',
  status,
  headers,
  body: Buffer.from(body),
})
const said = (
  status: number,
  code: number,
  headers: AnswerHeaders = {},
  message = `said ${code}`,
): Exchange => came(status, JSON.stringify({ code, message }), headers)
const page = (status: number, headers: AnswerHeaders = {}): Exchange =>
  came(status, '\n <!DOCTYPE html>', headers)
const dated = (offset: number): AnswerHeaders => ({
  date: new Date(Date.now() + offset).toUTCString(),
})
const failed = (sent: boolean, code: string | undefined, message = 'why'): Exchange => ({
  kind: 'failed',
  sent,
  error: Object.assign(new Error(message), code === undefined ? {} : { code }),
})
const unsent = (code?: string, message?: string): Exchange => failed(false, code, message)
const lost = (code?: string, message?: string): Exchange => failed(true, code, message)

/** A client of a wire on which these come, the last one forever. */
function clientOf(exchanges: readonly Exchange[], baseUrl = `https://${host}`): TestClient {
  let n = 0
  const openWire = (): Wire => ({
    exchange: () => {
      const exchange = exchanges[Math.min(n++, exchanges.length - 1)] ?? lost()
      return Promise.resolve({ exchange, release: () => undefined })
    },
    close: () => undefined,
  })
  return openClient(baseUrl, { openWire })
}

const [tried, rejected, checkUrl, webPage] = [
  /^tried 4 times; try/,
  /nothing was changed/,
  /^check the base URL/,
  /login page/,
]
const [clock, unlike] = [
  /^this machine's clock is \dd\d+h behind .*: set the clock$/,
  /API description; tried 4 times$/,
]
const [ownCa, oldCertificate] = [
  /caFile in the profile, or in SVC_CA_FILE$/,
  /clock may be wrong$/m,
]
const certificates = [
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]
const others = ['HOSTNAME_MISMATCH', 'INVALID_CA', 'INVALID_PURPOSE', 'PATH_LENGTH_EXCEEDED']
const unaccepted = `the certificate of ${host} was not accepted: why`
const advice =
  'self-signed; if the root CA is installed locally, try running Node.js with --use-system-ca'

/** The exchange, and for a read: exit code, message, hint. */
type Row = readonly [Exchange, number, string, RegExp]
/** By kind of the attempt, and classes that are sent again. */
const groups: readonly (readonly [string, string, readonly Row[]])[] = [
  [
    'refused',
    nothing,
    [
      [said(400, 40001), 6, 'said 40001', rejected],
      // No hint goes by the words of the service.
      [
        said(403, 7, {}, 'scope is not sufficient'),
        5,
        'scope is not sufficient',
        /scope .* or the company's plan/,
      ],
      [
        said(401, 40121),
        4,
        'said 40121',
        /^the key or the secret is wrong.*; or this machine's clock is wrong/,
      ],
      [
        said(401, 40121, dated(0)),
        4,
        'said 40121',
        /svc profiles show\nto type .*:\n {2}svc profiles add test --replace$/,
      ],
      [said(401, 40121, dated(5 * day)), 4, 'said 40121', clock],
      [page(401), 4, 'HTTP 401, a web page', webPage],
      [said(403, 40361), 5, 'said 40361', /the operation needs "read"/],
      [said(403, 40351), 5, 'said 40351', /not part of the company's plan/],
      [came(403), 5, 'HTTP 403', /scope .* or the company's plan/],
      [page(403), 5, 'HTTP 403, a web page', webPage],
      // No id is in its path: that is what the service does not have.
      [said(404, 40400), 6, 'said 40400', /^the base URL may be wrong: svc profiles show$/],
      [came(405), 6, 'HTTP 405', /^the base URL may be wrong: svc profiles show$/],
      [page(404), 6, 'HTTP 404, a web page', webPage],
      [came(413), 6, 'HTTP 413', rejected],
    ],
  ],
  [
    'refused',
    everything,
    [
      [came(429), 7, 'HTTP 429', tried],
      [
        came(429, '', { 'retry-after': '2' }),
        7,
        'HTTP 429',
        /^the service asked to wait 2 s; tried 4 times, try/,
      ],
    ],
  ],
  [
    'ambiguous',
    unlessOnce,
    [
      [came(408), 7, 'HTTP 408', tried],
      [came(500), 7, 'HTTP 500', tried],
      [page(502), 7, 'HTTP 502, a web page', webPage],
      [said(503, 50300, { 'retry-after': '1' }), 7, 'said 50300', /wait 1 s/],
      // A page of maintenance may still name a time.
      [page(503, { 'retry-after': '9' }), 7, 'HTTP 503', /wait 9 s/],
      [came(200), 7, `${host}: the answer is empty`, unlike],
      [came(200, 'null'), 7, `${host}: the answer has no "data"`, unlike],
      [came(200, '{"__proto__":{"data":[]}}'), 7, `${host}: the answer has no "data"`, unlike],
      [came(200, '{"data":7}'), 7, `${host}: the answer's data is not an array`, unlike],
      [lost('ECONNRESET'), 7, `${host}: the connection was reset`, tried],
      [lost(undefined, ''), 7, `${host}: the connection failed`, tried],
    ],
  ],
  [
    'ambiguous',
    nothing,
    [
      [page(200), 7, `${host} answered with a web page, not JSON`, webPage],
      [
        came(302, '', { location: '/x' }),
        7,
        'HTTP 302: redirected to /x',
        /^redirects are never followed/,
      ],
      [came(304), 7, 'HTTP 304: redirected', /^redirects are never followed/],
    ],
  ],
  [
    'never-sent',
    everything,
    [
      [unsent('ECONNREFUSED', ''), 7, `cannot reach ${host}: connection refused`, tried],
      [unsent('ECONNRESET'), 7, `cannot reach ${host}: the connection was reset`, tried],
      [unsent('EAI_AGAIN'), 7, `cannot reach ${host}: the name server did not answer`, tried],
      [
        unsent('SVC_PROXY', 'the proxy said 502'),
        7,
        `cannot reach ${host}: the proxy said 502`,
        tried,
      ],
      [unsent('EPROTOTYPE', ''), 7, `cannot reach ${host}: EPROTOTYPE`, tried],
      [unsent(), 7, `cannot reach ${host}: why`, tried],
      [
        unsent('EMFILE'),
        10,
        `no connection to ${host}: too many open files (raise ulimit -n)`,
        tried,
      ],
    ],
  ],
  [
    'never-sent',
    nothing,
    [
      [unsent('ENOTFOUND'), 7, `unknown host name: ${host}`, checkUrl],
      [
        unsent('SVC_PROXY_REFUSED', 'the proxy said no'),
        7,
        'the proxy said no',
        /HTTPS_PROXY.*NO_PROXY/,
      ],
      [
        unsent('DEPTH_ZERO_SELF_SIGNED_CERT', advice),
        7,
        `the certificate of ${host} was not accepted: self-signed`,
        ownCa,
      ],
      ...['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID'].map((code): Row => [
        unsent(code),
        7,
        unaccepted,
        oldCertificate,
      ]),
      ...[...certificates, ...others].map((code): Row => [unsent(code), 7, unaccepted, ownCa]),
      ...[
        ['ERR_SSL_WRONG_VERSION_NUMBER', 'wrong version number'],
        ['ERR_TLS_HANDSHAKE_TIMEOUT', 'handshake timeout'],
        ['EPROTO', 'the handshake failed'],
      ].map(([code, words]): Row => [
        unsent(code),
        7,
        `no TLS connection with ${host}: ${words}`,
        checkUrl,
      ]),
    ],
  ],
]
const rows = groups.flatMap(([kind, again, those]) =>
  those.map((row) => [kind, again, ...row] as const),
)

describe('the exchange', () => {
  const cases = rows.map(
    (row) =>
      [JSON.stringify(row[2].kind === 'failed' ? row[2].error : row[2]).slice(0, 60), row] as const,
  )
  it.each(cases)('%s', async (_, [kind, again, exchange, exitCode, message, hint]) => {
    for (const retryClass of classes) {
      const { error, results } = await tell(clientOf([exchange]), retryClass)
      expect(results.map((each) => each.kind)).toEqual(
        Array(again.includes(retryClass) ? 4 : 1).fill(kind),
      )
      const ambiguous = kind === 'ambiguous' && retryClass !== 'read'
      expect(error?.details).toMatchObject({
        ambiguous,
        profile: 'test',
        request: { attempts: results.length },
      })
      // The same command, started again, cannot end better.
      const isFinal = again === nothing && kind !== 'refused' && hint !== webPage
      expect(error?.details.retry).toBe(
        isFinal || (ambiguous && retryClass === 'once') ? false : undefined,
      )
      expect(error?.exitCode).toBe(ambiguous ? 7 : exitCode)
      const words = ambiguous
        ? 'the outcome is unknown: the request was sent and no clear answer came back ('
        : message
      const advised =
        retryClass === 'once' ? /^svc did not send it again/ : /^the change may or may/
      expect(error?.message.slice(0, ambiguous ? words.length : undefined)).toBe(words)
      // The advice after a refused change depends on the change.
      expect(hintOf(error)).toMatch(ambiguous ? advised : retryClass === 'read' ? hint : /./)
    }
  })

  it.each([came(500), lost('EPIPE')])(
    'nothing clear, and then something clear: a change stays unknown',
    async (unclear) => {
      for (const [kind, again, clear, exitCode] of rows) {
        if (kind === 'ambiguous') continue
        const { error, results } = await tell(clientOf([unclear, clear]), 'convergent')
        expect(error).toMatchObject({
          category: 'unavailable',
          exitCode: 7,
          details: { ambiguous: true },
        })
        expect(results).toHaveLength(again === nothing ? 2 : 4)
        const read = await tell(clientOf([unclear, clear]), 'read')
        expect(read.error).toMatchObject({ exitCode, details: { ambiguous: false } })
      }
    },
  )

  it('404 where the base URL has the version that svc adds', async () => {
    const { error } = await tell(clientOf([came(404)], `https://${host}/api/V1`), 'read')
    expect(error?.details.hint).toBe(
      'the base URL ends in /v1, which svc adds itself: leave it out',
    )
  })

  it('401 after credentials that had worked', async () => {
    const client = clientOf([came(200, '{"data":[]}'), said(401, 40121)])
    await tell(client, 'read')
    expect(hintOf((await tell(client, 'read')).error)).toMatch(
      /^the same credentials worked earlier/,
    )
  })
})
