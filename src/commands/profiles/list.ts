import { defineVerb } from '../../cli/verb.ts'
import { readUserFile } from '../../config/file.ts'
import { credentialVariables } from '../../config/profile.ts'
import { id, rows, text } from '../../output/result.ts'
import { hostOf, profileRows, rulesOf } from './file.ts'

export const verb = defineVerb({
  examples: ['svc profiles list', 'svc profiles list --json', 'svc profiles list -o ids'],
  effect: 'reads',
  columns: {
    NAME: id('name'),
    CURRENT: text('current'),
    HOST: text(hostOf),
    KEY: id('apiKey'),
    RULES: text(rulesOf),
  },
  ids: 'name',
  run: async (context) => {
    const { host } = context
    const variables = credentialVariables(host)
    if (variables.length > 0)
      context.note(
        `these variables are used instead of the current profile: ${variables.join(', ')}`,
      )
    return rows(profileRows(host, await readUserFile(host)), {
      empty: 'no profiles; add one with:\n  svc profiles add <name>',
    })
  },
})
