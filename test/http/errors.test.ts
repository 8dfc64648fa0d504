import { describe, expect, it } from 'vitest'
import type { OperationName } from '../../src/api/operations.ts'
import { operations } from '../../src/api/operations.ts'
import { hintsOf } from '../../src/api/call.ts'
import type { SvcError } from '../../src/errors.ts'
import { describeFailure } from '../../src/http/connection-errors.ts'
import { explain, type Failure } from '../../src/http/errors.ts'

function failed(name: OperationName | undefined, result: Failure['result'], more: Partial<Failure> = {}): SvcError {
  const operation = name === undefined ? undefined : operations[name]
  return explain({
    result,
    request: { method: 'GET', path: '/v1/x', retryClass: operation?.retry ?? 'once', hints: hintsOf(operation) },
    attempts: 4,
    everAmbiguous: false,
    retryAfter: undefined,
    tooLong: false,
    clock: undefined,
    hadWorked: false,
    profile: 'prod',
    prefix: '',
    authority: 'api.example.com',
    ...more,
  })
}

function refused(status: number, code?: number, html = false): Failure['result'] {
  return {
    kind: 'refused',
    status,
    headers: {},
    html,
    ...(code === undefined ? {} : { code, message: `said ${code}` }),
  }
}

const lost = (status: number, message: string, html = false): Failure['result'] => ({
  kind: 'ambiguous',
  status,
  message,
  html,
})

const neverSent = (systemCode: string, message = 'why'): Failure['result'] => ({
  kind: 'never-sent',
  message,
  systemCode,
})

it.each([
  ['CERT_HAS_EXPIRED', false],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', false],
  ['ENOTFOUND', false],
  ['SVC_PROXY_REFUSED', false],
  ['SVC_PROXY', undefined],
  ['EAI_AGAIN', undefined],
  ['ECONNREFUSED', undefined],
])('whether a repetition may help after %s: %j', (code, retry) => {
  expect(failed('lists.list', neverSent(code)).details.retry).toBe(retry)
})

describe('an error says what happened and what to do', () => {
  const reading = (result: Failure['result'], more?: Partial<Failure>) => failed('lists.list', result, more)
  const creating = (result: Failure['result'], more?: Partial<Failure>) => failed('lists.create', result, more)
  const rows: readonly [SvcError, number, string, RegExp][] = [
    [reading(refused(403, 40361)), 5, 'said 40361', /the operation needs "read"/],
    [failed(undefined, refused(403, 40361)), 5, 'said 40361', /scope is too small/],
    [reading(refused(403)), 5, 'HTTP 403', /scope .* or the company's plan/],
    [failed(undefined, refused(403)), 5, 'HTTP 403', /the key, its scope or the plan/],
    [
      reading(refused(404), { prefix: '/api/V1' }),
      6,
      'HTTP 404',
      /^the base URL ends in \/v1, which svc adds itself: leave it out$/,
    ],
    // No id is in its path: that is what the service does not have.
    [reading(refused(404, 40400)), 6, 'said 40400', /^the base URL may be wrong: svc profiles show$/],
    [creating(refused(409)), 6, 'HTTP 409', /nothing was changed/],
    [reading(refused(405)), 6, 'HTTP 405', /^the base URL may be wrong: svc profiles show$/],
    [failed('contacts.delete', refused(413)), 6, 'HTTP 413', /nothing was changed/],
    [reading(refused(429)), 7, 'HTTP 429', /tried 4 times; try again later/],
    [reading(refused(429), { retryAfter: 2_100 }), 7, 'HTTP 429', /wait 3 s; tried 4 times, try again then$/],
    [reading(lost(503, 'said 50301'), { retryAfter: 1000 }), 7, 'said 50301', /wait 1 s/],
    [reading(lost(504, 'HTTP 504'), { attempts: 1 }), 7, 'HTTP 504', /tried once/],
    [failed('lists.get', refused(404, undefined, true)), 6, 'HTTP 404, a web page', /proxy or a login page.*base URL/],
    [failed('lists.get', refused(401, undefined, true)), 4, 'HTTP 401, a web page', /proxy or a login page/],
    [failed('lists.get', refused(403, undefined, true)), 5, 'HTTP 403, a web page', /proxy or a login page/],
    [failed('lists.get', lost(502, 'HTTP 502', true)), 7, 'HTTP 502, a web page', /proxy or a login page/],
    [failed('lists.get', lost(503, 'HTTP 503', true), { retryAfter: 9000 }), 7, 'HTTP 503', /wait 9 s/],
    [
      reading(lost(200, 'the answer is empty')),
      7,
      'api.example.com: the answer is empty',
      /^the answer does not match the service's API description; tried 4 times/,
    ],
    [
      reading({ kind: 'ambiguous', message: 'the connection was reset' }),
      7,
      'api.example.com: the connection was reset',
      /tried 4 times/,
    ],
    [
      creating(neverSent('EMFILE', 'too many open files (raise ulimit -n)')),
      10,
      'no connection to api.example.com: too many open files (raise ulimit -n)',
      /tried 4 times/,
    ],
    [creating(neverSent('ENOTFOUND')), 7, 'unknown host name: api.example.com', /check the base URL/],
    [creating(neverSent('EAI_AGAIN')), 7, 'cannot reach api.example.com: why', /tried 4 times/],
    [
      creating(neverSent('DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed')),
      7,
      'the certificate of api.example.com was not accepted: self-signed',
      /NODE_EXTRA_CA_CERTS to its CA file$/,
    ],
    [
      creating(neverSent('CERT_HAS_EXPIRED')),
      7,
      'the certificate of api.example.com was not accepted: why',
      /clock may be wrong/,
    ],
    [
      creating(neverSent('ERR_SSL_WRONG_VERSION_NUMBER')),
      7,
      'api.example.com does not speak TLS',
      /^check the base URL/,
    ],
    [
      failed(
        'lists.create',
        neverSent('EPROTO', 'write EPROTO 40E7:error:0A00010B:SSL routines:wrong version number'),
        { authority: '127.0.0.1:4010' },
      ),
      7,
      '127.0.0.1:4010 does not speak TLS',
      /^did you mean http:\/\/127\.0\.0\.1:4010\?$/,
    ],
    [
      creating(neverSent('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', '40E7:error:0A00042E:SSL routines')),
      7,
      'no TLS connection with api.example.com: TLS 1.2 or later is needed',
      /^check the base URL/,
    ],
    [
      creating(neverSent('ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE', '40E7:error:0A000410:SSL routines')),
      7,
      'no TLS connection with api.example.com: the handshake failed',
      /^check the base URL/,
    ],
    [creating(neverSent('SVC_PROXY_REFUSED', 'the proxy said no')), 7, 'the proxy said no', /HTTPS_PROXY.*NO_PROXY/],
    [
      creating(neverSent('SVC_PROXY', 'the proxy said 502')),
      7,
      'cannot reach api.example.com: the proxy said 502',
      /tried 4 times/,
    ],
  ]
  it.each(rows)('%s', (error, exitCode, message, hint) => {
    expect(error.exitCode).toBe(exitCode)
    expect(error.message).toBe(message)
    expect(error.details.hint).toMatch(hint)
    expect(error.details).toMatchObject({
      request: { method: 'GET', path: '/v1/x' },
      profile: 'prod',
      ambiguous: false,
    })
  })

  it("Node's own advice about a certificate is not passed on", () => {
    const said =
      'self-signed certificate; if the root CA is installed locally, try running Node.js with --use-system-ca'
    const error = Object.assign(new Error(said), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
    expect(describeFailure(error)).toBe('self-signed certificate')
  })

  it('nothing is keyed on the words of the service', () => {
    const saying = (message: string): string | undefined =>
      failed('lists.get', { kind: 'refused', status: 400, code: 7, message, headers: {}, html: false }).details.hint
    expect(saying('API key scope is not sufficient')).toBe(saying('anything'))
  })
})

describe('40121', () => {
  const hint = (clock: Failure['clock']): string | undefined =>
    failed('lists.list', refused(401, 40121), { clock }).details.hint
  it('names both causes when nothing is known of the clock', () => {
    expect(hint(undefined)).toMatch(/key or the secret is wrong.*; or this machine's clock/)
    expect(hint({ verdict: 'unknown', offset: undefined })).toMatch(
      /key or the secret is wrong.*; or this machine's clock/,
    )
  })
  it('names the credentials when the clock is right', () => {
    expect(hint({ verdict: 'credentials', offset: 1000 })).toBe(
      'the key or the secret is wrong, or they belong to another host: svc profiles show\n' +
        'to type the secret again:\n  svc profiles add prod --replace',
    )
  })
  it('names the clock when it is far off', () => {
    expect(hint({ verdict: 'set-the-clock', offset: 432_000_000 })).toBe(
      "this machine's clock is 5d0h behind the service; a request is valid for 5 minutes: set the clock",
    )
  })
})

describe('an outcome that is unknown', () => {
  it.each([
    ['contacts.merge', 'svc did not send it again; check what happened before you try again'],
    ['contacts.delete', 'the change may or may not have been made; it is safe to repeat the command'],
    ['lists.update', 'the change may or may not have been made; it is safe to repeat the command'],
  ] as const)('%s: exit 7 whatever came last', (name, hint) => {
    for (const result of [
      refused(401, 40121),
      refused(404),
      neverSent('ECONNREFUSED'),
      { kind: 'ambiguous', message: 'm' } as const,
    ]) {
      const error = failed(name, result, { everAmbiguous: true })
      expect(error).toMatchObject({ exitCode: 7, category: 'unavailable', details: { ambiguous: true, hint } })
      expect(error.message).toMatch(
        /^the outcome is unknown: the request was sent and no clear answer came back \(.+\)$/,
      )
    }
  })

  it('a read changes nothing, so nothing is unknown', () => {
    expect(failed('lists.list', refused(404), { everAmbiguous: true })).toMatchObject({
      exitCode: 6,
      details: { ambiguous: false },
    })
  })
})
