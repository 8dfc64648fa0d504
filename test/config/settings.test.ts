/** Settings: the option comes before the variable, the variable before the profile, and each is read by one rule. */
import { expect, test } from 'vitest'
import { mayAsk, resolveSettings } from '../../src/config/settings.ts'
import { problem } from '../support/config-world.ts'

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

test('the values of variables', () => {
  const env = { SVC_TIMEOUT: '24h', SVC_WAIT: '1d', SVC_RATE: '0.001/s' }
  const [timeout, wait] = [86_400_000, 86_400_000]
  expect(resolveSettings({ env }, {})).toEqual({ timeout, wait, rate: 0.001 })
})

const wrong = `SVC_TIMEOUT=0s SVC_TIMEOUT=25h SVC_TIMEOUT=30 SVC_WAIT=86400001ms SVC_RATE=0
  SVC_COUNTRY=DEU`
test.each(wrong.split(/\s+/))('%s is exit 2, and the variable is named', async (pair) => {
  const [name = '', text] = pair.split('=')
  const error = await problem(() => resolveSettings({ env: { [name]: text } }, {}))
  expect([error.exitCode, error.message]).toEqual([2, expect.stringContaining(name)])
})

test('SVC_NO_INPUT forbids questions, and so does --no-input', () => {
  const may = (SVC_NO_INPUT?: string, options: { input?: false } = {}): boolean =>
    mayAsk({ env: { SVC_NO_INPUT } }, options)
  expect([undefined, '', '0', 'false', '1', 'yes'].map((value) => may(value))).toEqual([
    ...[true, true, true, true],
    ...[false, false],
  ])
  expect(may(undefined, { input: false })).toBe(false)
})
