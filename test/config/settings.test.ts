import { expect, test } from 'vitest'
import { parseBaseUrl, parseCountry, resolveSettings } from '../../src/config/settings.ts'
import { refusal } from '../support/inputs.ts'
import { table } from '../support/table.ts'

const usual = { timeout: 20_000, wait: 60_000, country: undefined }

test('the option comes before the variable, and the variable before the profile', () => {
  expect(resolveSettings({ env: {} }, {})).toEqual(usual)
  // A line break behind a value comes from a mounted file.
  const env = { SVC_TIMEOUT: ' 2s\n', SVC_WAIT: '2m', SVC_COUNTRY: 'fr' }
  const profile = { country: 'DE' }
  const typed = { timeout: 1, wait: 2, country: 'GB' }
  expect(resolveSettings({ env }, typed, profile)).toEqual(typed)
  const byVariable = { timeout: 2000, wait: 120_000, country: 'FR' }
  expect(resolveSettings({ env }, {}, profile)).toEqual(byVariable)
  const byProfile = resolveSettings({ env: { SVC_COUNTRY: '' } }, {}, profile)
  expect(byProfile).toEqual({ ...usual, ...profile })
  const longest = resolveSettings({ env: { SVC_TIMEOUT: '24h', SVC_WAIT: '24h' } }, {})
  expect(longest).toEqual({ timeout: 86_400_000, wait: 86_400_000 })
})

test('a country has two letters, and the United Kingdom is GB', () => {
  expect(['de', 'GB'].map((text) => parseCountry(text, '--country'))).toEqual(['DE', 'GB'])
  const words = '--country takes a two-letter country code, GB for the United Kingdom, not "UK"'
  expect(() => parseCountry('UK', '--country')).toThrow(words)
  for (const text of ['', 'D', 'DEU', 'D1', 'ß'])
    expect(() => parseCountry(text, '--country')).toThrow('such as DE')
})

const wrong = `SVC_TIMEOUT=0s SVC_TIMEOUT=25h SVC_TIMEOUT=30 SVC_WAIT=86400001ms
  SVC_COUNTRY=DEU`
test.each(wrong.split(/\s+/))('%s is exit 2, and the variable is named', async (pair) => {
  const [name = '', text] = pair.split('=')
  const error = await refusal(() => resolveSettings({ env: { [name]: text } }, {}))
  expect([error.exitCode, error.message]).toEqual([2, expect.stringContaining(name)])
})

test.each(
  table(`
    https://api.example.com/         | https://api.example.com
    https://api.example.com/a/b//    | https://api.example.com/a/b
    HTTPS://API.Example.COM:443/X    | https://api.example.com/X
    https://bücher.example/ä         | https://xn--bcher-kva.example/%C3%A4
    https://api.example.com/a//b     | https://api.example.com/a//b
    https://[2001:db8::1]:8443/x     | https://[2001:db8::1]:8443/x
    http://127.101.102.103:4010      | http://127.101.102.103:4010
    http://127.1                     | http://127.0.0.1
    http://LOCALHOST:4010/           | http://localhost:4010
    http://[::1]:4010                | http://[::1]:4010`),
)('a base URL: %s is used as %s', (text = '', url) => {
  expect(parseBaseUrl(text, 'x')).toBe(url)
})

const wordsOf = (text: string): string[] => text.trim().split(/\s+/)
const at = (parts: string): string[] => wordsOf(parts).map((part) => `https://${part}`)
const shape = 'must start with https:// and have a host'
test.each<[string, string[]]>([
  ['', ['', ' https://api.example.com', 'https:\\\\api.example.com']],
  ['no scheme', wordsOf('api.example.com:443 localhost:4010 //api.example.com')],
  ['another', wordsOf('ftp://x.example file:///etc javascript:alert(1) https:x.example')],
  ['no host', wordsOf('https:// https://api.example.com:99999 http://x127.0.0.1')],
  // A URL forgives one slash too many, and finds a user behind it.
  ['a user', at('u:w@x.example @x.example :@x.example /user@x.example /:w@x.example')],
  ['a query', at('x.example?x=1 x.example/? x.example/#top x.example#')],
  ['a backslash', at('b.example\\x')],
  ['hidden dots', at('x.example/x/..%2feu x.example/x%5c..%5ceu x.example/x/..;/eu')],
  ['hidden twice', at('x.example/x/%252e%252E/eu x.example/..%3ba=1/eu')],
  ['white space', ['https://x.example\n', 'https://x.exa\tmple']],
  ['the invisible', ['https://x.example\u200b', 'https://b\u200bücher.example']],
  ['C1', ['https://bücher.example/\u0085']],
  [
    'http',
    wordsOf(`api.example.com 0.0.0.0 localhost.example.com 127.0.0.1.example.com 10.127.0.0
        localhost. [::ffff:127.0.0.1] [::]`).map((host) => `http://${host}`),
  ],
])('a base URL: %s', (_, texts) => {
  for (const text of texts) expect(() => parseBaseUrl(text, 'it'), text).toThrow(`it ${shape}`)
})
