import { defineVerb, viewOf } from '../../cli/verb.ts'
import { one } from '../../output/result.ts'
import {
  editUserFile,
  fileWithProfile,
  profileArgument,
  typedProfile,
} from '../../cli/profiles.ts'

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
    const byHand = `change "current" in it yourself:\n  current: ${name}`
    const { path } = await editUserFile(host, options, byHand, (file) => ({
      ...fileWithProfile(file, name).raw,
      current: name,
    }))
    return one({ current: name, file: path })
  },
})
