import { describe, expect, it } from 'vitest'
import { endpointOf, isExcepted, proxyFor } from '../../src/http/proxy.ts'

const target = (url: string): ReturnType<typeof endpointOf> => endpointOf(new URL(url))

it.each([
  ['*', 'https://api.example.com', true],
  ['', 'https://api.example.com', false],
  ['api.example.com', 'https://api.example.com', true],
  ['API.Example.COM', 'https://api.example.com', true],
  ['example.com', 'https://api.example.com', true],
  ['.example.com', 'https://api.example.com', true],
  ['*.example.com', 'https://api.example.com', true],
  ['ample.com', 'https://api.example.com', false],
  ['api.example.com.evil', 'https://api.example.com', false],
  ['other.com, api.example.com', 'https://api.example.com', true],
  ['other.com api.example.com', 'https://api.example.com', true],
  [' , ,api.example.com,', 'https://api.example.com', true],
  ['.', 'https://api.example.com', false],
  ['*.', 'https://api.example.com', false],
  ['10.1.2.3', 'https://10.1.2.3', true],
  ['2.3', 'https://10.1.2.3', false],
  ['[2001:DB8::5]', 'https://[2001:db8::5]', true],
  // Networks.
  ['10.0.0.0/8', 'https://10.200.3.4', true],
  ['192.0.2.0/24', 'https://192.0.2.255', true],
  ['192.0.2.0/24', 'https://192.0.3.1', false],
  ['2001:db8::/32', 'https://[2001:db8:ffff::1]', true],
  ['2001:db8::/32', 'https://[2001:db9::1]', false],
  ['2001:db8::/32', 'https://192.0.2.1', false],
  ['10.0.0.0/8', 'https://example.com', false],
  // IPv6 in any spelling.
  ['2001:0DB8:0:0:0:0:0:5', 'https://[2001:db8::5]', true],
  ['2001:db8::0.0.0.5', 'https://[2001:db8::5]', true],
  // What is not understood covers nothing.
  ['api.example.com:443', 'https://api.example.com', false],
  ['10.*', 'https://10.1.2.3', false],
  ['192.0.2.0/33', 'https://192.0.2.1', false],
  ['https://api.example.com', 'https://api.example.com', false],
  ['.', 'https://api.example.com.', false],
])('NO_PROXY %j and %s: %s', (list, url, expected) => {
  expect(isExcepted(target(url), list)).toBe(expected)
})

describe('the proxy', () => {
  const https = target('https://api.example.com')
  it.each([
    [{}, undefined],
    [{ HTTPS_PROXY: 'http://p.example:3128' }, 'p.example:3128 from HTTPS_PROXY'],
    [{ https_proxy: 'http://a:1', HTTPS_PROXY: 'http://b:2' }, 'a:1 from https_proxy'],
    [{ https_proxy: '  ', HTTPS_PROXY: 'http://b:2' }, 'b:2 from HTTPS_PROXY'],
    [{ ALL_PROXY: 'http://c:3' }, 'c:3 from ALL_PROXY'],
    [{ all_proxy: 'c' }, 'c:80 from all_proxy'],
    [{ HTTPS_PROXY: 'p.example:3128' }, 'p.example:3128 from HTTPS_PROXY'],
    [{ HTTPS_PROXY: 'p.example:3128/http://q' }, 'p.example:3128 from HTTPS_PROXY'],
    [{ HTTPS_PROXY: 'https://p.example' }, 'p.example:443 over TLS from HTTPS_PROXY'],
    [{ HTTPS_PROXY: 'http://[2001:db8::1]:3128' }, '2001:db8::1:3128 from HTTPS_PROXY'],
    // Plain http never goes far enough to need one.
    [{ HTTP_PROXY: 'http://d:4' }, undefined],
    [{ HTTPS_PROXY: 'http://b:2', all_proxy: 'http://c:3' }, 'b:2 from HTTPS_PROXY'],
    [{ all_proxy: 'http://c:3', ALL_PROXY: 'http://d:4' }, 'c:3 from all_proxy'],
    [{ HTTPS_PROXY: 'http://p:1', NO_PROXY: 'example.com' }, undefined],
    [{ HTTPS_PROXY: 'http://p:1', no_proxy: '', NO_PROXY: 'example.com' }, undefined],
    [
      { HTTPS_PROXY: 'http://p:1', no_proxy: 'other.com', NO_PROXY: 'example.com' },
      'p:1 from HTTPS_PROXY',
    ],
  ] as const)('%j: %s', (env, expected) => {
    const proxy = proxyFor(https, env)
    const words =
      proxy &&
      `${proxy.hostname}:${proxy.port}${proxy.isSecure ? ' over TLS' : ''} from ${proxy.variable}`
    expect(words).toBe(expected)
  })

  it.each([
    'http://127.0.0.1:1',
    'https://127.8.9.1',
    'http://[::1]:1',
    'https://[::1]',
    'https://localhost',
    'http://localhost:80',
  ])('is never used for %s', (url) => {
    expect(
      proxyFor(target(url), { HTTPS_PROXY: 'http://p:1', ALL_PROXY: 'http://p:1' }),
    ).toBeUndefined()
  })

  it('its user and password are decoded, and only ever sent as a header', () => {
    const proxy = proxyFor(https, { HTTPS_PROXY: 'http://us%65r:p%40ss%0d%0a@p:1' })
    expect(proxy?.authorization).toBe(`Basic ${Buffer.from('user:p@ss\r\n').toString('base64')}`)
  })

  it.each([
    'http://',
    'http://p:99999',
    'socks5://p:1',
    'file:///etc/passwd',
    'http://%zz:hunter%zz@p:1',
  ])('%s: exit 2, without saying what it held', (value) => {
    const message = 'HTTPS_PROXY is not the URL of a proxy'
    expect(() => proxyFor(https, { HTTPS_PROXY: value })).toThrow(
      expect.objectContaining({ exitCode: 2, message }),
    )
  })
})
