import { defineVerb } from '../../cli/verb.ts'
import { credentialVariables } from '../../config/profile.ts'
import { one, text } from '../../output/result.ts'
import { editUserFile, requireProfile, profileArgument } from '../../cli/profiles.ts'

export const verb = defineVerb({
  summary: 'choose the profile to use from now on',
  examples: ['svc profiles use staging', 'svc profiles use prod --json'],
  arguments: [profileArgument],
  columns: { CURRENT: text('current'), FILE: text('file') },
  ids: 'current',
  act: async (context, [name]) => {
    const { host } = context
    const { path } = await editUserFile(host, (file) => ({
      ...requireProfile(file, name).file.raw,
      current: name,
    }))
    const variables = credentialVariables(host)
    if (variables.length > 0) {
      context.warn(
        `the profile is not used while these variables are set: ${variables.join(', ')}`,
      )
    }
    return one({ current: name, file: path })
  },
})
