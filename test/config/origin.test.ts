import { describe, expect, it } from 'vitest'
import { SvcError } from '../../src/errors.ts'
import { isLoopback } from '../../src/loopback.ts'
import { originOf, parseBaseUrl, readBaseUrl } from '../../src/config/origin.ts'

describe('a base URL', () => {
  it('is given back as it is used, or refused with an example', () => {
    expect(parseBaseUrl('https://api.example.com/', '--base-url')).toBe('https://api.example.com')
    expect(() => parseBaseUrl('x', '--base-url')).toThrow(
      expect.objectContaining({ category: 'usage', details: { hint: 'for example https://api.example.com' } }),
    )
  })

  it.each([
    ['https://api.example.com', 'https://api.example.com'],
    ['https://api.example.com/', 'https://api.example.com'],
    ['https://api.example.com/crm/', 'https://api.example.com/crm'],
    ['https://api.example.com/a/b//', 'https://api.example.com/a/b'],
    ['HTTPS://API.Example.COM:443/X', 'https://api.example.com/X'],
    ['https://api.example.com:8443', 'https://api.example.com:8443'],
    ['https://10.0.0.1', 'https://10.0.0.1'],
    ['https://bücher.example/ä', 'https://xn--bcher-kva.example/%C3%A4'],
    ['https://api.example.com/@home', 'https://api.example.com/@home'],
    ['https://api.example.com/a//b@c', 'https://api.example.com/a//b@c'],
    ['https://[2001:db8::1]:8443/x', 'https://[2001:db8::1]:8443/x'],
    ['http://127.0.0.1:4010', 'http://127.0.0.1:4010'],
    ['http://127.8.9.10', 'http://127.8.9.10'],
    ['http://127.101.102.103', 'http://127.101.102.103'],
    ['http://127.1', 'http://127.0.0.1'],
    ['http://localhost:4010/', 'http://localhost:4010'],
    ['http://LOCALHOST', 'http://localhost'],
    ['http://[::1]:4010', 'http://[::1]:4010'],
  ])('%s is used as %s', (text, url) => {
    expect(readBaseUrl(text)).toEqual({ ok: true, url })
  })

  it.each([
    ['', 'no scheme'],
    ['api.example.com', 'no scheme'],
    ['api.example.com:443', 'no scheme'],
    ['localhost:4010', 'no scheme'],
    ['//api.example.com', 'no scheme'],
    ['?https://api.example.com', 'no scheme'],
    ['1https://api.example.com', 'no scheme'],
    ['api.example.com:443/https://', 'no scheme'],
    ['ftp://api.example.com', 'only https://'],
    ['file:///etc/passwd', 'only https://'],
    ['javascript:alert(1)', 'only https://'],
    ['https:api.example.com', 'only https://'],
    ['ftp://api.example.com/https://', 'only https://'],
    ['xhttps://api.example.com', 'only https://'],
    ['https://', 'not a URL'],
    ['https://user:word@api.example.com', 'a user or password'],
    // A URL forgives one slash too many, and finds a user behind it.
    ['https:///user@api.example.com', 'a user or password'],
    ['https:///:word@api.example.com', 'a user or password'],
    ['https://@api.example.com', 'a user or password'],
    ['https://b\u200bücher.example', 'a space, a backslash or a control character'],
    ['https://bücher.example\\x', 'a space, a backslash or a control character'],
    ['https://bücher.example/\u0085', 'a space, a backslash or a control character'],
    ['https://user@api.example.com', 'a user or password'],
    ['https://@api.example.com', 'a user or password'],
    ['https://:@api.example.com', 'a user or password'],
    ['https://:word@api.example.com', 'a user or password'],
    ['https://api.example.com?x=1', 'a query'],
    ['https://api.example.com/?', 'a query'],
    ['https://api.example.com/#top', 'a fragment'],
    ['https://api.example.com#', 'a fragment'],
    [' https://api.example.com', 'a space'],
    ['https://api.example.com\n', 'a space'],
    ['https://api.exa\tmple.com', 'a space'],
    ['https:\\\\api.example.com', 'a backslash'],
    ['https://api.example.com\u200b', 'control character'],
    ['https://api.example.com:0', 'port 0'],
    ['https://api.example.com/x/..%2feu', 'a hidden'],
    ['https://api.example.com/.%2Feu', 'a hidden'],
    ['https://api.example.com/x%5c..%5ceu', 'a hidden'],
    ['https://api.example.com/x/..;/eu', 'a hidden'],
    ['https://api.example.com/x/..%3ba=1/eu', 'a hidden'],
    ['https://api.example.com/x/%252e%252E/eu', 'a hidden'],
    ['https://api.example.com:99999', 'not a URL'],
    ['http://api.example.com', 'only allowed to 127.0.0.0/8'],
    ['http://10.0.0.1', 'only allowed to 127.0.0.0/8'],
    ['http://0.0.0.0', 'only allowed to 127.0.0.0/8'],
    ['http://localhost.example.com', 'only allowed to 127.0.0.0/8'],
    ['http://127.0.0.1.example.com', 'only allowed to 127.0.0.0/8'],
    ['http://x127.0.0.1', 'not a URL'],
    ['http://10.127.0.0', 'only allowed to 127.0.0.0/8'],
    ['http://localhost.', 'only allowed to 127.0.0.0/8'],
    ['http://[::ffff:127.0.0.1]', 'only allowed to 127.0.0.0/8'],
    ['http://[::]', 'only allowed to 127.0.0.0/8'],
  ])('"%s" is refused: %s', (text, why) => {
    const result = readBaseUrl(text)
    expect(result.ok ? result.url : result.why).toContain(why)
    expect(result.ok).toBe(false)
  })

  it('is refused with exit code 2 and never repeated, since it may hold a password', () => {
    const attempt = (): string => parseBaseUrl('https://user:hunter2@api.example.com', '--base-url')
    expect(attempt).toThrow(SvcError)
    expect(attempt).toThrow('--base-url is not a usable base URL: it contains a user or password')
  })
})

it('a host name that only holds a loopback address is none', () => {
  expect(['127.0.0.1', '127.255.255.255', 'localhost', '[::1]'].map(isLoopback)).toEqual([true, true, true, true])
  const others = ['x127.0.0.1', '1127.0.0.1', '127.0.0.1.example.com', '127.0.0', '127.x.0.1', 'my-localhost', '[::1']
  expect(others.filter(isLoopback)).toEqual([])
})

it('an origin is scheme, host and port', () => {
  expect(originOf('https://api.example.com:443/crm')).toBe('https://api.example.com')
  expect(originOf('http://localhost:4010/x')).toBe('http://localhost:4010')
})
