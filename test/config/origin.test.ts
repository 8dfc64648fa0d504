import { describe, expect, it } from 'vitest'
import { baseUrlProblem, parseBaseUrl } from '../../src/config/rules.ts'

describe('a base URL', () => {
  it.each([
    ['https://api.example.com'],
    ['https://api.example.com/', 'https://api.example.com'],
    ['https://api.example.com/crm/', 'https://api.example.com/crm'],
    ['https://api.example.com/a/b//', 'https://api.example.com/a/b'],
    ['HTTPS://API.Example.COM:443/X', 'https://api.example.com/X'],
    ['https://bücher.example/ä', 'https://xn--bcher-kva.example/%C3%A4'],
    ['https://api.example.com/a//b'],
    ['https://[2001:db8::1]:8443/x'],
    ['http://127.101.102.103:4010'],
    ['http://127.1', 'http://127.0.0.1'],
    ['http://LOCALHOST:4010/', 'http://localhost:4010'],
    ['http://[::1]:4010'],
  ])('%s is used as %s', (text, url = text) => {
    expect(parseBaseUrl(text, 'x')).toBe(url)
  })

  const user = 'user:word@ user@ @ :@ :word@ /user@ /:word@'
    .split(' ')
    .map((part) => `https://${part}api.example.com`)
  const hidden = '/..%2feu /.%2Feu %5c..%5ceu /..;/eu /..%3ba=1/eu /%252e%252E/eu'.split(' ')
  const far =
    'api.example.com 10.0.0.1 0.0.0.0 localhost.example.com 127.0.0.1.example.com 10.127.0.0 localhost.'
  const shape = 'must be https:// with a host and perhaps a path'
  it.each<[string, string[]]>([
    [
      shape,
      [
        '',
        ...'api.example.com api.example.com:443 localhost:4010 //api.example.com'.split(' '),
        ...'?https://api.example.com ftp://api.example.com file:///etc/passwd'.split(' '),
        ...'javascript:alert(1) https:api.example.com xhttps://api.example.com'.split(' '),
        ' https://api.example.com',
        'https:\\\\api.example.com',
        ...'https:// https://api.example.com:99999 http://x127.0.0.1'.split(' '),
      ],
    ],
    // A URL forgives one slash too many, and finds a user behind it.
    [shape, user],
    [shape, ['https://api.example.com?x=1', 'https://api.example.com/?']],
    [shape, ['https://api.example.com/#top', 'https://api.example.com#']],
    [shape, ['https://bücher.example\\x']],
    [shape, ['https://api.example.com/a/../b', 'http://127.0.0.1/..']],
    [shape, ['https://api.example.com/./x']],
    [shape, hidden.map((path) => `https://api.example.com/x${path}`)],
    [
      shape,
      [
        'https://api.example.com\n',
        'https://api.exa\tmple.com',
        'https://api.example.com\u200b',
        'https://bücher.example/\u0085',
        'https://b\u200bücher.example',
      ],
    ],
    [
      'can be http:// only to 127.0.0.0/8',
      [...far.split(' '), '[::ffff:127.0.0.1]', '[::]'].map((host) => `http://${host}`),
    ],
  ])('%s: %j', (why, texts) => {
    for (const text of texts)
      expect([text, baseUrlProblem(text)]).toEqual([text, expect.stringContaining(why)])
  })
})
