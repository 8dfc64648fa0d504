/** `svc whoami`: which profile and key are used, and whether they work. */
import { defineVerb, viewOf } from '../cli/verb.ts'
import { one } from '../output/result.ts'

const identityView = viewOf('Identity', [
  'profile',
  'source as FROM',
  'baseUrl as URL',
  'apiKey as KEY',
  'protected:state',
  'credentials:state',
])

export const verb = defineVerb({
  description:
    'Show the profile, host and key in use, and check them with one signed request.',
  notes: `Exit codes: 0 accepted, 4 wrong key, secret or clock, 5 scope or subscription,
7 no clear answer.`,
  examples: ['svc whoami', 'svc whoami --offline --json'],
  options: { offline: { summary: 'send no request' } },
  effect: 'reads',
  shows: identityView,
  run: async (context, _args, options) => {
    const { keyEnding } = await import('../config/profile.ts')
    const profile = await context.profile()
    const identity = {
      profile: profile.name ?? null,
      source: profile.chosenBy,
      baseUrl: profile.baseUrl,
      host: new URL(profile.baseUrl).host,
      apiKey: keyEnding(profile.apiKey),
      protected: profile.protected,
    }
    if (options.offline === true) return one({ ...identity, credentials: 'not asked' })
    const error = await (await context.api()).check()
    if (error === undefined) return one({ ...identity, credentials: 'accepted' })
    // An error prints no table, so a note says which key was not accepted.
    const { source, host, apiKey } = identity
    context.note(`${profile.name ?? source}, ${host}, key ${apiKey}`)
    throw error
  },
})
