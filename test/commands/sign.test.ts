import { execFileSync, spawnSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { explanation, findMistakes, type Found } from '../../src/commands/sign/mistakes.ts'
import { createSandboxWorld, createWorld } from '../svc.ts'

const { svc, sandbox, as, folder } = await createSandboxWorld()
const secret = as('read-write')['SVC_API_SECRET'] ?? ''
const ts = 1_767_225_600_000

/** By hand, from the service's description. */
function hmac(text: string | Buffer, key: string | Buffer = secret): string {
  return createHmac('sha256', key).update(text).digest('hex')
}

describe('the three headers', () => {
  test('over timestamp, dot and body', async () => {
    const { code, stdout, stderr } = await svc(['sign', '--timestamp', String(ts), '--body', '{"a":"ü"}'])
    expect(code).toBe(0)
    expect(stdout).toBe(
      `X-Service-Key: pk_sandbox_rw\nX-Service-Timestamp: ${ts}\nX-Service-Signature: ${hmac(`${ts}.{"a":"ü"}`)}\n`,
    )
    expect(stderr).toBe('note: this timestamp is more than 5 minutes from now: the service refuses it\n')
  })

  test('without a body it is the timestamp and the dot; the time is now', async () => {
    const before = Date.now()
    const { stdout, stderr } = await svc('sign --json')
    const { timestamp, headers, signedText, signedBytes, method, path } = JSON.parse(stdout) as Record<string, never>
    expect(stderr).toBe('')
    expect(timestamp).toBeGreaterThanOrEqual(before)
    expect(timestamp).toBeLessThanOrEqual(Date.now())
    expect(headers).toEqual({
      'X-Service-Key': 'pk_sandbox_rw',
      'X-Service-Timestamp': String(timestamp),
      'X-Service-Signature': hmac(`${String(timestamp)}.`),
    })
    expect([signedText, signedBytes, method, path]).toEqual([`${String(timestamp)}.`, 14, null, null])
  })

  test('of a file, byte by byte, and of standard input', async () => {
    const bytes = Buffer.from([0x7b, 0xff, 0x0d, 0x0a, 0x7d])
    writeFileSync(join(folder, 'body.bin'), bytes)
    const expected = hmac(Buffer.concat([Buffer.from(`${ts}.`), bytes]))
    const words = ['sign', '--timestamp', String(ts), '--json', '--body-file']
    for (const result of [
      await svc([...words, join(folder, 'body.bin')]),
      await svc([...words, '-'], { stdin: bytes }),
    ]) {
      const signed = JSON.parse(result.stdout) as {
        headers: Record<string, string>
        signedText: unknown
        signedBytes: number
      }
      expect(signed.headers['X-Service-Signature']).toBe(expected)
      expect([signed.signedText, signed.signedBytes]).toEqual([null, 19])
    }
  })

  test('nothing is sent', async () => {
    const before = sandbox.requests.length
    await svc('sign POST /v1/lists --body {}')
    expect(sandbox.requests.length).toBe(before)
  })
})

test('--explain prints the exact text with its byte count', async () => {
  const { stdout } = await svc(['sign', '--timestamp', String(ts), '--body', '{"a":"ü"}\n', '--explain'])
  expect(stdout).toContain('The text that is signed, 25 bytes, with a trailing newline:\n')
  expect(stdout).toContain(`\n${ts}.{"a":"ü"}\n`)
  const plain = await svc(['sign', '--timestamp', String(ts), '--body', 'a\r\nb', '--explain'])
  expect(plain.stdout).toContain(`18 bytes, without a trailing newline:\n\n${ts}.a\\u{d}\nb\n`)
})

describe('--curl', () => {
  const curl = spawnSync('curl', ['--version']).status === 0
  const bodies = [
    '{"name":"plain"}',
    `{"name":"it's \\"quoted\\""}`,
    '{"name":"$(touch pwned) `touch pwned`"}',
    '@{"name":"not a file"}'.slice(1),
    '{\n  "name": "two lines"\n}\n',
  ]
  test.skipIf(!curl).each(bodies)('is a command that the service accepts: %s', async (body) => {
    const { stdout } = await svc(['sign', 'POST', '/v1/lists', '--body', body, '--curl'])
    expect(stdout).not.toContain(secret)
    const before = sandbox.requests.length
    // The sandbox answers from this very process: it must not be kept waiting.
    const { spawn } = await import('node:child_process')
    const child = spawn('/bin/sh', ['-c', stdout.replace('curl ', "curl -o /dev/null -w '%{http_code}' ")], {
      cwd: folder,
    })
    let status = ''
    child.stdout.on('data', (chunk: Buffer) => (status += chunk.toString()))
    await new Promise((resolve) => child.once('close', resolve))
    expect(status).toBe('201')
    expect(sandbox.requests.slice(before).map((request) => request.body)).toEqual([body])
    expect(execFileSync('ls', { cwd: folder, encoding: 'utf8' })).not.toContain('pwned')
  })

  test('names a file instead of its content', async () => {
    const path = join(folder, "it's a body.json")
    writeFileSync(path, '{"name":"from a file"}\n')
    const { stdout } = await svc(['sign', 'POST', '/v1/lists', '--body-file', path, '--curl'])
    expect(stdout).toContain(`--data-binary '@${path.replace("'", `'\\''`)}'\n`)
  })

  test('a GET has no body', async () => {
    const { stdout } = await svc('sign GET /v1/employees --curl')
    expect(stdout).toMatch(
      /^curl -sS -X GET http:\/\/127\.0\.0\.1:\d+\/v1\/employees \\\n {2}-H 'X-Service-Key: pk_sandbox_rw' \\\n/,
    )
    expect(stdout).not.toContain('data')
  })
})

describe('--verify', () => {
  const body = '{"name":"Spring","tags":["a","b"],"ü":1}'
  const base64 = (text: string): string => createHmac('sha256', secret).update(text).digest('base64')
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    ['right', hmac(`${ts}.${body}`), []],
    ['seconds', hmac(`${ts / 1000}.${body}`), ['seconds']],
    ['a trailing newline', hmac(`${ts}.${body}\n`), ['trailing-newline']],
    ['a trailing CRLF', hmac(`${ts}.${body}\r\n`), ['trailing-newline']],
    ['no dot', hmac(`${ts}${body}`), ['separator']],
    ['another separator', hmac(`${ts}:${body}`), ['separator']],
    ['no timestamp', hmac(body), ['separator']],
    ['base64', base64(`${ts}.${body}`), ['base64']],
    ['base64 without padding', base64(`${ts}.${body}`).replace(/=+$/, ''), ['base64']],
    ['upper case', hmac(`${ts}.${body}`).toUpperCase(), ['base64']],
    ['made again by Python', hmac(`${ts}.{"name": "Spring", "tags": ["a", "b"], "\\u00fc": 1}`), ['reserialized']],
    [
      'made again with line breaks',
      hmac(`${ts}.${JSON.stringify({ name: 'Spring', tags: ['a', 'b'], ü: 1 }, undefined, 2)}`),
      ['reserialized'],
    ],
    ['no body', hmac(`${ts}.`), ['reserialized']],
    ['a secret with its line end', hmac(`${ts}.${body}`, `${secret}\n`), ['untrimmed-secret']],
    ['a secret with a blank', hmac(`${ts}.${body}`, ` ${secret}`), ['untrimmed-secret']],
    ['method and path in front', hmac(`POST/v1/lists${ts}${body}`), ['method-and-path']],
    ['method and path behind the time', hmac(`${ts}POST/v1/lists${body}`), ['method-and-path']],
    ['a request line', hmac(`POST /v1/lists\n${ts}\n${body}`), ['method-and-path']],
    ['only the path', hmac(`${ts}./v1/lists.${body}`), ['method-and-path']],
    ['the key used as the secret', hmac(`${ts}.${body}`, 'pk_sandbox_rw'), ['key-as-secret']],
    ['SHA-512', createHmac('sha512', secret).update(`${ts}.${body}`).digest('hex'), ['algorithm']],
    ['SHA-1 with its name', `sha1=${createHmac('sha1', secret).update(`${ts}.${body}`).digest('hex')}`, ['algorithm']],
    ['two at once', base64(`${ts / 1000}.${body}`), ['seconds', 'base64']],
    ['two others', hmac(`${ts}.${body}\n`, `${secret}\n`), ['trailing-newline', 'untrimmed-secret']],
  ]
  test.each(cases)('%s', async (_name, signature, expected) => {
    const words = ['sign', 'POST', '/v1/lists', '--timestamp', String(ts), '--body', body, '--verify', signature]
    const { code, stdout } = await svc(words)
    expect(code).toBe(expected.length === 0 ? 0 : 6)
    const found: Found = { verdict: expected.length === 0 ? 'right' : 'mistake', mistakes: expected }
    expect(stdout).toBe(explanation(found))
    const json = JSON.parse((await svc([...words, '--json'])).stdout) as { verified: unknown }
    expect(json.verified).toEqual(found)
  })

  test('none of them', async () => {
    const { code, stdout } = await svc(['sign', '--timestamp', String(ts), '--body', body, '--verify', 'f'.repeat(64)])
    expect(code).toBe(6)
    expect(stdout).toContain('shows none of the usual mistakes')
  })

  /** What the signature of a text shows about a request. */
  function seen(body: string, signature: string, timestamp = ts): readonly string[] {
    return findMistakes({ secret, apiKey: 'pk', timestamp, body: Buffer.from(body) }, signature).mistakes
  }

  test('line ends of another system', () => {
    const windows = '{\r\n"a":1\r\n}'
    const unix = '{\n"a":1\n}'
    expect(seen(unix, hmac(`${ts}.${windows}`))).toEqual(['crlf'])
    expect(seen(windows, hmac(`${ts}.${unix}`))).toEqual(['crlf'])
    expect(seen('x\n', hmac(`${ts}.x`))).toEqual(['trailing-newline'])
  })

  test('keys in another order', () => {
    expect(seen('{"b":{"d":1,"c":2},"a":[]}', hmac(`${ts}.{"a":[],"b":{"c":2,"d":1}}`))).toEqual(['reserialized'])
  })

  test('a timestamp that was given in seconds', () => {
    const seconds = ts / 1000
    expect(seen('x', hmac(`${seconds}.x`), seconds)).toEqual(['seconds'])
    expect(seen('x', hmac(`${ts}.x`), seconds)).toEqual(['seconds'])
  })

  test('something signed where there is no body', () => {
    expect(seen('', hmac(`${ts}.{}`))).toEqual(['reserialized'])
    expect(seen('', hmac(`${ts}.\n`))).toEqual(['trailing-newline'])
  })

  test('a large body takes no minute', () => {
    const large = Buffer.from(JSON.stringify({ contactIds: Array.from({ length: 100 }, () => 'a'.repeat(24)) }))
    const started = performance.now()
    expect(
      findMistakes({ secret, apiKey: 'pk', timestamp: ts, body: large, path: '/v1/lists' }, 'f'.repeat(64)).verdict,
    ).toBe('none')
    expect(performance.now() - started).toBeLessThan(2000)
  })
})

describe('options that do not fit together: exit 2', () => {
  test.each([
    ['sign --explain --curl', '--explain and --curl exclude each other'],
    ['sign --body x --body-file y', '--body and --body-file exclude each other'],
    ['sign POST', 'a method needs a path as well'],
    ['sign POST lists', '"lists" is not below /v1/'],
    ['sign BREW /v1/lists', 'the method takes GET, POST, PATCH, PUT or DELETE, not "BREW"'],
    ['sign --curl', '--curl needs a method and a path'],
    ['sign --verify abc', '--verify needs the --timestamp'],
    ['sign --timestamp 1e3', '--timestamp takes a whole number'],
    ['sign --body-file nowhere.json', 'cannot read the body from "nowhere.json"'],
  ])('svc %s', async (line, message) => {
    const { code, stdout, stderr } = await svc(line)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(message)
  })

  test('a body that cannot stand on a command line', async () => {
    const { code, stderr } = await svc(['sign', 'POST', '/v1/lists', '--curl', '--body', 'a\u001bb'])
    expect(code).toBe(2)
    expect(stderr).toContain('--body-file')
  })
})

test('without credentials: exit 4', async () => {
  expect((await createWorld().svc('sign')).code).toBe(4)
})
