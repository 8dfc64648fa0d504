/** The certificates that are trusted and the passwords that are hidden, as settings and variables name them. */
import { chmodSync, symlinkSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { describe, expect, test } from 'vitest'
import { networkOf } from '../../src/config/network.ts'
import { problem, world, type World } from './world.ts'

const [one = '', two = '', three = ''] = rootCertificates.map((each) => each.trim())
const noProxy = { value: undefined, source: 'built-in' }
/** The certificates of a file that SVC_CA_FILE names. */
const authoritiesOf = (host: World['host'], value: string) =>
  networkOf(host, { proxy: noProxy, caFile: { value, source: 'SVC_CA_FILE' } }).network.authorities
const refusal = async (host: World['host'], path: string): Promise<string> =>
  (await problem(() => authoritiesOf(host, path))).message

describe('certificate files', () => {
  test('all certificates of a file count, with whatever stands between them, unless one is damaged', async () => {
    const { host, write } = world()
    const value = write('ca.pem', `# ours\n${one}\n\nsubject: two\n${two}\r\n${three}`)
    expect(authoritiesOf(host, value)).toEqual([one, two, three])
    const damaged = two.replace(/\n.{8}/, '\nAAAAAAAA')
    const path = write('damaged.pem', `${one}\n${damaged}\n${three}\n`)
    expect(await refusal(host, path)).toContain('or a damaged one')
  })

  test('a file may have 4 MB, and no byte more', async () => {
    const { host, write } = world()
    const whole = `${one}\n`.padEnd(4 << 20, '#')
    expect(authoritiesOf(host, write('ca.pem', whole))).toEqual([one])
    expect(await refusal(host, write('large.pem', `${whole}#`))).toContain(
      'large.pem is larger than 4 MB',
    )
  })

  test('a file of others is refused: the target of a link when it is opened counts, wherever it leads a moment later', async () => {
    const { host, home, write } = world()
    const own = write('own.pem', one)
    const open = write('open.pem', two)
    chmodSync(open, 0o666)
    const link = join(home, 'flips.pem')
    symlinkSync(open, link)
    const { disk } = host
    const openSync = (...words: Parameters<typeof disk.openSync>): number => {
      const file = disk.openSync(...words)
      unlinkSync(link)
      symlinkSync(own, link)
      return file
    }
    const flipping = { ...host, disk: { ...disk, openSync } }
    expect(await refusal(flipping, link)).toContain('others can write to')
  })
})

test('user name and password of a proxy are hidden as they are written and as they are sent', () => {
  const proxy = {
    value: 'http://ann.miller:pa%40ss%2Fword@proxy.example.com:3128',
    source: 'profile "a"',
  }
  const { network, secrets } = networkOf(world().host, { proxy, caFile: noProxy })
  expect(secrets).toEqual(['ann.miller', 'ann.miller', 'pa%40ss%2Fword', 'pa@ss/word'])
  expect(network.proxy).toEqual({ value: proxy.value, source: 'proxy in profile "a"' })
})

test('a password of a proxy that is too short to be hidden is exit 4', async () => {
  const proxy = { value: 'http://a:brief@127.0.0.1:1', source: 'profile "a"' }
  const error = await problem(() => networkOf(world().host, { proxy, caFile: noProxy }))
  expect([error.exitCode, error.message.includes('brief')]).toEqual([4, false])
  expect(error.message).toContain('has fewer than 8 characters')
})
