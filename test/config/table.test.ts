/** The limits of settings; that a file has the same is in test/laws/settings.test.ts. */
import { expect, test } from 'vitest'
import { settings, type SettingKey } from '../../src/config/table.ts'
import { readValue } from '../../src/options.ts'
import { problem } from './world.ts'

const hour = 60 * 60 * 1000

test.each<[SettingKey, string, unknown]>([
  ['timeout', '1ms', 1],
  ['timeout', '24h', 24 * hour],
  ['maxRetryWait', '1d', 24 * hour],
  ['retries', '0', 0],
  ['retries', '100', 100],
  ['concurrency', '1', 1],
  ['concurrency', '32', 32],
  ['limit', '1', 1],
  ['limit', 'all', 'all'],
  ['rate', '0.001/s', 0.001],
  ['rate', '10', 10],
  ['country', 'de', 'DE'],
  ['caFile', '/etc/ca.pem', '/etc/ca.pem'],
  ['caFile', '~/ca.pem', '~/ca.pem'],
  ['caFile', 'C:\\ca.pem', 'C:\\ca.pem'],
])('%s takes %s', (key, text, value) => {
  expect(readValue(settings[key], text, 'it')).toBe(value)
})

test.each<[SettingKey, string]>([
  ['timeout', '0s'],
  ['timeout', '25h'],
  ['maxRetryWait', '86400001ms'],
  ['retries', '101'],
  ['retries', '-1'],
  ['concurrency', '0'],
  ['concurrency', '33'],
  ['limit', '0'],
  ['rate', '0'],
  ['country', 'DEU'],
  ['country', 'd'],
  ['caFile', 'ca.pem'],
  ['caFile', './ca.pem'],
  ['proxy', 'proxy'],
])('%s does not take %s', async (key, text) => {
  expect((await problem(() => readValue(settings[key], text, 'it'))).exitCode).toBe(2)
})

test.each([
  ['http://proxy.example.com:3128', 'http://proxy.example.com:3128'],
  ['http://token@proxy.example.com:3128', 'http://[hidden]@proxy.example.com:3128'],
  ['http://ann:longenough@proxy.example.com:3128', 'http://[hidden]@proxy.example.com:3128'],
])('the proxy %s is shown as %s', (value, shown) => {
  expect(settings.proxy.inWords?.(value)).toBe(shown)
})
