/** Settings: the option comes before the variable, the variable before the profile, and each is read by one rule. */
import { describe, expect, test } from 'vitest'
import { mayAsk, resolveSettings, type Settings } from '../../src/config/settings.ts'
import { problem } from './world.ts'

const usual = { timeout: 30_000, wait: 30_000 }

test('without anything set', () => {
  expect(resolveSettings({ env: {} }, {})).toEqual(usual)
})

test('the option comes before the variable, and the variable before the profile', () => {
  const env = { SVC_TIMEOUT: '2s', SVC_WAIT: '2m', SVC_COUNTRY: 'fr', SVC_RATE: '2/s' }
  const profile = { rate: 9, country: 'DE' }
  const typed = { timeout: 1, wait: 2, country: 'GB' }
  expect(resolveSettings({ env }, typed, profile)).toEqual({ ...typed, rate: 2 })
  const byVariable = { timeout: 2000, wait: 120_000, country: 'FR', rate: 2 }
  expect(resolveSettings({ env }, {}, profile)).toEqual(byVariable)
  expect(resolveSettings({ env: { SVC_COUNTRY: '' } }, {}, profile)).toEqual({
    ...usual,
    ...profile,
  })
})

test.each<[string, string, keyof Settings, unknown]>([
  ['SVC_TIMEOUT', '1ms', 'timeout', 1],
  ['SVC_TIMEOUT', '24h', 'timeout', 86_400_000],
  ['SVC_WAIT', '1d', 'wait', 86_400_000],
  ['SVC_RATE', '0.001/s', 'rate', 0.001],
  ['SVC_RATE', '10', 'rate', 10],
  ['SVC_OUTPUT', 'csv', 'output', 'csv'],
])('%s=%s', (name, text, key, value) => {
  expect(resolveSettings({ env: { [name]: text } }, {})[key]).toBe(value)
})

describe('a wrong variable is exit 2 and named', () => {
  test.each([
    ['SVC_TIMEOUT', '0s'],
    ['SVC_TIMEOUT', '25h'],
    ['SVC_TIMEOUT', '30'],
    ['SVC_WAIT', '86400001ms'],
    ['SVC_RATE', '0'],
    ['SVC_COUNTRY', 'DEU'],
    ['SVC_OUTPUT', 'yaml'],
  ])('%s=%s', async (name, text) => {
    const error = await problem(() => resolveSettings({ env: { [name]: text } }, {}))
    expect([error.exitCode, error.message]).toEqual([2, expect.stringContaining(name)])
  })
})

test.each([
  [undefined, true],
  ['', true],
  ['0', true],
  ['false', true],
  ['1', false],
  ['yes', false],
])('questions with SVC_NO_INPUT=%j: %s', (SVC_NO_INPUT, expected) => {
  expect(mayAsk({ env: { SVC_NO_INPUT } }, {})).toBe(expected)
  expect(mayAsk({ env: { SVC_NO_INPUT } }, { input: false })).toBe(false)
})
