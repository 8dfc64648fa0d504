import { describe, expect, it } from 'vitest'
import { Redactor } from '../../src/redactor.ts'
import { jsonText } from '../../src/output/json.ts'
import { safe } from '../../src/safe-text.ts'
import { traceAttempt } from '../../src/http/trace.ts'
import { answering, apiKey, http, openClient, secret, tell } from './loopback.ts'

function hiding(value: string): (text: string) => string {
  const redactor = new Redactor()
  redactor.addSecret(value)
  return (text) => redactor.redactText(text)
}

describe('a secret by value', () => {
  const value = 'k9/+ "q\\uote"\t…é'
  const bytes = Buffer.from(value)
  it.each([
    ['as it is', value],
    ['base64', bytes.toString('base64')],
    ['base64url', bytes.toString('base64url')],
    ['behind a user in Basic', Buffer.from(`user:${value}`).toString('base64')],
    ['behind a longer user', Buffer.from(`userx:${value}!`).toString('base64')],
    ['behind one longer still', Buffer.from(`useryz:${value}!!`).toString('base64')],
    ['hex', bytes.toString('hex')],
    ['HEX', bytes.toString('hex').toUpperCase()],
    ['in a URL', encodeURIComponent(value)],
    [
      'in a URL, in lower case',
      encodeURIComponent(value).replace(/%../g, (code) => code.toLowerCase()),
    ],
    ['in a form', new URLSearchParams({ a: value }).toString()],
    ['in JSON', JSON.stringify({ a: value })],
    ['in JSON in JSON', JSON.stringify({ a: JSON.stringify({ b: value }) })],
    ['as messages write it', safe(value)],
    ['as JSON messages write it', jsonText({ a: value })],
  ])('%s', (_form, text) => {
    const clean = hiding(value)(`before ${text} after`)
    expect(clean).toContain('[hidden]')
    expect(clean).toMatch(/^before .* after$/)
    for (const part of [
      'uote',
      'hbGlk',
      bytes.toString('hex').slice(8, 20),
      bytes.toString('base64').slice(4, 16),
    ]) {
      expect(clean).not.toContain(part)
    }
  })

  it('several at once, the longer one first', () => {
    const redactor = new Redactor()
    redactor.addSecret('a-secret')
    redactor.addSecret('a-secret-and-more')
    redactor.addSecret('')
    redactor.addSecret('ordinar')
    const text = 'a-secret-and-more, a-secret, ordinary'
    for (const hide of [
      (given: string) => redactor.redactText(given),
      new Redactor().redactorOf(['a-secret', 'a-secret-and-more']),
    ])
      expect(hide(text)).toBe('[hidden], [hidden], ordinary')
  })

  it('characters that mean something to a pattern mean themselves', () => {
    expect(hiding('a.c*(x)[y]$^|\\')('abc a.c*(x)[y]$^|\\')).toBe('abc [hidden]')
  })
})

describe('a secret by name', () => {
  const apply = (text: string): string => new Redactor().redactText(text)
  it.each([
    ['> X-Service-Signature: abc123', '> X-Service-Signature: [hidden]'],
    ['proxy-authorization: Basic dTpw', 'proxy-authorization: [hidden]'],
    ['Authorization: Bearer a.b.c', 'Authorization: [hidden]'],
    ['< set-cookie: session=1; Path=/', '< set-cookie: [hidden]'],
    ['{"apiSecret":"abc","x":1}', '{"apiSecret":"[hidden]","x":1}'],
    ['{"api_secret": "a\\"b\\\\", "x":1}', '{"api_secret": "[hidden]", "x":1}'],
    [
      '{"m":"{\\"password\\":\\"a\\\\\\"b\\",\\"x\\":1}"}',
      '{"m":"{\\"password\\":\\"[hidden]\\",\\"x\\":1}"}',
    ],
    ['{"X-Service-Signature":"abc"}', '{"X-Service-Signature":"[hidden]"}'],
  ])('%s', (text, expected) => {
    expect(apply(text)).toBe(expected)
  })

  it.each([
    'error: profiles.prod.apiSecret: text is meant, not a number',
    '  unset SVC_API_SECRET',
    '{"secretary":"Ann"}',
    '> X-Service-Signature: [hidden]',
  ])('words about secrets are not secrets: %s', (text) => {
    expect(apply(text)).toBe(text)
  })

  it('in each item of a list', () => {
    const document = { cookie: ['a=1', 'b=2'], names: ['Ann'] }
    expect(new Redactor().redactDocument(document)).toEqual({
      cookie: ['[hidden]', '[hidden]'],
      names: ['Ann'],
    })
  })
})

describe('-v, -vv and errors', () => {
  it('a key that is short hides no words', async () => {
    const server = await answering((socket) =>
      socket.write(http(400, '{"code":1,"message":"a key is odd"}')),
    )
    const { error } = await tell(openClient(server.baseUrl, { apiKey: 'k' }), 'read')
    expect(error?.message).toBe('a key is odd')
  })

  it.each([16_384 - 10, 16_384 - secret.length + 1])(
    'hold no half of a secret where a long message is cut: from its character %i on',
    async (at) => {
      const message = `${'x'.repeat(at)}${secret}${'y'.repeat(100)}`
      const server = await answering((socket) =>
        socket.write(http(400, JSON.stringify({ code: 1, message }))),
      )
      const { results, error } = await tell(openClient(server.baseUrl), 'read')
      const texts = [
        error?.message,
        ...results.map((result) => 'message' in result && result.message),
      ]
      for (const text of texts) expect(text).toMatch(/^x+\[hidden\]?y*$/)
    },
  )

  it('a secret across the place where the body of a request is cut is hidden whole', () => {
    const lines: string[] = []
    traceAttempt(
      { verbose: 2, log: (level, line) => void (level === 2 && lines.push(line)) },
      {
        method: 'POST',
        path: '/v1/lists',
        headers: {},
        body: Buffer.from(`${'a'.repeat(1990)}${secret}${'b'.repeat(100)}`),
        exchange: { kind: 'failed', sent: false, error: new Error('x') },
        result: { kind: 'never-sent', message: 'x', systemCode: undefined },
        ms: 1,
        attempt: 1,
        batch: undefined,
        hide: new Redactor().redactorOf([secret]),
      },
    )
    expect(lines[0]).toMatch(/a\[hidden\]…? ?/)
    expect(lines[0]).not.toContain(secret.slice(0, 4))
  })

  it('never hold the secret, the signature or the whole key, even when the service repeats them', async () => {
    const seen: string[] = []
    const server = await answering((socket, request, n) => {
      const signature = /x-service-signature: ([0-9a-f]+)/i.exec(request)?.[1] ?? ''
      seen.push(signature)
      const message = `bad signature ${signature.toUpperCase()} of ${apiKey} with ${secret}`
      const headers = {
        'x-echo': signature,
        'x-service-key': apiKey,
        'set-cookie': 'session=topsecret',
        'x-access-token': 'topsecret',
        'x-request-id': `of ${secret}`,
      }
      socket.write(http(n === 1 ? 500 : 400, JSON.stringify({ code: 1, message }), headers))
    })
    const client = openClient(server.baseUrl)
    const { error, results } = await tell(client, 'repeatable')
    const all = [
      ...client.lines,
      error?.message,
      JSON.stringify(results.map((result) => ({ ...result, headers: {} }))),
    ].join('\n')
    expect(seen).toHaveLength(2)
    for (const text of [...seen, apiKey, secret, 'topsecret'])
      expect(all.toLowerCase()).not.toContain(text.toLowerCase())
    expect(all).toContain('> X-Service-Signature: [hidden]')
    expect(all).toContain('> X-Service-Key: [hidden]')
    expect(all).toContain('< x-request-id: of [hidden]')
    // The answer to each attempt, whatever it was.
    expect(client.lines.filter((line) => line.startsWith('< {"code":1'))).toHaveLength(2)
    expect(all).toMatch(/PATCH \/v1\/lists\/5f5f5f5f5f5f5f5f5f5f5f5f 500 \d+ ms, attempt 1/)
    expect(error?.message).toContain('bad signature [hidden] of [hidden] with [hidden]')
  })
})
