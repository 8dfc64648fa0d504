import { expect, it } from 'vitest'
import { readEnvironment } from '../../src/config/environment.ts'
import { readConfiguration } from '../../src/config/profile.ts'
import { twoProfiles, world } from './world.ts'

it('each value comes with its variable, and one that is set to nothing is not set', () => {
  const env = { SVC_API_KEY: '', SVC_BASE_URL: 'https://x.example', OTHER: 'x' }
  const { apiKey, baseUrl } = readEnvironment({ env })
  expect([apiKey, baseUrl]).toEqual([undefined, { value: 'https://x.example', source: 'SVC_BASE_URL' }])
})

it.each([
  ['profile', { SVC_PROFILE: 'prod', SVC_OUTPUT: 'json', SVC_RETRIES: '1' }],
  ['credentials', { SVC_BASE_URL: 'https://api.example.com', SVC_API_KEY: 'pk_12345678', SVC_API_SECRET: 'abcdefgh' }],
])('every variable is read once for a %s of the environment', async (_what, env) => {
  const where = world({ env: { ...env, NO_COLOR: '1' } })
  where.write('config.json', twoProfiles)
  const reads = new Map<PropertyKey, number>()
  const counted = new Proxy(where.host.env, {
    get(target, name) {
      reads.set(name, (reads.get(name) ?? 0) + 1)
      return target[String(name)]
    },
  })
  const configuration = await readConfiguration({ ...where.host, env: counted }, {})
  expect([configuration.profile().apiKey, configuration.stateDir.source]).toEqual([
    expect.stringMatching(/^pk_/),
    'built-in',
  ])
  const ours = [...reads].filter(([name]) => /^SVC_|COLOR/.test(String(name)))
  expect(ours.length).toBeGreaterThan(10)
  expect(ours.filter(([, count]) => count > 1)).toEqual([])
})
