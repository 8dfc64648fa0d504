/** Which proxy the environment means, and what NO_PROXY excepts. If red, requests take another way than was said. */
import { describe, expect, it } from 'vitest'
import { endpointOf, proxyFor, wrongExceptions } from '../../src/http/proxy.ts'
import { table } from '../support/table.ts'

const target = (url: string): ReturnType<typeof endpointOf> => endpointOf(new URL(url))

// Names, suffixes, addresses and networks, each with and without a port. `none` is what covers nothing, and is named.
const exceptions = table(`
  *                              | https://api.example.com      | yes
  *:443                          | https://api.example.com      | yes
  *:443                          | https://api.example.com:8443 | no
                                 | https://api.example.com      | no
  API.Example.COM                | https://api.example.com      | yes
  example.com                    | https://api.example.com      | yes
  .example.com                   | https://api.example.com      | yes
  *.example.com                  | https://api.example.com      | yes
  ample.com                      | https://api.example.com      | no
  api.example.com:8443           | https://api.example.com      | no
  api.example.com:8443           | https://api.example.com:8443 | yes
  .example.com:443               | https://api.example.com      | yes
  .example.com:443               | https://api.example.com:8443 | no
  *.example.com:8443             | https://api.example.com:8443 | yes
  other.com api.example.com      | https://api.example.com      | yes
  , ,api.example.com,            | https://api.example.com      | yes
  10.1.2.3                       | https://10.1.2.3             | yes
  10.1.2.3:3128                  | https://10.1.2.3             | no
  2.3                            | https://10.1.2.3             | no
  [2001:DB8::5]                  | https://[2001:db8::5]        | yes
  [2001:db8::5]:8080             | https://[2001:db8::5]        | no
  [2001:db8::5]:8080             | https://[2001:db8::5]:8080   | yes
  2001:0DB8:0:0:0:0:0:5          | https://[2001:db8::5]        | yes
  192.0.2.0/24                   | https://192.0.2.255          | yes
  192.0.2.0/24                   | https://192.0.3.1            | no
  10.0.0.0/8:3128                | https://10.1.2.3:3128        | yes
  10.0.0.0/8:3128                | https://10.1.2.3             | no
  10.0.0.0/8                     | https://example.com          | no
  2001:db8::/32                  | https://[2001:db8:ffff::1]   | yes
  2001:db8::/32                  | https://[2001:db9::1]        | no
  2001:db8::/32                  | https://192.0.2.1            | no
  [2001:db8::]/32:443            | https://[2001:db8:ffff::1]   | yes
  [2001:db8::/32]:443            | https://[2001:db8:ffff::1]   | yes
  .                              | https://api.example.com.     | none
  10.*                           | https://10.1.2.3             | none
  192.0.2.0/33                   | https://192.0.2.1            | none
  https://api.example.com        | https://api.example.com      | none
  api.example.com:               | https://api.example.com      | none
  api.example.com:0              | https://api.example.com      | none
  api.example.com:65536          | https://api.example.com      | none
  [api.example.com]              | https://api.example.com      | none
  user@api.example.com           | https://api.example.com      | none
`)
it.each(exceptions)('NO_PROXY %j and %s: %s', (list = '', url = '', expected) => {
  const env = { HTTPS_PROXY: 'http://p:1', NO_PROXY: list }
  expect(proxyFor(target(url), env) === undefined).toBe(expected === 'yes')
  expect(wrongExceptions(env)).toEqual(expected === 'none' ? [list] : [])
})

describe('the proxy', () => {
  const https = target('https://api.example.com')
  // Variables, with `=` between name and value.
  const proxies = table(`
                                                               | none
    HTTPS_PROXY=http://p.example:3128                          | p.example:3128 from HTTPS_PROXY
    https_proxy=http://a:1 HTTPS_PROXY=http://b:2              | a:1 from https_proxy
    https_proxy= HTTPS_PROXY=http://b:2                        | b:2 from HTTPS_PROXY
    HTTPS_PROXY=http://b:2 all_proxy=http://c:3                | b:2 from HTTPS_PROXY
    all_proxy=http://c:3 ALL_PROXY=http://d:4                  | c:3 from all_proxy
    ALL_PROXY=c                                                | c:80 from ALL_PROXY
    HTTPS_PROXY=p.example:3128/http://q                        | p.example:3128 from HTTPS_PROXY
    HTTPS_PROXY=https://p.example                              | p.example:443 over TLS from HTTPS_PROXY
    HTTPS_PROXY=http://[2001:db8::1]:3128                      | 2001:db8::1:3128 from HTTPS_PROXY
    HTTP_PROXY=http://d:4                                      | none
    HTTPS_PROXY=http://p:1 no_proxy= NO_PROXY=example.com      | none
    HTTPS_PROXY=http://p:1 no_proxy=other.com NO_PROXY=example.com | p:1 from HTTPS_PROXY
  `)
  it.each(proxies)('of %s: %s', (variables = '', expected) => {
    const pairs = variables.split(' ').map((pair) => pair.split('=') as [string, string])
    const proxy = proxyFor(https, Object.fromEntries(pairs))
    const words =
      proxy &&
      `${proxy.hostname}:${proxy.port}${proxy.isSecure ? ' over TLS' : ''} from ${proxy.variable}`
    expect(words ?? 'none').toBe(expected)
  })

  const here = 'http://127.0.0.1:1 https://127.8.9.1 https://[::1] https://localhost'
  it.each(here.split(' '))('is never used for %s', (url) => {
    const env = { HTTPS_PROXY: 'http://p:1', ALL_PROXY: 'http://p:1' }
    expect(proxyFor(target(url), env)).toBeUndefined()
  })

  it('its user and password are decoded, and only ever sent as a header', () => {
    const proxy = proxyFor(https, { HTTPS_PROXY: 'http://us%65r:p%40ss%0d%0a@p:1' })
    expect(proxy?.authorization).toBe(`Basic ${Buffer.from('user:p@ss\r\n').toString('base64')}`)
  })

  const wrong = 'http:// http://p:99999 socks5://p:1 http://%zz:hunter%zz@p:1'
  it.each(wrong.split(' '))('%s: exit 2, without saying what it held', (value) => {
    const message = 'HTTPS_PROXY is not the URL of a proxy'
    expect(() => proxyFor(https, { HTTPS_PROXY: value })).toThrow(
      expect.objectContaining({ exitCode: 2, message }),
    )
  })
})
