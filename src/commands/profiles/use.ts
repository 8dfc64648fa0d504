import { defineVerb, viewOf } from '../../cli/verb.ts'
import { one } from '../../output/result.ts'
import { change, existing, profileArgument, typedProfile } from '../../cli/profiles.ts'

const chosenView = viewOf('ChosenProfile', ['current', 'file'], {
  id: ({ current }) => current,
})

export const verb = defineVerb({
  examples: ['svc profiles use staging', 'svc profiles use prod --json'],
  arguments: [profileArgument],
  effect: 'local',
  shows: chosenView,
  run: async (context, [typed]) => {
    const { host, options } = context
    const name = await typedProfile(context, typed)
    const file = await change(
      host,
      options,
      `change "current" in it yourself:\n  current: ${name}`,
      (found) => {
        const { raw } = existing(found, name)
        return { ...raw, current: name }
      },
    )
    return one({ current: name, file })
  },
})
