/** The certificates that are trusted and the passwords that are hidden, as settings and variables name them. */
import { rootCertificates } from 'node:tls'
import { describe, expect, test } from 'vitest'
import { networkOf, readAuthorities } from '../../src/config/network.ts'
import { problem, world } from './world.ts'

const [one = '', two = '', three = ''] = rootCertificates.map((each) => each.trim())
const noProxy = { value: undefined, source: 'built-in' }

describe('certificate files', () => {
  test('all certificates of a file count, with whatever stands between them', () => {
    const where = world()
    const value = where.write('ca.pem', `# ours\n${one}\n\nsubject: two\n${two}\r\n${three}`)
    const caFile = { value, source: 'SVC_CA_FILE' }
    expect(networkOf(where.host, { proxy: noProxy, caFile }).network.authorities).toEqual([
      one,
      two,
      three,
    ])
  })

  test('those of NODE_EXTRA_CA_CERTS count beside those of the setting', () => {
    const folder = world()
    const extra = folder.write('extra.pem', `${one}\n`)
    const where = { ...folder.host, env: { ...folder.host.env, NODE_EXTRA_CA_CERTS: extra } }
    const caFile = { value: folder.write('ca.pem', `${two}\n${three}\n`), source: 'profile "a"' }
    const { authorities } = networkOf(where, { proxy: noProxy, caFile }).network
    expect(authorities).toEqual([one, two, three])
    expect(readAuthorities(where, caFile)).toMatchObject([
      { path: extra, source: 'NODE_EXTRA_CA_CERTS' },
      { source: 'caFile in profile "a"' },
    ])
    // Without the setting Node reads its file by itself.
    const none = { value: undefined, source: 'built-in' }
    expect(networkOf(where, { proxy: noProxy, caFile: none }).network.authorities).toBeUndefined()
  })

  test('a file may have 4 MB, and no byte more', async () => {
    const where = world()
    const whole = `${one}\n`.padEnd(4 << 20, '#')
    const of = (value: string) => ({ value, source: 'SVC_CA_FILE' })
    const [good] = readAuthorities(where.host, of(where.write('ca.pem', whole)))
    expect(good?.certificates).toEqual([one])
    const error = await problem(() =>
      readAuthorities(where.host, of(where.write('large.pem', `${whole}#`))),
    )
    expect(error.message).toContain('it is larger than 4 MB')
  })

  test('one that is damaged behind good ones is told by its number', async () => {
    const where = world()
    const damaged = two.replace(/\n.{8}/, '\nAAAAAAAA')
    const value = where.write('ca.pem', `${one}\n${damaged}\n${three}\n`)
    const error = await problem(() => readAuthorities(where.host, { value, source: 'SVC_CA_FILE' }))
    expect(error.message).toContain('its certificate 2 is damaged')
  })
})

test('the password of a proxy is hidden as it is written and as it is sent', () => {
  const proxy = { value: 'http://ann:pa%40ss%2Fword@proxy.example.com:3128', source: 'profile "a"' }
  const { network, passwords } = networkOf(world().host, { proxy, caFile: noProxy })
  expect(passwords).toEqual(['pa%40ss%2Fword', 'pa@ss/word'])
  expect(network.proxy).toEqual({ value: proxy.value, source: 'proxy in profile "a"' })
})
